// Facts that places of draws in ascending order give: quantiles, and how many are below a value. For the host and for a
// device.
#pragma once

#include <algorithm>
#include <cstddef>

#include "manychain/core/macros.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {  // units of either instruction set include it

/// Quantile of type 7 (Hyndman and Fan 1996) of `count` numbers; `at(k)` is the k-th smallest, from zero.
template <class At>
MANYCHAIN_HD double quantile_of(std::size_t count, double p, const At& at) {
  const double position = static_cast<double>(count - 1) * p;
  const std::size_t floor = static_cast<std::size_t>(position), below = floor < count - 1 ? floor : count - 1;
  const double weight = position - static_cast<double>(below);
  const double low = at(below);
  if (!(weight > 0)) return low;
  const double high = at(below + 1 < count - 1 ? below + 1 : count - 1);
  return high != low ? (1 - weight) * low + weight * high : low;
}

/// The least index in [begin, end) for which `is_behind` holds, or `end`; it must hold for all behind that one.
template <class Predicate>
MANYCHAIN_HD std::size_t partition_point(std::size_t begin, std::size_t end, const Predicate& is_behind) {
  while (begin < end) {
    const std::size_t probe = begin + (end - begin) / 2;
    if (is_behind(probe)) {
      end = probe;
    } else {
      begin = probe + 1;
    }
  }
  return begin;
}

/// The draws of sequences and, apart from them, the middle ones that are in none: both ascending.
template <class Number>
struct SortedDraws {
  const Number* sorted;
  std::size_t size;
  const Number* middle;
  std::size_t middle_size;

  MANYCHAIN_HD std::size_t all() const { return size + middle_size; }

  /// The k-th smallest of all draws, from zero.
  MANYCHAIN_HD double order_statistic(std::size_t k) const {
    // That many of the k smaller ones are in a sequence.
    const std::size_t i =
        partition_point(k > middle_size ? k - middle_size : 0, k < size ? k : size,
                        [this, k](std::size_t probe) { return !(middle[k - probe - 1] > sorted[probe]); });
    if (i == size) return middle[k - i];
    if (k - i == middle_size) return sorted[i];
    return middle[k - i] < sorted[i] ? middle[k - i] : sorted[i];
  }
  MANYCHAIN_HD double quantile(double p) const {
    return quantile_of(all(), p, [this](std::size_t k) { return order_statistic(k); });
  }

  /// The i-th smallest draw of sequences.
  MANYCHAIN_HD double at(std::size_t i) const { return sorted[i]; }
  /// Number of draws of sequences below `value`.
  MANYCHAIN_HD std::size_t count_below(double value) const {
    return partition_point(0, size, [this, value](std::size_t i) { return !(at(i) < value); });
  }
  MANYCHAIN_HD std::size_t count_up_to(double value) const {
    return partition_point(0, size, [this, value](std::size_t i) { return at(i) > value; });
  }
};

/// The facts that a summary needs of the order. `first`, `last` and the nearest are of draws of sequences, and unknown
/// if there are none.
struct OrderFacts {
  double not_finite;  ///< that many draws; if there are any, nothing else is known
  double least, greatest;
  double quantile[3];    ///< 5 %, 50 %, 95 %
  std::size_t up_to[3];  ///< draws of sequences that are at most these
  std::size_t below_median;
  double first, last;
  double nearest_below, nearest_above;  ///< to the median, where there is one on that side

  MANYCHAIN_HD double median() const { return quantile[1]; }
};

/// Three calls, which share out the searches. Draws that are not finite have no order, and do no harm.
template <class Number>
struct FindOrderFacts {
  SortedDraws<Number> draws;
  OrderFacts* facts;

  static constexpr std::size_t calls = 3;

  MANYCHAIN_HD void operator()(std::size_t call) const {
    const double q = draws.quantile(call == 0 ? 0.05 : call == 1 ? 0.5 : 0.95);
    facts->quantile[call] = q;
    facts->up_to[call] = draws.count_up_to(q);
    if (call == 0) facts->least = draws.order_statistic(0);
    if (call == 2) facts->greatest = draws.order_statistic(draws.all() - 1);
    if (call != 1) return;
    const std::size_t below = draws.count_below(q);
    facts->below_median = below;
    if (draws.size == 0) return;
    facts->first = draws.at(0);
    facts->last = draws.at(draws.size - 1);
    if (below > 0) facts->nearest_below = draws.at(below - 1);
    if (below < draws.size) facts->nearest_above = draws.at(below);
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
