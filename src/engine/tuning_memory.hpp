// The tuning that the chains of a group share, and its adaptation, in the memory of a backend: one record of each for
// every group, its scales beside them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/chain_memory.hpp"
#include "engine/leaf_memory.hpp"

namespace manychain {

template <class Number>
class TuningMemory : public ChainMemory<Number> {
  using Chains = ChainMemory<Number>;

 public:
  int groups() const final { return groups_; }
  bool has_leaves() const final { return program_->has_leaves(); }
  void set_tuning(int group, const GroupTuning& tuning) final {
    const std::size_t g = static_cast<std::size_t>(group);
    tuning_[g] = tuning;
    write_steps(group);
    write_record(g, tuning);
  }
  GroupTuning tuning(int group) const final {
    const std::size_t g = static_cast<std::size_t>(group);
    std::vector<std::byte> record(program_->tuning_bytes());
    bytes_to_host(record_of(g), record.data(), record.size());
    GroupTuning tuning = tuning_[g];
    program_->read_tuning(record.data(), tuning);
    return tuning;
  }
  void set_metric(int group, const Metric& metric) final {
    const std::size_t g = static_cast<std::size_t>(group);
    if (metric.rank() > capacity_) throw std::logic_error("a metric has more directions than there is room for");
    metrics_[g] = metric;
    send(metric.scale, scale_ + group * a_.dimension);
    if (metric.rank() > 0) {
      send(metric.directions, directions_of(g));
      std::vector<double> factors;
      for (const double lambda : metric.eigenvalues)
        factors.insert(factors.end(), {lambda - 1, std::sqrt(lambda) - 1, 1 / lambda - 1});
      send(factors, factors_of(g));
    }
    if (metric.leaves.count() > 0) {
      const std::vector<std::byte> leaves = leaf_memory_.packed(metric.leaves);
      bytes_to_backend(leaves.data(), reinterpret_cast<std::byte*>(leaves_of(g)), leaves.size());
    }
    set_tuning(group, tuning_[g]);
  }

  ChainImage image() const final {
    ChainImage image;
    for (const auto& [begin, rows] : this->chain_rows()) this->append_rows(begin, rows, a_.stride, image.memory);
    for (const auto& [begin, size] : spans()) {
      std::vector<Number> numbers(share_.here() == 0 ? size : 0);
      to_host(begin, numbers.data(), numbers.size());
      this->append_bytes(numbers.data(), numbers.size(), image.memory);
    }
    if (notes_) {
      std::vector<double> mine(static_cast<std::size_t>(a_.chains));
      bytes_to_host(reinterpret_cast<const std::byte*>(own_notes()), reinterpret_cast<std::byte*>(mine.data()),
                    mine.size() * sizeof(double));
      const std::vector<double> all = share_.gathered_at_first(std::move(mine), 1);
      this->append_bytes(all.data(), all.size(), image.memory);
    }
    for (int g = 0; g < groups_; ++g) image.tuning.push_back(tuning(g));
    return image;
  }
  void restore_image(const ChainImage& image) final {
    std::size_t all = notes_ ? static_cast<std::size_t>(share_.all()) * sizeof(double) : 0;
    for (const auto& [begin, rows] : this->chain_rows()) all += this->bytes_of_rows(rows);
    for (const auto& [begin, size] : spans()) all += size * sizeof(Number);
    if ((share_.here() == 0 && image.memory.size() != all) || image.tuning.size() != tuning_.size())
      throw BadInput("an image of chains of another run cannot be restored");
    const char* from = image.memory.data();
    for (const auto& [begin, rows] : this->chain_rows()) this->copy_rows_back(from, begin, rows, a_.stride);
    const auto put = [&](Number* begin, std::size_t bytes) {
      std::vector<char> some(bytes);
      if (share_.here() == 0) std::copy_n(std::exchange(from, from + bytes), bytes, some.begin());
      share_.send_from_first(some.data(), bytes);
      bytes_to_backend(reinterpret_cast<const std::byte*>(some.data()), reinterpret_cast<std::byte*>(begin), bytes);
    };
    for (const auto& [begin, size] : spans()) put(begin, size * sizeof(Number));
    if (notes_) put(notes_, static_cast<std::size_t>(share_.all()) * sizeof(double));
    for (std::size_t g = 0; g < tuning_.size(); ++g) write_record(g, image.tuning[g]);
  }

  Adapter* adapter() final { return adapter_.get(); }
  void send_adaptation() final {
    bytes_to_backend(adapter_->records(), static_cast<std::byte*>(adapter_arrays_.records), adaptation_bytes());
  }
  void collect_adaptation() final {
    bytes_to_host(static_cast<const std::byte*>(adapter_arrays_.records), adapter_->records(), adaptation_bytes());
  }

