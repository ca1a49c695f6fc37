#include "diagnostics/run_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "diagnostics/advice.hpp"
#include "diagnostics/limits.hpp"

namespace manychain::diagnostics {

std::string share(double part, double whole) {
  const double percent = 100 * part / std::max(whole, 1.0);
  return percent < 0.01 ? "less than 0.01 %" : fmt::format("{:.{}g} %", percent, percent < 99 ? 2 : 3);
}

namespace {

void warning(std::vector<Finding>& findings, std::string what, std::string advice) {
  findings.push_back({Severity::warning, std::move(what), std::move(advice)});
}
void note(std::vector<Finding>& findings, std::string what, std::string advice) {
  findings.push_back({Severity::note, std::move(what), std::move(advice)});
}

/// Says what a density that others compiled did not evaluate.
void rejected(const RunFacts& run, std::vector<Finding>& findings) {
  const std::string said = run.rejection.empty() ? "" : "; for example: " + run.rejection;
  if (run.rejected_outputs > 0)
    warning(findings,
            fmt::format("Outputs: the model could not compute them in {} draws, where they are NaN{}.",
                        run.rejected_outputs, said),
            "Mend the generated quantities or transformed parameters that fail.");
  if (run.rejected + run.rejected_before == 0) return;
  note(findings,
       fmt::format("Rejected by the model: {} evaluations in sampling, {} before{}.", run.rejected, run.rejected_before,
                   said),
       "A few are harmless, most of all before sampling. Many say that the density is not defined everywhere that "
       "the constraints of its parameters allow.");
}

void precision(const RunFacts& run, std::vector<Finding>& findings) {
  const std::string &fault = run.precision_fault, &cure = run.precision_cure;
  const std::string scaled = cure.empty() ? "." : ", or " + cure + ".";
  if (run.precision_double) {
    if (!fault.empty())
      note(findings, "Precision: double was taken: " + fault + ".",
           cure.empty() ? "" : "To sample in single, " + cure + ".");
    return;
  }
  if (run.precision_error > precision_error_limit)
    warning(findings,
            fmt::format("Single precision: rounding changes differences of log densities so far that {} of accept "
                        "decisions may come out differently.",
                        share(run.precision_error, 1)),
            "The target is off by that much; take Settings::precision double" + scaled);
  else if (!fault.empty())
    warning(findings, "Single precision: " + fault + ".", "Take Settings::precision double" + scaled);
  else if (run.precision_unknown && !run.precision_looked)
    note(findings,
         "Single precision: whether it suffices cannot be told, because log densities were compared where the chains "
         "stood, and the run has not converged.",
         "Compare with Settings::precision double" + scaled);
}

/// Says what the metric lacks: correlations that were asked for, masses that this device could not do.
void metric(const RunFacts& run, std::size_t chains, std::vector<Finding>& findings) {
  if (run.chains_for_dense > 0)
    note(findings,
         "Metric: it has no correlations, although Settings::sampling.metric dense asks for them: warm-up had fewer "
         "than two "
         "points of each parameter.",
         more_points(run, chains));
  if (!run.without_leaves) return;
  note(findings,
       "Metric: scales depend on parameters, and this model has no kernels in which masses follow them, so that a neck "
       "may be missed.",
       "Say HIERARCHY in its manychain_add_model(), or take Settings::backend cpu.");
}

void neck(const RunFacts& run, std::vector<Finding>& findings) {
  if (run.missed_necks.empty()) return;
  const std::vector<std::string>& of_data = run.necks_of_data;
  std::vector<std::string> others;
  for (const std::string& name : run.missed_necks)
    if (std::find(of_data.begin(), of_data.end(), name) == of_data.end()) others.push_back(name);
  std::string advice = "More draws may not find it.";
  if (run.constant_metric) {
    advice += " Take Settings::sampling.metric auto.";
  } else {
    if (!others.empty())
      advice +=
          fmt::format(" Write the parameters whose scale depends on {} as location + scale * z, z ~ normal(0, 1).",
                      fmt::join(others, ", "));
    if (!of_data.empty())
      advice += fmt::format(
          " Write the parameters to which {} ties data as data + scale * u, u ~ normal(0, 1), without observe().",
          fmt::join(of_data, ", "));
  }
  warning(
      findings,
      fmt::format("Neck: the draws of {} end before the density does, where the scales that depend on {} are small.",
                  fmt::join(run.missed_necks, ", "), run.missed_necks.size() == 1 ? "it" : "them"),
      advice);
}

void weighed(const RunFacts& run, std::vector<Finding>& findings) {
  if (run.weighed_modes.empty()) return;
  note(findings,
       fmt::format("Weighed modes: chains started in {} modes by their shares: {}.", run.weighed_modes.size(),
                   fmt::join(run.weighed_modes, "; ")),
       "");
}

void tempered(const RunFacts& run, std::size_t chains, std::vector<Finding>& findings) {
  if (run.temperatures == 0 || run.restarts >= wanted_restarts(chains)) return;
  findings.push_back(
      {Severity::failure,
       fmt::format(
           "Tempering: replicas have come from the reference to the posterior {} times, in all chains together; "
           "modes have their shares by that alone, and {} times are asked for.",
           run.restarts, wanted_restarts(chains)),
       run.restarts == 0 ? "Lengthen Settings::warmup.transitions, in which temperatures and steps are found."
                         : "Take more Settings::sampling.draws."});
}

/// The names of findings that say why chains do not agree.
constexpr const char *no_integral = "Improper", *cut_off = "Cut off", *several_modes = "Several modes", *edge = "Edge",
                     *missed_modes = "Missed modes", *drift = "Drift", *jumps = "Jumps",
                     *unreached_tail = "Unreached tail", *gradient = "Gradient", *low_chains = "Low chains";

Finding of_improper(const RunFacts& run) {
  const std::string& first = run.improper.front();
  const bool one = run.improper.size() == 1;
  return {Severity::failure,
          fmt::format("{}: the density has no finite integral along {}{}: however far one goes, it does not fall, or "
                      "too slowly.",
                      no_integral, fmt::join(run.improper, ", "), one ? "" : ", alone or together"),
          fmt::format("No run samples such a posterior. Give {} a proper prior, for example normal({}, 0, 5).",
                      one ? first : "each of them that has none", first)};
}

Finding of_gradient(const RunFacts& run) {
  return {
      Severity::failure,
      fmt::format("{}: it is not that of the density: a derivative is {}.", gradient, run.wrong_gradient),
      "Correct it: `manychain check`, check_gradient() in C++, compares the derivatives of each parameter. A body that "
      "a function returns captures by value what it uses of that function, [&, i]."};
}

Finding of_cut_off(const RunFacts& run) {
  return {
      Severity::failure, fmt::format("{}: {}, and no draw is there.", cut_off, run.beyond_precision),
      run.precision_double
          ? "Make its logarithm the parameter (the logit of one between two bounds), and write its density in that; "
            "or take a prior with less mass at the bound."
          : "Take Settings::precision double."};
}

Finding of_places(const RunFacts& run, Severity severity) {
  const std::string what = fmt::format("{}: {}.", several_modes, run.places);
  if (!run.weighed_modes.empty())
    return {severity, what,
            "Longer runs do not join them. Annealing has put chains there by their shares, which Weighed modes gives "
            "with their errors: if all are meant, the draws weigh them so, as far as it has found all. Else say in the "
            "model which one is meant."};
  return {severity, what,
          "Longer runs do not join them. Say in the model which one is meant: ordered() for components that may be "
          "exchanged, a bound, or a prior." +
              std::string(run.momenta ? " If all are meant, take Settings::sampler tempering, whose chains go from one "
                                        "to another."
                                      : "")};
}

Finding of_low_chains(const RunFacts& run) {
  return {Severity::failure,
          fmt::format("{}: {}, on a plateau or in another mode. Starting points led there, and they do not leave it.",
                      low_chains, run.low_chains),
          "Take Settings::warmup.starts annealed, which puts chains where the posterior has its mass."};
}

/// Simplexes, matrices and vectors between bounds cannot be put in order.
std::string advice_to_order(const RunFacts& run) {
  std::vector<std::string> advice;
  for (std::size_t k = 0; k < run.exchangeable.size(); ++k) {
    const std::string which = k < run.orderable.size() ? run.orderable[k] : "";
    const char* const several =
        which.find(" or ") == std::string::npos ? "" : ", of which the elements differ between the modes";
    advice.push_back(which.empty()
                         ? fmt::format("Write an element of {} that differs between the labels by a parameter that is "
                                       "declared ordered(), such as the logits of one probability",
                                       run.exchangeable[k])
                         : fmt::format("Declare {}{}", which, several));
  }
  return fmt::format("{}: the orders are then one mode.", fmt::join(advice, ". "));
}

/// Modes that differ by the order of their labels alone.
Finding of_exchangeable(const RunFacts& run) {
  return {
      Severity::note,
      fmt::format("Exchangeable labels: the density stays the same if the elements of {} are put in another order{}, "
                  "and each order has a mode of its own.",
                  fmt::join(run.exchangeable, "; of "),
                  run.exchangeable.front().find(',') == std::string::npos ? "" : ", all in the same one"),
      advice_to_order(run)};
}

Finding of_missed_modes(const RunFacts& run) {
  std::vector<std::string> shares;
  for (const std::string& mode : run.missed_modes) shares.push_back(mode.starts_with("less") ? mode : "about " + mode);
  return {
      Severity::failure,
      fmt::format("{}: {} beside that of the draws: {}.", missed_modes, run.missed_modes.size(),
                  fmt::join(shares, "; ")),
      std::string(
          run.temperatures > 0
              ? "No replica, or too few, came there. Another seed looks for modes elsewhere. Or say in the model "
              : "Chains that start there stay there, so that no longer run weighs the modes. Say in the model ") +
          "which one is meant: declare bounds of that parameter that leave the others out." +
          std::string(run.annealed ? ""
                                   : " If all are meant, take Settings::warmup.starts annealed, which puts chains into "
                                     "each by its share") +
          std::string(run.annealed  ? ""
                      : run.momenta ? ", or Settings::sampler tempering, whose chains go from one to another."
                                    : ".")};
}

/// "about 31 times", "at most 0.09 times".
std::string visits(const TailFacts& tail) {
  constexpr double rounds_to_ten = 9.5;
  return fmt::format(fmt::runtime(tail.visits < rounds_to_ten ? "{} {:.1g} times" : "{} {:.0f} times"),
                     tail.at_most ? "at most" : "about", tail.visits);
}

Finding of_tail(const RunFacts& run) {
  const TailFacts& tail = run.tail;
  if (tail.refused)
    return {
        Severity::failure,
        fmt::format("{}: {}. Of the transitions of chains there {} are accepted, with a step size of {:.3g}, so that "
                    "hardly any chain comes there: standard deviations are too small.",
                    unreached_tail, tail.where, share(tail.acceptance, 1), run.step_size),
        "Give priors that leave this tail out, or write the model in other parameters: expected values at some rows "
        "of the data instead of rates."};
  if (tail.draws > 0)
    return {
        Severity::warning,
        fmt::format("Rare tail: {}. Chains come there {} in this run: standard deviations may be wrong by {:.2g} %.",
                    tail.where, visits(tail), 100 * std::min(tail.sd_error, 0.5)),
        fmt::format("Raise Settings::sampling.draws (now {}) to {}.", run.draws, std::max(tail.draws, run.draws + 1))};
  return {Severity::note,
          fmt::format("Narrow tail: {}. Steps are {:.3g} times as long for it, and chains come there {}.", tail.where,
                      tail.shorter, visits(tail)),
          ""};
}

Finding of_drifts(const RunFacts& run) {
  constexpr std::size_t most = 3;
  const std::vector<std::string> some(run.drifts.begin(), run.drifts.begin() + std::min(run.drifts.size(), most));
  const std::string more = run.drifts.size() > most ? fmt::format("; and {} more", run.drifts.size() - most) : "";
  return {
      Severity::failure,
      fmt::format("{}: the first draws of all chains lie elsewhere than later ones: {}{}. Chains agree, but have not "
                  "forgotten where they started: as where they go over from one mode to another, and seldom.",
                  drift, fmt::join(some, "; "), more),
      longer_warmup(run) + " If the difference stays, the modes need Settings::warmup.starts annealed" +
          (run.momenta ? ", or Settings::sampler tempering." : ".")};  // a model that has momenta tempers as it is
}

Finding of_edges(const RunFacts& run, Severity severity) {
  return {severity,
          fmt::format("{}: the log density is not finite next to draws of {}.", edge, fmt::join(run.edges, ", ")),
          fmt::format("Trajectories end there, however many draws are taken. Declare {} there in the model, where {} "
                      "declared: lower(), upper() or interval().",
                      run.edges.size() == 1 ? "a bound" : "bounds",
                      run.edges.size() == 1 ? "the parameter is" : "the parameters are")};
}

Finding of_jumps(const RunFacts& run) {
  // With ten times the usual warm-up 1 of 16 runs did not converge, with thirty times 1 of 120.
  constexpr std::size_t longer = 30, long_enough = 9000;
  const char* const tuned = run.fixed_step ? "leave out Settings::sampling.step_size, " : "";
  return {
      Severity::failure,
      fmt::format("{}: the log density jumps at values of {}, and its gradient does not show it.", jumps,
                  fmt::join(run.jumps, ", ")),
      fmt::format("Steps are shortened until no trajectory passes a jump, and chains hardly move. Sum the density over "
                  "its pieces in the model (log_sum_exp), or take Settings::sampler metropolis, which follows no "
                  "gradient, {}and raise Settings::warmup.transitions (now {}) to {}.",
                  tuned, run.warmup, std::max(longer * run.warmup, long_enough))};
}

}  // namespace

void add_run_findings(const RunFacts& run, std::size_t chains, std::vector<Finding>& findings) {
  rejected(run, findings);
  if (!run.no_log_likelihood.empty())
    warning(findings, "Log likelihoods: none could be computed: " + run.no_log_likelihood + ".",
            "All draws are kept; log likelihoods are the business of observe().");
  precision(run, findings);
  metric(run, chains, findings);
  neck(run, findings);
  weighed(run, findings);
  tempered(run, chains, findings);
  if (!run.tail.where.empty() && !run.tail.refused) findings.push_back(of_tail(run));
}

std::string cause_of(const RunFacts& run) {
  return !run.wrong_gradient.empty()                   ? gradient
         : !run.improper.empty()                       ? no_integral
         : !run.low_chains.empty()                     ? low_chains
         : !run.beyond_precision.empty()               ? cut_off
         : !run.places.empty()                         ? several_modes
         : !run.missed_modes.empty()                   ? missed_modes
         : !run.tail.where.empty() && run.tail.refused ? unreached_tail
         : !run.edges.empty()                          ? edge
         : !run.jumps.empty()                          ? jumps
                                                       : "";
}

void add_causes(const RunFacts& run, std::vector<Finding>& findings) {
  // Chains that follow another gradient, or run away, look like all others.
  if (!run.wrong_gradient.empty() || !run.improper.empty()) {
    findings.insert(findings.begin(), !run.wrong_gradient.empty() ? of_gradient(run) : of_improper(run));
    return;
  }
  const bool failed =
      std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::failure; });
  const Severity severity = failed ? Severity::failure : Severity::warning;
  std::vector<Finding> causes;
  if (!run.missed_modes.empty()) causes.push_back(of_missed_modes(run));
  if (!run.low_chains.empty()) causes.push_back(of_low_chains(run));
  if (run.tail.refused) causes.push_back(of_tail(run));
  if (!run.drifts.empty()) causes.push_back(of_drifts(run));
  if (!run.beyond_precision.empty()) causes.push_back(of_cut_off(run));
  if (!run.places.empty()) causes.push_back(of_places(run, severity));
  if (!run.edges.empty()) causes.push_back(of_edges(run, severity));
  if (!run.jumps.empty()) causes.push_back(of_jumps(run));
  findings.insert(findings.begin(), causes.begin(), causes.end());
  if (!run.exchangeable.empty()) findings.push_back(of_exchangeable(run));
}

}  // namespace manychain::diagnostics
