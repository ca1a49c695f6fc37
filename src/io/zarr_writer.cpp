#include "io/zarr_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "io/gzip.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/sample_stats.hpp"

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

// A run that ends at a target may have few draws.
constexpr double short_block_bytes = 2e6;
// So much is appended at once: to have files on the disk for good takes time, however long they are.
constexpr double append_bytes = 32e6;

std::string text_of(const ZarrJson& json) {
  return json.dump(1, ' ', false, ZarrJson::error_handler_t::replace) + "\n";
}

/// By a thread of its own, or here if no thread more can be started.
template <class Work>
std::future<void> in_background(const Work& work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    std::packaged_task<void()> here(work);
    here();
    return here.get_future();
  }
}

std::string name_of(const ZarrGroup& group, const ZarrArray& array, std::size_t block, std::size_t column) {
  return group.name() + "/" + array.name + "/" + chunk_name(array, block, column);
}

}  // namespace

ZarrStore::Writer::Writer(std::string path, Shown shown, Compression compression)
    : path_(without_slash(std::move(path))), shown_(shown), compression_(compression) {
  require_store_replaceable(path_);
}

ZarrStore::Writer::Writer(std::string path, Reopened)
    : path_(without_slash(std::move(path))), shown_(Shown::at_once), reopened_(true) {
  folder_ = behind_links(path_);
  ZarrFolder{path_};  // throws unless it is a store
  lock_ = StoreLock(path_, folder_);
  const ZarrFolder store(path_);
  facts = store.facts();
  compression_ = store.compression();
  const StateCounts counts = store.state_counts().value_or(StateCounts());
  sampling_.count = counts.draws;
  warmup_.count = counts.warmup;
}

ZarrStore::Writer::Writer(std::string path, Joined)
    : path_(without_slash(std::move(path))), shown_(Shown::at_once), reopened_(true), shared_(true), joined_(true) {}

bool ZarrStore::Writer::join(const Result& result, const std::string& mark) {
  try {
    const ZarrFolder store(path_);
    if (store.digest() != mark) return false;
    folder_ = behind_links(path_);
    lock_ = StoreLock(path_, folder_, StoreLock::Held::together);
    compression_ = store.compression();
    sampling_.count = zarr_count(store.about(), "draws");
    warmup_.count = store.about().contains("warmup_draws") ? zarr_count(store.about(), "warmup_draws") : 0;
  } catch (const BadInput&) {
    return false;  // another file system
  }
  size_up(result);
  make_groups(result);
  return true;
}

void ZarrStore::Writer::write_chains(Stretch chains) {
  own_ = chains;
  if (!reopened_) return;
  const ZarrFolder store(path_);
  for (GrowingArray& one : growing_) read_last_block(one, store);
}

void ZarrStore::Writer::commit() {
  if (!pending_ || failed_) return;
  failed_ = true;  // until all is well
  std::exchange(pending_, nullptr)->publish();
  failed_ = false;
}

void ZarrStore::Writer::size_up(const Result& result) {
  chains_ = result.draws.empty() ? result.settings.chains : result.draws.chains;
  sampling_.planned =
      std::max<std::size_t>(result.draws.empty() ? result.settings.sampling.draws.value_or(0) : result.draws.draws, 1);
  double_ = result.settings.precision == Precision::double_precision;
  if (!result.draws.empty()) double_ = result.draws.float32.empty();
  stats_ = result.draws.empty() ? result.settings.output.keep_sample_stats : !result.sample_stats.empty();
  outputs_ = result.layout.outputs;
  const auto block_of = [&](double bytes) {
    return store_block(chains_, outputs_ + (stats_ ? sample_stat_count : 0), double_ ? 8 : 4, sampling_.planned, bytes);
  };
  std::size_t& block = sampling_.block;
  block = block_of(result.draws.empty() && result.settings.sampling.target_ess ? short_block_bytes : most_block_bytes);
  if (reopened_) {
    const ZarrFolder store(path_);
    block = store.block_draws();
    column_ = store.column();
  }
  if (column_ == 0 || column_ > chains_) column_ = chains_;
  at_once_ = std::max(block_of(append_bytes) / block, std::size_t{1}) * block;
  warmup_.planned = result.warmup.draws.draws;
  if (result.draws.empty() && result.settings.output.save_warmup && result.settings.warmup.transitions.value_or(0) > 0)
    warmup_.planned = std::max<std::size_t>(*result.settings.warmup.transitions / result.settings.sampling.thin, 1);
  warmup_.block = std::clamp<std::size_t>(warmup_.planned, 1, block);
}

