// Ranks, ties and normal scores of sorted draws: what turns R-hat and ESS into their rank-normalised forms.
// Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), "Rank-normalization, folding, and localization", Bayesian
// Analysis 16(2), section 4.1.
#pragma once

#include <cmath>
#include <cstddef>

#include "manychain/core/macros.hpp"

namespace manychain::diagnostics {

/// The rational function of degree 7 over 7 whose coefficients are given, highest power last.
MANYCHAIN_HD double rational7(double r, const double (&a)[8], const double (&b)[8]) {
  double top = a[7];
  double bottom = b[7];
  for (int k = 6; k >= 0; --k) {
    top = top * r + a[k];
    bottom = bottom * r + b[k];
  }
  return top / bottom;
}

/// InversePhi(p), the quantile of the standard normal, by algorithm AS 241 (Wichura 1988), good to about 1e-16. Taking
/// q = p - 1/2 and tail = min(p, 1 - p) keeps quantiles exactly antisymmetric, and those of tiny tails accurate.
MANYCHAIN_HD double inverse_normal_cdf(double q, double tail) {
  if (std::fabs(q) <= 0.425) {
    constexpr double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                             1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                             3.3430575583588128105e+4, 2.5090809287301226727e+3};
    constexpr double b[8] = {1.0,
                             4.2313330701600911252e+1,
                             6.8718700749205790830e+2,
                             5.3941960214247511077e+3,
                             2.1213794301586595867e+4,
                             3.9307895800092710610e+4,
                             2.8729085735721942674e+4,
                             5.2264952788528545610e+3};
    return q * rational7(0.180625 - q * q, a, b);
  }
  const double r = std::sqrt(-std::log(tail));
  double z;
  if (r <= 5) {
    constexpr double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                             3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr double d[8] = {1.0,
                             2.05319162663775882187e0,
                             1.67638483018380384940e0,
                             6.89767334985100004550e-1,
                             1.48103976427480074590e-1,
                             1.51986665636164571966e-2,
                             5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
    z = rational7(r - 1.6, c, d);
  } else {
    constexpr double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr double f[8] = {1.0,
                             5.99832206555887937690e-1,
                             1.36929880922735805310e-1,
                             1.48753612908506148525e-2,
                             7.86869131145613259100e-4,
                             1.84631831751005468180e-5,
                             1.42151175831644588870e-7,
                             2.04426310338993978564e-15};
    z = rational7(r - 5, e, f);
  }
  return q < 0 ? -z : z;
}

/// The score of twice the average rank `r2` (2 to 2 S) among S draws: InversePhi((r - 3/8) / (S + 1/4)). Taking the
/// rank and not the probability keeps the scores exactly antisymmetric.
MANYCHAIN_HD double normal_score(double r2, double S) {
  const double scale = S + 0.25;
  const double nearer_end = r2 < S + 1 ? r2 : 2 * (S + 1) - r2;
  return inverse_normal_cdf(0.5 * (r2 - (S + 1)) / scale, (0.5 * nearer_end - 0.375) / scale);
}

/// Normal score of a run of `count` equal draws behind `less` smaller ones, of `size`: ties get their average rank.
MANYCHAIN_HD double score_of_run(std::size_t less, std::size_t count, std::size_t size) {
  return normal_score(static_cast<double>(2 * less + count + 1), static_cast<double>(size));
}

/// How many of the first `room` values of `at` are equal to `mine`; the equal ones come first. Found by doubling steps:
/// most runs are short, and no memory is needed.
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

  MANYCHAIN_HD void operator()(std::size_t i) const {
    const Number mine = sorted[i];
    const std::size_t below = run_length([&](std::size_t k) { return sorted[i - 1 - k]; }, i, mine);
    const std::size_t above = run_length([&](std::size_t k) { return sorted[i + 1 + k]; }, size - 1 - i, mine);
    scores[place[i]] = score_of_run(i - below, below + 1 + above, size);
  }
};

/// The distance from the median; in double also for draws in float, so that no ties appear.
struct Folded {
  double median;

  MANYCHAIN_HD double operator()(double x) const { return std::fabs(x - median); }
};

/// Writes the normal scores of the distances from the median: the draws below it, backwards, merged with those above.
/// A call does `block` of them, beginning where the merge path crosses its diagonal (Green, McColl and Bader 2012).
template <class Number, class Index>
struct WriteFoldedScores {
  const Number* sorted;
  const Index* place;
  double* scores;
  std::size_t size;
  std::size_t below;  ///< draws below the median
  std::size_t block;
  Folded fold;

  MANYCHAIN_HD void operator()(std::size_t unit) const {
    const std::size_t begin = unit * block;
    const std::size_t end = begin + block < size ? begin + block : size;
    std::size_t i = lower_before(begin), j = begin - i;
    // A run of equal distances may have begun before this block.
    double mine = next(i, j);
    const std::size_t back_i = run_length([&](std::size_t k) { return lower(i - 1 - k); }, i, mine);
    const std::size_t back_j = run_length([&](std::size_t k) { return upper(j - 1 - k); }, j, mine);
    std::size_t less = begin - back_i - back_j;
    for (std::size_t done = begin; done < end;) {
      mine = next(i, j);
      const std::size_t end_i = i + run_length([&](std::size_t k) { return lower(i + k); }, below - i, mine);
      const std::size_t end_j = j + run_length([&](std::size_t k) { return upper(j + k); }, above() - j, mine);
      const double score = score_of_run(less, end_i + end_j - less, size);
      for (; i < end_i && done < end; ++i, ++done) scores[place[below - 1 - i]] = score;
      for (; j < end_j && done < end; ++j, ++done) scores[place[below + j]] = score;
      less = end_i + end_j;
    }
  }

 private:
  MANYCHAIN_HD std::size_t above() const { return size - below; }
  MANYCHAIN_HD double lower(std::size_t i) const { return fold(sorted[below - 1 - i]); }
  MANYCHAIN_HD double upper(std::size_t j) const { return fold(sorted[below + j]); }
  MANYCHAIN_HD double next(std::size_t i, std::size_t j) const {
    return i < below && (j >= above() || lower(i) <= upper(j)) ? lower(i) : upper(j);
  }
  /// How many of the first `count` distances belong to draws below the median, which come first among equal ones.
  MANYCHAIN_HD std::size_t lower_before(std::size_t count) const {
    std::size_t least = count > above() ? count - above() : 0;
    std::size_t most = count < below ? count : below;
    while (least < most) {
      const std::size_t probe = least + (most - least) / 2;
      if (lower(probe) <= upper(count - 1 - probe)) {
        least = probe + 1;
      } else {
        most = probe;
      }
    }
    return least;
  }
};

}  // namespace manychain::diagnostics
