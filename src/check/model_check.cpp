// check_model(): what of a model can be held against something else.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "check/check_points.hpp"
#include "check/checked_density.hpp"
#include "check/gradient_check.hpp"
#include "check/gradients_of_program.hpp"
#include "check/hierarchy_in_words.hpp"
#include "check/improper.hpp"
#include "check/model_check_digits.hpp"
#include "check/observe_notes.hpp"
#include "check/posterior_precision.hpp"
#include "check/term_search.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/check.hpp"
#include "manychain/run/engine.hpp"
#include "modes/exchangeable.hpp"
#include "run/defaults.hpp"
#include "run/values_on.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

// Extrapolated differences in extended precision are good to some 1e-12; the rest is the model's.
constexpr double jacobian_tolerance = 1e-6;
constexpr double single_tolerance = 1e-2;  // of what single precision may lose by rounding this says nothing
constexpr double cuda_tolerance = 1e-9;
// Errors of gradients beside what a change of positions and data by rounding makes; adaptive steps differ by more.
constexpr ProgramRounding single_rounding{0x1p-23, 0.01}, cuda_rounding{0x1p-50, 1e-6};
constexpr double allowed_of_solutions = 0.1;
constexpr double value_tolerance = 1e-9;
constexpr std::size_t most_compared = 32;  // at which single precision is compared

class ModelChecker {
 public:
  ModelChecker(const Model& model, std::size_t points, std::uint64_t seed)
      : model_(model), bound_(model.bound()), seed_(seed), dimension_(model.layout().dimension) {
    for (CheckPoint& point : check_points(model, points, seed)) {
      ++check_.nonfinite.points;
      if (std::isfinite(point.log_density)) {
        finite_.push_back(std::move(point));
        continue;
      }
      if (std::isnan(point.log_density) && unsolved(point.q)) {
        ++check_.solver.unsolved;
        continue;
      }
      const bool outside = point.log_density < 0;
      ++(std::isnan(point.log_density) ? check_.nonfinite.not_a_number
         : outside                     ? check_.nonfinite.outside
                                       : check_.nonfinite.infinite);
      if (worst_.empty() || (worst_is_outside_ && !outside)) {
        worst_ = point.q;
        worst_is_outside_ = outside;
      }
      if (outside) outside_.push_back(std::move(point.q));
    }
  }

  ModelCheck operator()() {
    check_.model = model_.name();
    check_.dimension = dimension_;
    if (!worst_.empty()) {
      const NonfiniteTerm term = nonfinite_term(model_, worst_.data());
      check_.nonfinite.term = term.name;
      if (!term.name.empty()) check_.nonfinite.value = term.value;
    }
    find_statement_of_support();
    check_.notes = observe_notes(model_.layout(), bound_.bound_data());
    note_lost_digits();
    check_.unused = unused_parameters(model_, finite_);
    note_improper();
    check_.hierarchy = hierarchy_in_words(model_.layout());
    const bool continuous = model_.layout().integers < dimension_;
    if (model_.has_gradient() && continuous && !finite_.empty()) {
      check_.has_gradient = true;
      check_.gradient = check_gradient(model_, check_.nonfinite.points, seed_, check_.solver);
    }
    check_jacobians();
    check_values();
    compare_programs();
    check_.passed = check_.nonfinite.not_a_number == 0 && check_.nonfinite.infinite == 0 && !finite_.empty() &&
                    (!check_.has_gradient || check_.gradient.passed) && check_.jacobians.passed &&
                    check_.value_error <= value_tolerance && check_.single.passed && check_.cuda.passed;
    return check_;
  }

 private:
  /// True if a NaN is that of a solution alone, which strict tolerances and more steps find.
  bool unsolved(const Numbers& q) {
    if (!density_) density_ = std::make_unique<CheckedDensity>(model_);
    return !density_->solvers().empty() && std::isfinite(density_->solved(q, CheckedDensity::strict).log_density);
  }

  /// Finds the statement that most often gives log density -infinity.
  void find_statement_of_support() {
    std::map<std::string, std::size_t> times;
    NonfinitePoints& points = check_.nonfinite;
    for (const Numbers& q : outside_) {
      const NonfiniteTerm term = nonfinite_term(model_, q.data());
      if (term.value != -HUGE_VAL) continue;
      const std::string statement = statement_of(term.name);
      if (++times[statement] <= points.outside_times) continue;
      points.outside_times = times[statement];
      points.outside_statement = statement;
    }
  }

  void note_lost_digits() {
    const auto terms = bound_.terms();
    if (!terms) return;
    const std::vector<std::string> notes = notes_on_lost_digits(*terms, finite_);
    check_.notes.insert(check_.notes.end(), notes.begin(), notes.end());
  }

