// The memory of the chains on a backend: the fields of their states and what is counted beside them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"

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
          row[static_cast<std::size_t>(c)] =
              static_cast<Number>(positions[static_cast<std::size_t>(i * a_.chains + std::min(c, a_.chains - 1))]);
        to_backend(row.data(), a_.state[0] + i * a_.stride, row.size());
      }
    }
    run_initialise(positions.empty() ? tries : 0);
    if (superchains_ > 0) start_together();
  }

  std::vector<double> position(std::size_t chain) const final {
    std::vector<double> q(static_cast<std::size_t>(a_.dimension));
    for (int i = 0; i < a_.dimension; ++i) {
      Number x;
      to_host(a_.state[0] + i * a_.stride + static_cast<std::int64_t>(chain), &x, 1);
      q[static_cast<std::size_t>(i)] = static_cast<double>(x);
    }
    return q;
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
    return {
        per_chain(counter("since_move")), compensated(counter("acceptance_sum"), static_cast<std::size_t>(a_.chains)),
        per_chain(counter("divergences")), per_chain(counter("nonfinite")), per_chain(counter("largest_log_density"))};
  }

  Snapshot snapshot() const final {
    Snapshot taken{all_fields(), {}};
    for (std::int64_t row = 0; row < rows(); ++row) {
      const std::vector<double> values = per_chain(rows_ + row * a_.stride);
      taken.values.insert(taken.values.end(), values.begin(), values.end());
    }
    return taken;
  }
  void restore(const Snapshot& taken) final {
    const std::vector<FieldInfo> fields = all_fields();
    const bool same =
        std::equal(fields.begin(), fields.end(), taken.fields.begin(), taken.fields.end(),
                   [](const FieldInfo& a, const FieldInfo& b) { return a.name == b.name && a.rows == b.rows; });
    if (!same || taken.values.size() != static_cast<std::size_t>(rows() * a_.chains))
      throw BadInput("a snapshot of another sampler, dimension or number of chains cannot be restored");
    std::vector<Number> row(static_cast<std::size_t>(a_.stride));
    for (std::int64_t k = 0; k < rows(); ++k) {
      std::copy_n(taken.values.begin() + k * a_.chains, a_.chains, row.begin());
      std::fill(row.begin() + a_.chains, row.end(), row[static_cast<std::size_t>(a_.chains - 1)]);  // left-over lanes
      to_backend(row.data(), rows_ + k * a_.stride, row.size());
    }
  }

 protected:
  ChainMemory(const Model& model, const Settings& settings, std::unique_ptr<Program<Number>> program)
      : program_(std::move(program)),
        superchains_(settings.superchains.value_or(0)),
        fields_(program_->fields()),
        counters_(counter_fields()) {
    if (fields_.size() > most_fields) throw std::logic_error("a state has at most 8 fields");
    const Layout& layout = model.layout();
    a_.seed = settings.seed;
    a_.first_chain = settings.first_chain;
    a_.initial_radius = static_cast<Number>(settings.initial_radius);
    a_.chains = static_cast<std::int64_t>(settings.chains);
    a_.stride = (a_.chains + 63) / 64 * 64;  // whole packs of any width, whole cache lines
    // Several groups have whole packs: Settings::validate().
    a_.chains_per_group = a_.stride / static_cast<std::int64_t>(settings.groups);
    a_.draws_stride = a_.stride;
    a_.dimension = static_cast<int>(layout.dimension);
    a_.outputs = static_cast<int>(layout.outputs);
    a_.first_derived = static_cast<int>(layout.outputs);
    for (auto q = layout.quantities.rbegin(); q != layout.quantities.rend() && q->derived; ++q)
      a_.first_derived = static_cast<int>(q->offset);
  }

  /// Memory that is asked for, all at once.
  struct Piece {
    Number** pointer;
    std::size_t size;
  };
  void ask_for_chains(std::vector<Piece>& pieces) {
    const std::size_t row = static_cast<std::size_t>(a_.stride);
    pieces.push_back({&rows_, static_cast<std::size_t>(rows()) * row});
    pieces.push_back({&a_.moments[0], 2 * static_cast<std::size_t>(a_.dimension) * row});
  }
  /// Memory that is there, as a whole.
  struct Span {
    Number* begin;
    std::size_t size;
  };
  /// The chains, without draws and working memory.
  std::vector<Span> chain_spans() const {
    const auto row = static_cast<std::size_t>(a_.stride);
    return {{rows_, static_cast<std::size_t>(rows()) * row},
            {a_.moments[0], 2 * static_cast<std::size_t>(a_.dimension) * row}};
  }
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

  /// The rows of a vector field, [chain][dimension].
  std::vector<double> vectors(const Number* rows, std::size_t chains) const {
    const std::size_t d = static_cast<std::size_t>(a_.dimension);
    std::vector<double> values(chains * d);
    std::vector<Number> row(chains);
    for (std::size_t i = 0; i < d; ++i) {
      to_host(rows + static_cast<std::int64_t>(i) * a_.stride, row.data(), chains);
      for (std::size_t c = 0; c < chains; ++c) values[c * d + i] = static_cast<double>(row[c]);
    }
    return values;
  }
  /// The sums of a row and the errors in the row behind it.
  std::vector<double> compensated(const Number* sums, std::size_t chains) const {
    std::vector<Number> sum(chains), error(chains);
    to_host(sums, sum.data(), chains);
    to_host(sums + a_.stride, error.data(), chains);
    std::vector<double> values(sum.begin(), sum.end());
    for (std::size_t c = 0; c < chains; ++c)  // the compensation of what is not finite is NaN
      if (std::isfinite(sum[c])) values[c] += static_cast<double>(error[c]);
    return values;
  }
  Number* field(const char* name) const { return pointer_to(name, fields_, a_.state); }
  Number* counter(const char* name) const { return pointer_to(name, counters_, a_.counters); }
  std::vector<double> per_chain(const Number* begin) const {
    std::vector<Number> v(static_cast<std::size_t>(a_.chains));
    to_host(begin, v.data(), v.size());
    return std::vector<double>(v.begin(), v.end());
  }

  ChainArrays<Number> a_;
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
  static Number* pointer_to(const char* name, const std::vector<FieldInfo>& fields, Number* const* pointers) {
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (fields[k].name == name) return pointers[k];
    throw std::logic_error(std::string("no field ") + name);
  }
  /// The chains of a superchain start at one point, that of the first of them.
  void start_together() {
    const std::int64_t period = static_cast<std::int64_t>(superchains_);
    repeat_first(rows_, rows_of(fields_), period);
    repeat_first(counter("nonfinite"), 1, period);
  }
};

}  // namespace manychain
