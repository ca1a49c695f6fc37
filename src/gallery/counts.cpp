#include "gallery/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manychain::gallery {

std::vector<double> occupation_of_two(const markov::TransitionMatrix& p, std::size_t start, std::size_t state,
                                      std::size_t steps) {
  const std::size_t other = 1 - state;
  // P(k times there so far, and there now), and the same with elsewhere now.
  std::vector<double> there(steps + 2, 0), elsewhere(steps + 2, 0);
  (start == state ? there : elsewhere)[0] = 1;
  for (std::size_t t = 1; t <= steps; ++t) {
    double before_there = 0, before_elsewhere = 0;
    for (std::size_t k = 0; k <= t; ++k) {
      const double a = there[k], b = elsewhere[k];
      there[k] = before_there * p(state, state) + before_elsewhere * p(other, state);
      elsewhere[k] = a * p(state, other) + b * p(other, other);
      if (elsewhere[k] < 1e-200) elsewhere[k] = 0;  // far below what is asked for; denormal numbers are slow
      before_there = a < 1e-200 ? 0 : a;
      before_elsewhere = b < 1e-200 ? 0 : b;
    }
  }
  for (std::size_t k = 0; k <= steps; ++k) there[k] += elsewhere[k];
  there.resize(steps + 1);
  return there;
}

Check count_check(const std::string& what, const std::vector<double>& distribution, std::size_t count) {
  double mean = 0, square = 0, below = 0, above = 0;
  for (std::size_t k = 0; k < distribution.size(); ++k) {
    mean += double(k) * distribution[k];
    if (k <= count) below += distribution[k];
    if (k >= count) above += distribution[k];
  }
  for (std::size_t k = 0; k < distribution.size(); ++k) square += std::pow(double(k) - mean, 2) * distribution[k];
  Check check = within_tails(what, mean, double(count), std::sqrt(square), below, above);
  check.known = fmt::format("{:.1f}", mean);
  check.got = fmt::format("{}", count);
  return check;
}

Check binomial_check(const std::string& what, double p, std::size_t trials, std::size_t count) {
  const double n = double(trials), k = double(count), odds = p / (1 - p);
  const double at = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                             (n - k) * std::log1p(-p));
  double below = at, above = at;
  double term = at;
  for (double j = k; j > 0 && term > 1e-17 * below; --j) below += term *= j / ((n - j + 1) * odds);
  term = at;
  for (double j = k; j < n && term > 1e-17 * above; ++j) above += term *= (n - j) * odds / (j + 1);
  return within_tails(what, p, k / n, std::sqrt(p * (1 - p) / n), std::min(below, 1.0), std::min(above, 1.0));
}

}  // namespace manychain::gallery
