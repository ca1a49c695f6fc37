#include "diagnostics/tails.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/nan.hpp"
#include "diagnostics/tail_loops.hpp"

namespace manychain::diagnostics {
namespace {

constexpr double prior_draws = 10, prior_shape = 0.5;  // Vehtari and others 2024, appendix C
constexpr std::size_t least_tail = 5;                  // as posterior
// Errors by which a shorter fit may be lighter than the longest one, and what the draws of the shortest are worth.
constexpr double allowed_errors = 2.5, least_effective = 25;

/// Mean of log(1 - theta x).
double mean_log(const double* x, std::size_t count, double theta) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += std::log1p(-theta * x[k]);
  return sum / static_cast<double>(count);
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

/// pareto_fit() of padded excesses.
ParetoFit fit_padded(const double* excesses, std::size_t count, double quartile, double largest) {
  const double smallest = *std::min_element(excesses, excesses + count);
  if (!(quartile > smallest) || !std::isfinite(largest)) return {nan, nan};
  const auto n = static_cast<double>(count);
  const double mean = std::accumulate(excesses, excesses + count, 0.0) / n;
  const std::size_t points = 30 + static_cast<std::size_t>(std::sqrt(n));
  std::vector<double> theta(points), likelihood(points);
  double farthest = 0;
  for (std::size_t j = 0; j < points; ++j) {
    const double root = std::sqrt(static_cast<double>(points) / (static_cast<double>(j) + 0.5));
    theta[j] = 1 / largest + (1 - root) / (3 * quartile);
    farthest = std::max(farthest, std::fabs(theta[j]) * largest);
  }
  const auto find_means = [&](const double* thetas, std::size_t wanted, double* means) {
    if (farthest < largest_in_mean_logs) return mean_logs(excesses, count, thetas, wanted, means);
    for (std::size_t j = 0; j < wanted; ++j) means[j] = mean_log(excesses, count, thetas[j]);
  };
  find_means(theta.data(), points, likelihood.data());
  for (std::size_t j = 0; j < points; ++j) {
    const double k = likelihood[j];
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
  const double found = weighted / weights;
  double k = 0;
  find_means(&found, 1, &k);
  const double scale = std::fabs(found) * largest < 1e-9 ? mean : -k / found;
  return {(n * k + prior_draws * prior_shape) / (n + prior_draws), scale};
}

}  // namespace

double pareto_shape(const double* excesses, std::size_t count, double quartile, double largest) {
  return pareto_fit(excesses, count, quartile, largest).shape;
}

ParetoFit pareto_fit(const double* excesses, std::size_t count, double quartile, double largest) {
  std::vector<double> padded(excesses, excesses + count);
  padded.resize((count + tail_lanes - 1) / tail_lanes * tail_lanes);
  return fit_padded(padded.data(), count, quartile, largest);
}

void TailFits::sort(const std::vector<double>& draws) {
  const std::size_t n = draws.size();
  cells_.resize(sort_cells_for(n));
  scaled_.resize(sort_scaled_for(n));
  entries_.resize(n);
  scratch_.resize(n);
  places_.resize(n);
  sorted_.resize(n);
  sort_draws(draws.data(), {n, 0, 0, 1}, {entries_.data(), scratch_.data(), cells_.data(), scaled_.data()},
             sorted_.data(), places_.data());
}

void TailFits::select_tails(std::vector<double>& draws, std::size_t most) {
  constexpr std::size_t few = 8192;  // sorting all at once costs less than looking for the outermost
  if (draws.size() <= few) {
    sort(draws);
    return select_sorted_tails(sorted_.data(), sorted_.size(), most);
  }
  const auto select_largest = [&](std::vector<double>& tail, double& outside) {
    const std::vector<double> some = candidates(draws, most);
    sort(some.empty() ? draws : some);
    tail.assign(sorted_.end() - static_cast<std::ptrdiff_t>(most), sorted_.end());
    outside = sorted_[sorted_.size() - most - 1];
  };
  select_largest(high_, high_outside_);
  for (double& x : draws) x = -x;
  select_largest(low_, low_outside_);
  scale(high_, high_outside_);
  scale(low_, low_outside_);
}

template <class Number>
void TailFits::select_sorted_tails(const Number* sorted, std::size_t count, std::size_t most) {
  high_.assign(sorted + (count - most), sorted + count);
  high_outside_ = sorted[count - most - 1];
  low_.resize(most);
  for (std::size_t k = 0; k < most; ++k) low_[k] = -sorted[most - 1 - k];
  low_outside_ = -sorted[most];
  scale(high_, high_outside_);
  scale(low_, low_outside_);
}

void TailFits::scale(std::vector<double>& tail, double& outside) {
  const double largest = std::max({std::fabs(outside), std::fabs(tail.front()), std::fabs(tail.back())});
  if (!(largest > 0) || !std::isfinite(largest)) return;
  const int power = -std::ilogb(largest);
  // A power of two rounds nothing; in two steps, since that of a tiny number is too large for one.
  const double factor = std::scalbn(1.0, power / 2), rest = std::scalbn(1.0, power - power / 2);
  for (double& x : tail) x = x * factor * rest;
  outside = outside * factor * rest;
}

double TailFits::shape(std::size_t length) {
  return std::fmax(shape_of(high_, high_outside_, length), shape_of(low_, low_outside_, length));
}

double TailFits::shape(const TailRule& rule) {
  return std::fmax(least_shape_of(high_, high_outside_, rule), least_shape_of(low_, low_outside_, rule));
}

double TailFits::least_shape_of(const std::vector<double>& tail, double outside, const TailRule& rule) {
  const double longest = shape_of(tail, outside, rule.inner);
  if (longest <= rule.no_sd) return longest;
  double least = longest;
  for (std::size_t length = rule.outer; length > 0; length = rule.shorter(length)) {
    const double k = shape_of(tail, outside, length);
    const double error = 1 / std::sqrt(std::max(static_cast<double>(length) * rule.efficiency, 1.0));
    if (std::isnan(longest) || k < longest - allowed_errors * (1 + longest) * error) least = std::fmin(least, k);
  }
  return least;
}

double TailFits::shape_of(const std::vector<double>& tail, double outside, std::size_t length) {
  if (length < least_tail || length > tail.size()) return nan;
  const std::size_t inner = tail.size() - length;
  if (inner > 0) outside = tail[inner - 1];
  excesses_.assign((length + tail_lanes - 1) / tail_lanes * tail_lanes, 0.0);
  for (std::size_t k = 0; k < length; ++k) excesses_[k] = tail[inner + k] - outside;
  const auto quartile = static_cast<std::size_t>(static_cast<double>(length) / 4 + 0.5) - 1;
  return fit_padded(excesses_.data(), length, excesses_[quartile], excesses_[length - 1]).shape;
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

double TailFits::operator()(std::vector<double>& draws, const TailRule& rule) {
  if (rule.outer < least_tail) return nan;
  select_tails(draws, rule.inner);
  return shape(rule);
}

template <class Number>
double TailFits::of_sorted(const Number* sorted, std::size_t count, const TailRule& rule) {
  if (rule.outer < least_tail) return nan;
  select_sorted_tails(sorted, count, rule.inner);
  return shape(rule);
}
template double TailFits::of_sorted(const float*, std::size_t, const TailRule&);
template double TailFits::of_sorted(const double*, std::size_t, const TailRule&);

double tail_shape(std::vector<double>& draws, const TailRule& rule) { return TailFits()(draws, rule); }

}  // namespace manychain::diagnostics
