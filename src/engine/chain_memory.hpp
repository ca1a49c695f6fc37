// The memory of the chains on a backend: the fields of their states and what is counted beside them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "run/share.hpp"

namespace manychain {

/// Number: the precision of the run. A backend gives memory and copies; it never sees a model.
template <class Number>
class ChainMemory : public Engine {
 public:
  void initialise(const std::vector<double>& positions, int tries) final {
    if (!positions.empty()) {
      std::vector<Number> row(static_cast<std::size_t>(a_.stride));
      for (int i = 0; i < a_.dimension; ++i) {
        for (std::int64_t c = 0; c < a_.stride; ++c)  // left-over lanes start where the last chain does
          row[static_cast<std::size_t>(c)] = static_cast<Number>(
              positions[static_cast<std::size_t>(i * share_.all() + share_.first() + std::min(c, a_.chains - 1))]);
        to_backend(row.data(), a_.state[0] + i * a_.stride, row.size());
      }
    }
    run_initialise(positions.empty() ? tries : 0);
    if (superchains_ > 0) start_together();
  }

  std::vector<double> position(std::size_t chain) const final {
    std::vector<double> q(static_cast<std::size_t>(a_.dimension));
    const auto at = static_cast<std::int64_t>(chain) - share_.first();
    for (int i = 0; i < a_.dimension && at >= 0 && at < a_.chains; ++i) {
      Number x;
      to_host(a_.state[0] + i * a_.stride + at, &x, 1);
      q[static_cast<std::size_t>(i)] = static_cast<double>(x);
    }
    if (share_.whole()) return q;
    std::vector<double> held(q.size());
    const std::size_t holder = share_.holder(static_cast<std::int64_t>(chain));
    share_.gather(q.data(), held.data(), [&](std::size_t r) { return r == holder ? q.size() * sizeof(double) : 0; });
    return held;
  }

  ChainPoints points(std::size_t chains) const final {
    return {vectors(a_.state[0], chains), compensated(field("log_density"), chains)};
  }
  std::vector<double> gradients(std::size_t chains) const final { return vectors(field("gradient"), chains); }

  void reset_window() final { zero(a_.moments[0], 2 * static_cast<std::size_t>(a_.dimension * a_.stride)); }

  void reset_counters() final {
    const std::size_t n = static_cast<std::size_t>(a_.stride);
    zero(counter("acceptance_sum"), 2 * n);
    zero(counter("divergences"), n);
    const std::vector<Number> lowest(n, std::numeric_limits<Number>::lowest());
    to_backend(lowest.data(), counter("largest_log_density"), n);
  }

  ChainStatistics statistics() const final {
    return {per_chain(counter("since_move")),
            compensated(counter("acceptance_sum"), static_cast<std::size_t>(share_.all())),
            per_chain(counter("divergences")), per_chain(counter("nonfinite")),
            per_chain(counter("largest_log_density"))};
  }

  Snapshot snapshot() const final {
    return {all_fields(), share_.gathered(own_rows(), static_cast<std::size_t>(rows()))};
  }
  Snapshot snapshot_at_first() const final {
    return {all_fields(), share_.gathered_at_first(own_rows(), static_cast<std::size_t>(rows()))};
  }
  /// `taken` is of all chains, or of those that are held here.
  void restore(const Snapshot& taken) final {
    const std::vector<FieldInfo> fields = all_fields();
    const bool same =
        std::equal(fields.begin(), fields.end(), taken.fields.begin(), taken.fields.end(),
                   [](const FieldInfo& a, const FieldInfo& b) { return a.name == b.name && a.rows == b.rows; });
    const std::size_t held = taken.values.size();
    const bool of_own = held == static_cast<std::size_t>(rows() * a_.chains);
    if (!same || (!of_own && held != static_cast<std::size_t>(rows() * share_.all())))
      throw BadInput("a snapshot of another sampler, dimension or number of chains cannot be restored");
    std::vector<Number> row(static_cast<std::size_t>(a_.stride));
    for (std::int64_t k = 0; k < rows(); ++k) {
      std::copy_n(taken.values.begin() + (of_own ? k * a_.chains : k * share_.all() + share_.first()), a_.chains,
                  row.begin());
      std::fill(row.begin() + a_.chains, row.end(), row[static_cast<std::size_t>(a_.chains - 1)]);  // left-over lanes
      to_backend(row.data(), rows_ + k * a_.stride, row.size());
    }
  }

