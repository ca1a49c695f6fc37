// The summary of a run for a terminal: the verdict, what is wrong and what to do about it, then the table.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "diagnostics/limits.hpp"
#include "io/table_rows.hpp"
#include "io/text_table.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/samplers.hpp"
#include "run/energy.hpp"
#include "run/judge.hpp"
#include "run/precision_check.hpp"

namespace manychain {
namespace {

using diagnostics::ess_limit, diagnostics::rhat_limit;

constexpr std::size_t chains_named = 5;
// Chance exceeds the variance that it leaves between superchains by this factor once in a thousand times: chi-squared
// of 31 degrees of freedom over its mean, docs/diagnostics.md.
constexpr double noise_factor = 2;

/// What decides, in words and of each row.
struct Deciding {
  const Settings& settings;

  const char* rhat_name() const { return has_superchains(settings) ? "nested R-hat" : "R-hat"; }
  const char* ess_name() const { return too_short_for_ess(settings) ? "ESS" : "bulk ESS"; }
  double rhat(const SummaryRow& row) const { return deciding_rhat(settings, row.statistics); }
  double ess(const SummaryRow& row) const { return deciding_ess(settings, row.statistics); }

  /// Whether a row is further from convergence than another; an undefined R-hat is the worst.
  bool worse(const SummaryRow& a, const SummaryRow& b) const {
    const double ra = rhat(a), rb = rhat(b);
    if (std::isnan(ra) != std::isnan(rb)) return std::isnan(ra);
    if (ra != rb && !std::isnan(ra)) return ra > rb;
    return ess(a) < ess(b);
  }
};

std::string capital(std::string words) {
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

/// "3 of 1024 chains (4, 17, 98)". Chains are numbered from 0, as in the file of draws.
std::string count_chains(const std::vector<std::size_t>& chains, std::size_t all) {
  const std::size_t named = std::min(chains.size(), chains_named);
  return fmt::format("{} of {} chains ({}{})", chains.size(), all,
                     fmt::join(chains.begin(), chains.begin() + std::ptrdiff_t(named), ", "),
                     chains.size() > named ? ", ..." : "");
}

std::string share(double part, double whole) {
  const double percent = 100 * part / std::max(whole, 1.0);
  return percent < 0.01 ? "less than 0.01 %" : fmt::format("{:.2g} %", percent);
}

struct Note {
  std::string text;
  bool fails;  // a reason for `converged` to be false
};

/// Rows that the run came to compute; they stand first.
std::size_t summarised(const Result& r) { return r.summary.size() - std::min(r.not_summarised, r.summary.size()); }

/// Rows for which `bad` holds: how many, and the worst of them.
template <class Bad>
std::pair<std::size_t, const SummaryRow*> find_rows(const Result& r, Bad bad) {
  const Deciding decides{r.settings};
  std::size_t count = 0;
  const SummaryRow* worst = nullptr;
  for (std::size_t i = 0; i < summarised(r); ++i) {
    const SummaryRow& row = r.summary[i];
    if (!bad(row)) continue;
    ++count;
    if (worst == nullptr || decides.worse(row, *worst)) worst = &row;
  }
  return {count, worst};
}

/// What a large R-hat comes of, and what cures it.
std::string cure(const Result& r, const SummaryRow& worst) {
  const Settings& s = r.settings;
  // With a few draws a chain, R-hat is about sqrt(1 + (tau - 1) / n): thinning cures it without more memory.
  if (!has_superchains(s))
    return fmt::format(
        "the chains do not agree yet; raise Settings::warmup (now {}), and Settings::thin (now {}) or Settings::draws "
        "(now {})",
        s.warmup, s.thin, s.draws);
  const double ess = worst.statistics.ess_bulk, r2 = worst.statistics.rhat_nested * worst.statistics.rhat_nested;
  if ((r2 - 1) * ess < noise_factor * 2 * static_cast<double>(*s.superchains))
    return fmt::format(
        "chains that started apart do not agree, and with a bulk ESS of {:.0f} noise alone may do that; "
        "raise Settings::chains (now {}), Settings::draws (now {}) or Settings::thin (now {}), and Settings::warmup "
        "(now {})",
        ess, s.chains, s.draws, s.thin, s.warmup);
  return fmt::format("chains that started apart do not agree yet; raise Settings::warmup (now {})", s.warmup);
}

void note_rows(const Result& r, std::vector<Note>& notes) {
  const std::size_t rows = summarised(r);
  if (r.not_summarised > 0) {
    notes.push_back({fmt::format("Not computed: the summary of {} of {} quantities (from {} on); the run was cancelled "
                                 "in its diagnostics; all draws are kept.",
                                 r.summary.size() - rows, r.summary.size(), r.summary[rows].name),
                     true});
  }
  const Deciding decides{r.settings};
  const auto [undefined, first] = find_rows(
      r, [&](const SummaryRow& row) { return std::isnan(decides.rhat(row)) || std::isnan(decides.ess(row)); });
  if (undefined > 0) {
    notes.push_back({fmt::format("Undefined {} or ESS: {} of {} quantities (first: {}); their draws are "
                                 "constant, not finite, or too few; keep at least 6 draws, and derive no constants.",
                                 decides.rhat_name(), undefined, rows, first->name),
                     true});
  }
  const auto [apart, largest] = find_rows(r, [&](const SummaryRow& row) { return decides.rhat(row) >= rhat_limit; });
  if (apart > 0) {
    notes.push_back(
        {fmt::format("{} {:.4g} for {}, and not below {} for {} of {} quantities; {}.", capital(decides.rhat_name()),
                     decides.rhat(*largest), largest->name, rhat_limit, apart, rows, cure(r, *largest)),
         true});
  }
  const SummaryRow* least = nullptr;
  std::size_t few = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const SummaryRow& row = r.summary[i];
    if (!(decides.ess(row) <= ess_limit)) continue;
    ++few;
    if (least == nullptr || decides.ess(row) < decides.ess(*least)) least = &row;
  }
  if (few > 0) {
    notes.push_back({fmt::format("{} {:.0f} for {}, and not above {} for {} of {} quantities; the mean is "
                                 "not precise; raise Settings::chains (now {}), Settings::draws (now {}) or "
                                 "Settings::thin (now {}).",
                                 capital(decides.ess_name()), decides.ess(*least), least->name, ess_limit, few, rows,
                                 r.settings.chains, r.settings.draws, r.settings.thin),
                     true});
  }
}

/// What draws are that are not the target's, however well chains agree on them.
void note_sampler(const SamplerInfo& sampler, std::vector<Note>& notes) {
  if (sampler.exact) return;
  notes.push_back(
      {sampler.chain ? fmt::format("Biased: steps of {} are never corrected, so that its draws miss the target by the "
                                   "order of the step, which no R-hat shows; halve the step and compare.",
                                   sampler.name)
                     : "Weighted: these are draws of the proposal, and the table is of them; weigh each by "
                       "exp(lp) for expectations under the target (include/manychain/montecarlo/importance.hpp).",
       false});
}

/// Everything worth saying about a run, worst first.
std::vector<Note> notes_on(const Result& r) {
  std::vector<Note> notes;
  const SamplerInfo* sampler = find_sampler(r.settings.sampler);
  const std::size_t chains = r.settings.chains;
  if (!r.nonfinite_chains.empty()) {
    notes.push_back({"Not finite: " + count_chains(r.nonfinite_chains, chains) +
                         "; a quantity overflows or leaves its domain there; look at priors and scales, or use double "
                         "precision.",
                     true});
  }
  if (!r.stuck_chains.empty()) {
    notes.push_back({"Stuck: " + count_chains(r.stuck_chains, chains) +
                         "; each of the last 100 proposals was rejected; raise Settings::warmup, start nearer, or "
                         "reparametrise the model.",
                     true});
  }
  if (!r.outlying_chains.empty()) {
    notes.push_back(
        {"Outlying: " + count_chains(r.outlying_chains, chains) +
             "; they never came near the log density of the others; raise Settings::warmup; if that does not "
             "help, the posterior has several modes.",
         !r.converged});
  }
  note_rows(r, notes);
  if (r.divergences > 0) {
    const double transitions = double(r.kept) * double(r.settings.thin) * double(chains);
    // Of a trajectory its energy error may be too large; elsewhere something was no number.
    const std::string cure =
        sampler == nullptr || sampler->trajectory
            ? fmt::format(
                  "the posterior is too curved there for the step size {:.3g}; take a smaller one, or "
                  "reparametrise the model.",
                  r.step_size)
            : "the density, its gradient or a law of the model is not finite there; look at where they are defined, or "
              "use double precision.";
    notes.push_back(
        {fmt::format("Divergences: {} transitions ({}) in {}; {}", r.divergences,
                     share(double(r.divergences), transitions), count_chains(r.divergent_chains, chains), cure),
         false});
  }
  if (const auto low = low_ebfmi_chains(r); !low.empty()) {
    notes.push_back({fmt::format("E-BFMI below {} in {}; the energy moves slowly, so that tails are explored slowly; "
                                 "reparametrise the model.",
                                 diagnostics::ebfmi_limit, count_chains(low, chains)),
                     false});
  }
  if (r.precision_error > precision_error_limit) {
    notes.push_back(
        {fmt::format("Single precision: rounding changes differences of log densities so far that {} of "
                     "accept decisions may come out differently; take double precision (Settings::precision).",
                     share(r.precision_error, 1)),
         false});
  }
  if (r.precision_unknown) {
    notes.push_back(
        {"Single precision: whether it suffices cannot be told, because log densities were compared where the "
         "chains stood, and the run has not converged; compare with double precision (Settings::precision).",
         false});
  }
  if (r.gpu_present) notes.push_back({"No GPU was used: " + r.no_gpu + ".", false});
  if (r.summary.empty()) notes.push_back({"There are no draws to judge; keep some.", true});
  if (sampler != nullptr) note_sampler(*sampler, notes);
  if (r.cancelled && r.kept < r.settings.draws) {
    notes.push_back(
        {fmt::format("The run was cancelled: {} of {} draws of each chain are kept, and this is what they say.", r.kept,
                     r.settings.draws),
         false});
  }
  return notes;
}

std::string verdict(const Result& r) {
  if (!r.converged) return "NOT converged:\n";
  const Deciding decides{r.settings};
  double rhat = 0, ess = INFINITY;
  for (const SummaryRow& row : r.summary) {
    rhat = std::max(rhat, decides.rhat(row));
    ess = std::min(ess, decides.ess(row));
  }
  return fmt::format(
      "Converged: every {} < {} (largest {:.4f}), every {} > {} (smallest {:.0f}), no chain stuck, outlying or "
      "non-finite.\n",
      decides.rhat_name(), rhat_limit, rhat, decides.ess_name(), ess_limit, ess);
}

/// The rows asked for, or those worth showing. What was not computed is left out unless it is asked for.
std::vector<std::size_t> choose_rows(const Result& r, const TableOptions& options) {
  const Deciding decides{r.settings};
  std::vector<std::string> names;
  for (const SummaryRow& row : r.summary) names.push_back(row.name);
  if (options.show.empty()) {
    names.resize(summarised(r));
    return rows_to_show(names, options.rows,
                        [&](std::size_t a, std::size_t b) { return decides.worse(r.summary[a], r.summary[b]); });
  }
  std::vector<std::size_t> shown;
  for (const std::string& name : options.show) {
    const std::vector<std::size_t> called = rows_called(name, names);
    if (called.empty()) throw BadInput("table: model " + r.model + " has no " + name + " to show");
    shown.insert(shown.end(), called.begin(), called.end());
  }
  return shown;
}

std::string rows(const Result& r, const TableOptions& options) {
  const Deciding decides{r.settings};
  const std::vector<std::size_t> shown = choose_rows(r, options);
  std::vector<std::vector<std::string>> cells = {{"", "mean", "sd", "5%", "50%", "95%",
                                                  has_superchains(r.settings) ? "R_nested" : "R_hat", "ESS_bulk",
                                                  "ESS_tail", "MCSE"}};
  for (const std::size_t i : shown) {
    const SummaryRow& row = r.summary[i];
    const VariableSummary& s = row.statistics;
    const double e = s.mcse_mean;
    cells.push_back({row.name, number_with_error(s.mean, e), number_with_error(s.sd, e), number_with_error(s.q5, e),
                     number_with_error(s.q50, e), number_with_error(s.q95, e), fmt::format("{:.3f}", decides.rhat(row)),
                     fmt::format("{:.0f}", s.ess_bulk), fmt::format("{:.0f}", s.ess_tail), number_with_error(e, e)});
  }
  std::string text = text_table(cells);
  if (options.show.empty() && shown.size() < summarised(r)) {
    text += fmt::format("... and {} more; scalars come first, then those with the largest {}.\n",
                        summarised(r) - shown.size(), decides.rhat_name());
  }
  return text;
}

}  // namespace

std::vector<std::string> Result::problems() const {
  std::vector<std::string> reasons;
  if (converged) return reasons;
  for (Note& note : notes_on(*this)) reasons.push_back(std::move(note.text));
  if (reasons.empty()) reasons.push_back("The run was not judged converged.");
  return reasons;
}

std::string Result::table(const TableOptions& options) const {
  std::string text = verdict(*this);
  for (const Note& note : notes_on(*this)) text += fmt::format("  {} {}\n", note.fails ? "-" : "note:", note.text);
  if (summary.empty() || (summarised(*this) == 0 && options.show.empty())) return text;
  return text + '\n' + rows(*this, options);
}

}  // namespace manychain
