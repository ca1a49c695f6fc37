// ModelCheck::table().
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "check/posterior_precision.hpp"
#include "manychain/run/check.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain {
namespace {

/// The subject of a check, and its outcome with figures.
using TextLine = std::pair<std::string, std::string>;
using TextLines = std::vector<TextLine>;

/// A share of the points, one in so many, that are outside of the support as they are of a missing constraint.
constexpr std::size_t many_outside = 10;

const char* verdict(bool passed) { return passed ? "right" : "WRONG"; }

void describe_points(const NonfinitePoints& p, const SolverCheck& solver, TextLines& lines) {
  const std::size_t finite = p.points - p.not_a_number - p.infinite - p.outside - solver.unsolved;
  std::string text = fmt::format("{} at {} of {} points", p.not_a_number + p.infinite > 0 ? "NOT finite" : "finite",
                                 p.not_a_number + p.infinite > 0 ? p.points - finite : finite, p.points);
  std::string parts;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
  };
  add(p.not_a_number, "NaN");
  add(p.infinite, "infinite");
  add(p.outside, "outside of the support");
  add(solver.unsolved, "not solved by the differential equation with its tolerances and steps");
  lines.emplace_back("log density", parts.empty() ? text : text + ": " + parts);
  if (!p.term.empty()) lines.emplace_back("", fmt::format("{} is {}", p.term, p.value));
  const bool solves = !solver.equations.empty();
  const bool data_outside = p.outside_statement.find("observe(") != std::string::npos;
  if (solves && (p.not_a_number > 0 || data_outside))
    lines.emplace_back(
        "", fmt::format("of {}: where a difference of its states vanishes, its error decides the sign; add a "
                        "number above its tolerances, such as 1e-3",
                        solver.equations));
  if (solves && data_outside) return;
  if (!p.outside_statement.empty() && many_outside * p.outside_times >= p.points)
    lines.emplace_back("", fmt::format("{} is -inf at {} of {} points: declare the parameter that it is a density of "
                                       "with lower(), upper() or interval(), if it lacks that",
                                       p.outside_statement, p.outside_times, p.points));
}

void describe_unused(const std::vector<std::string>& unused, TextLines& lines) {
  constexpr std::size_t named = 5;
  for (std::size_t i = 0; i < std::min(unused.size(), named); ++i)
    lines.emplace_back(i == 0 ? "parameters" : "",
                       fmt::format("no term depends on {0}: its density is flat, and improper if {0} is not bounded on "
                                   "both sides",
                                   unused[i]));
  if (unused.size() > named) lines.emplace_back("", fmt::format("nor on {} more", unused.size() - named));
}

void describe_gradient(const GradientCheck& g, const SolverCheck& solver, TextLines& lines) {
  lines.emplace_back("gradient",
                     fmt::format("{}, worst at {}: {:.10g}, by differences {:.10g}",
                                 g.passed       ? "right"
                                 : g.conclusive ? "WRONG"
                                                : "cannot tell",
                                 g.worst_parameter, unsigned_nan(g.gradient), unsigned_nan(g.finite_difference)));
  lines.emplace_back("", fmt::format("error {:.2e} (allowed: {:.2e})", g.worst_error, g.tolerance));
  if (!g.worst_term.empty())
    lines.emplace_back("", fmt::format("it comes from {}: {:.10g}, by differences {:.10g}", g.worst_term,
                                       unsigned_nan(g.term_gradient), unsigned_nan(g.term_difference)));
  if (!g.conclusive && g.worst_parameter.empty())
    lines.emplace_back("", "nothing was compared: at no point do the tolerances of the solver determine it");
  else if (!g.conclusive)
    lines.emplace_back("",
                       "nothing wrong was seen, but rounding of the log density would have hidden an error of 1e-4");
  if (solver.equations.empty()) return;
  lines.emplace_back("",
                     fmt::format("of {}: compared with tolerances 1e-6 times as large; its own move the gradient by "
                                 "{:.1g} (median of the points)",
                                 solver.equations, solver.gradient_moved));
}

void describe_jacobians(const JacobianCheck& j, TextLines& lines) {
  if (j.compared == 0 && j.left_out == 0) return;
  if (j.compared > 0)
    lines.emplace_back("Jacobians", fmt::format("{}, worst of {}: {:.10g} is added, log |det| by differences {:.10g}",
                                                verdict(j.passed), j.worst_parameter, unsigned_nan(j.added),
                                                unsigned_nan(j.numerical)));
  if (j.left_out > 0)
    lines.emplace_back(
        j.compared > 0 ? "" : "Jacobians",
        fmt::format("{} not compared: no square matrix of derivatives, or more than 200 rows", j.left_out));
}

void describe_comparison(const char* title, const ProgramComparison& c, const char* where, TextLines& lines) {
  if (!c.made) {
    lines.emplace_back(title, "not compared: " + c.why_not);
    return;
  }
  lines.emplace_back(title, fmt::format("{}, {}log density off by {:.1e} (allowed: {:.0e}){}",
                                        c.passed ? "agrees" : "DIFFERS", where, c.log_density_error, c.tolerance,
                                        c.worst_parameter.empty()
                                            ? ""
                                            : fmt::format(", gradient by {:.1e} at {}{}", c.gradient_error,
                                                          c.worst_parameter, c.gradient_passed ? "" : ": WRONG")));
}

}  // namespace

std::string ModelCheck::table() const {
  TextLines lines;
  describe_points(nonfinite, solver, lines);
  describe_unused(unused, lines);
  if (has_gradient) describe_gradient(gradient, solver, lines);
  describe_jacobians(jacobians, lines);
  if (value_error > 1e-9)
    lines.emplace_back("value()", fmt::format("DIFFERS from value_and_gradient() by {:.1e}", value_error));
  describe_comparison("single precision", single, single_at_posterior ? "at the posterior " : "", lines);
  if (precision.looked) {
    const std::string cure = precision_cure(precision);
    lines.emplace_back("at the posterior",
                       precision.enough
                           ? fmt::format("single precision is enough: it changes at most {:.1g} of accept decisions",
                                         std::max(precision.decisions_changed, precision.positions_changed))
                           : "single precision is NOT enough: " + precision_fault(precision));
    if (!cure.empty()) lines.emplace_back("", cure);
  }
  describe_comparison("CUDA", cuda, "", lines);
  for (const std::string& sentence : hierarchy)
    lines.emplace_back(&sentence == &hierarchy.front() ? "hierarchy" : "", sentence);
  for (const std::string& note : notes) lines.emplace_back(&note == &notes.front() ? "note" : "", note);

  const bool wrong = !passed && (!has_gradient || gradient.passed || gradient.conclusive);
  std::string text = fmt::format("{}: model {} (dimension {}) at {} random points, uniform(-2, 2)\n",
                                 passed  ? "Right"
                                 : wrong ? "WRONG"
                                         : "Cannot tell",
                                 model, dimension, nonfinite.points);
  for (const auto& [title, what] : lines) text += fmt::format("  {:<16}  {}\n", title, what);
  return text;
}

}  // namespace manychain
