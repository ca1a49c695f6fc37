// One verdict for runs and for files of draws.
#include "manychain/diagnostics/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "diagnostics/advice.hpp"
#include "diagnostics/chance.hpp"
#include "diagnostics/deciding.hpp"
#include "diagnostics/energy.hpp"
#include "diagnostics/listed_quantities.hpp"
#include "diagnostics/moment_findings.hpp"
#include "diagnostics/run_findings.hpp"
#include "diagnostics/weights.hpp"

namespace manychain::diagnostics {
namespace {

constexpr double far_apart = 1.1;     // an R-hat that more draws alone hardly cure
constexpr double ess_per_chain = 10;  // Gelman and others, Bayesian Data Analysis (2013), section 11.5
constexpr double enough = 1.3;        // times what would just reach a limit, whose estimate is noisy
// Chance exceeds the variance that it leaves between superchains by this factor once in a thousand times: chi-squared
// of 31 degrees of freedom over its mean, docs/diagnostics.md.
constexpr double noise_factor = 2;
// A step size has not been found below `least`, and has from `enough` on.
constexpr std::size_t least_draws = 6;       // of a chain: three in each half
constexpr std::size_t draws_that_tell = 20;  // of a chain, from which ess_of_chain was measured
constexpr std::size_t least_warmup = 100, enough_warmup = 300;

class Judge {
 public:
  explicit Judge(const Facts& facts)
      : facts_(facts),
        run_(facts.run ? &*facts.run : nullptr),
        decides_{run_ ? run_->superchains : 0, run_ ? run_->draws : facts.draws},
        listed_(facts) {}

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
    add_moment_findings(facts_, listed_, agree_, verdict_.findings);
    energy();
    if (run_) add_run_findings(*run_, facts_.chains, verdict_.findings);
    sampler();
    few_per_chain();
    still();
    depth();
    unseen();
    if (run_) add_causes(*run_, verdict_.findings);
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
    return counted(names, facts_.chains, "chains");
  }
  std::string count_quantities(const std::vector<std::string>& names) const { return listed_.count(names); }

  static bool is_constant(const VariableSummary& s) { return s.sd == 0; }

  void not_finite() {
    const Chains& chains = run_ ? run_->nonfinite_chains : facts_.file.nonfinite_chains;
    const auto bad =
        listed_.names([&](const VariableSummary& s) { return !decides_.defined(s) && !std::isfinite(s.mean); });
    if (bad.empty() && chains.empty()) return;
    const std::string of = bad.empty() ? "the log density or the state" : "a NaN or an infinity among the draws";
    std::string where = bad.empty() ? "" : " of " + count_quantities(bad);
    if (!chains.empty()) where += (bad.empty() ? " of " : ", in ") + count_chains(chains);
    failure("Not finite: " + of + where + ".",
            "A quantity overflows or leaves its domain there. " +
                (run_ ? finite_values(*run_, "density and outputs") : "Look at priors and scales."));
  }

  void stuck() {
    const Chains& chains = stuck_chains();
    if (chains.empty()) return;
    const std::string cause = run_ ? cause_of(*run_) : "";
    failure(
        run_ ? fmt::format("Stuck: no move in the last 100 transitions of {}.", count_chains(chains))
             : fmt::format("Stuck: no move in the last {} draws of {}.", facts_.file.stuck_draws, count_chains(chains)),
        !cause.empty() ? "Every proposal was rejected: see " + cause + "."
        : run_         ? "Every proposal was rejected. " + free_stuck() + look_at_model()
               : "Every proposal was rejected; lengthen warm-up, take smaller steps, or reparametrise the model.");
  }

  /// One of the two forms of a hierarchy is narrow, by how much the data say of each group (Betancourt and Girolami
  /// 2015, "Hamiltonian Monte Carlo for hierarchical models", section 3).
  static constexpr const char* forms_of_groups = ": groups with few data non-centred, groups with many centred";
  static std::string or_reparametrise() {
    return fmt::format(" If that does not help, reparametrise the model{}.", forms_of_groups);
  }

