#include "diagnostics/tails.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/nan.hpp"

namespace manychain::diagnostics {
namespace {

constexpr double prior_draws = 10, prior_shape = 0.5;  // Vehtari and others 2024, appendix C
constexpr std::size_t least_tail = 5;                  // as posterior
// Errors by which a shorter fit may be lighter than the longest one, and what the draws of the shortest are worth.
constexpr double allowed_errors = 2.5, least_effective = 25;

/// A product whose exponent is kept apart, so that it neither overflows nor underflows.
class LongProduct {
 public:
  /// `factor` is positive and normal.
  void times(double factor) {
    mantissa_ *= factor;
    const auto bits = std::bit_cast<std::uint64_t>(mantissa_);
    exponent_ += static_cast<std::int64_t>(bits >> 52) - 1023;
    mantissa_ = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);  // in [1, 2)
  }
  double log() const { return std::log(mantissa_) + static_cast<double>(exponent_) * 0.693147180559945309417; }

 private:
  double mantissa_ = 1;
  std::int64_t exponent_ = 0;
};

/// Mean of log(1 - theta x). Logarithms are dear: one for the product of all, four of which are made abreast.
double mean_log(const double* x, std::size_t count, double theta) {
  constexpr std::size_t together = 16;
  double sum = 0;
  LongProduct all;
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::size_t end = std::min(begin + together, count);
    double a = 1, b = 1, c = 1, d = 1;
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4) {
      a *= 1 - theta * x[i];
      b *= 1 - theta * x[i + 1];
      c *= 1 - theta * x[i + 2];
      d *= 1 - theta * x[i + 3];
    }
    for (; i < end; ++i) a *= 1 - theta * x[i];
    const double product = (a * b) * (c * d);
    if (product > 1e-300 && product < 1e300) {
      all.times(product);
    } else {
      for (std::size_t k = begin; k < end; ++k) sum += std::log1p(-theta * x[k]);
    }
  }
  return (sum + all.log()) / static_cast<double>(count);
}

/// Numbers from which the largest come: those above a limit that a sample puts somewhat below the `most`-th largest.
/// Empty where the sample erred.
std::vector<double> candidates(const std::vector<double>& draws, std::size_t most) {
  constexpr std::size_t samples = 256;
  const std::size_t n = draws.size();
  if (n < 4 * samples || most > n / 4) return {};
  std::vector<double> sample(samples);
  for (std::size_t k = 0; k < samples; ++k) sample[k] = draws[(2 * k + 1) * n / (2 * samples)];
  // Ranks of a sample scatter by sqrt(most / n * samples): three of that, and two.
  const double rank = static_cast<double>(samples) * static_cast<double>(most + 1) / static_cast<double>(n);
  const auto from = static_cast<std::size_t>(rank + 3 * std::sqrt(rank) + 2);
  if (from >= samples / 2) return {};
  const auto limit = sample.end() - static_cast<std::ptrdiff_t>(from) - 1;
  std::nth_element(sample.begin(), limit, sample.end());
  std::vector<double> above(n);
  std::size_t count = 0;
  for (const double x : draws) {
    above[count] = x;
    count += x >= *limit;
  }
  above.resize(count);
  return count > most ? above : std::vector<double>{};
}

}  // namespace

double pareto_shape(const double* excesses, std::size_t count, double quartile, double largest) {
  return pareto_fit(excesses, count, quartile, largest).shape;
}

ParetoFit pareto_fit(const double* excesses, std::size_t count, double quartile, double largest) {
  const double smallest = *std::min_element(excesses, excesses + count);
  if (!(quartile > smallest) || !std::isfinite(largest)) return {nan, nan};
  const auto n = static_cast<double>(count);
  const double mean = std::accumulate(excesses, excesses + count, 0.0) / n;
  const std::size_t points = 30 + static_cast<std::size_t>(std::sqrt(n));
  std::vector<double> theta(points), likelihood(points);
  for (std::size_t j = 0; j < points; ++j) {
    const double root = std::sqrt(static_cast<double>(points) / (static_cast<double>(j) + 0.5));
    theta[j] = 1 / largest + (1 - root) / (3 * quartile);
    const double k = mean_log(excesses, count, theta[j]);
    // At theta = 0, the exponential distribution, -theta / k is 0 / 0; its limit is one over the mean.
    const double rate = std::fabs(theta[j]) * largest < 1e-9 ? 1 / mean : -theta[j] / k;
    likelihood[j] = n * (std::log(rate) - k - 1);  // profile
  }
  const double most = *std::max_element(likelihood.begin(), likelihood.end());
  double weights = 0, weighted = 0;
  for (std::size_t j = 0; j < points; ++j) {
    const double weight = std::exp(likelihood[j] - most);
    weights += weight;
    weighted += weight * theta[j];
  }
  const double k = mean_log(excesses, count, weighted / weights);
  const double scale = std::fabs(weighted / weights) * largest < 1e-9 ? mean : -k / (weighted / weights);
  return {(n * k + prior_draws * prior_shape) / (n + prior_draws), scale};
}