void ZarrStore::Writer::begin(const Result& result) {
  require_storable(result.layout);
  size_up(result);
  make_groups(result);
  if (reopened_) go_on(ZarrFolder(path_));
  if (!shared_) write_chains({0, chains_});
  if (reopened_) {
    if (shared_) lock_.hold_together(path_);
    return;
  }
  std::optional<StoreLock> older;
  if (shown_ == Shown::at_once && is_store(path_)) older.emplace(path_, behind_links(path_));
  begun_.emplace(path_);
  folder_ = begun_->name();
  lock_ = StoreLock(path_, folder_);
  FilesTogether files(path_, folder_, shown_ == Shown::at_once);
  make_folders(0);
  add_groups(files);
  files.publish();
  if (shown_ == Shown::when_whole) return;
  begun_->keep();
  folder_ = behind_links(path_);
  if (shared_) lock_.hold_together(path_);
}

void ZarrStore::Writer::append(Phase phase, std::size_t first, const Draws& draws, const Draws& sample_stats,
                               const RunState& state) {
  Growth& growth = of(phase);
  if (failed_ || first != growth.count) throw Error(path_ + ": draws are missing before those that are to be stored");
  failed_ = true;  // until all is well
  // Files of the append before may have the other name still.
  next_name_ = (publishing_.valid() || pending_) && !next_name_;
  const auto files_of_append = [&] {
    return std::make_shared<FilesTogether>(path_, folder_, shown_ == Shown::at_once, next_name_);
  };
  const std::shared_ptr<FilesTogether> chunks = files_of_append(), rest = shared_ ? files_of_append() : chunks;
  const std::size_t columns = own_columns();
  if (phase == Phase::sampling && draws.draws > 0) free_blocks_of_warmup();
  for (std::size_t done = 0; done < draws.draws;) {
    const std::size_t block = growth.block, place = growth.count % block;
    const std::size_t count = std::min(block - place, draws.draws - done);
    if (!joined_) add_draw_numbers(*rest, phase, growth.count, growth.count + count);
    for (GrowingArray& one : growing_) {
      if (phase_of(groups_[one.group]) != phase || columns == 0) continue;
      const ZarrArray& array = groups_[one.group].arrays()[one.array];
      if (place == 0 && (count < block || own_.count < columns * column_)) empty_block(array, columns, one.block);
      one.block.resize(columns * array.chunk_bytes());
      put(one.stat ? sample_stats : draws, done, count, one, place);
      add_block(chunks, one, growth.count / block, place + count == block);
    }
    growth.count += count;
    done += count;
  }
  if (draws.draws > 0 && !joined_) {
    for (ZarrGroup& group : groups_) {
      if (!group.has_draws() || phase_of(group) != phase) continue;
      group.grow(growth.count);
      for (const ZarrArray& array : group.arrays())
        if (array.is_drawn() || array.name == "draw") add_metadata(*rest, group, array);
    }
  }
  if (!joined_) {
    add_root(*rest);
    add_state(*rest, state);
  }
  wait_for_last();
  const auto publish = [chunks, writing = writing_,
                        before = std::exchange(pending_, shared_ && !joined_ ? rest : nullptr)] {
    if (writing.valid()) writing.get();
    if (before) before->publish();
    chunks->publish();
  };
  publishing_ = in_background(publish);
  failed_ = false;
}

void ZarrStore::Writer::add_block(const std::shared_ptr<FilesTogether>& files, GrowingArray& one, std::size_t block,
                                  bool full) {
  const ZarrGroup& group = groups_[one.group];
  const ZarrArray& array = group.arrays()[one.array];
  const std::size_t bytes = array.chunk_bytes();
  std::vector<std::string> names;
  for (std::size_t k = 0; k * bytes < one.block.size(); ++k) {
    names.push_back(name_of(group, array, block, own_.first / column_ + k));
    files->name_next(names.back());
  }
  const auto write = [files, names, type = array, bytes](const DrawValues<char>& chunks) {
    for (std::size_t k = 0; k < names.size(); ++k)
      write_chunk(*files, names[k], type, {chunks.data() + k * bytes, bytes});
  };
  if (!full || one.block.size() < direct_bytes) return write(one.block);
  if (writing_.valid()) writing_.get();
  std::swap(one.block, written_);
  writing_ = in_background([this, write] { write(written_); }).share();
}

