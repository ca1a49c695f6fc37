#include "diagnostics/drift.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/inverse_normal_cdf.hpp"
#include "diagnostics/normal_scores.hpp"

namespace manychain::diagnostics {
namespace {

constexpr std::size_t first_part = 10;    // the tenth
constexpr std::size_t most_of_each = 16;  // draws of a chain, beyond which the chains decide the error
constexpr double suspected = 0.6;         // of the limit, by values in place of scores, which take a sort

/// Replaces values by the normal scores of their ranks; ties have their mean rank.
void take_scores(std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    const double value = values[order[first]];
    while (end < order.size() && values[order[end]] == value) ++end;
    const double score = score_of_run(first, end - first, order.size());
    for (std::size_t k = first; k < end; ++k) values[order[k]] = score;
  }
}

double error_of_mean(const std::vector<double>& values, double mean) {
  const double n = static_cast<double>(values.size());
  double squares = 0;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / (n - 1) / n);
}

/// None of `variables` that do not drift exceeds it, but with a chance of `level`: a quantile of Student's t.
double drift_limit(double level, std::size_t variables, std::size_t chains) {
  const double tail = level / (4 * static_cast<double>(variables));  // two sides, two forms
  const double z = -inverse_normal_cdf(tail - 0.5, tail), nu = static_cast<double>(chains - 1);
  // Abramowitz and Stegun 26.7.5.
  return z + (std::pow(z, 3) + z) / (4 * nu) + (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * nu * nu);
}

/// The mean difference in standard errors. `scores`: [draw][chain], the early draws first.
double in_errors(const std::vector<double>& scores, std::size_t chains, std::size_t early, std::size_t superchains) {
  const std::size_t draws = scores.size() / chains;
  std::vector<double> differences(chains), of_superchains(superchains);
  for (std::size_t k = 0; k < draws; ++k)
    for (std::size_t c = 0; c < chains; ++c)
      differences[c] += k < early ? -scores[k * chains + c] / static_cast<double>(early)
                                  : scores[k * chains + c] / static_cast<double>(draws - early);
  double mean = 0;
  for (const double x : differences) mean += x / static_cast<double>(chains);
  double error = error_of_mean(differences, mean);
  for (std::size_t c = 0; c < chains && superchains > 1; ++c)
    of_superchains[c % superchains] += differences[c] * static_cast<double>(superchains) / static_cast<double>(chains);
  if (superchains > 1) error = std::max(error, error_of_mean(of_superchains, mean));
  return error > 0 ? std::fabs(mean) / error : 0;
}

}  // namespace

DrawsToCompare draws_to_compare(std::size_t draws) {
  DrawsToCompare compared;
  const std::size_t part = draws / first_part, half = draws - draws / 2, count = std::min(part, most_of_each);
  for (std::size_t k = 0; k < count; ++k) {
    compared.early.push_back(k * part / count);
    compared.late.push_back(draws / 2 + (2 * k + 1) * half / (2 * count));
  }
  return compared;
}

std::vector<double> drifts(const std::vector<Draws>& early, const std::vector<Draws>& late, std::size_t variables,
                           std::size_t superchains, double level) {
  std::vector<double> all(early.empty() || late.empty() ? 0 : variables);
  if (all.empty()) return all;
  const double limit = drift_limit(level, variables, early.front().chains);
  const std::size_t chains = early.front().chains;
  std::vector<double> values;
  const auto in_these = [&](const std::vector<double>& those) {
    return in_errors(those, chains, early.size(), superchains);
  };
  for (std::size_t v = 0; v < variables; ++v) {
    values.clear();
    for (const auto* some : {&early, &late})
      for (const Draws& draw : *some)
        for (std::size_t c = 0; c < chains; ++c) values.push_back(draw(0, v, c));
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) continue;
    const double middle = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    std::vector<double> folded = values;
    for (double& x : folded) x = std::fabs(x - middle);
    if (std::max(in_these(values), in_these(folded)) < suspected * limit) continue;
    take_scores(values);
    take_scores(folded);
    const double drift = std::max(in_these(values), in_these(folded));
    if (drift > limit) all[v] = drift;
  }
  return all;
}

}  // namespace manychain::diagnostics
