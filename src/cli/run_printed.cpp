#include "cli/run_printed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "check/posterior_precision.hpp"
#include "cli/files.hpp"
#include "diagnostics/limits.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {
namespace {

/// "0.28", or of several groups "0.28 to 0.31".
std::string step_sizes(const Result& result) {
  const auto [smallest, largest] =
      std::minmax_element(result.warmup.tuning.begin(), result.warmup.tuning.end(),
                          [](const TunedGroup& a, const TunedGroup& b) { return a.step_size < b.step_size; });
  if (result.warmup.tuning.size() < 2) return fmt::format("{:.4g}", result.warmup.tuning[0].step_size);
  return fmt::format("{:.4g} to {:.4g}", smallest->step_size, largest->step_size);
}

std::string seconds_described(const Seconds& s) {
  return fmt::format("{:.3g} s: warm-up {:.3g}, sampling {:.3g}, diagnostics {:.3g}", s.total, s.warmup, s.sampling,
                     s.diagnostics);
}

/// Starting points of chains, if known.
std::string starts_described(const StartsFound& starts) {
  if (!starts.taken) return "";
  std::string text = fmt::format("  started where {} of {} paths ended ({} gradients)\n", starts.found, starts.paths,
                                 starts.evaluations);
  if (starts.left > 0)
    text += fmt::format(
        "  but for {} that hold next to nothing of the posterior: the logarithm of their share is {:.3g} or less\n",
        starts.left, -starts.largest_gap);
  return text;
}

/// Annealing; modes that lie apart are in the verdict.
std::string annealing_described(const AnnealedStarts& starts) {
  return fmt::format(
      "  started where {} particles ended at {} temperatures ({} gradients): log Z = {:.2f} +- {:.2g}, effectively "
      "{:.0f} weights\n",
      starts.particles, starts.temperatures, starts.evaluations, starts.log_z, starts.error, starts.ess);
}

/// True if nothing but the effective draws of each chain keeps a run from its target.
bool lacks_draws_of_chains(const Result& result) {
  const auto any_below = [&](double limit) {
    return std::any_of(result.summary.begin(), result.summary.end(), [&](const SummaryRow& row) {
      return row.statistics.ess_bulk < limit || row.statistics.ess_tail < limit;
    });
  };
  return result.converged && !any_below(*result.settings.sampling.target_ess) &&
         any_below(diagnostics::ess_of_chain * static_cast<double>(result.settings.chains));
}

/// The look for modes; whatever it has missed is in the verdict.
std::string modes_described(const ModesLook& look) {
  if (look.points == 0) return "  looked for no other modes\n";
  std::string text =
      fmt::format("  looked for other modes from {} points far away ({} gradients): ", look.points, look.evaluations);
  if (look.elsewhere == 0) return text + "all lead to the chains\n";
  text += fmt::format("{} {} elsewhere", look.elsewhere, look.elsewhere == 1 ? "peak lies" : "peaks lie");
  if (look.tried == 0)
    return text +
           (look.missed.empty() ? ", none of which is missed\n" : "; the verdict names those that lack chains\n");
  return text + fmt::format("; chains were run from {}, and stayed at {}\n", look.tried, look.tried - look.joined);
}

/// The ladders of chains that temper, and the evidence that they give.
std::string tempering_described(const TemperingFound& found) {
  return fmt::format(
      "  {} temperatures, barrier {:.3g}; {} restarts from the reference, {} round trips\n"
      "  log Z {:.5g} +- {:.2g}, of the density as it is written; {:.5g} up from the reference, {:.5g} down to it\n",
      found.inverse.size(), found.barrier, found.restarts, found.round_trips, found.log_z, found.error, found.log_z_up,
      found.log_z_down);
}

/// Steps, acceptance, gradients: how it went, for those who want to know.
std::string tuning_described(const Result& result) {
  std::string text = "  ";
  if (result.sampler.tuned || result.settings.sampling.step_size)
    text += fmt::format("step size {}, ", step_sizes(result));
  if (result.sampler.trajectory) text += fmt::format("trajectory {:.4g}, ", result.warmup.tuning[0].trajectory);
  if (result.warmup.tuning[0].integrator == Integrator::two_stage) text += "two stages a step, ";
  if (result.warmup.tuning[0].metric_rank > 0)
    text += fmt::format("metric of {} directions, ", result.warmup.tuning[0].metric_rank);
  if (result.warmup.tuning[0].leaves > 0)
    text += fmt::format("hierarchical metric of {} leaves, ", result.warmup.tuning[0].leaves);
  if (result.kept > 0) text += fmt::format("acceptance rate {:.3f}, ", result.sampling.acceptance_rate);
  if (result.gradients > 0) text += fmt::format("{:.4g} gradients, ", double(result.gradients));
  if (result.settings.sampling.target_ess)
    text += fmt::format("{} + {} transitions of each chain, ", result.warmup.transitions,
                        result.kept * result.settings.sampling.thin);
  return text.substr(0, text.find_last_not_of(", ") + 1) + "\n";
}

}  // namespace

void print_unjudged(std::FILE* to, const Result& result, bool verbose) {
  say(to, "  ran on {}: {}; {}\n", result.backend, result.device, seconds_described(result.seconds));
  if (verbose) say(to, "{}", tuning_described(result));
  if (!result.part) {
    say(to, "  warm-up has ended, and nothing is drawn yet: manychain resume samples\n");
    return;
  }
  const Settings& settings = result.settings;
  say(to, "  part {} of {}: chains {} to {}, {} draws of each; manychain merge judges all parts together\n",
      result.part->number, result.part->of, settings.first_chain, settings.first_chain + settings.chains - 1,
      result.kept);
}

