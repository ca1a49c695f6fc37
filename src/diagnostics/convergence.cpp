// The diagnostics of one quantity. What the summary of a run has comes from the same code as there.
#include "manychain/diagnostics/convergence.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "diagnostics/host_backend.hpp"
#include "diagnostics/quantity_sample.hpp"
#include "diagnostics/rank_statistics.hpp"
#include "manychain/core/error.hpp"
#include "manychain/diagnostics/estimates.hpp"

namespace manychain::diagnostics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double itself(double x) { return x; }

/// A NaN among the two must come out.
double smaller(double a, double b) { return a <= b ? a : std::isnan(a) ? a : b; }

double checked(double p) {
  if (p >= 0 && p <= 1) return p;
  throw BadInput("quantile: " + std::to_string(p) + " is not a probability; give one from 0 to 1");
}

RankStatistics rank_statistics(const QuantityView& x) {
  DrawsView<double> view;
  view.data = x.data;
  view.draws = x.draws;
  view.variables = 1;
  view.chains = x.chains;
  view.draw_stride = x.draw_stride;
  view.chain_stride = x.chain_stride;
  using Small = RankStatisticsOf<HostBackend, double, std::uint32_t>;
  using Large = RankStatisticsOf<HostBackend, double, std::uint64_t>;
  return Small::fits(view) ? Small(view)(0) : Large(view)(0);
}

template <class Number>
std::vector<QuantitySummary> summarise_all(const DrawsView<Number>& draws, int threads) {
  std::vector<QuantitySummary> summaries(draws.variables);
  if (draws.variables == 0) return summaries;
  if (threads <= 0) threads = omp_get_max_threads();
  threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), draws.variables));
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::ptrdiff_t v = 0; v < static_cast<std::ptrdiff_t>(draws.variables); ++v) {
    try {
      std::vector<double> copy(draws.draws * draws.chains);  // [chain][draw]
      for (std::size_t c = 0; c < draws.chains; ++c) {
        for (std::size_t t = 0; t < draws.draws; ++t) {
          copy[c * draws.draws + t] = draws(t, static_cast<std::size_t>(v), c);
        }
      }
      summaries[static_cast<std::size_t>(v)] =
          summarise_quantity({copy.data(), draws.draws, draws.chains, 1, draws.draws});
    } catch (...) {  // nothing may leave a parallel region
#pragma omp critical(manychain_summarise_quantities)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return summaries;
}

}  // namespace

double mean(const QuantityView& x) { return QuantitySample(x).mean(); }
double sd(const QuantityView& x) { return QuantitySample(x).sd(); }
double mad(const QuantityView& x) { return QuantitySample(x).mad(); }
double quantile(const QuantityView& x, double p) {
  checked(p);
  return QuantitySample(x).quantile(p);
}

std::vector<double> ergodic_averages(const QuantityView& x) {
  std::vector<double> averages(x.draws);
  double average = 0;
  for (std::size_t t = 0; t < x.draws; ++t) {
    double sum = 0;
    for (std::size_t c = 0; c < x.chains; ++c) sum += x(t, c) - average;
    average += sum / static_cast<double>(x.chains) / static_cast<double>(t + 1);
    if (!std::isfinite(average)) average = nan;
    averages[t] = average;
  }
  return averages;
}

double rhat(const QuantityView& x) { return rank_statistics(x).summary.rhat; }
double rhat_bulk(const QuantityView& x) { return rank_statistics(x).rhat_bulk; }
double rhat_folded(const QuantityView& x) { return rank_statistics(x).rhat_folded; }
double rhat_split(const QuantityView& x) { return rank_statistics(x).rhat_split; }
double rhat_plain(const QuantityView& x) {
  const QuantitySample sample(x);
  return sample.moves() ? sample.whole(itself).rhat() : nan;
}

double ess_bulk(const QuantityView& x) { return rank_statistics(x).summary.ess_bulk; }
double ess_mean(const QuantityView& x) { return rank_statistics(x).ess_mean; }
double ess_sd(const QuantityView& x) { return QuantitySample(x).ess_sd(); }
double ess_median(const QuantityView& x) { return QuantitySample(x).ess_quantile(0.5); }
double ess_plain(const QuantityView& x) {
  const QuantitySample sample(x);
  return sample.moves() ? sample.whole(itself).ess() : nan;
}
double ess_quantile(const QuantityView& x, double p) {
  checked(p);
  return QuantitySample(x).ess_quantile(p);
}

double ess_tail(const QuantityView& x) {
  const QuantitySample sample(x);
  return smaller(sample.ess_quantile(0.05), sample.ess_quantile(0.95));
}

double mcse_mean(const QuantityView& x) { return rank_statistics(x).summary.mcse_mean; }
double mcse_sd(const QuantityView& x) { return QuantitySample(x).mcse_sd(); }
double mcse_median(const QuantityView& x) { return QuantitySample(x).mcse_quantile(0.5); }
double mcse_quantile(const QuantityView& x, double p) {
  checked(p);
  return QuantitySample(x).mcse_quantile(p);
}