 protected:
  using Chains::a_;
  using Chains::bytes_to_backend;
  using Chains::bytes_to_host;
  using Chains::program_;
  using Chains::share_;
  using Chains::to_backend;
  using Chains::to_host;
  using typename Chains::Piece;

  TuningMemory(const Model& model, const Settings& settings, const Share& share,
               std::unique_ptr<Program<Number>> program)
      : Chains(model, settings, share, std::move(program)),
        adapter_(program_->adapter(settings.warmup.adaptation, static_cast<int>(settings.groups))),
        groups_(static_cast<int>(settings.groups)),
        capacity_(program_->info().directions && has_directions(settings.sampling.metric)
                      ? metric_capacity(static_cast<std::size_t>(a_.dimension))
                      : 0),
        leaf_memory_(model.layout(), program_->has_leaves() && manychain::has_leaves(settings.sampling.metric)),
        tuning_(settings.groups),
        metrics_(settings.groups) {}

  void list_tuning_memory(std::vector<Piece>& pieces) {
    const std::size_t groups = tuning_.size(), of_components = groups * static_cast<std::size_t>(a_.dimension);
    pieces.push_back({&scale_, of_components});
    pieces.push_back({&step_, of_components});
    if (capacity_ > 0) {
      pieces.push_back({&directions_, capacity_ * of_components});
      pieces.push_back({&factors_, capacity_ * groups * LowRank<Number>::factors_per_direction});
    }
    if (leaf_memory_.size() > 0) pieces.push_back({&leaves_, groups * leaf_memory_.size()});
    pieces.push_back({&tuning_memory_, numbers(groups * program_->tuning_bytes())});
    if (!adapter_) return;
    const std::size_t statistic = adapter_->statistic_bytes();
    std::size_t most_items = 0, most_partials = 0;
    for (int pass = 0; pass < adapter_->passes(); ++pass) {
      const std::size_t items = groups * static_cast<std::size_t>(adapter_->items(pass, a_.dimension));
      pieces.push_back({&pooled_[pass], numbers(items * statistic)});
      most_items = std::max(most_items, items);
      most_partials = std::max(
          most_partials, items * static_cast<std::size_t>(partials_of(std::min(share_.all(), a_.chains_per_group))));
    }
    pieces.push_back({&partials_, numbers(most_partials * statistic)});
    pieces.push_back({&tickets_, numbers((most_items + groups) * sizeof(std::uint32_t))});
    pieces.push_back({&adaptation_memory_, numbers(adaptation_bytes())});
    if (adapter_->info().observes) {
      pieces.push_back({&observed_, rows_observed * static_cast<std::size_t>(a_.dimension * a_.stride)});
      pieces.push_back({&notes_, numbers(static_cast<std::size_t>(share_.stride()) * sizeof(double))});
    }
    if (gathers_rows()) pieces.push_back({&gathered_, static_cast<std::size_t>(gathered_rows() * share_.stride())});
    pieces.push_back({&adapter_numbers_,
                      numbers(groups * static_cast<std::size_t>(adapter_->memory(a_.dimension)) * sizeof(double))});
  }
  void place_tuning() {
    // Chains are of groups counted from the first one here: a range begins with a group or lies within one.
    a_.tuning = record_of(static_cast<std::size_t>(share_.first() / a_.chains_per_group));
    adapter_arrays_ = {this->counter("acceptance"),
                       {},
                       share_.all(),
                       a_.stride,
                       a_.chains_per_group,
                       groups_,
                       a_.dimension,
                       0,
                       scale_,
                       step_,
                       tuning_memory_,
                       adaptation_memory_,
                       partials_,
                       {pooled_[0], pooled_[1]},
                       reinterpret_cast<double*>(notes_),
                       reinterpret_cast<double*>(adapter_numbers_),
                       reinterpret_cast<std::uint32_t*>(tickets_)};
    for (int k = 0; k < rows_observed && observed_; ++k)
      adapter_arrays_.observed[k] = observed_ + k * a_.dimension * a_.stride;
    if (!share_.whole()) use_gathered_arrays();
    const Metric unit{std::vector<double>(static_cast<std::size_t>(a_.dimension), 1.0), {}, {}};
    for (int g = 0; g < groups_; ++g) set_metric(g, unit);
  }

