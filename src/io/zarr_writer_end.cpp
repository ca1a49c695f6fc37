// The end of a store, when its run has ended: attributes, step sizes, log likelihoods.
#include <algorithm>
#include <cstdint>

#include "io/run_record.hpp"
#include "io/zarr_writer.hpp"
#include "manychain/core/error.hpp"
#include "sampling/judge.hpp"

namespace manychain::io {

void ZarrStore::Writer::finish(const Result& result) {
  settle();
  commit();
  if (failed_) throw Error(path_ + ": cannot be finished: not all of its draws could be stored");
  if (joined_) return;
  FilesTogether files(path_, folder_, shown_ == Shown::at_once);
  const std::size_t old_groups = groups_.size();
  if (stats_) add_step_sizes(files, result);
  add_log_likelihood(files, result);
  make_folders(old_groups);
  for (ZarrGroup& group : groups_) {
    if (!group.has_draws()) continue;
    describe_run(group, result, now_);  // the device is known by now
    describe_end(group, result);
    if (group.name() != "posterior" && group.name() != "sample_stats") continue;
    group.integer("cancelled", result.cancelled);
    if (group.name() == "posterior" && !result.part)
      group.text(run_record_name, run_record(run_facts(result), chains_, sampling_.count));
  }
  for (const ZarrGroup& group : groups_) add_attributes(files, group);
  complete_ = true;
  add_root(files);
  files.publish();
  if (!begun_ || shown_ == Shown::at_once) return;
  std::optional<StoreLock> older;
  if (is_store(path_)) older.emplace(path_, behind_links(path_));
  begun_->keep();
  folder_ = behind_links(path_);
}

ZarrGroup& ZarrStore::Writer::group(const char* name) {
  return *std::find_if(groups_.begin(), groups_.end(), [&](const ZarrGroup& one) { return one.name() == name; });
}

void ZarrStore::Writer::add_step_sizes(FilesTogether& files, const Result& result) {
  ZarrGroup& stats = group("sample_stats");
  const bool superchains = result.settings.superchains.value_or(0) > 1;
  const auto define = [&](const char* name, ZarrType type) -> ZarrArray& {
    ZarrArray& array = stats.arrays()[stats.define(name, type, {}, {})];
    if (superchains) array.attributes["coordinates"] = stats.arrays()[0].attributes["coordinates"];
    make_folder(stats, array);
    return array;
  };
  {
    ZarrArray& array = define("step_size", ZarrType::float64);
    if (result.warmup.tuning.size() > 1) {
      add_blocks<double>(files, stats, array, [&](std::size_t c, std::size_t) { return step_size_of(result, c); });
    } else {
      array.fill = result.warmup.tuning[0].step_size;  // one number for all, of which no chunk is needed
    }
    add_metadata(files, stats, array);
  }
  if (result.sampling.leapfrogs.size() != sampling_.count || result.sampling.leapfrogs.empty()) return;
  ZarrArray& array = define("n_steps", ZarrType::int32);
  add_blocks<std::int32_t>(files, stats, array, [&](std::size_t, std::size_t d) {
    return d < sampling_.count ? static_cast<std::int32_t>(result.sampling.leapfrogs[d]) : 0;
  });
  add_metadata(files, stats, array);
}

template <class Number, class Value>
void ZarrStore::Writer::add_blocks(FilesTogether& files, const ZarrGroup& in, const ZarrArray& array,
                                   const Value& value) {
  for (std::size_t b = 0; b < array.blocks(); ++b)
    for (std::size_t k = 0; k < array.columns(); ++k) {
      std::vector<Number> numbers(column_ * sampling_.block);
      const Stretch chains = array.chains_of(k);
      for (std::size_t c = 0; c < chains.count; ++c)
        for (std::size_t d = 0; d < sampling_.block; ++d)
          numbers[c * sampling_.block + d] = value(chains.first + c, b * sampling_.block + d);
      add_chunk(files, in, array, b, k, bytes_as_stored(numbers));
    }
}

void ZarrStore::Writer::add_log_likelihood(FilesTogether& files, const Result& result) {
  const Draws& rows = result.output.log_likelihood;
  if (rows.empty()) return;
  const Data* const data = result.data.get();
  const std::size_t block = store_block(chains_, rows.variables, double_ ? 8 : 4, rows.draws, most_block_bytes);
  ZarrGroup& group = groups_.emplace_back("log_likelihood", data, chains_, chains_, block,
                                          result.settings.superchains.value_or(0), compression_);
  std::vector<GrowingArray> arrays;
  std::size_t first = 0;
  for (const Observed& observed : result.layout.observed) {
    if (observed.rows == 0) continue;
    const std::size_t place = group.define(stored_name(observed.name), double_ ? ZarrType::float64 : ZarrType::float32,
                                           observed.shape(), dimensions_of({observed.name, observed.shape()}, data));
    arrays.push_back({groups_.size() - 1, place, false, first, group.arrays()[place].elements(), {}});
    first += arrays.back().elements;
  }
  group.add_coordinates(rows.draws);
  group.grow(rows.draws);
  make_folders(groups_.size() - 1);
  for (GrowingArray& one : arrays) {
    const ZarrArray& array = group.arrays()[one.array];
    for (std::size_t b = 0; b * block < rows.draws; ++b) {
      empty_block(array, 1, one.block);
      const std::size_t count = std::min(block, rows.draws - b * block);
      if (double_)
        put_draws<double, double>(rows, rows.float64, b * block, count, one, 0, block, one.block);
      else
        put_draws<float, float>(rows, rows.float32, b * block, count, one, 0, block, one.block);
      add_chunk(files, group, array, b, 0, {one.block.data(), one.block.size()});
    }
  }
  for (const ZarrArray& array : group.arrays()) {
    add_metadata(files, group, array);
    if (array.name != "draw") continue;
    std::vector<std::int64_t> numbers(result.output.log_likelihood_draws.begin(),
                                      result.output.log_likelihood_draws.end());
    for (std::size_t b = 0; b * array.chunk[0] < rows.draws; ++b) {
      std::vector<std::int64_t> some(array.chunk[0]);
      for (std::size_t i = 0; i < some.size() && b * array.chunk[0] + i < numbers.size(); ++i)
        some[i] = numbers[b * array.chunk[0] + i];
      add_chunk(files, group, array, b, 0, bytes_as_stored(some));
    }
  }
  for (const auto& [name, bytes] : group.contents()) add_checked(files, group.name() + "/" + name, bytes);
}

}  // namespace manychain::io
