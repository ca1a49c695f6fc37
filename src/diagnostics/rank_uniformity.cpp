#include "diagnostics/rank_uniformity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include "core/inverse_normal_cdf.hpp"
#include "manychain/core/incomplete_functions.hpp"
#include "manychain/core/real.hpp"

namespace manychain::diagnostics {
namespace {

constexpr std::size_t longest_sum = 20000;  // of rounded scores: what their distribution takes is linear in it
constexpr std::size_t least_in_bin = 16, most_bins = 64;

/// The quantile of the standard normal.
double normal_quantile(double p) { return inverse_normal_cdf(p - 0.5, std::min(p, 1 - p)); }

/// P(X > x) of chi-squared.
double chi_squared_tail(double x, double degrees) {
  if (!(x > 0)) return 1;
  return std::exp(
      manychain::detail::log_incomplete_gamma<true>(Scalar<double>(degrees / 2), Scalar<double>(x / 2)).value.v);
}

/// The quantile of chi-squared with n degrees that a standard normal has at z (Wilson and Hilferty 1931).
double chi_squared_at(double z, double n) { return n * std::pow(1 - 2 / (9 * n) + z * std::sqrt(2 / (9 * n)), 3); }

}  // namespace

RankUniformity::RankUniformity(std::size_t n, std::size_t ranks) : n_(n), ranks_(ranks), bins_(4) {
  if (ranks % most_bins != 0 || ranks == 0 || n < 4 * bins_) throw std::logic_error("RankUniformity: too few ranks");
  while (bins_ < most_bins && n / (2 * bins_) >= least_in_bin) bins_ *= 2;
  std::vector<double> squares;
  for (std::size_t r = 0; r < ranks; ++r) {
    normal_.push_back(normal_quantile((static_cast<double>(r) + 0.5) / static_cast<double>(ranks)));
    squares.push_back(normal_.back() * normal_.back());
  }
  mean_square_ = std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(ranks);
  shift_ = score_sum(normal_);
  width_ = score_sum(squares);
}

RankUniformity::ScoreSum RankUniformity::score_sum(const std::vector<double>& exact) const {
  const auto [low, high] = std::minmax_element(exact.begin(), exact.end());
  const double most = std::max(2.0, std::floor(static_cast<double>(longest_sum) / static_cast<double>(n_)));
  const double unit = (*high - *low) / std::min(most, 128.0);
  ScoreSum sum;
  std::map<std::size_t, double> share;  // of the ranks that have a score
  for (const double x : exact) {
    sum.score.push_back(static_cast<std::size_t>(std::lround((x - *low) / unit)));
    share[sum.score.back()] += 1 / static_cast<double>(ranks_);
  }
  const std::size_t largest = share.rbegin()->first;
  std::vector<double> now(n_ * largest + 1, 0.0), next(now.size());
  now[0] = 1;
  for (std::size_t k = 0; k < n_; ++k) {
    std::fill_n(next.begin(), (k + 1) * largest + 1, 0.0);
    for (const auto& [score, probability] : share)
      for (std::size_t s = 0; s <= k * largest; ++s) next[s + score] += probability * now[s];
    // Far below what is asked for; denormal numbers are slow.
    for (std::size_t s = 0; s <= (k + 1) * largest; ++s) now[s] = next[s] < 1e-200 ? 0 : next[s];
  }
  sum.below.resize(now.size());
  sum.above.resize(now.size());
  std::partial_sum(now.begin(), now.end(), sum.below.begin());
  std::partial_sum(now.rbegin(), now.rend(), sum.above.rbegin());
  return sum;
}

double RankUniformity::ScoreSum::p(const std::vector<std::size_t>& ranks) const {
  std::size_t s = 0;
  for (const std::size_t r : ranks) s += score[r];
  return std::min(1.0, 2 * std::min(below[s], above[s]));
}

RankTest RankUniformity::operator()(const std::vector<std::size_t>& ranks) const {
  if (ranks.size() != n_) throw std::logic_error("RankUniformity: another number of ranks");
  const auto n = static_cast<double>(n_);
  RankTest test;
  std::vector<double> count(bins_, 0.0);
  double squares = 0;
  for (const std::size_t r : ranks) {
    if (r >= ranks_) throw std::logic_error("RankUniformity: a rank is too large");
    test.mean_rank += static_cast<double>(r) / n;
    test.shift += normal_[r] / n;
    squares += normal_[r] * normal_[r] / n;
    count[r * bins_ / ranks_] += 1;
  }
  test.sd_factor = std::sqrt(mean_square_ / squares);
  const double expected = n / static_cast<double>(bins_);
  double chi_squared = 0;
  for (const double k : count) chi_squared += (k - expected) * (k - expected) / expected;
  test.p_shift = shift_.p(ranks);
  test.p_width = width_.p(ranks);
  test.p_shape = chi_squared_tail(chi_squared, static_cast<double>(bins_ - 1));
  test.p = std::min(1.0, 3 * std::min({test.p_shift, test.p_width, test.p_shape}));
  return test;
}

RankPower RankUniformity::power(double level) const {
  const auto n = static_cast<double>(n_);
  const double alarm = -normal_quantile(level / 6),
               found = 2.33;  // 3 tests of two sides; 0.99 but for the tails of the sums
  RankPower power;
  power.shift = (alarm + found) / std::sqrt(n);
  const auto chi_squared = [&](double z) { return std::max(0.0, chi_squared_at(z, n)); };
  power.narrow = std::sqrt(chi_squared(-found) / chi_squared(alarm));
  const double least = chi_squared(-alarm);
  power.wide = least > 0 ? std::sqrt(chi_squared(found) / least) : std::numeric_limits<double>::infinity();
  return power;
}

std::vector<bool> significant(const std::vector<double>& p, double level) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto of = [&](std::size_t i) { return std::isnan(p[i]) ? -1.0 : p[i]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return of(a) < of(b); });
  std::vector<bool> found(p.size(), false);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (of(order[k]) > level / static_cast<double>(p.size() - k)) break;
    found[order[k]] = true;
  }
  return found;
}

}  // namespace manychain::diagnostics