 protected:
  ChainMemory(const Model& model, const Settings& settings, const Share& share,
              std::unique_ptr<Program<Number>> program)
      : share_(share),
        program_(std::move(program)),
        superchains_(settings.superchains.value_or(0)),
        fields_(program_->fields()),
        counters_(counter_fields()) {
    if (fields_.size() > most_fields) throw std::logic_error("a state has at most 8 fields");
    const Layout& layout = model.layout();
    a_.seed = settings.seed;
    a_.first_chain = settings.first_chain + static_cast<std::uint64_t>(share_.first());
    a_.initial_radius = static_cast<Number>(settings.warmup.initial_radius);
    a_.chains = share_.count();
    a_.stride = (a_.chains + 63) / 64 * 64;  // whole packs of any width, whole cache lines
    a_.chains_per_group = share_.chains_per_group();
    a_.draws_stride = a_.stride;
    a_.dimension = static_cast<int>(layout.dimension);
    a_.outputs = static_cast<int>(layout.outputs);
    a_.first_derived = layout.first_derived();
  }

  /// Memory that is asked for, all at once.
  struct Piece {
    Number** pointer;
    std::size_t size;
  };
  void list_chain_memory(std::vector<Piece>& pieces) {
    const std::size_t row = static_cast<std::size_t>(a_.stride);
    pieces.push_back({&rows_, static_cast<std::size_t>(rows()) * row});
    pieces.push_back({&a_.moments[0], 2 * static_cast<std::size_t>(a_.dimension) * row});
  }
  /// Rows that are there, one number for each chain.
  struct Rows {
    Number* begin;
    std::int64_t count;
  };
  /// The chains, without draws and working memory.
  std::vector<Rows> chain_rows() const { return {{rows_, rows()}, {a_.moments[0], 2 * std::int64_t{a_.dimension}}}; }
  /// Once it is there.
  void place_chains() {
    Number* begin = rows_;
    for (const auto& [fields, pointers] : {std::pair(&fields_, a_.state), std::pair(&counters_, a_.counters)})
      for (std::size_t k = 0; k < fields->size(); ++k) {
        pointers[k] = begin;
        begin += (*fields)[k].rows * a_.stride;
      }
    a_.moments[1] = a_.moments[0] + a_.dimension * a_.stride;
    reset_counters();
  }

  // Operations of a backend.
  virtual Number* allocate(std::size_t count) = 0;  ///< zeroed; freed with the engine
  virtual void to_host(const Number* from, Number* to, std::size_t count) const = 0;
  virtual void to_backend(const Number* from, Number* to, std::size_t count) = 0;
  virtual void bytes_to_host(const std::byte* from, std::byte* to, std::size_t count) const = 0;
  virtual void bytes_to_backend(const std::byte* from, std::byte* to, std::size_t count) = 0;
  virtual void zero(Number* begin, std::size_t count) = 0;
  virtual void run_initialise(int tries) = 0;
  /// Sets x[c] = x[c mod period] in each group, in `rows` rows of a_.stride.
  virtual void repeat_first(Number* begin, std::int64_t rows, std::int64_t period) = 0;