double rhat_nested(const QuantityView& x, const std::vector<std::size_t>& superchain) {
  if (superchain.size() != x.chains) {
    throw BadInput("nested R-hat: " + std::to_string(superchain.size()) + " labels for " + std::to_string(x.chains) +
                   " chains; give one a chain");
  }
  std::vector<std::size_t> order(x.chains);
  for (std::size_t c = 0; c < x.chains; ++c) order[c] = c;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return superchain[a] < superchain[b]; });
  std::size_t together = 0;  // chains a superchain
  while (together < order.size() && superchain[order[together]] == superchain[order[0]]) ++together;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool first = i % together == 0;
    const bool same = i > 0 && superchain[order[i]] == superchain[order[i - 1]];
    if (first == same || order.size() % together != 0) {
      throw BadInput("nested R-hat: superchains must have equally many chains");
    }
  }
  const QuantitySample sample(x);
  if (!sample.moves() || order.size() < 2 * together) return nan;

  const double origin = sample.quantile(0.5);
  const auto draws = static_cast<double>(x.draws);
  const auto chains = static_cast<double>(together);
  std::vector<double> means;
  double within = 0;
  for (std::size_t begin = 0; begin < order.size(); begin += together) {
    double mean_of_means = 0, mean_of_squares = 0, variance = 0;
    for (std::size_t i = begin; i < begin + together; ++i) {
      double sum = 0, squares = 0;
      for (std::size_t t = 0; t < x.draws; ++t) sum += x(t, order[i]) - origin;
      const double m = sum / draws;
      for (std::size_t t = 0; t < x.draws; ++t) squares += std::pow(x(t, order[i]) - origin - m, 2);
      if (x.draws > 1) variance += squares / (draws - 1) / chains;
      // Welford's update of the chains' means.
      const double count = static_cast<double>(i - begin + 1);
      const double delta = m - mean_of_means;
      mean_of_means += delta / count;
      mean_of_squares += delta * (m - mean_of_means);
    }
    means.push_back(mean_of_means);
    within += variance + (together > 1 ? mean_of_squares / (chains - 1) : 0);
  }
  within /= static_cast<double>(means.size());
  double centre = 0, between = 0;
  for (double m : means) centre += m / static_cast<double>(means.size());
  for (double m : means) between += (m - centre) * (m - centre) / static_cast<double>(means.size() - 1);
  return std::sqrt(1 + between / within);
}

std::vector<double> autocorrelation(const QuantityView& x, std::size_t max_lag) {
  std::vector<double> rho(x.draws == 0 ? 0 : std::min(max_lag, x.draws - 1) + 1, nan);
  const QuantitySample sample(x);
  if (!sample.moves()) return rho;
  const ChainArray chains = sample.whole(itself);
  const std::vector<double> covariances = chains.autocovariances(rho.size() - 1);
  if (!(covariances[0] > 0)) return rho;
  for (std::size_t t = 0; t < rho.size(); ++t) rho[t] = covariances[t] / covariances[0];
  return rho;
}

std::vector<double> ebfmi(const QuantityView& energy) {
  std::vector<double> fractions;
  for (std::size_t c = 0; c < energy.chains; ++c) {
    const QuantityView chain = energy.chain(c);
    const QuantitySample sample(chain);
    if (!sample.moves()) {
      fractions.push_back(nan);
      continue;
    }
    const double centre = sample.mean();
    double steps = 0, squares = 0;
    for (std::size_t t = 0; t < chain.draws; ++t) {
      squares += std::pow(chain(t, 0) - centre, 2);
      if (t > 0) steps += std::pow(chain(t, 0) - chain(t - 1, 0), 2);
    }
    fractions.push_back(steps / squares);
  }
  return fractions;
}

QuantitySummary summarise_quantity(const QuantityView& x) {
  QuantitySummary out;
  static_cast<VariableSummary&>(out) = rank_statistics(x).summary;
  const QuantitySample sample(x);
  out.mad = sample.mad();
  const double ess[] = {sample.ess_quantile(0.05), sample.ess_quantile(0.5), sample.ess_quantile(0.95)};
  out.ess_tail = smaller(ess[0], ess[2]);
  out.mcse_sd = sample.mcse_sd();
  out.mcse_q5 = sample.mcse_quantile(0.05, ess[0]);
  out.mcse_q50 = sample.mcse_quantile(0.5, ess[1]);
  out.mcse_q95 = sample.mcse_quantile(0.95, ess[2]);
  out.not_finite = sample.not_finite();
  out.constant = sample.constant();
  return out;
}

std::vector<QuantitySummary> summarise_quantities(const DrawsView<double>& draws, int threads) {
  return summarise_all(draws, threads);
}
std::vector<QuantitySummary> summarise_quantities(const DrawsView<float>& draws, int threads) {
  return summarise_all(draws, threads);
}

}  // namespace manychain::diagnostics
