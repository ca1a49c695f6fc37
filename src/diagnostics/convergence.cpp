// Diagnostics on the host: the summary of all variables, and statistics of one quantity. One unit, since all of them
// are of the same four instances of RankStatisticsOf, which take seconds to compile.
#include "manychain/diagnostics/convergence.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/nan.hpp"
#include "diagnostics/energy.hpp"
#include "diagnostics/for_each_variable.hpp"
#include "diagnostics/summarise_unless.hpp"
#include "diagnostics/suspects.hpp"
#include "diagnostics/tails.hpp"
#include "manychain/core/error.hpp"
#include "manychain/diagnostics/estimates.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {
namespace {

double checked(double p) {
  if (p >= 0 && p <= 1) return p;
  throw BadInput("quantile: " + std::to_string(p) + " is not a probability; give one from 0 to 1");
}

/// The result of `ask` for the statistics of `x`.
template <class Ask>
auto of(const QuantityView& x, const Ask& ask, Parts parts = Parts::halves) {
  DrawsView<double> view;
  view.data = x.data;
  view.draws = x.draws;
  view.variables = 1;
  view.chains = x.chains;
  view.draw_stride = x.draw_stride;
  view.chain_stride = x.chain_stride;
  const auto asked = [&](auto statistics) {
    statistics.load(0);
    return ask(statistics);
  };
  using Small = RankStatisticsOf<HostBackend, double, std::uint32_t>;
  using Large = RankStatisticsOf<HostBackend, double, std::uint64_t>;
  return Small::fits(view) ? asked(Small(view, parts)) : asked(Large(view, parts));
}

template <class Statistics>
QuantitySummary quantity_summary(Statistics& statistics, std::size_t variable, std::size_t superchains) {
  QuantitySummary out;
  static_cast<VariableSummary&>(out) = statistics(variable, superchains);
  const double ess[] = {statistics.ess_quantile(0.05), statistics.ess_quantile(0.5), statistics.ess_quantile(0.95)};
  out.mad = statistics.mad();
  out.mcse_q5 = statistics.mcse_quantile(0.05, ess[0]);
  out.mcse_q50 = statistics.mcse_quantile(0.5, ess[1]);
  out.mcse_q95 = statistics.mcse_quantile(0.95, ess[2]);
  out.not_finite = statistics.not_finite();
  out.constant = statistics.constant();
  return out;
}

template <class Number>
std::vector<QuantitySummary> summarise_all(const DrawsView<Number>& draws, int threads, std::size_t superchains) {
  return for_each_variable<QuantitySummary>(draws, threads, [superchains](auto& statistics, std::size_t variable) {
    return quantity_summary(statistics, variable, superchains);
  });
}

}  // namespace

