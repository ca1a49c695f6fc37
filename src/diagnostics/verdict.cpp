// One verdict for runs and for files of draws.
#include "manychain/diagnostics/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "diagnostics/deciding.hpp"
#include "diagnostics/energy.hpp"
#include "diagnostics/run_findings.hpp"

namespace manychain::diagnostics {
namespace {

constexpr std::size_t named = 5;
constexpr double far_apart = 1.1;     // an R-hat that more draws alone hardly cure
constexpr double ess_per_chain = 10;  // Gelman and others, Bayesian Data Analysis (2013), section 11.5
// Chance exceeds the variance that it leaves between superchains by this factor once in a thousand times: chi-squared
// of 31 degrees of freedom over its mean, docs/diagnostics.md.
constexpr double noise_factor = 2;

/// "3 of 48 quantities (mu[1], mu[2], tau)"
std::string count(const std::vector<std::string>& names, std::size_t all, const char* of) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), named));
  return fmt::format("{} of {} {} ({}{})", names.size(), all, of, fmt::join(names.begin(), end, ", "),
                     names.size() > named ? ", ..." : "");
}

std::string share(double part, double whole) {
  const double percent = 100 * part / std::max(whole, 1.0);
  return percent < 0.01 ? "less than 0.01 %" : fmt::format("{:.2g} %", percent);
}

class Judge {
 public:
  explicit Judge(const Facts& facts)
      : facts_(facts),
        run_(facts.run ? &*facts.run : nullptr),
        decides_{run_ ? run_->superchains : 0, run_ ? run_->draws : facts.draws},
        computed_(facts.summary.size() - std::min(facts.not_summarised, facts.summary.size())) {}