  /// Beside the unused parameters, which have a line of their own.
  void note_improper() {
    constexpr std::size_t points = 3;
    constexpr double evaluations = 3000;
    if (model_.layout().integers > 0 || !bound_.terms()) return;
    Numbers from;
    for (std::size_t k = 0; k < std::min(points, finite_.size()); ++k)
      from.insert(from.end(), finite_[k].q.begin(), finite_[k].q.end());
    std::vector<std::string> improper = improper_parameters(model_, from, evaluations);
    std::erase_if(improper, [&](const std::string& name) {
      return std::find(check_.unused.begin(), check_.unused.end(), name) != check_.unused.end();
    });
    if (improper.empty()) return;
    const bool one = improper.size() == 1;
    check_.notes.push_back(fmt::format(
        "improper: the density has no finite integral along {}{}; no run converges before {} a proper prior",
        fmt::join(improper, ", "), one ? "" : ", alone or together", one ? "it has" : "those without one have"));
  }

  void note_exchangeable_labels(const Numbers& draws) {
    const ExchangeableLabels labels = exchangeable_labels(model_, draws);
    for (std::size_t k = 0; k < labels.sets.size(); ++k)
      check_.notes.push_back(
          fmt::format("labels may be exchanged: the density stays the same if the elements of {} are put in another "
                      "order, and each order has a mode of its own; {} says which is meant",
                      labels.sets[k],
                      labels.orderable[k].empty() ? "an element of them that is written by an ordered() parameter"
                                                  : "declaring " + labels.orderable[k]));
  }

  void check_jacobians() {
    const auto terms = bound_.terms();
    JacobianCheck& jacobians = check_.jacobians;
    jacobians.tolerance = jacobian_tolerance;
    for (std::size_t k = 0; terms && k < finite_.size(); ++k) {
      std::size_t compared = 0, left_out = 0;
      for (const ConstraintJacobian& at : terms->jacobians(finite_[k].q.data())) {
        if (std::isnan(at.numerical) && !std::isnan(at.added)) {
          ++left_out;
          continue;
        }
        ++compared;
        const double error = std::fabs(at.added - at.numerical);
        if (jacobians.worst_parameter.empty() || !(error <= jacobians.error)) {
          jacobians.worst_parameter = at.parameter;
          jacobians.added = at.added;
          jacobians.numerical = at.numerical;
          jacobians.error = error;
        }
      }
      jacobians.compared = std::max(jacobians.compared, compared);
      jacobians.left_out = std::max(jacobians.left_out, left_out);
    }
    const double scale = std::max(1.0, std::fabs(jacobians.numerical));
    jacobians.passed = jacobians.worst_parameter.empty() || jacobians.error <= jacobian_tolerance * scale;
  }

  /// Compares an evaluation of the value alone with one of value and gradient.
  void check_values() {
    if (!model_.has_gradient()) return;
    for (const CheckPoint& point : finite_) {
      const double alone = bound_.densities(point.q, 1)[0];
      const double error = std::fabs(alone - point.log_density) / (1 + std::fabs(alone));
      check_.value_error = std::isnan(error) ? HUGE_VAL : std::max(check_.value_error, error);
    }
  }

  /// A sampler that the model was compiled for, of those that carry a gradient if there is one. Empty: none.
  std::string compiled_sampler(bool cuda) const {
    std::string any;
    for (const SamplerInfo& sampler : all_samplers()) {
      if (!sampler.fits(bound_.gives) || !sampler.needs_capability(&Capabilities::density)) continue;
      if (sampler.continuous && model_.layout().integers > 0) continue;
      try {
        if (!bound_.double_program(sampler.name, {.cuda = cuda})) continue;
      } catch (const BadInput&) {
        continue;
      }
      if (sampler.needs_capability(&Capabilities::gradient)) return sampler.name;
      if (any.empty()) any = sampler.name;
    }
    return any;
  }

  void compare_programs() {
    Settings settings;
    settings.seed = seed_;
    settings.backend = Backend::cpu;
    settings.sampler = compiled_sampler(false);
    if (settings.sampler.empty() || finite_.empty()) {
      check_.single.why_not = check_.cuda.why_not = finite_.empty()
                                                        ? "there is no point with a finite log density"
                                                        : "the model was compiled for no sampler of its density";
      return;
    }
    if (bound_.double_only) {
      check_.single.why_not = "the model is in double precision alone";
    } else {
      settings.precision = Precision::single_precision;
      Settings full = settings;
      const SamplerInfo sampler = fill_in_defaults(model_, full);
      Numbers points = at_random();
      if (can_look(model_, sampler)) {
        Numbers draws = draws_near_posterior(model_, full);
        check_.precision = compare_precisions(model_, full, draws);
        check_.single_at_posterior = !draws.empty();
        note_exchangeable_labels(draws);
        draws.resize(std::min(draws.size(), most_compared * dimension_));
        if (!draws.empty()) points = std::move(draws);
      }
      compare(settings, points, single_tolerance, check_.single);
    }
    const CudaState cuda =
        bound_.runs_on_cuda ? cuda_state() : CudaState{false, false, "the model was compiled for the CPU alone"};
    if (!cuda.usable) {
      check_.cuda.why_not = cuda.why;
      return;
    }
    settings.backend = Backend::cuda;
    settings.precision = Precision::double_precision;
    settings.sampler = compiled_sampler(true);
    compare(settings, at_random(), cuda_tolerance, check_.cuda);
  }