void ZarrStore::Writer::wait_for_last() {
  if (publishing_.valid()) publishing_.get();
}

void ZarrStore::Writer::settle() {
  const bool failed = std::exchange(failed_, true);
  wait_for_last();
  failed_ = failed;
}

void ZarrStore::Writer::free_blocks_of_warmup() {
  for (GrowingArray& one : growing_)
    if (phase_of(groups_[one.group]) == Phase::warmup) one.block = {};
}

void ZarrStore::Writer::make_groups(const Result& result) {
  groups_.clear();
  growing_.clear();
  add_quantities(FileGroup::posterior, "posterior", result);
  add_quantities(FileGroup::posterior_predictive, "posterior_predictive", result);
  if (stats_) add_stats("sample_stats", result);
  if (warmup_.planned > 0) {
    add_quantities(FileGroup::posterior, "warmup_posterior", result);
    if (stats_) add_stats("warmup_sample_stats", result);
  }
  for (const auto& [which, name] :
       {std::pair(FileGroup::observed_data, "observed_data"), std::pair(FileGroup::constant_data, "constant_data")})
    add_data(which, name, result);
}

void ZarrStore::Writer::add_quantities(FileGroup which, const char* name, const Result& result) {
  const Data* const data = result.data.get();
  const std::vector<FileVariable> variables = variables_of(which, result.layout, data);
  if (variables.empty() && which != FileGroup::posterior) return;
  ZarrGroup& group = add_drawn(name, result);
  for (const FileVariable& variable : variables) {
    const auto quantity = std::find_if(result.layout.quantities.begin(), result.layout.quantities.end(),
                                       [&](const Quantity& one) { return one.name == variable.name; });
    const std::size_t place =
        group.define(stored_name(variable.name), number(), variable.shape, dimensions_of(variable, data));
    growing_.push_back({groups_.size() - 1, place, false, quantity->offset, quantity->size(), {}});
  }
  group.add_coordinates(of(phase_of(group)).planned);
}

void ZarrStore::Writer::add_stats(const char* name, const Result& result) {
  ZarrGroup& group = add_drawn(name, result);
  for (std::size_t i = 0; i < sample_stat_count; ++i) {
    const std::string stat = sample_stat_names[i];
    const std::size_t place = group.define(stat, stat == "diverging" ? ZarrType::boolean : number(), {}, {});
    growing_.push_back({groups_.size() - 1, place, true, i, 1, {}});
  }
  group.add_coordinates(of(phase_of(group)).planned);
}

ZarrGroup& ZarrStore::Writer::add_drawn(const std::string& name, const Result& result) {
  groups_.emplace_back(name, result.data.get(), chains_, column_, of(phase_of(name)).block,
                       result.settings.superchains.value_or(0), compression_);
  describe_run(groups_.back(), result, now_);
  return groups_.back();
}

void ZarrStore::Writer::add_data(FileGroup which, const char* name, const Result& result) {
  const Data* const data = result.data.get();
  const std::vector<FileVariable> variables = variables_of(which, result.layout, data);
  if (variables.empty()) return;
  ZarrGroup& group = groups_.emplace_back(name, data);
  if (which == FileGroup::constant_data)
    if (const std::string names = left_out_of_constants(result.layout, *data); !names.empty())
      group.text("left_out", names);
  describe_maker(group, now_);
  for (const FileVariable& variable : variables)
    group.put(stored_name(variable.name), *data->find(variable.name), dimensions_of(variable, data));
  group.add_coordinates(0);
}

