#include "io/zarr_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "io/gzip.hpp"
#include "io/partial_file.hpp"
#include "io/run_attributes.hpp"
#include "io/run_record.hpp"
#include "io/zarr_blocks.hpp"
#include "io/zarr_draws.hpp"
#include "io/zarr_files.hpp"
#include "io/zarr_folder.hpp"
#include "io/zarr_group.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/sample_stats.hpp"
#include "manychain/io/zarr.hpp"
#include "run/named_dimensions.hpp"
#include "sampling/judge.hpp"

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

// A chunk has its size on the disk from its first draw on. A run that ends at a target may have few.
constexpr double block_bytes = 16e6, short_block_bytes = 2e6;
// So much is appended at once: to have files on the disk for good takes time, however long they are.
constexpr double append_bytes = 32e6;

std::string text_of(const ZarrJson& json) {
  return json.dump(1, ' ', false, ZarrJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::size_t store_block(std::size_t chains, std::size_t variables, std::size_t number_bytes, std::size_t planned,
                        double block_bytes) {
  const double row = std::max(double(chains) * double(variables) * double(number_bytes), 1.0);
  const std::size_t most = std::max<std::size_t>(planned, 1);
  return static_cast<std::size_t>(std::clamp(block_bytes / row, 1.0, double(most)));
}

class ZarrStore::Writer {
 public:
  Writer(std::string path, Shown shown, Compression compression)
      : path_(without_slash(std::move(path))), shown_(shown), compression_(compression) {
    require_store_replaceable(path_);
  }
  Writer(std::string path, Reopened) : path_(without_slash(std::move(path))), shown_(Shown::at_once), reopened_(true) {
    folder_ = behind_links(path_);
    ZarrFolder{path_};  // throws unless it is a store
    lock_ = StoreLock(path_, folder_);
    const ZarrFolder store(path_);
    facts = store.facts();
    compression_ = store.compression();
    count_ = store.state_draws().value_or(0);
  }

  void begin(const Result& result) {
    require_storable(result.layout);
    chains_ = result.draws.empty() ? result.settings.chains : result.draws.chains;
    planned_ = std::max<std::size_t>(
        result.draws.empty() ? result.settings.sampling.draws.value_or(0) : result.draws.draws, 1);
    double_ = result.settings.precision == Precision::double_precision;
    if (!result.draws.empty()) double_ = result.draws.float32.empty();
    stats_ = result.draws.empty() ? result.settings.output.keep_sample_stats : !result.sample_stats.empty();
    outputs_ = result.layout.outputs;
    const auto block_of = [&](double bytes) {
      return store_block(chains_, outputs_ + (stats_ ? sample_stat_count : 0), double_ ? 8 : 4, planned_, bytes);
    };
    block_ = block_of(result.draws.empty() && result.settings.sampling.target_ess ? short_block_bytes : block_bytes);
    if (reopened_) block_ = ZarrFolder(path_).block_draws();
    at_once_ = std::max(block_of(append_bytes) / block_, std::size_t{1}) * block_;
    if (reopened_) {
      const ZarrFolder store(path_);
      make_groups(result);
      return go_on(store);
    }
    make_groups(result);
    std::optional<StoreLock> older;
    if (shown_ == Shown::at_once && is_store(path_)) older.emplace(path_, behind_links(path_));
    begun_.emplace(path_);
    folder_ = begun_->name();
    lock_ = StoreLock(path_, folder_);
    FilesTogether files(path_, folder_, shown_ == Shown::at_once);
    make_folders(0);
    add_groups(files, 0);
    files.publish();
    if (shown_ == Shown::when_whole) return;
    begun_->keep();
    folder_ = behind_links(path_);
  }

  void append(std::size_t first, const Draws& draws, const Draws& sample_stats, const RunState& state) {
    if (failed_ || first != count_) throw Error(path_ + ": draws are missing before those that are to be stored");
    failed_ = true;  // until all is well
    FilesTogether files(path_, folder_, shown_ == Shown::at_once);
    for (std::size_t done = 0; done < draws.draws;) {
      const std::size_t place = count_ % block_, count = std::min(block_ - place, draws.draws - done);
      add_draw_numbers(files, count_, count_ + count);
      for (GrowingArray& one : growing_) {
        const ZarrArray& array = groups_[one.group].arrays()[one.array];
        if (place == 0 && count < block_) empty_block(array, one.block);
        one.block.resize(array.chunk_bytes());
        put(one.stat ? sample_stats : draws, done, count, one, place);
        add_chunk(files, groups_[one.group], array, count_ / block_, one.block);
      }
      count_ += count;
      done += count;
    }
    if (draws.draws > 0) {
      for (ZarrGroup& group : groups_)
        if (group.has_draws()) group.grow(count_);
      for (const ZarrGroup& group : groups_)
        for (const ZarrArray& array : group.arrays())
          if (array.is_drawn() || array.name == "draw") add_metadata(files, group, array);
    }
    add_root(files);
    add_state(files, state);
    files.publish();
    failed_ = false;
  }

  void finish(const Result& result) {
    if (failed_) throw Error(path_ + ": cannot be finished: not all of its draws could be stored");
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
        group.text(run_record_name, run_record(run_facts(result), chains_, count_));
    }
    for (const ZarrGroup& group : groups_) files.add(group.name() + "/zarr.json", text_of(group.json()));
    complete_ = true;
    add_root(files);
    files.publish();
    if (!begun_ || shown_ == Shown::at_once) return;
    std::optional<StoreLock> older;
    if (is_store(path_)) older.emplace(path_, behind_links(path_));
    begun_->keep();
    folder_ = behind_links(path_);
  }

  std::size_t at_once() const { return at_once_; }
  std::size_t draws() const { return count_; }
  const std::string& folder() const { return folder_; }

  StoreFacts facts;

 private:
  void make_groups(const Result& result) {
    groups_.clear();
    growing_.clear();
    const Data* const data = result.data.get();
    const ZarrType number = double_ ? ZarrType::float64 : ZarrType::float32;
    for (const auto& [which, name] : {std::pair(FileGroup::posterior, "posterior"),
                                      std::pair(FileGroup::posterior_predictive, "posterior_predictive")}) {
      const std::vector<FileVariable> variables = variables_of(which, result.layout, data);
      if (variables.empty() && which != FileGroup::posterior) continue;
      ZarrGroup& group = add_drawn(name, result);
      for (const FileVariable& variable : variables) {
        const auto of = std::find_if(result.layout.quantities.begin(), result.layout.quantities.end(),
                                     [&](const Quantity& quantity) { return quantity.name == variable.name; });
        const std::size_t place =
            group.define(stored_name(variable.name), number, variable.shape, dimensions_of(variable, data));
        growing_.push_back({groups_.size() - 1, place, false, of->offset, of->size(), {}});
      }
      group.add_coordinates(planned_);
    }
    if (stats_) {
      ZarrGroup& group = add_drawn("sample_stats", result);
      for (std::size_t i = 0; i < sample_stat_count; ++i) {
        const std::string name = sample_stat_names[i];
        const std::size_t place = group.define(name, name == "diverging" ? ZarrType::boolean : number, {}, {});
        growing_.push_back({groups_.size() - 1, place, true, i, 1, {}});
      }
      group.add_coordinates(planned_);
    }
    for (const auto& [which, name] :
         {std::pair(FileGroup::observed_data, "observed_data"), std::pair(FileGroup::constant_data, "constant_data")})
      add_data(which, name, result);
  }

  ZarrGroup& add_drawn(const char* name, const Result& result) {
    groups_.emplace_back(name, result.data.get(), chains_, block_, result.settings.superchains.value_or(0),
                         compression_);
    describe_run(groups_.back(), result, now_);
    return groups_.back();
  }

  void add_data(FileGroup which, const char* name, const Result& result) {
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

  /// Behind a state of the store, as if no draws had been added since.
  void go_on(const ZarrFolder& store) {
    for (const ZarrGroup& group : groups_) require_same(group, store);
    for (ZarrGroup& group : groups_) {
      if (!group.has_draws()) continue;
      group.grow(count_);
      for (ZarrArray& array : group.arrays())  // in chunks as before, although more draws may be planned now
        if (array.name == "draw") array.chunk = store.find(group.name(), array.name)->chunk;
    }
    if (const std::size_t place = count_ % block_; place > 0) {
      for (GrowingArray& one : growing_) {
        const ZarrArray& array = groups_[one.group].arrays()[one.array];
        empty_block(array, one.block);
        const std::string stored = store.chunk(groups_[one.group].name(), array, count_ / block_);
        const std::size_t row = array.chunk_bytes() / chains_;
        for (std::size_t c = 0; c < chains_; ++c)
          std::copy_n(stored.data() + c * row, row / block_ * place, one.block.data() + c * row);
      }
    }
    FilesTogether files(path_, folder_, true);
    add_groups(files, count_);
    files.publish();
    std::error_code ignored;
    fs::remove_all(folder_ + "/log_likelihood", ignored);  // of draws that were the last ones
    for (const char* name : {"step_size", "n_steps"}) fs::remove_all(folder_ + "/sample_stats/" + name, ignored);
    for (const GrowingArray& one : growing_) {
      const ZarrArray& array = groups_[one.group].arrays()[one.array];
      const std::string at = folder_ + "/" + groups_[one.group].name() + "/" + array.name + "/";
      for (std::size_t block = (count_ + block_ - 1) / block_; fs::remove(at + chunk_name(array, block), ignored);)
        ++block;
    }
  }

  void require_same(const ZarrGroup& group, const ZarrFolder& store) const {
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
      if (mine.type != other.type || mine.shape != other.shape || mine.chunk != other.chunk ||
          mine.gzip != other.gzip || mine.dimensions != other.dimensions)
        differs(array.name);
    }
    for (const auto& [name, bytes] : group.contents()) {
      const std::string array = name.substr(0, name.find('/'));
      if (store.chunk(group.name(), *store.find(group.name(), array), 0) != bytes) differs(array);
    }
  }

  void make_folders(std::size_t first_group) {
    for (std::size_t i = first_group; i < groups_.size(); ++i)
      for (const ZarrArray& array : groups_[i].arrays()) make_folder(groups_[i], array);
  }
  void make_folder(const ZarrGroup& group, const ZarrArray& array) {
    std::error_code error;
    fs::create_directories(folder_ + "/" + group.name() + "/" + array.name, error);
    if (error) fail_to_write(path_, error.value());
  }

  /// All of a store that has `count` draws, but for the chunks of these.
  void add_groups(FilesTogether& files, std::size_t count) {
    for (const ZarrGroup& group : groups_) add_group(files, group);
    if (count > 0) {
      const std::size_t before = count_;
      add_draw_numbers(files, 0, count);
      count_ = before;
    }
    add_root(files);
  }
  void add_group(FilesTogether& files, const ZarrGroup& group) {
    for (const auto& [name, bytes] : group.contents()) add_checked(files, group.name() + "/" + name, bytes);
    for (const ZarrArray& array : group.arrays()) add_metadata(files, group, array);
    files.add(group.name() + "/zarr.json", text_of(group.json()));
  }
  void add_metadata(FilesTogether& files, const ZarrGroup& group, const ZarrArray& array) {
    files.add(group.name() + "/" + array.name + "/zarr.json", text_of(to_zarr_json(array)));
  }
  void add_checked(FilesTogether& files, const std::string& name, const std::string& bytes) {
    const std::string checksum = checksum_of(bytes);
    files.add(name, {{bytes.data(), bytes.size()}, {checksum.data(), checksum.size()}});
  }
  void add_chunk(FilesTogether& files, const ZarrGroup& group, const ZarrArray& array, std::size_t block,
                 const std::string& bytes) {
    add_checked(files, group.name() + "/" + array.name + "/" + chunk_name(array, block),
                array.gzip ? gzip(bytes) : bytes);
  }

  /// Numbers of draws from `first` to `end`, and ahead to the end of their chunks.
  void add_draw_numbers(FilesTogether& files, std::size_t first, std::size_t end) {
    for (const ZarrGroup& group : groups_) {
      if (!group.has_draws()) continue;
      const auto draw = std::find_if(group.arrays().begin(), group.arrays().end(),
                                     [](const ZarrArray& array) { return array.name == "draw"; });
      const std::size_t size = draw->chunk[0];
      for (std::size_t k = (first + size - 1) / size; k * size < end; ++k) {
        std::vector<std::int64_t> numbers(size);
        for (std::size_t i = 0; i < size; ++i) numbers[i] = static_cast<std::int64_t>(k * size + i);
        add_chunk(files, group, *draw, k, bytes_as_stored(numbers));
      }
    }
  }

  void put(const Draws& draws, std::size_t first, std::size_t count, GrowingArray& one, std::size_t place) {
    const bool flag = groups_[one.group].arrays()[one.array].type == ZarrType::boolean;
    if (draws.chains != chains_ || (double_ ? draws.float64.empty() : draws.float32.empty()))
      throw Error(path_ + ": the draws are not those of this store");
    if (double_ && flag)
      put_draws<double, signed char>(draws, draws.float64, first, count, one, place, block_, one.block);
    else if (double_)
      put_draws<double, double>(draws, draws.float64, first, count, one, place, block_, one.block);
    else if (flag)
      put_draws<float, signed char>(draws, draws.float32, first, count, one, place, block_, one.block);
    else
      put_draws<float, float>(draws, draws.float32, first, count, one, place, block_, one.block);
  }

  void add_root(FilesTogether& files) {
    ZarrJson about = {{"version", store_version}, {"complete", complete_}, {"draws", count_},
                      {"block_draws", block_},    {"chains", chains_},     {"outputs", outputs_}};
    ZarrJson variables = ZarrJson::array();
    for (const GrowingArray& one : growing_)
      if (!one.stat)
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

  void add_state(FilesTogether& files, const RunState& state) {
    if (state.empty()) return;
    const StateHeader header = state_header(count_, state);
    files.add(store_state_name, {{&header, sizeof header}, {state.data(), state.size()}});
  }

  ZarrGroup& group(const char* name) {
    return *std::find_if(groups_.begin(), groups_.end(), [&](const ZarrGroup& one) { return one.name() == name; });
  }

  /// All chains of a group have the same, but a reader expects one per chain.
  void add_step_sizes(FilesTogether& files, const Result& result) {
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
    if (result.sampling.leapfrogs.size() != count_ || result.sampling.leapfrogs.empty()) return;
    ZarrArray& array = define("n_steps", ZarrType::int32);
    add_blocks<std::int32_t>(files, stats, array, [&](std::size_t, std::size_t d) {
      return d < count_ ? static_cast<std::int32_t>(result.sampling.leapfrogs[d]) : 0;
    });
    add_metadata(files, stats, array);
  }

  template <class Number, class Value>
  void add_blocks(FilesTogether& files, const ZarrGroup& in, const ZarrArray& array, const Value& value) {
    std::vector<Number> numbers(chains_ * block_);
    for (std::size_t b = 0; b * block_ < count_; ++b) {
      for (std::size_t c = 0; c < chains_; ++c)
        for (std::size_t d = 0; d < block_; ++d) numbers[c * block_ + d] = value(c, b * block_ + d);
      add_chunk(files, in, array, b, bytes_as_stored(numbers));
    }
  }

  void add_log_likelihood(FilesTogether& files, const Result& result) {
    const Draws& rows = result.output.log_likelihood;
    if (rows.empty()) return;
    const Data* const data = result.data.get();
    const std::size_t block = store_block(chains_, rows.variables, double_ ? 8 : 4, rows.draws, block_bytes);
    ZarrGroup& group = groups_.emplace_back("log_likelihood", data, chains_, block,
                                            result.settings.superchains.value_or(0), compression_);
    std::vector<GrowingArray> arrays;
    std::size_t first = 0;
    for (const Observed& observed : result.layout.observed) {
      if (observed.rows == 0) continue;
      const std::size_t place =
          group.define(stored_name(observed.name), double_ ? ZarrType::float64 : ZarrType::float32, observed.shape(),
                       dimensions_of({observed.name, observed.shape()}, data));
      arrays.push_back({groups_.size() - 1, place, false, first, group.arrays()[place].elements(), {}});
      first += arrays.back().elements;
    }
    group.add_coordinates(rows.draws);
    group.grow(rows.draws);
    make_folders(groups_.size() - 1);
    for (GrowingArray& one : arrays) {
      const ZarrArray& array = group.arrays()[one.array];
      for (std::size_t b = 0; b * block < rows.draws; ++b) {
        empty_block(array, one.block);
        const std::size_t count = std::min(block, rows.draws - b * block);
        if (double_)
          put_draws<double, double>(rows, rows.float64, b * block, count, one, 0, block, one.block);
        else
          put_draws<float, float>(rows, rows.float32, b * block, count, one, 0, block, one.block);
        add_chunk(files, group, array, b, one.block);
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
        add_chunk(files, group, array, b, bytes_as_stored(some));
      }
    }
    for (const auto& [name, bytes] : group.contents()) add_checked(files, group.name() + "/" + name, bytes);
  }

  std::string path_, folder_;
  Shown shown_;
  Compression compression_ = Compression::none;
  bool reopened_ = false, double_ = false, stats_ = false, complete_ = false, failed_ = false;
  std::size_t chains_ = 0, planned_ = 1, outputs_ = 0, block_ = 1, at_once_ = 1, count_ = 0;
  std::string now_ = utc_now();
  std::optional<PartialFolder> begun_;
  StoreLock lock_;
  std::vector<ZarrGroup> groups_;
  std::vector<GrowingArray> growing_;
};

ZarrStore::ZarrStore(std::string path, Shown shown, Compression compression)
    : writer_(std::make_unique<Writer>(std::move(path), shown, compression)) {}
ZarrStore::ZarrStore(std::string path, Reopened reopened)
    : writer_(std::make_unique<Writer>(std::move(path), reopened)) {}
ZarrStore::~ZarrStore() = default;
void ZarrStore::set_facts(StoreFacts facts) { writer_->facts = std::move(facts); }
std::size_t ZarrStore::draws() const { return writer_->draws(); }
void ZarrStore::begin(const Result& facts) { writer_->begin(facts); }
std::size_t ZarrStore::block_draws() const { return writer_->at_once(); }
void ZarrStore::write(std::size_t first, const Draws& draws, const Draws& sample_stats, const RunState& state) {
  writer_->append(first, draws, sample_stats, state);
}
void ZarrStore::finish(const Result& result) { writer_->finish(result); }
std::unique_ptr<DrawsSource> ZarrStore::open() { return std::make_unique<ZarrDraws>(writer_->folder()); }

}  // namespace manychain::io

void manychain::write_zarr(const std::string& path, const Result& result) {
  io::require_draws(path, result);
  io::ZarrStore store(path, io::ZarrStore::Shown::when_whole);
  store.begin(result);
  store.write(0, result.draws, result.sample_stats, "");
  store.finish(result);
}