  std::string free_stuck() const {
    // After a short warm-up the rate that it aims for says little.
    const bool tuned = !std::isnan(run_->target_acceptance);
    if (tuned && run_->warmup < enough_warmup) return longer_warmup(*run_);
    const std::string steps = smaller_steps(*run_);
    if (steps.empty()) return "Take smaller proposals, or reparametrise the model.";
    return run_->trajectory && !run_->fixed_step ? steps + or_reparametrise() : steps;
  }

  void outlying() {
    if (!run_ || run_->outlying_chains.empty()) return;
    const std::string cause = cause_of(*run_);
    failure(
        fmt::format("Outlying: {} never came near the log density of the others.", count_chains(run_->outlying_chains)),
        cause.empty()          ? longer_warmup(*run_)
        : run_->places.empty() ? "A longer warm-up does not bring them there: see " + cause + "."
                               : "They stay in another mode: see Several modes.");
  }

  void identical() {
    if (facts_.file.identical_chains.empty()) return;
    failure(fmt::format("Identical: the same draws as in another chain, in {}.",
                        count_chains(facts_.file.identical_chains)),
            "They say nothing new; give chains of one seed different ids, and each file once.");
  }

  void not_summarised() {
    if (listed_.computed() == facts_.summary.size()) return;
    failure(fmt::format("Not computed: the summary of {} of {} quantities (from {} on).",
                        facts_.summary.size() - listed_.computed(), facts_.summary.size(),
                        facts_.summary[listed_.computed()].name),
            "The run was cancelled in its diagnostics; all draws are kept, and a file of them can be summarised.");
  }