void ZarrStore::Writer::go_on(const ZarrFolder& store) {
  for (const ZarrGroup& group : groups_) require_same(group, store);
  for (ZarrGroup& group : groups_) {
    if (!group.has_draws()) continue;
    group.grow(of(phase_of(group)).count);
    for (ZarrArray& array : group.arrays())  // in chunks as before, although more draws may be planned now
      if (array.name == "draw") array.chunk = store.find(group.name(), array.name)->chunk;
  }
  FilesTogether files(path_, folder_, true);
  add_groups(files);
  files.publish();
  std::error_code ignored;
  fs::remove_all(folder_ + "/log_likelihood", ignored);  // of draws that were the last ones
  for (const char* name : {"step_size", "n_steps"}) fs::remove_all(folder_ + "/sample_stats/" + name, ignored);
  for (const GrowingArray& one : growing_) {
    const ZarrGroup& group = groups_[one.group];
    const ZarrArray& array = group.arrays()[one.array];
    const std::string at = folder_ + "/" + group.name() + "/" + array.name + "/";
    const auto& [planned, count, length] = of(phase_of(group));
    bool there = true;
    for (std::size_t block = (count + length - 1) / length; std::exchange(there, false); ++block)
      for (std::size_t k = 0; k < array.columns(); ++k)
        there = fs::remove(at + chunk_name(array, block, k), ignored) || there;
  }
  ignored.clear();
  std::vector<fs::path> begun;  // by a process that was killed
  for (fs::recursive_directory_iterator at(folder_, ignored), end; !ignored && at != end; at.increment(ignored))
    if (at->path().extension() == ".partial") begun.push_back(at->path());
  for (const fs::path& file : begun) fs::remove(file, ignored);
}

void ZarrStore::Writer::read_last_block(GrowingArray& one, const ZarrFolder& store) {
  const ZarrGroup& group = groups_[one.group];
  const ZarrArray& array = group.arrays()[one.array];
  const auto& [planned, count, length] = of(phase_of(group));
  const std::size_t place = count % length;
  if (place == 0) return;
  empty_block(array, own_columns(), one.block);
  const std::size_t first = own_.first / column_, row = array.chunk_bytes() / column_;
  for (std::size_t k = 0; k < own_columns(); ++k) {
    const std::string stored = store.chunk(group.name(), array, count / length, first + k);
    for (std::size_t c = 0; c < column_; ++c)
      std::copy_n(stored.data() + c * row, row / length * place, one.block.data() + (k * column_ + c) * row);
  }
}

void ZarrStore::Writer::require_same(const ZarrGroup& group, const ZarrFolder& store) const {
  const auto differs = [&](const std::string& what) {
    throw BadInput(fmt::format("{}: is of another model, other data or another precision: {}/{} differs", path_,
                               group.name(), what));
  };
  for (const ZarrArray& array : group.arrays()) {
    const ZarrArray* const stored = store.find(group.name(), array.name);
    if (!stored) differs(array.name);
    ZarrArray mine = array, other = *stored;
    if (array.is_drawn()) mine.shape[1] = other.shape[1] = 0;
    if (array.name == "draw") {
      mine.shape = other.shape = {0};
      mine.chunk = other.chunk;
    }
    if (mine.type != other.type || mine.shape != other.shape || mine.chunk != other.chunk || mine.gzip != other.gzip ||
        mine.dimensions != other.dimensions)
      differs(array.name);
  }
  for (const auto& [name, bytes] : group.contents()) {
    const std::string array = name.substr(0, name.find('/'));
    if (store.chunk(group.name(), *store.find(group.name(), array), 0) != bytes) differs(array);
  }
}

void ZarrStore::Writer::make_folders(std::size_t first_group) {
  for (std::size_t i = first_group; i < groups_.size(); ++i)
    for (const ZarrArray& array : groups_[i].arrays()) make_folder(groups_[i], array);
}

void ZarrStore::Writer::make_folder(const ZarrGroup& group, const ZarrArray& array) {
  std::error_code error;
  fs::create_directories(folder_ + "/" + group.name() + "/" + array.name, error);
  if (error) fail_to_write(path_, error.value());
}

void ZarrStore::Writer::add_groups(FilesTogether& files) {
  for (const ZarrGroup& group : groups_) add_group(files, group);
  for (const Phase phase : {Phase::warmup, Phase::sampling})
    if (of(phase).count > 0) add_draw_numbers(files, phase, 0, of(phase).count);
  add_root(files);
}

void ZarrStore::Writer::add_group(FilesTogether& files, const ZarrGroup& group) {
  for (const auto& [name, bytes] : group.contents()) add_checked(files, group.name() + "/" + name, bytes);
  for (const ZarrArray& array : group.arrays()) add_metadata(files, group, array);
  add_attributes(files, group);
}

void ZarrStore::Writer::add_attributes(FilesTogether& files, const ZarrGroup& group) {
  files.add(group.name() + "/zarr.json", text_of(group.json()));
}

void ZarrStore::Writer::add_metadata(FilesTogether& files, const ZarrGroup& group, const ZarrArray& array) {
  files.add(group.name() + "/" + array.name + "/zarr.json", text_of(to_zarr_json(array)));
}

