#include "check/posterior_precision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "check/precision_check.hpp"
#include "check/precision_of_draws.hpp"
#include "check/precision_reach.hpp"
#include "check/uniform_points.hpp"
#include "check/unscaled_data.hpp"
#include "core/linear_algebra.hpp"
#include "core/threads.hpp"
#include "diagnostics/run_findings.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "run/values_on.hpp"
#include "starts/starts.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t paths = 4, draws = 128;
constexpr std::size_t held_against = 16;  // points at which shifted data are tried
constexpr double position_limit = 0.05, gradient_limit = 0.1;
// The rounding of a single. Regressions on data of mean 2000 sds converge (1.2e-7), of 3000 (6e-8) not all do.
constexpr double eigenvalue_limit = 8e-8;

std::string percent(double part) { return diagnostics::share(part, 1); }

/// errors[k] = a[k] - b[k]; infinite where a is not finite, NaN where b is not: nothing to compare with.
Numbers errors_of(const Numbers& a, const Numbers& b) {
  Numbers errors(a.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    errors[k] = !std::isfinite(b[k]) ? NAN : std::isfinite(a[k]) ? a[k] - b[k] : HUGE_VAL;
  return errors;
}

/// The moments of the columns of [point][dimension].
struct Moments {
  Numbers mean, sd;
};
Moments moments_of(const Numbers& points, std::size_t d) {
  const std::size_t n = points.size() / d;
  Moments m{Numbers(d), Numbers(d)};
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < n; ++k) m.mean[i] += points[k * d + i] / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) m.sd[i] += std::pow(points[k * d + i] - m.mean[i], 2) / static_cast<double>(n);
    m.sd[i] = std::sqrt(m.sd[i]);
  }
  return m;
}

void name_unscaled(const Model& model, const Numbers& points, PrecisionCheck& check) {
  for (const UnscaledData& data : unscaled_data(model, points, !check.found))
    check.unscaled.push_back(fmt::format("{} (mean {:.6g}, sd {:.3g})", data.name, data.mean, data.sd));
}

class Look {
 public:
  Look(const Model& model, Numbers points, const ValuesOn& single, PrecisionCheck& check)
      : model_(model),
        dimension_(model.layout().dimension),
        n_(points.size() / dimension_),
        points_(std::move(points)),
        single_(single),
        check_(check),
        exact_(n_),
        gradients_(n_ * dimension_),
        moments_(moments_of(points_, dimension_)) {
    model.bound().evaluator()(single.positions.data(), n_, exact_.data(), gradients_.data());
  }

  void operator()() {
    check_.looked = true;
    check_.decisions_changed = decisions_changed(errors_of(single_.log_densities, exact_));
    check_.positions_changed = decisions_changed(errors_of(exact_, model_.bound().densities(points_, n_)));
    if (!single_.gradients.empty()) check_.gradient_error = gradient_error();
    find_correlations();
    // A gradient error of NaN, where no gradient is carried or none could be compared, says nothing.
    check_.enough = check_.decisions_changed <= precision_error_limit && check_.positions_changed <= position_limit &&
                    !(check_.gradient_error > gradient_limit) && !(check_.smallest_eigenvalue < eigenvalue_limit);
    if (check_.enough) return;
    name_parameters();
    name_unscaled(
        model_,
        {points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(std::min(n_, held_against) * dimension_)},
        check_);
  }

