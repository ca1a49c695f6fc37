#include "sampling/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check/posterior_precision.hpp"
#include "check/precision_check.hpp"
#include "diagnostics/moment_findings.hpp"
#include "diagnostics/weights.hpp"
#include "sampling/annealed_starts.hpp"
#include "sampling/missed_modes.hpp"
#include "sampling/unreached_tail.hpp"

namespace manychain {
namespace {

/// A chain is outlying if the best log density it saw lies further below the median chain's best than ten times the
/// distance from the median to the lower quartile: it never came near where the others are.
std::vector<std::size_t> find_outlying(const std::vector<double>& best, std::size_t dimension) {
  std::vector<std::size_t> outlying;
  if (best.size() < 4) return outlying;
  std::vector<double> sorted = best;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2], quartile = sorted[sorted.size() / 4];
  const double limit = median - 10 * std::max(median - quartile, std::sqrt(static_cast<double>(dimension)));
  for (std::size_t c = 0; c < best.size(); ++c)
    if (best[c] < limit) outlying.push_back(c);
  return outlying;
}

/// Chains that temper come anew from the reference: a short one may have been in one mode alone, whose density is far
/// below that of another. It is outlying where few of all draws lie so low.
void keep_below_all_draws(std::vector<std::size_t>& outlying, const std::vector<double>& best, const Draws& stats) {
  constexpr double few = 0.05;
  if (outlying.empty() || stats.empty()) return;
  std::vector<double> log_densities;
  for (std::size_t d = 0; d < stats.draws; ++d)
    for (std::size_t c = 0; c < stats.chains; ++c) log_densities.push_back(stats(d, 0, c));
  const auto low = log_densities.begin() + static_cast<std::ptrdiff_t>(few * static_cast<double>(log_densities.size()));
  std::nth_element(log_densities.begin(), low, log_densities.end());
  std::erase_if(outlying, [&](std::size_t c) { return best[c] > *low; });
}

/// The draws of importance sampling carry the logarithms of their weights as lp.
void judge_weights(Result& result, const Draws& stats) {
  if (stats.empty()) return;
  std::vector<double> log_weights;
  for (std::size_t d = 0; d < stats.draws; ++d)
    for (std::size_t c = 0; c < stats.chains; ++c) log_weights.push_back(stats(d, 0, c));
  const diagnostics::WeightQuality found = diagnostics::weight_quality(log_weights);
  result.sampling.weights_ess = found.ess;
  result.sampling.weights_khat = found.khat;
}

/// Tells if an output is a constant of the model: it does not vary, and need not.
bool is_constant(const Layout& layout, std::size_t output, const VariableSummary& statistics) {
  return output < layout.constant.size() && layout.constant[output] && statistics.sd == 0;
}

/// Counts the chains that a dense metric needs at least, if one was asked for and a group of chains has none: a
/// correlation matrix takes two points of each component (estimate_metric()), and each chain gives one or more.
/// The missed necks whose parameters scale data.
std::vector<std::string> necks_of_data(const Result& result) {
  std::vector<std::string> names;
  for (const std::string& name : result.posterior.missed_necks)
    for (const DependentScale& leaf : result.layout.dependent_scales)
      if (leaf.by_data && std::any_of(leaf.hypers.begin(), leaf.hypers.end(),
                                      [&](std::size_t k) { return result.layout.unconstrained_names[k] == name; })) {
        names.push_back(name);
        break;
      }
  return names;
}

std::size_t chains_for_dense(const Result& result) {
  if (result.settings.sampling.metric != MetricKind::dense || !result.sampler.directions) return 0;
  std::size_t components = result.layout.dimension;
  if (result.sampler.leaves_conditionals)
    components -=
        static_cast<std::size_t>(std::count(result.layout.conditional.begin(), result.layout.conditional.end(), true));
  const auto& tuning = result.warmup.tuning;
  const bool missing = std::any_of(tuning.begin(), tuning.end(), [](const auto& t) { return t.metric_rank == 0; });
  return missing && components > 1 ? 2 * components * result.settings.groups : 0;
}

/// Collects all that is judged of a run.
diagnostics::Facts facts_of(const Result& result) {
  diagnostics::Facts facts;
  facts.chains = result.settings.chains;
  facts.draws = result.kept;
  facts.summary = result.summary;
  facts.not_summarised = result.not_summarised;
  facts.tail_ess = result.settings.output.keep_draws;  // sums over draws do not show it
  facts.ebfmi = result.sampling.ebfmi;
  facts.cancelled = result.cancelled;
  facts.draws_planned = *result.settings.sampling.draws;
  facts.run = run_facts(result);
  return facts;
}

}  // namespace

