// Chains that stand at given points: a program evaluates there as it does at starting points that are given.
#pragma once

#include <algorithm>
#include <limits>

#include "manychain/chain/counters.hpp"
#include "manychain/chain/operations.hpp"
#include "run/values_on.hpp"

namespace manychain {

/// The rows that initialise() reads and writes, on the host: positions, log densities and their compensation,
/// gradients, and a mark where these are not finite.
template <class Number>
class StandingChains {
 public:
  StandingChains(std::size_t dimension, const std::vector<double>& points, std::size_t count)
      : dimension_(dimension), count_(count), stride_((count + 63) / 64 * 64), rows_((2 * dimension_ + 3) * stride_) {
    for (std::size_t i = 0; i < dimension_; ++i)
      for (std::size_t c = 0; c < stride_; ++c)  // left-over lanes stand where the last chain does
        rows_[i * stride_ + c] = static_cast<Number>(points[std::min(c, count - 1) * dimension_ + i]);
  }

  std::vector<Number>& rows() { return rows_; }
  std::size_t stride() const { return stride_; }
  /// Numbers of memory for the rows, then for the work of `at_once` chains.
  std::size_t memory(const Program<Number>& program, std::size_t at_once) const {
    return rows_.size() + std::max<std::size_t>(program.workspace_reals(), 1) * at_once;
  }
  /// Evaluates in such memory of the backend, where the rows are.
  void evaluate(const Program<Number>& program, Number* memory, std::size_t at_once) const {
    const ChainArrays<Number> arrays = arrays_in(memory);
    for (std::size_t first = 0; first < count_; first += at_once)
      program.initialise(arrays, 0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(at_once),
                         memory + rows_.size());
  }
  /// Once the rows are as evaluate() has left them.
  ValuesOn values(const Program<Number>& program) {
    const ChainArrays<Number> arrays = arrays_in(rows_.data());
    ValuesOn values{
        vectors(arrays.state[0]), std::vector<double>(count_, std::numeric_limits<double>::quiet_NaN()), {}};
    for (std::size_t c = 0; c < count_; ++c)
      if (arrays.counters[nonfinite_counter][c] == 0)
        values.log_densities[c] =
            static_cast<double>(arrays.state[1][c]) + static_cast<double>(arrays.state[1][stride_ + c]);
    const std::vector<FieldInfo> fields = program.fields();
    if (fields.size() > 2 && fields[2].name == "gradient") values.gradients = vectors(arrays.state[2]);
    return values;
  }

 private:
  ChainArrays<Number> arrays_in(Number* memory) const {
    ChainArrays<Number> arrays;
    arrays.chains = static_cast<std::int64_t>(count_);
    arrays.stride = arrays.chains_per_group = static_cast<std::int64_t>(stride_);
    arrays.dimension = static_cast<int>(dimension_);
    arrays.state[0] = memory;
    arrays.state[1] = arrays.state[0] + dimension_ * stride_;
    arrays.state[2] = arrays.state[1] + 2 * stride_;
    arrays.counters[nonfinite_counter] = arrays.state[2] + dimension_ * stride_;
    return arrays;
  }
  std::vector<double> vectors(const Number* field) const {
    std::vector<double> values(count_ * dimension_);
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<double>(field[k % dimension_ * stride_ + k / dimension_]);
    return values;
  }

  std::size_t dimension_, count_, stride_;
  std::vector<Number> rows_;
};

}  // namespace manychain