  Numbers at_random() const {
    Numbers points;
    for (const CheckPoint& point : finite_) points.insert(points.end(), point.q.begin(), point.q.end());
    return points;
  }

  /// A program against double precision on the CPU, at `points` as it has rounded them.
  void compare(const Settings& settings, const Numbers& points, double tolerance, ProgramComparison& found) const {
    const std::size_t n = points.size() / dimension_;
    ValuesOn values;
    try {
      values = values_on(model_, settings, points, n);
    } catch (const Error& error) {
      found.why_not = error.what();
      return;
    }
    found.made = true;
    found.tolerance = tolerance;
    Numbers exact(n), gradients(n * dimension_);
    const bool gradient = model_.has_gradient() && !values.gradients.empty();
    bound_.evaluator()(values.positions.data(), n, exact.data(), gradient ? gradients.data() : nullptr);
    const auto terms = bound_.terms();
    std::size_t lost = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (!std::isfinite(exact[k])) continue;  // rounding has left the support
      double scale = 1 + std::fabs(exact[k]);
      if (terms)
        for (const long double term : terms->values(values.positions.data() + k * dimension_))
          scale += std::fabs(static_cast<double>(term));
      if (!std::isfinite(values.log_densities[k])) {
        ++lost;
        continue;
      }
      const double error = std::fabs(values.log_densities[k] - exact[k]) / scale;
      found.log_density_error = std::max(found.log_density_error, error);
      double largest = 1e-300;
      for (std::size_t i = 0; gradient && i < dimension_; ++i)
        largest = std::max(largest, std::fabs(gradients[k * dimension_ + i]));
      for (std::size_t i = 0; gradient && i < dimension_; ++i) {
        double e = std::fabs(values.gradients[k * dimension_ + i] - gradients[k * dimension_ + i]) / largest;
        if (std::isnan(e)) e = std::isnan(gradients[k * dimension_ + i]) ? 0 : HUGE_VAL;
        if (!found.worst_parameter.empty() && e <= found.gradient_error) continue;
        found.gradient_error = e;
        found.worst_parameter = model_.layout().unconstrained_names[i];
      }
    }
    // A few may lie beyond what single precision holds.
    const bool in_single = settings.precision == Precision::single_precision;
    if (lost > (in_single ? n / 2 : 0)) found.log_density_error = HUGE_VAL;
    if (gradient) compare_gradients(in_single ? single_rounding : cuda_rounding, values, gradients, found);
    found.passed = found.log_density_error <= tolerance && std::isfinite(found.gradient_error) && found.gradient_passed;
  }

  /// Names the component whose error is furthest beyond rounding, if there is one.
  void compare_gradients(ProgramRounding rounding, const ValuesOn& values, const Numbers& exact,
                         ProgramComparison& found) const {
    if (!check_.solver.equations.empty()) rounding.allowed = allowed_of_solutions;
    const auto wrong = wrong_components(model_, values.positions, values.gradients, exact, rounding);
    if (wrong.empty()) return;
    found.gradient_passed = false;
    found.gradient_error = wrong[0].error;
    found.worst_parameter = model_.layout().unconstrained_names[wrong[0].index];
  }

  const Model& model_;
  const ModelBinding& bound_;
  std::uint64_t seed_;
  std::size_t dimension_;
  std::vector<CheckPoint> finite_;
  std::vector<Numbers> outside_;  ///< points where it is -inf
  Numbers worst_;                 ///< a point that is not finite
  bool worst_is_outside_ = false;
  std::unique_ptr<CheckedDensity> density_;
  ModelCheck check_;
};

}  // namespace

ModelCheck check_model(const Model& model, std::size_t points, std::uint64_t seed) {
  if (!model.bound().gives.density)
    throw BadInput("model " + model.name() + " gives no density: there is nothing to check");
  if (model.layout().dimension == 0) throw BadInput("model " + model.name() + " has no parameters");
  return ModelChecker(model, points, seed)();
}

}  // namespace manychain
