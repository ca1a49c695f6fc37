// Ranks, ties and normal scores of sorted draws, for the rank-normalised forms of R-hat and ESS. Vehtari, Gelman,
// Simpson, Carpenter and Buerkner (2021), "Rank-normalization, folding, and localization", Bayesian Analysis 16(2),
// section 4.1.
#pragma once

#include <cmath>
#include <cstddef>

#include "core/inverse_normal_cdf.hpp"
#include "manychain/core/macros.hpp"

namespace manychain::diagnostics {

/// Normal score of the average rank r among S draws, InversePhi((r - 3/8) / (S + 1/4)), from `r2` = 2 r (2 to 2 S).
/// Computed from the rank, not from the probability, so that scores are exactly antisymmetric.
MANYCHAIN_HD double normal_score(double r2, double S) {
  const double scale = S + 0.25;
  const double nearer_end = r2 < S + 1 ? r2 : 2 * (S + 1) - r2;
  return inverse_normal_cdf(0.5 * (r2 - (S + 1)) / scale, (0.5 * nearer_end - 0.375) / scale);
}

/// Normal scores of the ranks 1 to (size + 1) / 2, of which score_table_size() is the number; the others are their
/// negatives, bit for bit. All variables share them. Null: each score is computed.
using ScoreTable = const double*;
inline std::size_t score_table_size(std::size_t size) { return (size + 1) / 2; }

/// Normal score of `count` equal draws after `less` smaller ones, among `size`: ties get their average rank.
MANYCHAIN_HD double score_of_run(std::size_t less, std::size_t count, std::size_t size, ScoreTable table = nullptr) {
  if (table != nullptr && count == 1) return less < (size + 1) / 2 ? table[less] : -table[size - 1 - less];
  return normal_score(static_cast<double>(2 * less + count + 1), static_cast<double>(size));
}

/// Number of the first `room` values of `at` that are equal to `mine`; the equal ones come first. Found by doubling
/// steps: most runs are short, and no memory is needed.
template <class At, class Value>
MANYCHAIN_HD std::size_t run_length(const At& at, std::size_t room, Value mine) {
  std::size_t known = 0;
  std::size_t step = 1;
  while (known + step <= room && at(known + step - 1) == mine) {
    known += step;
    step *= 2;
  }
  while (step > 1) {
    step /= 2;
    if (known + step <= room && at(known + step - 1) == mine) known += step;
  }
  return known;
}

/// Writes the normal score of the i-th draw in sorted order to its place.
template <class Number, class Index>
struct WriteNormalScore {
  const Number* sorted;
  const Index* place;
  double* scores;
  std::size_t size;
  ScoreTable table = nullptr;

  MANYCHAIN_HD void operator()(std::size_t i) const {
    const Number mine = sorted[i];
    const std::size_t below = run_length([&](std::size_t k) { return sorted[i - 1 - k]; }, i, mine);
    const std::size_t above = run_length([&](std::size_t k) { return sorted[i + 1 + k]; }, size - 1 - i, mine);
    scores[place[i]] = score_of_run(i - below, below + 1 + above, size, table);
  }
};

/// The distance from the median; in double also for draws in float, so that rounding makes no ties.
struct Folded {
  double median;

  MANYCHAIN_HD double operator()(double x) const { return std::fabs(x - median); }
};

/// Number of elements of `first` among the first `count` of two ascending sequences, merged; of equal elements those of
/// `first` come first. It is known to be between `least` and `most`.
template <class First, class Second>
MANYCHAIN_HD std::size_t merged_from_first(std::size_t least, std::size_t most, std::size_t count, const First& first,
                                           const Second& second) {
  while (least < most) {
    const std::size_t probe = least + (most - least) / 2;
    if (first(probe) <= second(count - 1 - probe)) {
      least = probe + 1;
    } else {
      most = probe;
    }
  }
  return least;
}

/// Sorted draws in the order of their distances from the median: those below it, backwards, merged with those above. A
/// merge can begin at any element, where its path crosses a diagonal (Green, McColl and Bader 2012).
template <class Number>
struct FoldedOrder {
  const Number* sorted;
  std::size_t size;
  std::size_t below;  ///< draws below the median
  Folded fold;

  MANYCHAIN_HD std::size_t above() const { return size - below; }
  MANYCHAIN_HD double lower(std::size_t i) const { return fold(sorted[below - 1 - i]); }
  MANYCHAIN_HD double upper(std::size_t j) const { return fold(sorted[below + j]); }
  /// True if, after i draws from below the median and j from above, the next is from below.
  MANYCHAIN_HD bool takes_lower(std::size_t i, std::size_t j) const {
    return i < below && (j >= above() || lower(i) <= upper(j));
  }
  /// Number of draws below the median among the first `count` distances; of equal distances theirs come first. It is
  /// known to be between `least` and `most`.
  MANYCHAIN_HD std::size_t lower_before(std::size_t count, std::size_t least = 0,
                                        std::size_t most = static_cast<std::size_t>(-1)) const {
    if (count > above() && least < count - above()) least = count - above();
    if (most > count) most = count;
    if (most > below) most = below;
    return merged_from_first(
        least, most, count, [this](std::size_t i) { return lower(i); }, [this](std::size_t j) { return upper(j); });
  }
};

/// Writes the normal scores of the distances from the median, `block` of them in each call.
template <class Number, class Index>
struct WriteFoldedScores {
  FoldedOrder<Number> order;
  const Index* place;
  double* scores;
  std::size_t block;

  MANYCHAIN_HD void operator()(std::size_t item) const {
    const std::size_t begin = item * block;
    const std::size_t end = begin + block < order.size ? begin + block : order.size;
    const std::size_t below = order.below, above = order.above();
    std::size_t i = order.lower_before(begin), j = begin - i;
    // A run of equal distances may have begun before this block.
    double mine = next(i, j);
    const std::size_t back_i = run_length([&](std::size_t k) { return order.lower(i - 1 - k); }, i, mine);
    const std::size_t back_j = run_length([&](std::size_t k) { return order.upper(j - 1 - k); }, j, mine);
    std::size_t less = begin - back_i - back_j;
    for (std::size_t done = begin; done < end;) {
      mine = next(i, j);
      const std::size_t end_i = i + run_length([&](std::size_t k) { return order.lower(i + k); }, below - i, mine);
      const std::size_t end_j = j + run_length([&](std::size_t k) { return order.upper(j + k); }, above - j, mine);
      const double score = score_of_run(less, end_i + end_j - less, order.size);
      for (; i < end_i && done < end; ++i, ++done) scores[place[below - 1 - i]] = score;
      for (; j < end_j && done < end; ++j, ++done) scores[place[below + j]] = score;
      less = end_i + end_j;
    }
  }

 private:
  MANYCHAIN_HD double next(std::size_t i, std::size_t j) const {
    return order.takes_lower(i, j) ? order.lower(i) : order.upper(j);
  }
};

}  // namespace manychain::diagnostics