void ZarrStore::Writer::write_checked(const FilesTogether& files, const std::string& name, std::string_view bytes) {
  const std::string checksum = checksum_of(bytes);
  files.write(name, {{bytes.data(), bytes.size()}, {checksum.data(), checksum.size()}});
}

void ZarrStore::Writer::add_checked(FilesTogether& files, const std::string& name, std::string_view bytes) {
  files.name_next(name);
  write_checked(files, name, bytes);
}

void ZarrStore::Writer::write_chunk(const FilesTogether& files, const std::string& name, const ZarrArray& array,
                                    std::string_view bytes) {
  if (array.gzip)
    write_checked(files, name, gzip(bytes));
  else
    write_checked(files, name, bytes);
}

void ZarrStore::Writer::add_chunk(FilesTogether& files, const ZarrGroup& group, const ZarrArray& array,
                                  std::size_t block, std::size_t column, std::string_view bytes) {
  const std::string name = name_of(group, array, block, column);
  files.name_next(name);
  write_chunk(files, name, array, bytes);
}

void ZarrStore::Writer::add_draw_numbers(FilesTogether& files, Phase phase, std::size_t first, std::size_t end) {
  for (const ZarrGroup& group : groups_) {
    if (!group.has_draws() || phase_of(group) != phase) continue;
    const auto draw = std::find_if(group.arrays().begin(), group.arrays().end(),
                                   [](const ZarrArray& array) { return array.name == "draw"; });
    const std::size_t size = draw->chunk[0];
    for (std::size_t k = (first + size - 1) / size; k * size < end; ++k) {
      std::vector<std::int64_t> numbers(size);
      for (std::size_t i = 0; i < size; ++i) numbers[i] = static_cast<std::int64_t>(k * size + i);
      add_chunk(files, group, *draw, k, 0, bytes_as_stored(numbers));
    }
  }
}

void ZarrStore::Writer::put(const Draws& draws, std::size_t first, std::size_t count, GrowingArray& one,
                            std::size_t place) {
  const std::size_t block = of(phase_of(groups_[one.group])).block;
  const bool flag = groups_[one.group].arrays()[one.array].type == ZarrType::boolean;
  if (draws.chains != own_.count || (double_ ? draws.float64.empty() : draws.float32.empty()))
    throw Error(path_ + ": the draws are not those of this store");
  if (double_ && flag)
    put_draws<double, signed char>(draws, draws.float64, first, count, one, place, block, one.block);
  else if (double_)
    put_draws<double, double>(draws, draws.float64, first, count, one, place, block, one.block);
  else if (flag)
    put_draws<float, signed char>(draws, draws.float32, first, count, one, place, block, one.block);
  else
    put_draws<float, float>(draws, draws.float32, first, count, one, place, block, one.block);
}

void ZarrStore::Writer::add_root(FilesTogether& files) {
  ZarrJson about = {{"version", store_version},       {"complete", complete_}, {"draws", sampling_.count},
                    {"block_draws", sampling_.block}, {"chains", chains_},     {"outputs", outputs_}};
  if (warmup_.planned > 0) about["warmup_draws"] = warmup_.count;
  ZarrJson variables = ZarrJson::array();
  for (const GrowingArray& one : growing_)
    if (!one.stat && phase_of(groups_[one.group]) == Phase::sampling)
      variables.push_back({{"group", groups_[one.group].name()},
                           {"name", groups_[one.group].arrays()[one.array].name},
                           {"output", one.variable}});
  about["variables"] = std::move(variables);
  ZarrJson all = ZarrJson::object();
  for (const ZarrGroup& group : groups_) {
    all[group.name()] = group.json();
    for (const ZarrArray& array : group.arrays()) all[group.name() + "/" + array.name] = to_zarr_json(array);
  }
  ZarrJson root = {{"zarr_format", 3}, {"node_type", "group"}};
  root["attributes"] = {{store_attribute, about}, {store_facts, facts}};
  root["consolidated_metadata"] = {{"kind", "inline"}, {"must_understand", false}, {"metadata", std::move(all)}};
  files.barrier();
  files.add("zarr.json", text_of(root));
}

void ZarrStore::Writer::add_state(FilesTogether& files, const RunState& state) {
  if (state.empty()) return;
  const StateHeader header = state_header({sampling_.count, warmup_.count}, state);
  files.add(store_state_name, {{&header, sizeof header}, {state.data(), state.size()}});
}

}  // namespace manychain::io