TailFits::TailFits(std::vector<double>& draws, std::size_t most) {
  const auto length = static_cast<std::ptrdiff_t>(most);
  const auto take = [&](std::vector<double>& tail, double& outside) {
    std::vector<double> some = candidates(draws, most);
    std::vector<double>& from = some.empty() ? draws : some;
    std::nth_element(from.begin(), from.end() - length - 1, from.end());
    outside = from[from.size() - most - 1];
    tail.assign(from.end() - length, from.end());
  };
  take(high_, high_outside_);
  for (double& x : draws) x = -x;
  take(low_, low_outside_);
  scale(high_, high_outside_);
  scale(low_, low_outside_);
}

void TailFits::scale(std::vector<double>& tail, double& outside) {
  double largest = std::fabs(outside);
  for (const double x : tail) largest = std::max(largest, std::fabs(x));
  if (!(largest > 0) || !std::isfinite(largest)) return;
  const int power = -std::ilogb(largest);  // a power of two rounds nothing
  for (double& x : tail) x = std::scalbn(x, power);
  outside = std::scalbn(outside, power);
}

double TailFits::shape(std::size_t length) {
  return std::fmax(shape_of(high_, high_outside_, length), shape_of(low_, low_outside_, length));
}

double TailFits::shape(const TailRule& rule) {
  return std::fmax(least_shape_of(high_, high_outside_, rule), least_shape_of(low_, low_outside_, rule));
}

double TailFits::least_shape_of(std::vector<double>& tail, double outside, const TailRule& rule) {
  const double longest = shape_of(tail, outside, rule.inner);
  double least = longest;
  for (std::size_t length = rule.outer; length > 0; length = rule.shorter(length)) {
    const double k = shape_of(tail, outside, length);
    const double error = 1 / std::sqrt(std::max(static_cast<double>(length) * rule.efficiency, 1.0));
    if (std::isnan(longest) || k < longest - allowed_errors * (1 + longest) * error) least = std::fmin(least, k);
  }
  return least;
}

double TailFits::shape_of(std::vector<double>& tail, double outside, std::size_t length) {
  if (length < least_tail || length > tail.size()) return nan;
  const auto inner = static_cast<std::ptrdiff_t>(tail.size() - length);
  if (inner > 0) {
    std::nth_element(tail.begin(), tail.begin() + inner - 1, tail.end());
    outside = tail[static_cast<std::size_t>(inner) - 1];
  }
  excesses_.assign(tail.begin() + inner, tail.end());
  for (double& x : excesses_) x -= outside;
  const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(length) / 4 + 0.5) - 1;
  std::nth_element(excesses_.begin(), excesses_.begin() + rank, excesses_.end());
  return pareto_shape(excesses_.data(), length, excesses_[static_cast<std::size_t>(rank)],
                      *std::max_element(excesses_.begin(), excesses_.end()));
}

TailRule::TailRule(std::size_t all, double ess_tail) {
  const auto draws = static_cast<double>(std::min(all, most_in_tails));
  if (!std::isnan(ess_tail) && all > 0) efficiency = std::clamp(ess_tail / draws, 1 / draws, 1.0);
  const auto tail = [&](double times) {
    return static_cast<std::size_t>(std::min(0.2 * draws, std::ceil(times * std::sqrt(draws / efficiency))));
  };
  inner = tail(10);
  outer = tail(3);
  const double error = 1 / std::sqrt(std::max(static_cast<double>(inner) * efficiency, 1.0));
  no_sd = std::max(0.4, 0.26 + 3.8 * error);
  no_mean = std::max(0.7, 0.5 + 4.5 * error);
}

std::size_t TailRule::shorter(std::size_t length) const {
  const std::size_t half = length / 2;
  return static_cast<double>(half) * efficiency >= least_effective ? half : 0;
}

Doubt doubt_of(const VariableSummary& s, std::size_t all) {
  // Finite draws so far out that their sum, or that of their squares, is none.
  if (!std::isnan(s.q50) && all > 1) {
    if (!std::isfinite(s.mean)) return Doubt::mean;
    if (!std::isfinite(s.sd)) return Doubt::sd;
  }
  const TailRule rule(all, s.ess_tail);
  return s.khat > rule.no_mean ? Doubt::mean : s.khat > rule.no_sd ? Doubt::sd : Doubt::nothing;
}

void add_tail_column(std::vector<std::vector<std::string>>& cells,
                     const std::vector<const VariableSummary*>& quantities, std::size_t all) {
  const auto doubted = [all](const VariableSummary* s) { return doubt_of(*s, all) != Doubt::nothing; };
  if (std::none_of(quantities.begin(), quantities.end(), doubted)) return;
  constexpr const char* marks[] = {"", " sd?", " mean?"};
  cells[0].push_back("k_hat");
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const VariableSummary& s = *quantities[i];
    cells[i + 1].push_back(
        std::isnan(s.khat) ? "nan" : fmt::format("{:.2f}{}", s.khat, marks[static_cast<int>(doubt_of(s, all))]));
  }
}

double tail_shape(std::vector<double>& draws, const TailRule& rule) {
  return rule.outer < least_tail ? nan : TailFits(draws, rule.inner).shape(rule);
}

}  // namespace manychain::diagnostics
