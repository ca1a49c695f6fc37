// Masses that depend on position, as one piece of memory for each group: numbers first, then whole numbers.
#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "adaptation/score_tests.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/samplers/metric.hpp"

namespace manychain {

/// True if masses of some chains may depend on position.
inline bool may_have_leaves(const Layout& layout, MetricKind metric) {
  return layout.may_have_leaves() && has_leaves(metric);
}

template <class Number>
class LeafMemory {
 public:
  LeafMemory(const Layout& layout, bool wanted) : dimension_(layout.dimension) {
    if (!wanted) return;
    if (layout.scales_unknown) leaves_ = dimension_, edges_ = scored_hypers_of_leaf * dimension_;
    for (const DependentScale& leaf : layout.dependent_scales) {
      ++leaves_;
      edges_ += leaf.hypers.size();
    }
  }
  /// Numbers of memory that a group needs; none where there are no leaves.
  std::size_t size() const {
    return leaves_ == 0 ? 0 : numbers() + (integers() * sizeof(std::int32_t) + sizeof(Number) - 1) / sizeof(Number);
  }
  /// As it lies in the memory of the backend.
  std::vector<std::byte> packed(const LeafMasses& masses) const {
    if (masses.count() > leaves_ || masses.hyper.size() > edges_)
      throw std::logic_error("a metric has more leaves than there is room for");
    std::vector<Number> values(numbers(), Number(0));
    const auto put = [&](const std::vector<double>& from, std::size_t at, std::size_t apart) {
      for (std::size_t i = 0; i < from.size(); ++i) values[at + i * apart] = static_cast<Number>(from[i]);
    };
    put(masses.constant, 0, 1);
    put(masses.intercept, leaves_, 2);
    put(masses.second_intercept, leaves_ + 1, 2);
    put(masses.exponent, 3 * leaves_, 1);
    std::fill(values.end() - static_cast<std::ptrdiff_t>(dimension_), values.end(), Number(1));
    for (const std::int32_t i : masses.component) values[numbers() - dimension_ + static_cast<std::size_t>(i)] = 0;
    std::vector<std::int32_t> whole(integers(), 0);
    std::copy(masses.component.begin(), masses.component.end(), whole.begin());
    for (std::size_t l = 0; l < masses.first.size(); ++l) whole[leaves_ + 2 * l] = masses.first[l];
    for (std::size_t l = 0; l < masses.second.size(); ++l) whole[leaves_ + 2 * l + 1] = masses.second[l];
    std::copy(masses.hyper.begin(), masses.hyper.end(), whole.begin() + static_cast<std::ptrdiff_t>(3 * leaves_ + 1));
    std::vector<std::byte> bytes(size() * sizeof(Number));
    std::memcpy(bytes.data(), values.data(), values.size() * sizeof(Number));
    std::memcpy(bytes.data() + values.size() * sizeof(Number), whole.data(), whole.size() * sizeof(std::int32_t));
    return bytes;
  }
  /// The arrays of a piece that begins there; none if that is null.
  LeafArrays<Number> arrays(const Number* begin, const LeafMasses& masses) const {
    if (!begin) return {};
    const auto* const whole = reinterpret_cast<const std::int32_t*>(begin + numbers());
    return {.component = whole,
            .first = whole + leaves_,
            .hyper = whole + 3 * leaves_ + 1,
            .constant = begin,
            .intercept = begin + leaves_,
            .exponent = begin + 3 * leaves_,
            .rest = begin + 3 * leaves_ + edges_,
            .count = static_cast<int>(masses.count())};
  }

 private:
  std::size_t numbers() const { return 3 * leaves_ + edges_ + dimension_; }
  std::size_t integers() const { return 3 * leaves_ + 1 + edges_; }
  std::size_t dimension_, leaves_ = 0, edges_ = 0;
};

}  // namespace manychain