double mean(const QuantityView& x) {
  return of(x, [](auto& s) { return s.mean(); });
}
double sd(const QuantityView& x) {
  return of(x, [](auto& s) { return s.sd(); });
}
double mad(const QuantityView& x) {
  return of(x, [](auto& s) { return s.mad(); });
}
double quantile(const QuantityView& x, double p) {
  checked(p);
  return of(x, [p](auto& s) { return s.quantile(p); });
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

double rhat(const QuantityView& x) {
  return of(x, [](auto& s) { return s.rhat(); });
}
double rhat_bulk(const QuantityView& x) {
  return of(x, [](auto& s) { return s.rhat_bulk(); });
}
double rhat_folded(const QuantityView& x) {
  return of(x, [](auto& s) { return s.rhat_folded(); });
}
double rhat_split(const QuantityView& x) {
  return of(x, [](auto& s) { return s.rhat_split(); });
}
double rhat_plain(const QuantityView& x) {
  return of(
      x, [](auto& s) { return s.rhat_split(); }, Parts::whole);
}

double ess_bulk(const QuantityView& x) {
  return of(x, [](auto& s) { return s.ess_bulk(); });
}
double ess_tail(const QuantityView& x) {
  return of(x, [](auto& s) { return s.ess_tail(); });
}
double ess_mean(const QuantityView& x) {
  return of(x, [](auto& s) { return s.ess_mean(); });
}
double ess_sd(const QuantityView& x) {
  return of(x, [](auto& s) { return s.ess_sd(); });
}
double ess_median(const QuantityView& x) {
  return of(x, [](auto& s) { return s.ess_quantile(0.5); });
}
double ess_plain(const QuantityView& x) {
  return of(
      x, [](auto& s) { return s.ess_mean(); }, Parts::whole);
}
double ess_quantile(const QuantityView& x, double p) {
  checked(p);
  return of(x, [p](auto& s) { return s.ess_quantile(p); });
}

double mcse_mean(const QuantityView& x) {
  return of(x, [](auto& s) { return s.mcse_mean(); });
}
double mcse_sd(const QuantityView& x) {
  return of(x, [](auto& s) { return s.mcse_sd(); });
}
double mcse_median(const QuantityView& x) {
  return of(x, [](auto& s) { return s.mcse_quantile(0.5); });
}
double mcse_quantile(const QuantityView& x, double p) {
  checked(p);
  return of(x, [p](auto& s) { return s.mcse_quantile(p); });
}

namespace {

/// Superchains of chains, numbered from 0.
struct Superchains {
  std::vector<std::size_t> of_chain;
  std::size_t count = 0;
};

Superchains numbered(const QuantityView& x, const std::vector<std::size_t>& superchain) {
  if (superchain.size() != x.chains) {
    throw BadInput("nested R-hat: " + std::to_string(superchain.size()) + " labels for " + std::to_string(x.chains) +
                   " chains; give one per chain");
  }
  std::map<std::size_t, std::size_t> number, count;  // of each label
  for (std::size_t label : superchain) {
    number.emplace(label, number.size());
    ++count[label];
  }
  std::size_t least = x.chains, most = 0;
  for (const auto& [label, chains] : count) {
    least = std::min(least, chains);
    most = std::max(most, chains);
  }
  if (most > least + 1) {
    throw BadInput("nested R-hat: a superchain has " + std::to_string(most) + " chains and another " +
                   std::to_string(least) + "; they may differ by one");
  }
  Superchains numbers;
  for (std::size_t label : superchain) numbers.of_chain.push_back(number[label]);
  numbers.count = number.size();
  return numbers;
}

}  // namespace

double rhat_nested(const QuantityView& x, const std::vector<std::size_t>& superchain) {
  const Superchains numbers = numbered(x, superchain);
  return of(
      x, [&](auto& s) { return s.rhat_nested(numbers.of_chain, numbers.count); }, Parts::whole);
}
double rhat_nested_ranked(const QuantityView& x, const std::vector<std::size_t>& superchain) {
  const Superchains numbers = numbered(x, superchain);
  return of(x, [&](auto& s) { return s.rhat_nested_ranked(numbers.of_chain, numbers.count); });
}

double pareto_khat(const QuantityView& x) {
  const double ess = ess_tail(x);
  const std::size_t all = x.draws * x.chains;
  if (std::isnan(ess)) return nan;
  const auto draws = static_cast<double>(all);
  const double length = all > 225 ? std::ceil(3 * draws / std::sqrt(ess)) : draws / 5;
  const auto tail = static_cast<std::size_t>(std::clamp(length, 5.0, std::max(draws / 2, 5.0)));
  if (tail >= all) return nan;
  std::vector<double> values;
  for (std::size_t c = 0; c < x.chains; ++c)
    for (std::size_t t = 0; t < x.draws; ++t) values.push_back(x(t, c));
  TailFits fits;
  fits.select_tails(values, tail);
  return fits.shape(tail);
}

std::vector<double> autocorrelation(const QuantityView& x, std::size_t max_lag) {
  if (x.draws == 0) return {};
  max_lag = std::min(max_lag, x.draws - 1);
  std::vector<double> rho = of(
      x, [&](auto& s) { return s.autocovariances(max_lag); }, Parts::whole);
  const double variance = rho[0];
  for (double& r : rho) r = variance > 0 ? r / variance : nan;
  return rho;
}

std::vector<double> ebfmi(const QuantityView& energy) { return ebfmi_of(energy, energy.draws, energy.chains); }

QuantitySummary summarise_quantity(const QuantityView& x) {
  return of(x, [](auto& s) { return quantity_summary(s, 0, 0); });
}

std::vector<QuantitySummary> summarise_quantities(const DrawsView<double>& draws, int threads,
                                                  std::size_t superchains) {
  return summarise_all(draws, threads, superchains);
}
std::vector<QuantitySummary> summarise_quantities(const DrawsView<float>& draws, int threads, std::size_t superchains) {
  return summarise_all(draws, threads, superchains);
}

namespace {
/// The k-hat of the tails, where the draws are all in order.
template <class Statistics>
void add_tails(Statistics& statistics, std::size_t all, VariableSummary& s) {
  const auto order = statistics.in_order();
  if (std::isnan(s.q50) || s.moved == 0 || order.size != all || all > most_in_tails) return;
  s.khat = TailFits().of_sorted(order.sorted, all, TailRule(all, s.ess_tail));
}
}  // namespace

template <class Number>
std::vector<VariableSummary> summarise_unless(const Suffices& suffices, const DrawsView<Number>& draws, int threads,
                                              std::size_t superchains, const std::atomic<bool>* cancel) {
  const std::vector<std::size_t> order = most_suspect_first(draws, superchains);
  std::atomic<bool> stop{false};
  const auto found = for_each_variable<VariableSummary>(
      draws, threads,
      [&](auto& statistics, std::size_t place) {
        const std::size_t variable = order[place];
        VariableSummary one = statistics(variable, superchains);
        if (stop) return one;  // perhaps left incomplete
        if (cancelled(cancel) || suffices(variable, one))
          stop = true;
        else
          add_tails(statistics, draws.draws * draws.chains, one);
        return one;
      },
      &stop);
  if (stop) return {};
  std::vector<VariableSummary> summary(found.size());
  for (std::size_t place = 0; place < found.size(); ++place) summary[order[place]] = found[place];
  return summary;
}
template std::vector<VariableSummary> summarise_unless(const Suffices&, const DrawsView<float>&, int, std::size_t,
                                                       const std::atomic<bool>*);
template std::vector<VariableSummary> summarise_unless(const Suffices&, const DrawsView<double>&, int, std::size_t,
                                                       const std::atomic<bool>*);

}  // namespace manychain::diagnostics

namespace manychain {
namespace {

template <class Number>
std::vector<VariableSummary> summarise_on_host(const DrawsView<Number>& draws, int threads, std::size_t superchains,
                                               const std::atomic<bool>* cancel) {
  return diagnostics::for_each_variable<VariableSummary>(
      draws, threads,
      [superchains](auto& statistics, std::size_t variable) { return statistics(variable, superchains); }, cancel);
}

}  // namespace

std::vector<VariableSummary> summarise(const DrawsView<float>& draws, int threads, std::size_t superchains,
                                       const std::atomic<bool>* cancel) {
  return summarise_on_host(draws, threads, superchains, cancel);
}
std::vector<VariableSummary> summarise(const DrawsView<double>& draws, int threads, std::size_t superchains,
                                       const std::atomic<bool>* cancel) {
  return summarise_on_host(draws, threads, superchains, cancel);
}

}  // namespace manychain