  /// The arrays of a block that adapts, and how many partials a pass of its adaptation has.
  ChainArrays<Number> adapting() const {
    ChainArrays<Number> arrays = a_;
    for (int k = 0; k < rows_observed; ++k)
      arrays.observed[k] = observed_ ? observed_ + k * a_.dimension * a_.stride : nullptr;
    return arrays;
  }
  AdapterArrays<Number> adapter_arrays(const Block& part) const {
    AdapterArrays<Number> observed = adapter_arrays_;
    observed.transition = part.first_transition + part.count - 1;
    return observed;
  }
  std::int64_t partials_of_pass(int pass) const {
    return groups_ * adapter_->items(pass, a_.dimension) * adapter_arrays_.partials_per_item();
  }
  /// Pools what the chains of all ranks show after an interval, and adapts. `pool(pass, tasks)` pools partials. Every
  /// rank adds up the same partials in the same order.
  template <class Pool>
  void adapt_in_ranks(const AdapterArrays<Number>& observed, const Pool& pool) {
    if (gathers_rows()) gather_rows();
    for (int pass = 0; pass < adapter_->passes(); ++pass) {
      pool(pass, partials_here(pass, share_.here()));
      if (!gathers_rows()) gather_partials(pass);
      adapter_->finish(observed, pass);
    }
  }
  /// True if a sum of 256 chains may have some of several ranks, or the backend cannot finish a pass that it has not
  /// pooled alone: then each rank pools what all chains show.
  bool gathers_rows() const { return !share_.whole() && (!share_.whole_partials() || !pools_apart()); }
  virtual bool pools_apart() const = 0;
  static Block part_of(const Block& block, std::uint32_t done, std::size_t interval) {
    Block part = block;
    part.first_transition += done;
    part.count = static_cast<std::uint32_t>(std::min<std::size_t>(block.count - done, interval));
    return part;
  }

  std::unique_ptr<AdapterOn<Number>> adapter_;

 private:
  static constexpr int rows_observed = 4;  ///< ChainArrays::observed

  int groups_;
  std::size_t capacity_;  ///< directions of a metric
  LeafMemory<Number> leaf_memory_;
  Number* gathered_ = nullptr;                 ///< [row][stride of all chains] acceptances, then what is observed
  std::vector<GroupTuning> tuning_;            ///< as they were set
  std::vector<Metric> metrics_;                ///< likewise
  Number *scale_ = nullptr, *step_ = nullptr;  ///< [group][dimension]
  Number* directions_ = nullptr;               ///< [group][direction][dimension]
  Number* factors_ = nullptr;                  ///< [group][direction][3]
  Number* leaves_ = nullptr;                   ///< [group] a piece of LeafMemory
  Number *tuning_memory_ = nullptr, *adaptation_memory_ = nullptr, *partials_ = nullptr, *pooled_[2] = {};
  Number *observed_ = nullptr, *notes_ = nullptr, *adapter_numbers_ = nullptr, *tickets_ = nullptr;
  AdapterArrays<Number> adapter_arrays_;

  struct Span {
    Number* begin;
    std::size_t size;
  };
  /// Everything that adaptations change on the backend and that is of all chains, but for the records of the tuning,
  /// which hold addresses.
  std::vector<Span> spans() const {
    std::vector<Span> all = {{step_, tuning_.size() * static_cast<std::size_t>(a_.dimension)}};
    if (!adapter_) return all;
    all.push_back({adaptation_memory_, numbers(adaptation_bytes())});
    all.push_back({adapter_numbers_, numbers(tuning_.size() * static_cast<std::size_t>(adapter_->memory(a_.dimension)) *
                                             sizeof(double))});
    return all;
  }
  double* own_notes() const { return reinterpret_cast<double*>(notes_) + share_.first(); }