std::vector<bool> still_outputs(const std::vector<VariableSummary>& summary, const Layout& layout, std::size_t draws) {
  std::vector<bool> still(summary.size(), false);
  for (const Quantity& quantity : layout.quantities) {
    if (!quantity.derived) continue;
    const std::size_t end = std::min(quantity.offset + quantity.size(), summary.size());
    for (std::size_t i = quantity.offset; i < end; ++i) still[i] = diagnostics::hardly_moves(summary[i], draws);
  }
  for (std::size_t i = 0; i < summary.size(); ++i) still[i] = still[i] || is_constant(layout, i, summary[i]);
  if (std::find(still.begin(), still.end(), false) == still.end())
    for (std::size_t i = 0; i < summary.size(); ++i) still[i] = is_constant(layout, i, summary[i]);
  return still;
}

std::vector<bool> still_outputs(const Result& result) {
  std::vector<VariableSummary> summary;
  for (std::size_t i = 0; i + result.not_summarised < result.summary.size(); ++i)
    summary.push_back(result.summary[i].statistics);
  return still_outputs(summary, result.layout, result.kept * result.settings.chains);
}

bool reached(const VariableSummary& s, const Settings& settings, std::size_t draws) {
  const diagnostics::Deciding decides = deciding(settings);
  const double wanted =
      std::max(*settings.sampling.target_ess, diagnostics::ess_of_chain * static_cast<double>(settings.chains));
  // A quantile of a quantity with few values may be the largest of them. Its tail ESS is then undefined, however many
  // draws there are; the bulk ESS decides, and the verdict notes it.
  const bool tail = s.ess_tail >= wanted || std::isnan(s.ess_tail);
  // The verdict judges the mean where the bulk ESS is at its limit.
  const bool mean =
      !decides.limited(s, settings.chains, draws / settings.chains) || decides.least_ess(s) > diagnostics::ess_limit;
  return decides.rhat(s) < diagnostics::rhat_limit && s.ess_bulk >= wanted && tail && mean;
}

bool reached(const std::vector<VariableSummary>& summary, const Layout& layout, const Settings& settings,
             std::size_t draws) {
  const std::vector<bool> still = still_outputs(summary, layout, draws);
  for (std::size_t i = 0; i < summary.size(); ++i)
    if (!still[i] && !reached(summary[i], settings, draws)) return false;
  return true;
}

double imprecision_of_sds(const std::vector<VariableSummary>& summary, const Layout& layout, const Settings& settings,
                          std::size_t draws, double share) {
  const double limit = std::max(diagnostics::largest_sd_error, 1 / std::sqrt(*settings.sampling.target_ess));
  const std::vector<bool> still = still_outputs(summary, layout, draws);
  double largest = 0;
  for (std::size_t i = 0; i < summary.size(); ++i)
    if (!still[i] && diagnostics::imprecise_sd(summary[i], draws, share * limit))
      largest = std::max(largest, summary[i].mcse_sd / summary[i].sd / limit);
  return largest;
}

diagnostics::RunFacts run_facts(const Result& result) {
  diagnostics::RunFacts facts;
  facts.sampler = result.settings.sampler;
  facts.biased = !result.sampler.exact && result.sampler.chain;
  facts.weighted = !result.sampler.exact && !result.sampler.chain;
  facts.weights_ess = result.sampling.weights_ess;
  facts.weights_khat = result.sampling.weights_khat;
  facts.trajectory = result.sampler.trajectory;
  facts.momenta = result.sampler.energy;
  facts.step_size = result.warmup.tuning[0].step_size;
  facts.fixed_step =
      (result.sampler.tuned || result.sampler.schedule) && result.settings.sampling.step_size.has_value();
  facts.scheduled = result.sampler.schedule && !facts.fixed_step;
  facts.given_starts = !result.settings.warmup.initial_points.empty();
  if (result.sampler.tuned && !facts.fixed_step)
    facts.target_acceptance =
        result.settings.warmup.target_acceptance.value_or(std::numeric_limits<double>::quiet_NaN());
  facts.warmup = *result.settings.warmup.transitions;
  facts.draws = *result.settings.sampling.draws;
  facts.thin = result.settings.sampling.thin;
  facts.superchains = result.settings.superchains.value_or(0);
  facts.groups = result.settings.groups;
  facts.divergences = result.sampling.divergences;
  facts.divergent_chains = result.sampling.divergent_chains;
  facts.stuck_chains = result.sampling.stuck_chains;
  facts.nonfinite_chains = result.sampling.nonfinite_chains;
  facts.outlying_chains = result.sampling.outlying_chains;
  facts.precision_error = result.precision.error;
  facts.precision_unknown = result.precision.unknown;
  facts.rejected = result.sampling.rejected.evaluations;
  facts.rejected_before = result.warmup.rejected.evaluations;
  facts.rejected_outputs = result.sampling.rejected.outputs;
  facts.rejection =
      result.sampling.rejected.message.empty() ? result.warmup.rejected.message : result.sampling.rejected.message;
  const std::vector<bool> still = still_outputs(result);
  for (std::size_t i = 0; i < still.size(); ++i) {
    if (is_constant(result.layout, i, result.summary[i].statistics))
      facts.constants.push_back(result.summary[i].name);
    else if (still[i])
      facts.still.push_back(result.summary[i].name);
  }
  facts.no_log_likelihood = result.output.no_log_likelihood;
  facts.without_leaves = result.posterior.without_leaves;
  facts.missed_necks = result.posterior.missed_necks;
  facts.necks_of_data = necks_of_data(result);
  facts.drifts = result.posterior.drifts;
  facts.missed_modes = missed_modes_in_words(result);
  facts.exchangeable = result.posterior.modes.exchangeable;
  facts.orderable = result.posterior.modes.orderable;
  facts.tail = tail_facts(result);
  facts.annealed = result.warmup.annealing.particles > 0;
  facts.weighed_modes = weighed_modes_in_words(result);
  facts.temperatures = result.sampling.tempering.inverse.size();
  facts.barrier = result.sampling.tempering.barrier;
  facts.restarts = result.sampling.tempering.restarts;
  facts.constant_metric = result.settings.sampling.metric != MetricKind::automatic &&
                          result.settings.sampling.metric != MetricKind::hierarchical;
  facts.chains_for_dense = chains_for_dense(result);
  facts.wrong_gradient = result.posterior.wrong_gradient;
  facts.low_chains = result.posterior.low_chains;
  facts.improper = result.posterior.improper;
  facts.places = result.posterior.places;
  facts.edges = result.posterior.edges;
  facts.jumps = result.posterior.jumps;
  facts.beyond_precision = result.precision.beyond;
  facts.precision_looked = result.precision.check.looked;
  facts.precision_double = result.settings.precision == Precision::double_precision;
  if (result.precision.check.found || facts.precision_double)
    facts.precision_fault = precision_fault(result.precision.check);
  if (result.precision.check.found || !facts.precision_double)
    facts.precision_cure = precision_cure(result.precision.check);
  return facts;
}

