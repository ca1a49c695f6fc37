#include "manychain/montecarlo/importance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/nan.hpp"
#include "manychain/core/error.hpp"

namespace manychain::montecarlo {
namespace {

constexpr std::size_t smallest_tail = 6;  // the first quartile of five excesses is the smallest of them

/// The largest log weight, once all are known to be allowed.
double check(std::span<const double> log_weights) {
  if (log_weights.empty()) throw BadInput("importance: there is no weight");
  double largest = -HUGE_VAL;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    if (std::isnan(log_weights[i]) || log_weights[i] == HUGE_VAL) {
      throw BadInput(fmt::format("importance: log_weights[{}] is {}", i, log_weights[i]));
    }
    largest = std::max(largest, log_weights[i]);
  }
  if (largest == -HUGE_VAL) throw BadInput("importance: all weights are zero; no draw is where the target is");
  return largest;
}

double sum_of(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

void normalise(std::vector<double>& w) {
  const double sum = sum_of(w);
  for (double& x : w) x /= sum;
}

/// sd / (mean sqrt(S)) of weights: the relative standard error of their mean.
double relative_error(const std::vector<double>& w) {
  const auto n = static_cast<double>(w.size());
  const double mean = sum_of(w) / n;
  double squares = 0;
  for (double x : w) squares += (x - mean) * (x - mean);
  return n > 1 ? std::sqrt(squares / (n - 1) / n) / mean : nan;
}

/// Replaces the largest of `w`, whose maximum is one, by quantiles of the fitted tail; returns what was fitted.
GeneralisedPareto smooth(std::vector<double>& w, std::size_t& tail) {
  const std::size_t n = w.size();
  const auto s = static_cast<double>(n);
  tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * s, 3 * std::sqrt(s))));
  if (tail >= n) tail = 0;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return w[i] < w[j]; });
  // Weights of zero are no part of a tail, nor are those that would be zero beside the largest.
  constexpr double zero = std::numeric_limits<double>::min();
  while (tail > 0 && w[order[n - tail]] <= zero) --tail;
  if (tail < smallest_tail) return {nan, nan};

  const double cutoff = std::max(w[order[n - tail - 1]], zero);
  std::vector<double> excesses;
  for (std::size_t i = n - tail; i < n; ++i) excesses.push_back(w[order[i]] - cutoff);
  const GeneralisedPareto fitted = fit_generalised_pareto(excesses);
  if (std::isnan(fitted.k)) return fitted;
  for (std::size_t i = 0; i < tail; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(tail);
    const double log_survival = std::log1p(-p);
    // sigma ((1 - p)^-k - 1) / k
    const double excess =
        fitted.k == 0 ? -fitted.sigma * log_survival : fitted.sigma * std::expm1(-fitted.k * log_survival) / fitted.k;
    w[order[n - tail + i]] = std::min(cutoff + excess, 1.0);
  }
  return fitted;
}

/// As large as k may be with S draws (Vehtari et al. 2024).
double threshold(std::size_t draws) { return std::min(1 - 1 / std::log10(static_cast<double>(draws)), 0.7); }

std::string verdict_of(const Importance& r) {
  const double k = r.pareto_k;
  const std::size_t draws = r.weights.size();
  if (std::isnan(k)) {
    return r.tail < smallest_tail
               ? fmt::format("Not known: {} draws have {} weights in their tail, and k-hat needs {}", draws, r.tail,
                             smallest_tail)
               : fmt::format(
                     "Not known: the largest weights are equal, and k-hat has no tail to see; all is well only "
                     "if weights are bounded by them");
  }
  if (k >= 1) return fmt::format("Not to be trusted: k-hat {:.2f} is above 1, weights have no finite mean", k);
  if (k > 0.7) {
    return fmt::format(
        "Not to be trusted: k-hat {:.2f} is above 0.7, errors are larger than they seem; the proposal "
        "needs heavier tails",
        k);
  }
  if (k > r.k_threshold) {
    // S with 1 - 1 / log10 S = k.
    return fmt::format("Not to be trusted: k-hat {:.2f} is above {:.2f}, all that {} draws allow; take at least {:.0f}",
                       k, r.k_threshold, draws, std::ceil(std::pow(10, 1 / (1 - std::max(k, 0.0)))));
  }
  if (k > 0.5) {
    return fmt::format(
        "To be trusted once smoothed: k-hat {:.2f} is not above {:.2f}, but weights have no finite "
        "variance",
        k, r.k_threshold);
  }
  return fmt::format("To be trusted: k-hat {:.2f} is not above {:.2f}", k, r.k_threshold);
}

/// sum of w f over normalised weights, and the root of sum w^2 (f - mu)^2.
void ratio_estimate(const std::vector<double>& w, std::span<const double> f, double& mu, double& error) {
  mu = 0;
  for (std::size_t i = 0; i < w.size(); ++i) mu += w[i] > 0 ? w[i] * f[i] : 0;
  double squares = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (const double term = w[i] > 0 ? w[i] * (f[i] - mu) : 0; term != 0) squares += term * term;
  }
  error = w.size() > 1 ? std::sqrt(squares) : nan;
}

}  // namespace