  Verdict operator()() {
    for (const std::string& fault : facts_.file.faults) failure(fault, "Run it again, or know what is missing.");
    if (facts_.summary.empty()) failure("There are no draws to judge.", "Keep some.");
    not_finite();
    stuck();
    outlying();
    identical();
    not_summarised();
    undefined();
    rhat();
    bulk_ess();
    cancelled();
    divergences();
    tail_ess();
    energy();
    if (run_) add_run_findings(*run_, verdict_.findings);
    sampler();
    few_per_chain();
    depth();
    unseen();
    std::stable_sort(verdict_.findings.begin(), verdict_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    verdict_.converged = verdict_.texts(Severity::failure).empty();
    verdict_.headline = headline();
    return std::move(verdict_);
  }

 private:
  using Chains = std::vector<std::size_t>;

  void failure(std::string what, std::string advice) { add(Severity::failure, std::move(what), std::move(advice)); }
  void warning(std::string what, std::string advice) { add(Severity::warning, std::move(what), std::move(advice)); }
  void note(std::string what, std::string advice) { add(Severity::note, std::move(what), std::move(advice)); }
  void add(Severity severity, std::string what, std::string advice) {
    verdict_.findings.push_back({severity, std::move(what), std::move(advice)});
  }

  std::string count_chains(const Chains& chains) const {
    std::vector<std::string> names;
    for (const std::size_t c : chains)
      names.push_back(c < facts_.chain_names.size() ? facts_.chain_names[c] : std::to_string(c));
    return count(names, facts_.chains, "chains");
  }
  std::string count_quantities(const std::vector<std::string>& names) const {
    return count(names, computed_, "quantities");
  }

  /// Names of the computed quantities for which `holds`.
  template <class Holds>
  std::vector<std::string> quantities(const Holds& holds) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < computed_; ++i)
      if (holds(facts_.summary[i].statistics)) names.push_back(facts_.summary[i].name);
    return names;
  }

  /// The same, the largest of `sign` times the value first. Values that are not defined are left out.
  template <class Of, class Holds>
  std::vector<std::string> worst_first(const Of& of, const Holds& holds, double sign, double& worst) const {
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t i = 0; i < computed_; ++i) {
      const double value = of(facts_.summary[i].statistics);
      if (!std::isnan(value) && holds(value)) found.emplace_back(sign * value, i);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> names;
    for (const auto& [value, i] : found) names.push_back(facts_.summary[i].name);
    if (!found.empty()) worst = sign * found[0].first;
    return names;
  }

  static bool is_constant(const VariableSummary& s) { return s.sd == 0; }

  void not_finite() {
    const Chains& chains = run_ ? run_->nonfinite_chains : facts_.file.nonfinite_chains;
    const auto bad =
        quantities([&](const VariableSummary& s) { return !decides_.defined(s) && !std::isfinite(s.mean); });
    if (bad.empty() && chains.empty()) return;
    const std::string of = bad.empty() ? "the log density or the state" : "a NaN or an infinity among the draws";
    std::string where = bad.empty() ? "" : " of " + count_quantities(bad);
    if (!chains.empty()) where += (bad.empty() ? " of " : ", in ") + count_chains(chains);
    failure("Not finite: " + of + where + ".",
            std::string("A quantity overflows or leaves its domain there; look at priors and scales") +
                (run_ ? ", or use double precision (Settings::precision)." : "."));
  }

  void stuck() {
    const Chains& chains = stuck_chains();
    if (chains.empty()) return;
    failure(
        run_ ? fmt::format("Stuck: no move in the last 100 transitions of {}.", count_chains(chains))
             : fmt::format("Stuck: no move in the last {} draws of {}.", facts_.file.stuck_draws, count_chains(chains)),
        fmt::format("Every proposal was rejected; {}, start nearer, or reparametrise the model.",
                    run_ ? "raise Settings::warmup" : "lengthen warm-up") +
            look_at_model());
  }

  void outlying() {
    if (!run_ || run_->outlying_chains.empty()) return;
    failure(
        fmt::format("Outlying: {} never came near the log density of the others.", count_chains(run_->outlying_chains)),
        "Raise Settings::warmup; if that does not help, the posterior has several modes.");
  }

  void identical() {
    if (facts_.file.identical_chains.empty()) return;
    failure(fmt::format("Identical: the same draws as in another chain, in {}.",
                        count_chains(facts_.file.identical_chains)),
            "They say nothing new; give chains of one seed different ids, and each file once.");
  }

  void not_summarised() {
    if (computed_ == facts_.summary.size()) return;
    failure(fmt::format("Not computed: the summary of {} of {} quantities (from {} on).",
                        facts_.summary.size() - computed_, facts_.summary.size(), facts_.summary[computed_].name),
            "The run was cancelled in its diagnostics; all draws are kept, and a file of them can be summarised.");
  }

  void undefined() {
    const auto of = [&](bool constant) {
      return quantities([&, constant](const VariableSummary& s) {
        return !decides_.defined(s) && std::isfinite(s.mean) && is_constant(s) == constant;
      });
    };
    std::vector<std::string> same = of(true);
    if (run_ && !run_->constants.empty()) {
      std::vector<std::string> known = run_->constants, of_model;
      std::sort(known.begin(), known.end());
      const auto rest = std::stable_partition(same.begin(), same.end(), [&](const std::string& name) {
        return !std::binary_search(known.begin(), known.end(), name);
      });
      of_model.assign(rest, same.end());
      same.erase(rest, same.end());
      if (!of_model.empty()) note(fmt::format("Constants of the model: {}.", count_quantities(of_model)), "");
    }
    if (!same.empty())
      failure(fmt::format("Constant: one value in all draws of {}.", count_quantities(same)),
              "No chain has moved, or the quantity is a constant of the model; then leave it out of the draws.");
    const auto rest = of(false);
    if (rest.empty()) return;
    if (facts_.draws < 6)
      failure(fmt::format("Too few draws: {} of each chain, for {}.", facts_.draws, count_quantities(rest)),
              "R-hat and ESS need three draws in each half of a chain; keep at least 6.");
    else
      failure(fmt::format("{} or ESS: not defined for {}.", decides_.rhat_title(), count_quantities(rest)),
              "They take too few values for it; judge them by themselves.");
  }

  void rhat() {
    double largest = 0;
    const auto apart = worst_first([&](const VariableSummary& s) { return decides_.rhat(s); },
                                   [](double rhat) { return rhat >= rhat_limit; }, 1, largest);
    if (apart.empty()) return;
    const auto worst = std::find_if(facts_.summary.begin(), facts_.summary.end(),
                                    [&](const SummaryRow& row) { return row.name == apart[0]; });
    failure(fmt::format("{}: not below {} for {}; the largest is {:.4g}.", decides_.rhat_title(), rhat_limit,
                        count_quantities(apart), largest),
            cure(worst->statistics) +
                (largest > far_apart && stuck_chains().empty() && !cut_short() ? look_at_model() : ""));
  }

  /// Of a run alone: a file of another program has no model to look at.
  std::string look_at_model() const { return run_ ? " manychain check looks for mistakes in the model." : ""; }
  const Chains& stuck_chains() const { return run_ ? run_->stuck_chains : facts_.file.stuck_chains; }
  bool cut_short() const { return facts_.cancelled && facts_.draws < facts_.draws_planned; }

  /// What a large R-hat comes of, and what cures it.
  std::string cure(const VariableSummary& worst) const {
    if (!run_)
      return "The chains do not agree yet; lengthen warm-up and run on. If that does not help, the posterior has "
             "several modes.";
    // With a few draws per chain, R-hat is about sqrt(1 + (tau - 1) / n): thinning cures it without more memory.
    if (!decides_.nested())
      return fmt::format(
          "The chains do not agree yet; raise Settings::warmup (now {}), and Settings::thin (now {}) or "
          "Settings::draws (now {}). If that does not help, the posterior has several modes.",
          run_->warmup, run_->thin, run_->draws);
    const double ess = worst.ess_bulk, r2 = worst.rhat_nested * worst.rhat_nested;
    if ((r2 - 1) * ess < noise_factor * 2 * static_cast<double>(run_->superchains))
      return fmt::format(
          "Chains that started apart do not agree, and with a bulk ESS of {:.0f} noise alone may do that; raise "
          "Settings::chains (now {}), Settings::draws (now {}) or Settings::thin (now {}), and Settings::warmup "
          "(now {}).",
          ess, facts_.chains, run_->draws, run_->thin, run_->warmup);
    return fmt::format(
        "Chains that started apart do not agree yet; raise Settings::warmup (now {}). If that does not help, the "
        "posterior has several modes.",
        run_->warmup);
  }

  std::string more_draws() const {
    if (!run_) return "Take more draws, more chains, or a sampler that mixes faster.";
    return fmt::format("Raise Settings::chains (now {}), Settings::draws (now {}) or Settings::thin (now {}).",
                       facts_.chains, run_->draws, run_->thin);
  }

  void bulk_ess() {
    double least = 0;
    const auto few = worst_first([&](const VariableSummary& s) { return decides_.ess(s); },
                                 [](double ess) { return ess <= ess_limit; }, -1, least);
    if (few.empty()) return;
    failure(fmt::format("{}: not above {} for {}; the smallest is {:.0f}, so that the mean is not precise.",
                        decides_.ess_title(), ess_limit, count_quantities(few), least),
            more_draws());
  }

  void cancelled() {
    if (!cut_short()) return;
    warning(fmt::format("The run was cancelled: {} of {} draws of each chain are kept, and this is what they say.",
                        facts_.draws, facts_.draws_planned),
            "");
  }

  void divergences() {
    const std::uint64_t found = run_ ? run_->divergences : facts_.file.divergences;
    if (found == 0) return;
    const double transitions = double(facts_.draws) * double(run_ ? run_->thin : 1) * double(facts_.chains);
    // Of a trajectory its energy error may be too large; elsewhere something was not a number.
    const bool trajectory = run_ == nullptr || run_->trajectory;
    const std::string step = run_ ? fmt::format(" {:.3g}", run_->step_size) : "";
    const char* const smaller = run_ ? "take a smaller one" : "take a smaller step (adapt_delta)";
    warning(
        fmt::format("Divergences: {} of {:.0f} transitions ({}), in {}.", found, transitions,
                    share(double(found), transitions),
                    count_chains(run_ ? run_->divergent_chains : facts_.file.divergent_chains)),
        trajectory
            ? fmt::format("The posterior is too curved there for the step size{}, so that draws miss a part "
                          "of it; {}, or reparametrise the model.",
                          step, smaller)
            : "The density, its gradient or a distribution of the model is not finite there; look at where they are "
              "defined, or use double precision (Settings::precision).");
  }

  void tail_ess() {
    if (!facts_.tail_ess || decides_.too_short_for_ess()) return;
    double least = 0;
    const auto few = worst_first([](const VariableSummary& s) { return s.ess_tail; },
                                 [](double ess) { return ess <= ess_limit; }, -1, least);
    if (!few.empty())
      warning(fmt::format("Tail ESS: not above {} for {}; the smallest is {:.0f}, so that the 5 % and 95 % quantiles "
                          "are not precise.",
                          ess_limit, count_quantities(few), least),
              more_draws());
    const auto unknown =
        quantities([&](const VariableSummary& s) { return decides_.defined(s) && std::isnan(s.ess_tail); });
    if (!unknown.empty())
      warning(fmt::format("Tail ESS: not defined for {}.", count_quantities(unknown)),
              "They take too few values for it; judge them by themselves.");
  }

  void energy() {
    const Chains low = low_ebfmi_chains(facts_.ebfmi, facts_.draws);
    Chains slow, unknown;
    double least = INFINITY;
    for (const std::size_t c : low) {
      (std::isnan(facts_.ebfmi[c]) ? unknown : slow).push_back(c);
      if (facts_.ebfmi[c] < least) least = facts_.ebfmi[c];
    }
    if (!slow.empty())
      warning(fmt::format("E-BFMI: below {} in {}; the smallest is {:.2g}.", ebfmi_limit, count_chains(slow), least),
              "The tails of the energy are hardly visited; reparametrise the model (a funnel?).");
    if (!unknown.empty())
      warning(fmt::format("E-BFMI: not defined in {}; the energies are constant or not finite.", count_chains(unknown)),
              "Look at these chains first.");
  }

  /// Draws that are not the target's, however well chains agree on them.
  void sampler() {
    if (run_ && run_->biased)
      note(fmt::format("Biased: steps of {} are never corrected, so that its draws miss the target by the order of the "
                       "step, which no R-hat shows.",
                       run_->sampler),
           "Halve the step and compare.");
    if (run_ && run_->weighted)
      note("Weighted: these are draws of the proposal, and the table is of them.",
           "Weight each by exp(lp) for expectations under the target "
           "(include/manychain/montecarlo/importance.hpp).");
  }

  /// A note alone: of four chains it follows from the limit of the bulk ESS, and of thousands the sum is what counts.
  void few_per_chain() {
    if (decides_.nested()) return;
    double least = 0;
    const auto chains = static_cast<double>(facts_.chains);
    const auto few =
        worst_first([](const VariableSummary& s) { return s.ess_bulk; },
                    [&](double ess) { return ess > ess_limit && ess < ess_per_chain * chains; }, -1, least);
    if (few.empty()) return;
    note(fmt::format("Effective draws: below {} per chain for {}; the smallest is {:.2g} per chain.", ess_per_chain,
                     count_quantities(few), least / chains),
         "The sum over chains is enough; but chains so short tell little of themselves, and R-hat little of whether "
         "their starts are forgotten. Superchains and nested R-hat do.");
  }

  void depth() {
    if (facts_.file.deep_trajectories == 0) return;
    note(fmt::format("Tree depth: {} of {} trajectories reached the largest, in {}.", facts_.file.deep_trajectories,
                     facts_.draws * facts_.chains, count_chains(facts_.file.deep_chains)),
         "They were cut short, which costs speed and no trust; allow deeper trees.");
  }

  void unseen() {
    if (!facts_.file.unseen.empty())
      note(fmt::format("Not looked at, because the files do not have it: {}.", fmt::join(facts_.file.unseen, " and ")),
           "");
  }

  std::string headline() const {
    if (!verdict_.converged) return "NOT converged:";
    double rhat = 0, ess = INFINITY;
    for (const SummaryRow& row : facts_.summary) {
      rhat = std::max(rhat, decides_.rhat(row.statistics));
      ess = std::min(ess, decides_.ess(row.statistics));
    }
    return fmt::format(
        "Converged{}: every {} < {} (largest {:.4f}), every {} > {} (smallest {:.0f}), no chain stuck{} "
        "or non-finite.",
        verdict_.sound() ? "" : ", with warnings", decides_.rhat_name(), rhat_limit, rhat, decides_.ess_name(),
        ess_limit, ess, run_ ? ", outlying" : "");
  }

  const Facts& facts_;
  const RunFacts* run_;
  Deciding decides_;
  std::size_t computed_;  // rows of the summary; they stand first
  Verdict verdict_;
};

}  // namespace

Verdict judge(const Facts& facts) { return Judge(facts)(); }

}  // namespace manychain::diagnostics