std::string reasons(const Result& result) {
  std::string text;
  for (const diagnostics::Finding& finding : result.verdict().findings)
    if (finding.severity == diagnostics::Severity::failure) text += (text.empty() ? "" : " ") + finding.what;
  return text;
}

void judge(Result& result, const ChainStatistics& statistics) { judge(result, statistics, result.sample_stats); }

void judge(Result& result, const ChainStatistics& statistics, const Draws& stats) {
  // The maximum begins with the lowest number, and neither NaN nor -infinity is larger. All weights of a chain may be
  // zero, but not those of all chains.
  const auto& largest = statistics.largest_log_density;
  const auto at_the_lowest = [](double x) { return x <= double{std::numeric_limits<float>::lowest()}; };
  const bool weighted = !result.sampler.exact && !result.sampler.chain,
             one_is_finite = !std::all_of(largest.begin(), largest.end(), at_the_lowest);
  const auto nowhere_finite = [&](std::size_t c) { return at_the_lowest(largest[c]) && !(weighted && one_is_finite); };
  for (std::size_t c = 0; c < statistics.largest_log_density.size(); ++c) {
    if (statistics.divergences[c] > 0) result.sampling.divergent_chains.push_back(c);
    if (statistics.since_move[c] >= stuck_after) result.sampling.stuck_chains.push_back(c);
    if (statistics.nonfinite[c] > 0 || !std::isfinite(statistics.largest_log_density[c]) || nowhere_finite(c))
      result.sampling.nonfinite_chains.push_back(c);
  }
  // Independent draws are nowhere twice: what is rare is not outlying.
  if (result.sampler.chain)
    result.sampling.outlying_chains = find_outlying(statistics.largest_log_density, result.layout.dimension);
  if (result.sampler.ladder)
    keep_below_all_draws(result.sampling.outlying_chains, statistics.largest_log_density, stats);
  if (weighted) judge_weights(result, stats);
  result.converged = diagnostics::judge(facts_of(result)).converged;
  // Chains that stand apart, or still, may agree with double precision wherever they are.
  if (!result.converged && result.precision.error <= precision_error_limit) {
    result.precision.error = std::numeric_limits<double>::quiet_NaN();
    result.precision.unknown = true;
  }
}

diagnostics::Verdict Result::verdict() const {
  using diagnostics::Severity;
  diagnostics::Verdict verdict = diagnostics::judge(facts_of(*this));
  if (!one_thread.empty())
    verdict.findings.push_back({Severity::note, "One thread evaluated the model: " + one_thread + ".",
                                "Build it with STAN_THREADS=true, and all threads do."});
  if (gpu_present) verdict.findings.push_back({Severity::note, "No GPU was used: " + no_gpu + ".", ""});
  if (verdict.converged && !converged) {  // a result that somebody has changed
    verdict.converged = false;
    verdict.headline = "NOT converged:";
    verdict.findings.insert(verdict.findings.begin(), {Severity::failure, "The run was not judged converged.", ""});
  }
  return verdict;
}

std::vector<std::string> Result::problems() const { return verdict().texts(diagnostics::Severity::failure); }

}  // namespace manychain