  void undefined() {
    const auto of = [&](bool constant) {
      return listed_.names([&, constant](const VariableSummary& s) {
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
    if (facts_.draws < least_draws)
      failure(fmt::format("Too few draws: {} of each chain, for {}.", facts_.draws, count_quantities(rest)),
              "R-hat and ESS need three draws in each half of a chain; keep at least 6.");
    else
      failure(fmt::format("{} or ESS: not defined for {}.", decides_.rhat_title(), count_quantities(rest)),
              "They take too few values for it; judge them by themselves.");
  }

  void rhat() {
    double largest = 0;
    const auto apart = listed_.worst_first([&](const VariableSummary& s) { return decides_.rhat(s); },
                                           [](double rhat) { return rhat >= rhat_limit; }, 1, largest);
    if (apart.empty()) return;
    agree_ = false;
    far_apart_ = largest > far_apart;
    failure(fmt::format("{}: not below {} for {}; the largest is {:.4g}.", decides_.rhat_title(), rhat_limit,
                        count_quantities(apart), largest),
            cure(listed_.statistics_of(apart[0])) +
                (largest > far_apart && stuck_chains().empty() && !cut_short() ? look_at_model() : ""));
  }

  /// Is said of a run alone: a file of another program has no model to look at.
  std::string look_at_model() const { return run_ ? " manychain check looks for mistakes in the model." : ""; }
  const Chains& stuck_chains() const { return run_ ? run_->stuck_chains : facts_.file.stuck_chains; }
  bool cut_short() const { return facts_.cancelled && facts_.draws < facts_.draws_planned; }

  /// Takes the place of advice where a run has seen why its chains do not agree, since that would not help. Else empty.
  std::string other_cause() const {
    const std::string cause = run_ ? cause_of(*run_) : "";
    return cause.empty() ? "" : "No more draws mend that: see " + cause + ".";
  }

  /// Says what a large R-hat comes of, and what cures it.
  std::string cure(const VariableSummary& worst) const {
    if (!run_)
      return "The chains do not agree yet; lengthen warm-up and run on. If that does not help, the posterior has "
             "several modes.";
    if (const std::string cause = other_cause(); !cause.empty()) return cause;
    const double r = decides_.rhat(worst), r2 = r * r;
    // A step that biases draws is no one's to adapt.
    const bool adaptable = run_->fixed_step && !run_->biased;
    // With few draws per chain R-hat is about sqrt(1 + (tau - 1) / n): more draws cure it, or thinning.
    const double times = (r2 - 1) / (rhat_limit * rhat_limit - 1);
    if (!decides_.nested())
      return "The chains do not agree yet. " + (adaptable ? smaller_steps(*run_)
                                                : r > far_apart && run_->warmup < enough_warmup
                                                    ? longer_warmup(*run_)
                                                    : longer_chains(facts_, enough * times));
    if (!by_chance(worst))
      return "Chains that started apart do not agree yet. " +
             (adaptable ? smaller_steps(*run_) : longer_warmup(*run_) + seldom_over());
    const double ess = std::fmin(decides_.ess(worst), worst.ess_tail);  // NaN: not known
    const std::string reason =
        facts_.draws < least_draws
            ? "So few draws cannot tell whether starts are forgotten. "
            : "Chains that started apart differ as those do that started together: by chance, of so few draws. ";
    return reason + more_draws(facts_, std::max(noise_factor * times, enough * ess_limit / ess), ess);
  }

  /// Beside a longer warm-up, where chains had a full one and differ over draws twice as many: it may be modes. A model
  /// that is sampled by momenta alone tempers as it is.
  std::string seldom_over() const {
    const bool longer = facts_.draws * run_->thin >= 2 * run_->warmup && run_->warmup >= enough_warmup;
    return longer && run_->momenta ? " If the difference stays, chains may seldom go over from one mode to another: "
                                     "take Settings::sampler tempering."
                                   : "";
  }

  /// True if chance explains how superchains differ, or draws are too few to tell. Chains that are far apart and have
  /// found no step size yet differ by more.
  bool by_chance(const VariableSummary& s) const {
    if (decides_.rhat(s) > far_apart && run_->warmup < least_warmup) return false;
    return facts_.draws < least_draws || superchains_to_chains(s, facts_.chains, run_->superchains, facts_.draws) <=
                                             largest_by_chance(run_->superchains);
  }

  /// Says how the ESS, which is `ess`, comes above the limit.
  std::string more_draws_than(double ess) const {
    if (!run_) return "Take more draws, more chains, or a sampler that mixes faster.";
    // Draws are missing if chains agree in spite of an edge.
    const bool only_edge = run_->beyond_precision.empty() && run_->places.empty() && run_->jumps.empty();
    const std::string cause = agree_ && only_edge ? "" : other_cause();
    if (cause.empty() && (far_apart_ || !stuck_chains().empty())) return "Make the chains agree first: see above.";
    return cause.empty() ? more_draws(facts_, enough * ess_limit / ess, ess) : cause;
  }

  void bulk_ess() {
    double least = 0;
    const auto few = listed_.worst_first(
        [&](const VariableSummary& s) { return decides_.shown_ess(s, facts_.chains, facts_.draws); },
        [](double ess) { return ess <= ess_limit; }, -1, least);
    if (few.empty()) return;
    const bool limited = decides_.limited(listed_.statistics_of(few[0]), facts_.chains, facts_.draws);
    failure(fmt::format("{}: not above {} for {}; the smallest is {:.0f}, so that the mean is not precise.",
                        decides_.ess_title(), ess_limit, count_quantities(few), least),
            limited && too_few_superchains() && other_cause().empty() && !far_apart_
                ? "So few superchains show little of the error of a mean. " + with_superchains(facts_.chains)
                : more_draws_than(least));
  }

  bool too_few_superchains() const {
    return run_ && !run_->given_starts && run_->superchains < fewest_superchains &&
           facts_.chains >= 2 * fewest_superchains;
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
    warning(fmt::format("Divergences: {} of {:.0f} transitions ({}), in {}.", found, transitions,
                        share(double(found), transitions),
                        count_chains(run_ ? run_->divergent_chains : facts_.file.divergent_chains)),
            calm());
  }

  /// Says what to do against divergences. Those of a trajectory have too large an energy error; elsewhere something was
  /// not a number.
  std::string calm() const {
    const std::string curved = "The posterior is too curved there for the step size";
    const char* const missed = ", so that draws miss a part of it";
    if (!run_) return curved + missed + "; take a smaller step (adapt_delta), or reparametrise the model.";
    if (!run_->wrong_gradient.empty()) return "Trajectories follow a wrong gradient: see Gradient.";
    if (!run_->improper.empty()) return "Chains run away there, whatever the step size: see Improper.";
    if (!run_->edges.empty()) return "Trajectories end where the density does: see Edge.";
    if (!run_->jumps.empty()) return "Trajectories pass a jump there: see Jumps.";
    if (run_->temperatures > 0)  // replicas from higher temperatures may come there
      return curved + ", so that draws may miss a part of it; reparametrise the model.";
    if (!run_->trajectory) return finite_values(*run_, "density, gradient and distributions");
    if (!run_->beyond_precision.empty()) return "Trajectories end where the precision does: see Cut off.";
    const bool early = !run_->fixed_step && run_->warmup < least_warmup;
    const std::string steps = early ? longer_warmup(*run_) : smaller_steps(*run_);
    return fmt::format("{} {:.3g}{}. {}", curved, run_->step_size, missed,
                       steps.empty()      ? fmt::format("Reparametrise the model{}.", forms_of_groups)
                       : run_->fixed_step ? steps
                                          : steps + or_reparametrise());
  }

  void tail_ess() {
    if (!facts_.tail_ess || decides_.too_short_for_ess()) return;
    double least = 0;
    const auto few = listed_.worst_first([](const VariableSummary& s) { return s.ess_tail; },
                                         [](double ess) { return ess <= ess_limit; }, -1, least);
    if (!few.empty())
      warning(fmt::format("Tail ESS: not above {} for {}; the smallest is {:.0f}, so that the 5 % and 95 % quantiles "
                          "are not precise.",
                          ess_limit, count_quantities(few), least),
              more_draws_than(least));
    const auto unknown =
        listed_.names([&](const VariableSummary& s) { return decides_.defined(s) && std::isnan(s.ess_tail); });
    if (!unknown.empty())
      note(fmt::format("Tail ESS: not defined for {}.", count_quantities(unknown)),
           "They take too few values for it: the 5 % or the 95 % quantile is their smallest or largest value.");
  }

  void still() {
    if (!run_ || run_->still.empty()) return;
    note(fmt::format("Hardly move: one value in all draws, or in all but a few, of {}.", count_quantities(run_->still)),
         "They are computed from the parameters, which decide; no R-hat is asked of them.");
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
              "The tails of the energy are hardly visited; reparametrise the model (heavy tails, a funnel?).");
    if (!unknown.empty())
      warning(fmt::format("E-BFMI: not defined in {}; the energies are constant or not finite.", count_chains(unknown)),
              "Look at these chains first.");
  }

  /// Estimates from weighted draws are as good as the weights, which no R-hat of the draws shows.
  void weights() {
    const std::size_t count = facts_.chains * facts_.draws;
    const double ess = run_->weights_ess, khat = run_->weights_khat, most = most_khat_of_weights(count);
    const char* const nearer = "Take a proposal nearer to the target, with tails that are at least as heavy.";
    if (std::isnan(ess))
      note("Weights: they were not kept, or not one is positive, so that they are not judged.",
           "Keep Settings::output.keep_draws and Settings::output.keep_sample_stats.");
    else if (khat > most)
      failure(fmt::format("Weights: k-hat {:.2f}, above {:.2f}; a few large ones decide, and larger ones are missing.",
                          khat, most),
              nearer);
    else if (std::isnan(khat) && ess < 0.5 * static_cast<double>(count))
      failure("Weights: too few are positive, or too many the same, for k-hat of their tail.", nearer);
    else if (!(ess > ess_limit))
      failure(fmt::format("Weights: they are worth {:.0f} of {} draws; {:.0f} or fewer are too few.", ess, count,
                          ess_limit),
              more_draws(facts_, enough * ess_limit / ess, static_cast<double>(count)));  // thinning gives no more
  }

  /// Notes draws that are not the target's, however well chains agree on them.
  void sampler() {
    if (run_ && run_->biased)
      note(fmt::format("Biased: steps of {} are never corrected, so that its draws miss the target by the order of the "
                       "step, which no R-hat shows.",
                       run_->sampler),
           less_bias(*run_));
    if (run_ && run_->weighted) weights();
    if (run_ && run_->weighted)
      note("Weighted: these are draws of the proposal, and the table is of them.",
           "Weight each by exp(lp) for expectations under the target "
           "(include/manychain/montecarlo/importance.hpp).");
  }

  /// Says which ESS are enough in sum and below `limit` per chain; empty: none. `least` becomes the smallest per chain.
  template <class Ess>
  std::string below_per_chain(double limit, const Ess& ess, double& least) const {
    const auto chains = static_cast<double>(facts_.chains);
    const auto few = listed_.worst_first(
        ess, [&](double of_all) { return of_all > ess_limit && of_all < limit * chains; }, -1, least);
    least /= chains;
    return few.empty() ? ""
                       : fmt::format("Effective draws: below {} per chain for {}; the smallest is {:.2g} per chain.",
                                     limit, count_quantities(few), least);
  }

  /// Is a note alone: of four chains it follows from the limit of the bulk ESS, and of thousands the sum is what
  /// counts.
  void few_per_chain() {
    if (decides_.nested()) return chains_count_for_draws();
    if (run_ && !run_->weighed_modes.empty()) return;  // a few shared starts could not weigh modes
    double least = 0;
    const std::string few = below_per_chain(
        ess_per_chain, [](const VariableSummary& s) { return s.ess_bulk; }, least);
    if (few.empty()) return;
    note(few,
         "The sum over chains is enough; but chains so short tell little of themselves, and R-hat little of whether "
         "their starts are forgotten: nested R-hat does." +
             (!run_ || run_->annealed ? ""  // of many modes, either
              : run_->given_starts    ? " Let at least four chains share each starting point."
                                      : " " + with_superchains(facts_.chains)));
  }

  /// Names quantities whose ESS counts chains rather than draws: superchains whose starts agree then agree in vain. A
  /// chain that does not move has an ESS of about one, and only what is beyond it grows with draws.
  void chains_count_for_draws() {
    if (facts_.draws < draws_that_tell || !agree_ || cut_short()) return;
    double least = 0;
    const std::string few = below_per_chain(
        ess_of_chain, [](const VariableSummary& s) { return std::fmin(s.ess_bulk, s.ess_tail); }, least);
    if (few.empty()) return;
    warning(few, "Chains that hardly move agree as soon as their starts do, and may all lack the same part. " +
                     longer_chains(facts_, enough * (ess_of_chain - 1) / std::fmax(least - 1, 0.1)));
  }

  void depth() {
    if (facts_.file.deep_trajectories == 0) return;
    note(fmt::format("Tree depth: {} of {} trajectories reached the largest, in {}.", facts_.file.deep_trajectories,
                     facts_.draws * facts_.chains, count_chains(facts_.file.deep_chains)),
         "They were cut short, which costs speed and no trust.");
  }

  void unseen() {
    if (!facts_.file.unseen.empty())
      note(fmt::format("Not looked at, because the files do not have it: {}.", fmt::join(facts_.file.unseen, " and ")),
           "");
    if (run_ && !facts_.tail_ess) note("Not looked at, because draws are not kept: tails.", "");
    if (run_ && facts_.tail_ess && decides_.too_short_for_ess())
      note(fmt::format("Not looked at, because chains have fewer than {} draws: tails.", least_draws), "");
    unseen_energy();
  }

  /// Says why a run with energies has no E-BFMI to trust, where it has draws enough for one.
  void unseen_energy() {
    if (!run_ || !run_->momenta || facts_.draws < ebfmi_draws) return;
    if (facts_.ebfmi.empty()) {
      if (facts_.file.unseen.empty())
        note("Not looked at, because energies are not kept: E-BFMI.",
             "A run that writes a file of draws, or sets keep_sample_stats, keeps them.");
    } else if (run_->thin > 1 && low_ebfmi_chains(facts_.ebfmi, facts_.draws).empty()) {
      note("Not looked at, because draws are thinned: E-BFMI, which would look better than it is.", "");
    }
  }

  std::string headline() const {
    if (!verdict_.converged) return "NOT converged:";
    double rhat = 0, ess = INFINITY;
    for (const SummaryRow* row : listed_.rows()) {
      const VariableSummary& s = row->statistics;
      rhat = std::max(rhat, decides_.rhat(s));
      ess = std::min(ess, decides_.shown_ess(s, facts_.chains, facts_.draws));
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
  ListedQuantities listed_;
  bool agree_ = true;       // every R-hat is below its limit
  bool far_apart_ = false;  // an R-hat of so much, or more
  Verdict verdict_;
};

}  // namespace

Verdict judge(const Facts& facts) { return Judge(facts)(); }

}  // namespace manychain::diagnostics