  std::int64_t gathered_rows() const { return 1 + (adapter_->info().observes ? rows_observed * a_.dimension : 0); }
  /// Chains are numbered within all. Without gathered rows the first number here is that of the first chain here.
  void use_gathered_arrays() {
    if (gathers_rows()) {
      adapter_arrays_.acceptances = gathered_;
      adapter_arrays_.stride = share_.stride();
      for (int k = 0; k < rows_observed && observed_; ++k)
        adapter_arrays_.observed[k] = gathered_ + (1 + k * a_.dimension) * share_.stride();
      return;
    }
    adapter_arrays_.acceptances -= share_.first();
    for (int k = 0; k < rows_observed && observed_; ++k) adapter_arrays_.observed[k] -= share_.first();
  }
  /// Gathers the rows of all chains that the adaptation looks at.
  void gather_rows() {
    const auto rows = static_cast<std::size_t>(gathered_rows()), width = static_cast<std::size_t>(a_.chains);
    std::vector<Number> mine(rows * width);
    to_host(this->counter("acceptance"), mine.data(), width);
    for (std::size_t row = 1; row < rows; ++row)
      to_host(observed_ + static_cast<std::int64_t>(row - 1) * a_.stride, mine.data() + row * width, width);
    const std::vector<Number> all = share_.gathered(std::move(mine), rows);
    for (std::size_t row = 0; row < rows; ++row)
      to_backend(all.data() + row * static_cast<std::size_t>(share_.all()),
                 gathered_ + static_cast<std::int64_t>(row) * share_.stride(), static_cast<std::size_t>(share_.all()));
  }
  /// Numbers of the partials of a pass that a rank pools: all of them, or those of its chains.
  std::vector<std::int64_t> partials_here(int pass, std::size_t rank) const {
    std::vector<std::int64_t> tasks;
    const std::int64_t items = adapter_->items(pass, a_.dimension), partials = adapter_arrays_.partials_per_item();
    for (std::int64_t g = 0; g < groups_; ++g) {
      const Share::Range range = share_.of_group(rank, g);
      const std::int64_t first = g * a_.chains_per_group;
      const std::int64_t begin = gathers_rows() ? 0 : (range.begin - first) / chains_per_partial;
      const std::int64_t end = gathers_rows() ? partials : partials_of(range.end - first);
      for (std::int64_t item = 0; item < items && (gathers_rows() || range.begin < range.end); ++item)
        for (std::int64_t k = begin; k < end; ++k) tasks.push_back((g * items + item) * partials + k);
    }
    return tasks;
  }
  /// Each partial where all of the pass lie, from the rank that has pooled it.
  void gather_partials(int pass) {
    const std::size_t bytes = adapter_->statistic_bytes();
    auto* const partials = reinterpret_cast<std::byte*>(partials_);
    std::vector<std::vector<std::int64_t>> tasks;
    std::size_t all = 0;
    for (std::size_t r = 0; r < share_.ranges(); ++r) all += tasks.emplace_back(partials_here(pass, r)).size();
    std::vector<std::byte> mine, got(all * bytes);
    for (const std::int64_t task : tasks[share_.here()])
      mine.insert(mine.end(), partials + static_cast<std::size_t>(task) * bytes,
                  partials + static_cast<std::size_t>(task + 1) * bytes);
    share_.gather(mine.data(), got.data(), [&](std::size_t r) { return tasks[r].size() * bytes; });
    const std::byte* from = got.data();
    for (const std::vector<std::int64_t>& of_rank : tasks)
      for (const std::int64_t task : of_rank) {
        std::copy_n(from, bytes, partials + static_cast<std::size_t>(task) * bytes);
        from += bytes;
      }
  }

  void write_record(std::size_t g, const GroupTuning& tuning) {
    const TuningArrays<Number> arrays{step_ + static_cast<std::int64_t>(g) * a_.dimension,
                                      {directions_of(g), factors_of(g), static_cast<int>(metrics_[g].rank())},
                                      leaf_memory_.arrays(leaves_of(g), metrics_[g].leaves)};
    std::vector<std::byte> record(program_->tuning_bytes());
    program_->write_tuning(tuning, arrays, record.data());
    bytes_to_backend(record.data(), record_of(g), record.size());
  }

  static std::size_t numbers(std::size_t bytes) { return (bytes + sizeof(Number) - 1) / sizeof(Number); }
  std::size_t adaptation_bytes() const { return tuning_.size() * adapter_->record_bytes(); }
  std::byte* record_of(std::size_t group) const {
    return reinterpret_cast<std::byte*>(tuning_memory_) + group * program_->tuning_bytes();
  }
  Number* directions_of(std::size_t group) const {
    return directions_ + group * capacity_ * static_cast<std::size_t>(a_.dimension);
  }
  Number* leaves_of(std::size_t group) const { return leaves_ + group * leaf_memory_.size(); }
  Number* factors_of(std::size_t group) const {
    return factors_ + group * capacity_ * LowRank<Number>::factors_per_direction;
  }
  void send(const std::vector<double>& values, Number* to) {
    const std::vector<Number> narrowed(values.begin(), values.end());
    to_backend(narrowed.data(), to, narrowed.size());
  }
  void write_steps(int group) {
    const std::size_t g = static_cast<std::size_t>(group);
    const Number step_size = static_cast<Number>(tuning_[g].step_size);
    std::vector<Number> steps;
    for (const double scale : metrics_[g].scale) steps.push_back(step_size * static_cast<Number>(scale));
    to_backend(steps.data(), step_ + group * a_.dimension, steps.size());
  }
};

}  // namespace manychain
