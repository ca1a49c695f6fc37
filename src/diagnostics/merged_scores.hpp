// The normal scores of the distances from the median, for a CPU: what WriteFoldedScores does, without its branches.
#pragma once

#include <algorithm>
#include <cstddef>

#include "diagnostics/normal_scores.hpp"

namespace manychain::diagnostics {

/// A call merges `block` draws. Which side comes next is as good as chance, and a branch on it costs more than all
/// else: here it is arithmetic. Each step waits for the one before it, so that several parts of the block are merged
/// abreast.
template <class Number, class Index>
struct MergeFoldedScores {
  static constexpr std::size_t abreast = 8, part = 256, block = abreast * part;

  FoldedOrder<Number> order;
  const Index* place;
  double* scores;
  ScoreTable table;

  void operator()(std::size_t item) const {
    const std::size_t begin = item * block, end = std::min(begin + block, order.size);
    Merged merged;
    merge(begin, end, merged);
    const double* distance = merged.distance;
    const std::size_t count = end - begin;
    for (std::size_t k = 0; k < count;) {
      std::size_t next = k + 1;
      while (next < count && distance[next] == distance[k]) ++next;
      std::size_t less = begin + k, equal = next - k;
      const bool begun = k == 0 && merged.begun, goes_on = next == count && merged.goes_on;  // in other blocks
      if (begun) less = closer(distance[k], false);
      if (begun || goes_on) equal = closer(distance[k], true) - less;
      const double score = score_of_run(less, equal, order.size, table);
      for (; k < next; ++k) scores[place[merged.from[k]]] = score;
    }
  }

 private:
  struct Merged {
    double distance[block];
    Index from[block];    // which draw of the sorted ones
    bool begun, goes_on;  // whether the first distance is that before the block, the last that behind it
  };

  /// Draws at a smaller distance, or up to it.
  std::size_t closer(double distance, bool or_equal) const {
    const auto before = [&](double x) { return x < distance || (or_equal && x == distance); };
    const auto count = [&](std::size_t size, const auto& at) {
      std::size_t least = 0;
      for (std::size_t most = size; least < most;) {
        const std::size_t probe = least + (most - least) / 2;
        if (before(at(probe))) {
          least = probe + 1;
        } else {
          most = probe;
        }
      }
      return least;
    };
    return count(order.below, [&](std::size_t i) { return order.lower(i); }) +
           count(order.above(), [&](std::size_t j) { return order.upper(j); });
  }

  void merge(std::size_t begin, std::size_t end, Merged& merged) const {
    const std::size_t below = order.below, above = order.above();
    std::size_t i[abreast], j[abreast], room = part;
    for (std::size_t p = 0; p < abreast; ++p) {
      const std::size_t first = std::min(begin + p * part, end);
      i[p] = p == 0 ? order.lower_before(first) : order.lower_before(first, i[p - 1], i[p - 1] + part);
      j[p] = first - i[p];
      room = std::min({room, below - i[p], above - j[p]});  // so many steps cannot come to the end of either side
    }
    if (begin + block > end) room = 0;
    const std::size_t i0 = i[0], j0 = j[0];
    for (std::size_t k = 0; k < room; ++k) {
      for (std::size_t p = 0; p < abreast; ++p) {
        const double low = order.lower(i[p]), high = order.upper(j[p]);
        const std::size_t lower = low <= high;
        merged.distance[p * part + k] = low <= high ? low : high;
        const std::size_t low_at = below - 1 - i[p], high_at = below + j[p];
        merged.from[p * part + k] = static_cast<Index>(high_at ^ ((high_at ^ low_at) & (0 - lower)));
        i[p] += lower;
        j[p] += 1 - lower;
      }
    }
    for (std::size_t p = 0; p < abreast; ++p) {
      for (std::size_t k = p * part + room; k < std::min((p + 1) * part, end - begin); ++k) {
        const bool lower = order.takes_lower(i[p], j[p]);
        merged.distance[k] = lower ? order.lower(i[p]) : order.upper(j[p]);
        merged.from[k] = static_cast<Index>(lower ? below - 1 - i[p] : below + j[p]);
        (lower ? i[p] : j[p]) += 1;
      }
    }
    const double first = merged.distance[0], last = merged.distance[end - begin - 1];
    merged.begun = (i0 > 0 && order.lower(i0 - 1) == first) || (j0 > 0 && order.upper(j0 - 1) == first);
    const std::size_t p = (end - begin - 1) / part;
    merged.goes_on = (i[p] < below && order.lower(i[p]) == last) || (j[p] < above && order.upper(j[p]) == last);
  }
};

}  // namespace manychain::diagnostics