 private:
  double gradient_error() const {
    double errors = 0, all = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t to = (k + 1) % n_;
      double error = 0, along = 0;
      for (std::size_t i = 0; i < dimension_; ++i) {
        const double way = single_.positions[to * dimension_ + i] - single_.positions[k * dimension_ + i];
        error += way * (single_.gradients[k * dimension_ + i] - gradients_[k * dimension_ + i]);
        along += way * gradients_[k * dimension_ + i];
      }
      if (!std::isfinite(along)) continue;
      errors += std::isfinite(error) ? error * error : HUGE_VAL;
      all += along * along;
    }
    return std::sqrt(errors / all);
  }

  /// Finds the smallest eigenvalue of the draws' correlations, where there are four draws a dimension, and the two
  /// components that are closest.
  void find_correlations() {
    if (dimension_ < 2 || 4 * dimension_ > n_) return;
    Eigen::MatrixXd deviations(eigen_index(n_), eigen_index(dimension_));
    for (std::size_t i = 0; i < dimension_; ++i)
      for (std::size_t k = 0; k < n_; ++k)
        deviations(eigen_index(k), eigen_index(i)) =
            (points_[k * dimension_ + i] - moments_.mean[i]) / (moments_.sd[i] * std::sqrt(static_cast<double>(n_)));
    const Eigen::MatrixXd correlations = transposed_product(deviations, deviations);
    const auto eigen = symmetric_eigen(correlations);
    if (!eigen) return;
    check_.smallest_eigenvalue = eigen->values(0);
    Eigen::Index a = 0, b = 0;
    const Eigen::MatrixXd others =
        (correlations - Eigen::MatrixXd::Identity(eigen_index(dimension_), eigen_index(dimension_))).cwiseAbs();
    if (others.maxCoeff(&a, &b) > nearly_collinear) {
      closest_ = {static_cast<std::size_t>(std::min(a, b)), static_cast<std::size_t>(std::max(a, b))};
      check_.correlation = correlations(a, b);
    } else if (check_.smallest_eigenvalue < eigenvalue_limit) {  // several together
      for (std::size_t i = 0; i < dimension_; ++i)
        if (std::fabs(eigen->vectors(eigen_index(i), 0)) > 0.3) closest_.push_back(i);
    }
  }

  /// Components that move together, or those along which the gradient is worst, in units of the posterior's sd.
  void name_parameters() {
    const std::vector<std::string>& names = model_.layout().unconstrained_names;
    for (const std::size_t i : closest_) check_.parameters.push_back(names[i]);
    if (!closest_.empty()) return;
    std::vector<std::pair<double, std::size_t>> worst;
    for (std::size_t i = 0; i < dimension_; ++i) {
      double error = 0;
      for (std::size_t k = 0; k < n_ && !single_.gradients.empty(); ++k)
        if (const double e = single_.gradients[k * dimension_ + i] - gradients_[k * dimension_ + i]; std::isfinite(e))
          error += e * e;
      const double of_position = std::fabs(moments_.mean[i]) * std::numeric_limits<float>::epsilon() / moments_.sd[i];
      worst.emplace_back(std::sqrt(error / static_cast<double>(n_)) * moments_.sd[i] + of_position, i);
    }
    std::stable_sort(worst.begin(), worst.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
    for (std::size_t k = 0; k < worst.size() && k < named; ++k)
      if (k == 0 || worst[k].first > 0.3 * worst[0].first) check_.parameters.push_back(names[worst[k].second]);
  }

  static constexpr std::size_t named = 3;
  static constexpr double nearly_collinear = 0.99;

  const Model& model_;
  std::size_t dimension_, n_;
  Numbers points_;
  const ValuesOn& single_;
  PrecisionCheck& check_;
  Numbers exact_, gradients_;  ///< in double, where single precision stands
  Moments moments_;
  std::vector<std::size_t> closest_;  ///< components that move together
};

/// Range of the posterior, and of single precision.
void check_range(const Model& model, const Settings& settings, const Numbers& points, PrecisionCheck& check) {
  const PrecisionReach reach = reach_of(model, settings, Precision::single_precision, points);
  const std::vector<std::string>& names = model.layout().unconstrained_names;
  check.lost = reach.lost;
  check.raised = reach.raised;
  if (reach.lost > lost_limit)
    check.beyond = names[reach.lost_along];
  else if (reach.raised > raised_limit)
    check.beyond = names[reach.raised_along];
  check.enough = check.enough && check.beyond.empty();
}

/// Says in words of whose density single precision has no digits left in a neck, which no draws from paths see.
std::string cancels_in_neck(const Layout& layout) {
  for (const DependentScale& leaf : layout.dependent_scales)
    if (leaf.cancels)
      return fmt::format("the density of {} is a difference of large terms where {} makes its scale small",
                         layout.unconstrained_names[leaf.component], layout.unconstrained_names[leaf.hypers.front()]);
  return "";
}

}  // namespace

bool can_look(const Model& model, const SamplerInfo& sampler) {
  const ModelBinding& bound = model.bound();
  return accepts_by_density(sampler, model) && bound.gives.density && model.has_gradient() &&
         model.layout().integers == 0 && !bound.double_only;
}

std::vector<double> draws_near_posterior(const Model& model, const Settings& settings, std::uint64_t seed) {
  const std::size_t d = model.layout().dimension;
  StartsWanted wanted;
  wanted.count = draws;
  wanted.seed = seed;
  wanted.first_path = max_chains - paths;  // numbers that no path of a run has
  wanted.threads = threads_of_setting(settings.threads);
  wanted.cancel = settings.cancel;
  const Numbers uniform = settings.warmup.initial_points.empty()
                              ? uniform_points(model, paths, settings.warmup.initial_radius, seed)
                              : Numbers();
  for (std::size_t p = 0; p < paths; ++p) {
    Numbers& from = wanted.from.emplace_back(d);
    for (std::size_t i = 0; i < d; ++i)
      from[i] = uniform.empty() ? settings.warmup.initial_points[i * settings.chains + p % settings.chains]
                                : uniform[p * d + i];
  }
  const FoundStarts starts = find_starts(model, wanted);
  Numbers points;
  for (std::size_t k = 0; k < draws; ++k)
    if (starts.drawn[k])
      points.insert(points.end(), starts.points.begin() + static_cast<std::ptrdiff_t>(k * d),
                    starts.points.begin() + static_cast<std::ptrdiff_t>((k + 1) * d));
  return points;
}