GeneralisedPareto fit_generalised_pareto(std::span<const double> excesses, bool prior) {
  const std::size_t n = excesses.size();
  if (!std::is_sorted(excesses.begin(), excesses.end())) throw BadInput("generalised Pareto: excesses do not ascend");
  if (n < smallest_tail) return {nan, nan};
  const auto count = static_cast<double>(n);
  const double quartile = excesses[static_cast<std::size_t>(count / 4 + 0.5) - 1];
  if (!(quartile > excesses[0]) || !(excesses[0] >= 0) || !std::isfinite(excesses[n - 1])) return {nan, nan};

  const auto mean_log = [&](double theta) {
    double sum = 0;
    for (double x : excesses) sum += std::log1p(-theta * x);
    return sum / count;
  };
  // Zhang and Stephens' theta is -k / sigma in our sign of k.
  const auto points = static_cast<std::size_t>(30 + std::floor(std::sqrt(count)));
  std::vector<double> thetas, log_likelihoods;
  for (std::size_t j = 1; j <= points; ++j) {
    const double root = std::sqrt(static_cast<double>(points) / (static_cast<double>(j) - 0.5));
    const double theta = 1 / excesses[n - 1] + (1 - root) / (3 * quartile);
    if (theta == 0) continue;  // the exponential distribution: its likelihood is the limit, and its neighbours have it
    const double k = mean_log(theta);
    thetas.push_back(theta);
    log_likelihoods.push_back(count * (std::log(-theta / k) - k - 1));
  }
  const double largest = *std::max_element(log_likelihoods.begin(), log_likelihoods.end());
  double weights = 0, theta = 0;
  for (std::size_t j = 0; j < thetas.size(); ++j) {
    const double weight = std::exp(log_likelihoods[j] - largest);
    weights += weight;
    theta += weight * thetas[j];
  }
  theta /= weights;
  GeneralisedPareto fitted;
  fitted.k = mean_log(theta);
  fitted.sigma = -fitted.k / theta;
  if (!std::isfinite(fitted.k) || !std::isfinite(fitted.sigma)) return {nan, nan};
  constexpr double of_prior = 10;
  if (prior) fitted.k = (fitted.k * count + 0.5 * of_prior) / (count + of_prior);
  return fitted;
}

Importance importance(std::span<const double> log_weights) {
  const double largest = check(log_weights);
  Importance r;
  for (double lw : log_weights) r.weights.push_back(std::exp(lw - largest));
  const auto n = static_cast<double>(log_weights.size());
  r.log_normalising_constant = largest + std::log(sum_of(r.weights) / n);
  r.log_normalising_error = relative_error(r.weights);
  r.smoothed_weights = r.weights;
  r.pareto_k = smooth(r.smoothed_weights, r.tail).k;
  r.k_threshold = threshold(log_weights.size());
  normalise(r.weights);
  normalise(r.smoothed_weights);
  double squares = 0;
  for (double w : r.weights) squares += w * w;
  r.ess = 1 / squares;
  r.trustworthy = r.pareto_k <= r.k_threshold;  // false for NaN
  r.verdict = verdict_of(r);
  return r;
}

ImportanceExpectation importance_expectation(std::span<const double> log_weights, std::span<const double> values) {
  if (log_weights.size() != values.size()) {
    throw BadInput(fmt::format("importance: {} weights and {} values", log_weights.size(), values.size()));
  }
  const Importance of_weights = importance(log_weights);
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  std::vector<double> f(values.begin(), values.end()), products;
  for (std::size_t i = 0; i < f.size(); ++i) {
    // f may be undefined where the target is zero.
    if (log_weights[i] == -HUGE_VAL) f[i] = 0;
    if (!std::isfinite(f[i])) throw BadInput(fmt::format("importance: values[{}] is {}", i, f[i]));
    products.push_back(std::exp(log_weights[i] - largest) * f[i]);
  }
  ImportanceExpectation r;
  const auto n = static_cast<double>(f.size());
  const double mean = sum_of(products) / n;
  double squares = 0;
  for (double x : products) squares += (x - mean) * (x - mean);
  r.plain = mean * std::exp(largest);
  r.plain_error = n > 1 ? std::sqrt(squares / (n - 1) / n) * std::exp(largest) : nan;
  ratio_estimate(of_weights.weights, f, r.self_normalised, r.self_normalised_error);
  ratio_estimate(of_weights.smoothed_weights, f, r.smoothed, r.smoothed_error);
  r.pareto_k = of_weights.pareto_k;
  r.trustworthy = of_weights.trustworthy;
  return r;
}

}  // namespace manychain::montecarlo