void print_run(std::FILE* to, const Result& result, const TableOptions& table, bool verbose) {
  const Seconds& s = result.seconds;
  say(to, "  ran on {}: {}{}", result.backend, result.device, verbose ? "\n" : "; ");
  if (!verbose) say(to, "{}\n", seconds_described(s));
  const std::string precision = precision_described(result);
  if (!precision.empty() && (verbose || result.settings.precision == Precision::double_precision))
    say(to, "  {}\n", precision);
  if (verbose || result.warmup.starts.left > 0) say(to, "{}", starts_described(result.warmup.starts));
  if (verbose && result.warmup.annealing.particles > 0) say(to, "{}", annealing_described(result.warmup.annealing));
  if (!result.sampling.tempering.inverse.empty()) say(to, "{}", tempering_described(result.sampling.tempering));
  if (verbose && result.warmup.starts.paths + result.posterior.modes.points > 0)
    say(to, "{}", modes_described(result.posterior.modes));
  if (result.warmup.restarted.chains > 0)
    say(to,
        "  {} chains were restarted among the others in warm-up: their log densities stayed up to {:.3g} below; {}\n",
        result.warmup.restarted.chains, result.warmup.restarted.largest_gap,
        result.posterior.modes.points > 0 ? "had they found a mode that matters, the verdict would name it"
                                          : "if they had found another mode, it is not in the draws");
  if (verbose) say(to, "{}", tuning_described(result));
  if (result.settings.sampling.target_ess && !result.sampling.reached_target) {
    const bool gave_up = !result.cancelled && result.kept < result.settings.sampling.draws.value_or(0);
    // More draws mend neither chains that disagree nor a NaN: see the verdict.
    say(to, "  --target-ess {} was {}{}\n", *result.settings.sampling.target_ess,
        lacks_draws_of_chains(result) ? fmt::format("reached, but not {} for each chain", diagnostics::ess_of_chain)
                                      : "not reached",
        result.sampling.stays_apart ? fmt::format(": no chain has left its mode in {} draws", result.kept)
        : !result.posterior.wrong_gradient.empty() ? ": the gradient is wrong"
        : !result.posterior.improper.empty()       ? ": the posterior has no finite integral"
        : gave_up                                  ? ": sds would take far more --draws"
        : result.converged                         ? ": take more --draws"
                                                   : "");
  }
  if (verbose) say(to, "  {}\n", seconds_described(s));
  say(to, "\n{}", with_options(result.table(table)));
  std::fflush(to);
}

RunShown::RunShown(InterruptGuard& guard) : guard_(guard), line_(InterruptGuard::requested) {}

std::function<void(const Progress&)> RunShown::progress() {
  return [this](const Progress& progress) {
    // The interrupt that ended the sampling has been heard; the next one ends the diagnostics.
    if (progress.phase == std::string_view("diagnostics") && InterruptGuard::requested) {
      heard_ = true;
      guard_.rearm();
    }
    line_.show(progress);
  };
}

void add_shown(CLI::App& app, RunShownAs& shown, std::string& show) {
  add_option(app, "--json", shown.json, "Write the summary as one JSON object; -: to stdout, and the rest to stderr",
             "FILE");
  add_option(app, "--show", show,
             "Rows of the table: mu, theta[3], theta for all of them, or th* for all names so; default: the first",
             "NAME,...");
  add_option(app, "--rows", shown.table.rows, "Rows of the table, at most; 0: all");
  add_flag(app, "--require-converged", shown.require_converged, "Exit with status 4 unless the run has converged");
  add_flag(app, "--verbose", shown.verbose,
           "Say before the table all settings, where chains started, and how they were tuned");
}

int run_and_write(std::FILE* to, const RunShownAs& shown_as, OutputFile& output,
                  const std::function<Result(RunShown&)>& run) {
  InterruptGuard guard;  // until all is written
  const auto how_to_go_on = [&] {
    if (!output.kept_at().empty())
      say(stderr, "To go on: manychain resume {}{}\n", output.kept_at(),
          output.storing().warmup_only ? " --warmup-only" : "");
  };
  bool heard = false;
  const Result result = [&] {
    RunShown shown(guard);
    try {
      Result made = run(shown);
      heard = shown.heard();
      made.settings.progress = nullptr;  // the line that it writes to ends here
      return made;
    } catch (const EndedEarly&) {
      shown.end();
      how_to_go_on();
      throw;
    } catch (const SamplingFailed&) {
      shown.end();
      throw;
    }
  }();
  const bool judged = !result.part && result.kept > 0;
  if (!judged)
    print_unjudged(to, result, shown_as.verbose);
  else
    print_run(to, result, shown_as.table, shown_as.verbose);
  if (const std::string faults = write_files(to, output, shown_as.json, result); !faults.empty()) {
    say(stderr, "manychain: {}\n", sentence(faults));
    return failed;
  }
  if (result.cancelled || heard || InterruptGuard::requested) {
    how_to_go_on();
    return interrupted;
  }
  return judged && shown_as.require_converged && !result.converged ? not_converged : success;
}

}  // namespace manychain::cli