PrecisionCheck compare_precisions(const Model& model, const Settings& settings, const SamplerInfo& sampler) {
  if (!can_look(model, sampler)) return {};
  return compare_precisions(model, settings, draws_near_posterior(model, settings));
}

PrecisionCheck compare_precisions(const Model& model, const Settings& settings, const Numbers& points) {
  PrecisionCheck check;
  if (points.empty()) {
    check.found = settings.cancel && settings.cancel->load();
    if (!check.found) name_unscaled(model, uniform_points(model, 1, settings.warmup.initial_radius, 0), check);
    return check;
  }
  check.failure = cancels_in_neck(model.layout());
  if (!check.failure.empty()) {
    check.looked = true;
    check.enough = false;
    return check;
  }
  Settings single = settings;
  single.precision = Precision::single_precision;
  single.backend = Backend::cpu;
  try {
    const ValuesOn values = values_on(model, single, points, points.size() / model.layout().dimension);
    Look(model, points, values, check)();
    check_range(model, single, points, check);
  } catch (const BadInput& error) {  // data that do not fit into single precision
    check.looked = true;
    check.enough = false;
    check.failure = error.what();
  }
  return check;
}

void choose_precision(const Model& model, const SamplerInfo& sampler, Settings& settings, Result& result) {
  if (settings.precision == Precision::double_precision) return;
  result.precision.chosen = settings.precision == Precision::automatic;
  if (!result.precision.chosen && !wants_paths(model, settings, sampler)) return;
  const PrecisionCheck check = result.precision.check = can_compare_draws(model, sampler)
                                                            ? compare_precisions_of_draws(model, settings)
                                                            : compare_precisions(model, settings, sampler);
  // Nothing speaks for single precision if no path finds the posterior.
  if (result.precision.chosen)
    settings.precision = check.found && check.enough ? Precision::single_precision : Precision::double_precision;
}

std::string precision_fault(const PrecisionCheck& check) {
  if (check.enough && check.found) return "";
  if (!check.failure.empty()) return check.failure;
  if (!check.found) {  // the data that are named need not be the cause
    const std::string data =
        check.unscaled.empty() ? "" : fmt::format(" (not centred: {})", fmt::join(check.unscaled, ", "));
    return "no path found the posterior, where single could be looked at: the model may be improper, or the data "
           "unscaled" +
           data + "; manychain check looks at the model";
  }
  if (!check.beyond.empty() && check.lost > lost_limit)
    return fmt::format("{} of {} lies where single precision has no finite log density", percent(check.lost),
                       check.beyond);
  if (!check.beyond.empty())
    return fmt::format("far out along {} rounding raises the log density by {:.2g}", check.beyond, check.raised);
  std::string text = fmt::format("at the posterior rounding changes {} of accept decisions",
                                 percent(std::max(check.decisions_changed, check.positions_changed)));
  if (check.gradient_error > gradient_limit)
    text += fmt::format(" and {} of the gradient", percent(check.gradient_error));
  if (check.correlation != 0)
    text += fmt::format("; {} are nearly collinear (correlation {:.7f})", fmt::join(check.parameters, " and "),
                        check.correlation);
  else if (check.smallest_eigenvalue < eigenvalue_limit)
    text += fmt::format("; {} are nearly collinear", fmt::join(check.parameters, ", "));
  else if (!check.parameters.empty())
    text += fmt::format("; most by {}", fmt::join(check.parameters, ", "));
  return text;
}

std::string precision_cure(const PrecisionCheck& check) {
  if (check.unscaled.empty()) return "";
  // The data need not be the cause if no path found the posterior.
  return fmt::format("{}centre and scale {}", check.found ? "" : "if the model is right, ",
                     fmt::join(check.unscaled, ", "));
}

std::string beyond_precision(const Model& model, const SamplerInfo& sampler, const Settings& settings,
                             const std::vector<double>& points) {
  if (!can_look(model, sampler)) return "";
  const PrecisionReach reach = reach_of(model, settings, settings.precision, points);
  if (!(reach.lost > cut_off_limit)) return "";
  return fmt::format("{} of {} lies where {} precision has no finite log density", percent(reach.lost),
                     model.layout().unconstrained_names[reach.lost_along],
                     settings.precision == Precision::single_precision ? "single" : "double");
}

std::string precision_described(const Result& result) {
  const PrecisionCheck& check = result.precision.check;
  if (!result.precision.chosen) return "";
  if (!check.looked && check.found) return "precision single; the posterior was not looked at";
  if (check.enough && check.found && std::isnan(check.decisions_changed))
    return "precision single: short runs in both precisions draw the same quantities";
  if (check.enough && check.found)
    return fmt::format("precision single: rounding changes {} of accept decisions",
                       percent(std::max(check.decisions_changed, check.positions_changed)));
  const std::string cure = check.found ? precision_cure(check) : "";
  return "precision double: " + precision_fault(check) + (cure.empty() ? "" : "; " + cure);
}

}  // namespace manychain
