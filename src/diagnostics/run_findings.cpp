#include "diagnostics/run_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

/// Of a density that others compiled: what it did not evaluate.
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
  if (!run.beyond_precision.empty())
    findings.push_back({Severity::failure, "Cut off: " + run.beyond_precision + ", and no draw is there.",
                        run.precision_double
                            ? "Make its logarithm the parameter (the logit of one between two bounds), and write its "
                              "density in that; or take a prior with less mass at the bound."
                            : "Take double precision (Settings::precision)."});
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

}  // namespace

void add_run_findings(const RunFacts& run, std::vector<Finding>& findings) {
  rejected(run, findings);
  if (!run.no_log_likelihood.empty())
    warning(findings, "Log likelihoods: none could be computed: " + run.no_log_likelihood + ".",
            "All draws are kept; log likelihoods are the business of observe().");
  precision(run, findings);
}

}  // namespace manychain::diagnostics