  /// Adds rows that lie `stride` apart to `to`, [row][chain] of all chains, at the first rank.
  void append_rows(const Number* begin, std::int64_t rows, std::int64_t stride, std::string& to) const {
    const auto width = static_cast<std::size_t>(a_.chains), all_rows = static_cast<std::size_t>(rows);
    for (std::size_t done = 0; done < all_rows;) {
      const std::size_t count = std::min(rows_at_once(), all_rows - done);
      std::vector<Number> mine(count * width);
      for (std::size_t row = 0; row < count; ++row)
        to_host(begin + static_cast<std::int64_t>(done + row) * stride, mine.data() + row * width, width);
      const std::vector<Number> all = share_.gathered_at_first(std::move(mine), count);
      append_bytes(all.data(), all.size(), to);
      done += count;
    }
  }
  /// Rows of all chains that are exchanged together.
  std::size_t rows_at_once() const {
    constexpr std::size_t most_exchanged = std::size_t{1} << 22;  // numbers
    return std::max<std::size_t>(most_exchanged / static_cast<std::size_t>(share_.all()), 1);
  }
  template <class T>
  static void append_bytes(const T* from, std::size_t count, std::string& to) {
    to.append(reinterpret_cast<const char*>(from), count * sizeof(T));
  }
  /// Copies rows back from `from` of the first rank, which it moves behind them. Lanes without a chain get the last
  /// chain's numbers.
  void copy_rows_back(const char*& from, Number* begin, std::int64_t rows, std::int64_t stride) {
    std::vector<Number> row(static_cast<std::size_t>(a_.stride)), mine;
    const auto at_once = static_cast<std::int64_t>(rows_at_once());
    for (std::int64_t k = 0; k < rows; ++k) {
      if (k % at_once == 0) {
        const std::int64_t count = std::min(at_once, rows - k);
        mine.resize(static_cast<std::size_t>(count * a_.chains));
        share_.deal_columns(from, static_cast<std::size_t>(count), sizeof(Number),
                            reinterpret_cast<char*>(mine.data()));
        if (share_.here() == 0) from += bytes_of_rows(count);
      }
      std::copy_n(mine.begin() + k % at_once * a_.chains, a_.chains, row.begin());
      std::fill(row.begin() + a_.chains, row.end(), row[static_cast<std::size_t>(a_.chains - 1)]);
      to_backend(row.data(), begin + k * stride, row.size());
    }
  }
  std::size_t bytes_of_rows(std::int64_t rows) const {
    return static_cast<std::size_t>(rows * share_.all()) * sizeof(Number);
  }

  /// The rows of a vector field of the first `of_all` chains, [chain][dimension].
  std::vector<double> vectors(const Number* rows, std::size_t of_all) const {
    const std::size_t d = static_cast<std::size_t>(a_.dimension), chains = share_.among_first(of_all);
    std::vector<double> values(chains * d);
    std::vector<Number> row(chains);
    for (std::size_t i = 0; i < d; ++i) {
      to_host(rows + static_cast<std::int64_t>(i) * a_.stride, row.data(), chains);
      for (std::size_t c = 0; c < chains; ++c) values[c * d + i] = static_cast<double>(row[c]);
    }
    return share_.gathered_first(std::move(values), of_all, d);
  }
  /// [dimension][chain] of all chains, from rows of a_.stride.
  std::vector<Number> rows_of_all(const Number* begin) const {
    const auto d = static_cast<std::size_t>(a_.dimension), width = static_cast<std::size_t>(a_.chains);
    std::vector<Number> mine(d * width);
    for (std::size_t i = 0; i < d; ++i)
      to_host(begin + static_cast<std::int64_t>(i) * a_.stride, mine.data() + i * width, width);
    return share_.gathered(std::move(mine), d);
  }
  /// The sums of a row and the errors in the row behind it.
  std::vector<double> compensated(const Number* sums, std::size_t of_all) const {
    const std::size_t chains = share_.among_first(of_all);
    std::vector<Number> sum(chains), error(chains);
    to_host(sums, sum.data(), chains);
    to_host(sums + a_.stride, error.data(), chains);
    std::vector<double> values(sum.begin(), sum.end());
    for (std::size_t c = 0; c < chains; ++c)  // the compensation of what is not finite is NaN
      if (std::isfinite(sum[c])) values[c] += static_cast<double>(error[c]);
    return share_.gathered_first(std::move(values), of_all, 1);
  }
  Number* field(const char* name) const { return pointer_to(name, fields_, a_.state); }
  Number* counter(const char* name) const { return pointer_to(name, counters_, a_.counters); }
  std::vector<double> of_own_chains(const Number* begin) const {
    std::vector<Number> v(static_cast<std::size_t>(a_.chains));
    to_host(begin, v.data(), v.size());
    return std::vector<double>(v.begin(), v.end());
  }
  std::vector<double> per_chain(const Number* begin) const { return share_.gathered(of_own_chains(begin), 1); }

  const Share share_;
  ChainArrays<Number> a_;  ///< of the chains that are held here
  std::unique_ptr<Program<Number>> program_;
  std::size_t superchains_;  ///< chain c of a group is of superchain c mod this; 0: there are none

 private:
  std::vector<FieldInfo> fields_, counters_;
  Number* rows_ = nullptr;  ///< of the state, then of the counters

  static std::int64_t rows_of(const std::vector<FieldInfo>& fields) {
    return std::accumulate(fields.begin(), fields.end(), std::int64_t{0},
                           [](std::int64_t sum, const FieldInfo& f) { return sum + f.rows; });
  }
  /// Rows of the state and of the counters, which lie behind it.
  std::int64_t rows() const { return rows_of(fields_) + rows_of(counters_); }
  std::vector<FieldInfo> all_fields() const {
    std::vector<FieldInfo> all = fields_;
    all.insert(all.end(), counters_.begin(), counters_.end());
    return all;
  }
  /// [row][chain] of the chains that are held here.
  std::vector<double> own_rows() const {
    std::vector<double> own;
    for (std::int64_t row = 0; row < rows(); ++row) {
      const std::vector<double> values = of_own_chains(rows_ + row * a_.stride);
      own.insert(own.end(), values.begin(), values.end());
    }
    return own;
  }
  static Number* pointer_to(const char* name, const std::vector<FieldInfo>& fields, Number* const* pointers) {
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (fields[k].name == name) return pointers[k];
    throw std::logic_error(std::string("no field ") + name);
  }
  /// The chains of a superchain start at one point, that of the first of them.
  void start_together() {
    const std::int64_t period = static_cast<std::int64_t>(superchains_);
    if (!share_.whole()) {
      repeat_first_of_all(rows_, rows_of(fields_), period);
      repeat_first_of_all(counter("nonfinite"), 1, period);
      return;
    }
    repeat_first(rows_, rows_of(fields_), period);
    repeat_first(counter("nonfinite"), 1, period);
  }
  /// As repeat_first(), of chains that several ranks hold.
  void repeat_first_of_all(Number* begin, std::int64_t rows, std::int64_t period) {
    const std::int64_t of_group = share_.chains_per_group(), groups = share_.stride() / of_group;
    // The first ones of each group that a rank holds.
    const auto held = [&](std::size_t rank, std::int64_t group) {
      const Share::Range range = share_.of_group(rank, group);
      const std::int64_t end = std::min(range.end, group * of_group + period);
      return Share::Range{std::min(range.begin, end), end};
    };
    const auto count = [&](std::size_t rank) {
      std::int64_t chains = 0;
      for (std::int64_t g = 0; g < groups; ++g) chains += held(rank, g).end - held(rank, g).begin;
      return static_cast<std::size_t>(chains);
    };
    std::vector<Number> row(static_cast<std::size_t>(a_.stride));
    for (std::int64_t k = 0; k < rows; ++k) {
      to_host(begin + k * a_.stride, row.data(), row.size());
      std::vector<Number> mine, firsts(static_cast<std::size_t>(groups * period));
      for (std::int64_t g = 0; g < groups; ++g)
        for (std::int64_t c = held(share_.here(), g).begin; c < held(share_.here(), g).end; ++c)
          mine.push_back(row[static_cast<std::size_t>(c - share_.first())]);
      share_.gather(mine.data(), firsts.data(), [&](std::size_t r) { return count(r) * sizeof(Number); });
      for (std::int64_t c = 0; c < a_.stride; ++c) {
        const std::int64_t of_all = share_.first() + std::min(c, a_.chains - 1), group = of_all / of_group;
        row[static_cast<std::size_t>(c)] =
            firsts[static_cast<std::size_t>(group * period + of_all % of_group % period)];
      }
      to_backend(row.data(), begin + k * a_.stride, row.size());
    }
  }
};

}  // namespace manychain
