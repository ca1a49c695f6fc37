#include "starts/pathfinder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/linear_algebra.hpp"
#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"
#include "starts/curvature.hpp"
#include "starts/line_search.hpp"
#include "starts/mean_field.hpp"
#include "starts/measured_hessian.hpp"

namespace manychain {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using DenseVector = Eigen::VectorXd;

constexpr double converged_below = 1e-5;  ///< g^T H g: twice what the log density may still gain
constexpr double still_moving = 1e-2;     ///< the same by the measured Hessian: above it the path goes on
constexpr double first_difference = 1e-5, later_difference = 1e-3;  ///< of gradients, in units of the factor
constexpr std::size_t most_rounds = 4;                              ///< of path and measured Hessian
constexpr double least_gain = 1e-3;                                 ///< of log density, of a step that gets on
constexpr std::size_t most_standstills = 3;                         ///< steps in a row that gain nothing
constexpr double close_to_normal = 0.02;    ///< spread of log p - log q; 0.7 if the scale of one direction is useless
constexpr double good_enough = 1;           ///< the same: no other point of the path can be much better
constexpr double indistinguishable = 0.2;   ///< lower bounds of two approximations at one point
constexpr std::size_t first_draws = 3;      ///< draws, after which a candidate is dropped that lies
constexpr double far_below_best = 10;       ///< so far below the best
constexpr double least_in_support = 0.2;    ///< part of the draws
constexpr double flat_at = 100;             ///< standard deviations at which the log density must have fallen
constexpr double flat_fall = 2;             ///< by this much
constexpr double stretched = 1e-3;          ///< curvature, against what the approximation said: look whether it is flat
constexpr double rounded = 0.01;            ///< asymmetry of a Hessian that is measured again, in its own units
constexpr double spike_below = 30;          ///< what the lower bound has fallen by where a path is in a spike
constexpr std::size_t look_every = 8;       ///< steps, for that
constexpr std::size_t few_dimensions = 32;  ///< in which the Hessian is measured for each candidate
constexpr std::size_t equilibrations = 24;
constexpr std::size_t most_handfuls = 10;

/// The uses of random numbers, in the place of a transition.
enum : std::uint64_t { for_elbo = 0, for_signs = 1, for_starts = 2, for_deviations = 3, for_mean_field = 4 };

/// Independent standard normals, and a uniform on (0, 1]: those of a path, a use and a number.
double draw_normals(std::uint64_t seed, std::uint64_t path, std::uint64_t use, std::uint64_t number,
                    std::vector<double>& z) {
  const Stream<Scalar<double>> stream(seed, Purpose::pathfinder, path, use << 36 | number);
  return normals_and_uniform(stream, Size<dynamic>(static_cast<int>(z.size())),
                             [&](int i, Scalar<double> x) { z[static_cast<std::size_t>(i)] = x.v; })
      .v;
}

/// Draws from a normal approximation, a column each.
struct DrawnFromNormal {
  DenseMatrix points;
  std::vector<double> log_densities, uniforms;

  /// draw(k, z) fills z with standard normals, and gives a uniform.
  template <class Draw>
  DrawnFromNormal(const NormalApproximation& normal, std::size_t count, const Draw& draw)
      : points(eigen_index(normal.dimension()), eigen_index(count)) {
    std::vector<double> z(normal.dimension());
    for (std::size_t k = 0; k < count; ++k) {
      uniforms.push_back(draw(k, z));
      normal.transform(z.data(), points.col(eigen_index(k)).data());
      log_densities.push_back(normal.log_density(z.data()));
    }
  }
};

DenseMatrix covariance_factor(const NormalApproximation& normal) {
  const Eigen::Index n = eigen_index(normal.dimension());
  return Eigen::Map<const DenseVector>(normal.scale.data(), n).asDiagonal() *
         Eigen::Map<const DenseMatrix>(normal.factor.data(), n, n);
}

/// Makes vectors at least as long as a standard deviation of a dense approximation along each: 1 / |L^-1 v| for v.
void reach(const NormalApproximation& normal, std::vector<DenseVector>& vectors) {
  const ThinQr qr = thin_qr(covariance_factor(normal));
  for (DenseVector& v : vectors) {
    const DenseVector turned = qr.q.transpose() * v;
    v *= std::max(1.0, 1 / qr.r.triangularView<Eigen::Upper>().solve(turned).norm());
  }
}

/// A point of the path, and what was known of the curvature there.
struct Candidate {
  DensityPoint at;
  std::shared_ptr<const Curvature> curvature;

  /// Around where a Newton step leads.
  std::optional<NormalApproximation> normal() const { return curvature->normal(at.x - curvature->times(at.gradient)); }
};

struct Scored {
  NormalApproximation normal;
  double elbo = -HUGE_VAL, spread = HUGE_VAL, highest = -HUGE_VAL;
};

class Search {
 public:
  Search(const DensityEvaluator& density, std::uint64_t seed, std::uint64_t path_number, const PathfinderPlan& plan)
      : seed_(seed), path_number_(path_number), plan_(plan), f_(density) {}

  Path run(const std::vector<double>& start);

 private:
  std::unique_ptr<Curvature> first_curvature();
  PathEnd descend(Curvature& curvature);
  void move_to(DensityPoint next, const Curvature& curvature);
  Scored score(const NormalApproximation& normal, double best, std::size_t draws);
  Scored score(const NormalApproximation& normal) { return score(normal, -HUGE_VAL, plan_.elbo_draws); }
  double glance(const Candidate& candidate);
  void look_at(std::size_t k, const Candidate*& best);
  std::optional<MeasuredHessian> measure(const DensityPoint& at, const NormalApproximation& normal);
  void keep_better(Scored scored) {
    if (scored.elbo > best_.elbo) best_ = std::move(scored);
  }
  PathEnd follow(std::unique_ptr<Curvature> curvature);
  void look_back();
  void look_at_independent_components();
  void add_flat_axes(const DenseVector& mean, const DenseVector& sds);
  void look_for_flat_axes();
  bool goes_on_for_ever(const NormalApproximation& normal);

  std::uint64_t seed_, path_number_;
  const PathfinderPlan& plan_;
  NegativeLogDensity f_;
  bool dense_ = true;
  DensityPoint now_, lowest_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<double>> normals_;  ///< of score(): the same for all candidates
  Scored best_;
  std::vector<DenseVector> flat_;  ///< directions in which a measured Hessian says next to nothing
  double glanced_ = -HUGE_VAL;     ///< the highest lower bound seen on the way, roughly
  std::size_t iterations_ = 0;
};

/// Dense: |H| at the start. Otherwise equilibrated scales.
std::unique_ptr<Curvature> Search::first_curvature() {
  const Eigen::Index n = now_.x.size();
  if (dense_) {
    auto guess = measure_hessian(f_, now_, DenseMatrix::Identity(n, n), 0, first_difference, 0);
    if (guess && guess->asymmetry > rounded)
      if (auto again = measure_hessian(f_, now_, guess->factor, guess->log_determinant, later_difference, 0))
        guess = std::move(again);
    return dense_curvature(guess ? guess->factor : DenseMatrix(DenseMatrix::Identity(n, n) / now_.gradient.norm()));
  }
  const auto signs = [&](std::size_t round) {
    std::vector<double> z(static_cast<std::size_t>(n));
    draw_normals(seed_, path_number_, for_signs, round, z);
    return z;
  };
  const DenseVector scale = equilibrate(f_, now_, equilibrations, signs, first_difference);
  return limited_curvature(scale.cwiseAbs2(), plan_.history);
}

void Search::move_to(DensityPoint next, const Curvature& curvature) {
  now_ = std::move(next);
  if (now_.value < lowest_.value) lowest_ = now_;
  candidates_.push_back({now_, std::shared_ptr<const Curvature>(curvature.clone())});
}

PathEnd Search::descend(Curvature& curvature) {
  std::size_t standstills = 0, below = 0;
  double before = -HUGE_VAL;
  while (iterations_ < plan_.max_iterations && f_.evaluations() < plan_.max_evaluations) {
    const DenseVector direction = -curvature.times(now_.gradient);
    const double decrement = -direction.dot(now_.gradient);
    if (decrement == 0 || decrement < converged_below) return PathEnd::converged;
    if (!std::isfinite(decrement)) return PathEnd::stuck;
    if (++iterations_ % look_every == 0) {
      const double elbo = glance(candidates_.back());
      below = elbo < glanced_ - spike_below ? below + 1 : 0;
      if (below >= 2 && elbo <= before) return PathEnd::spike;
      before = elbo;
      glanced_ = std::max(glanced_, elbo);
    }
    LineResult result;
    DensityPoint next = step_along(std::ref(f_), now_, direction, result);
    const double gain = now_.value - next.value;
    if (!result.wolfe && !(gain > 0)) return PathEnd::stuck;
    curvature.update(next.x - now_.x, next.gradient - now_.gradient);
    move_to(std::move(next), curvature);
    if (result.unbounded) return PathEnd::unbounded;
    standstills = result.wolfe && gain > least_gain ? 0 : standstills + 1;
    if (standstills >= most_standstills) return PathEnd::stuck;
  }
  return PathEnd::iterations;
}

/// The evidence lower bound (Zhang and others 2022, equation 5) of the approximation, cut off where the density is
/// zero: with a part `inside` of the draws in the support, log q is larger by -log(inside). The same draws for all
/// candidates.
Scored Search::score(const NormalApproximation& normal, double best, std::size_t draws) {
  Scored scored{normal};
  double sum = 0, squares = 0, shift = 0;
  std::size_t inside = 0;
  const auto look_at_draws = [&](std::size_t first, std::size_t end) {
    for (std::size_t k = normals_.size(); k < end; ++k) {
      normals_.emplace_back(normal.dimension());
      draw_normals(seed_, path_number_, for_elbo, k, normals_.back());
    }
    DenseMatrix points(eigen_index(normal.dimension()), eigen_index(end - first));
    for (std::size_t k = first; k < end; ++k)
      normal.transform(normals_[k].data(), points.col(eigen_index(k - first)).data());
    const DensityColumns there = f_.at_columns(points);
    for (std::size_t k = first; k < end; ++k) {
      const Eigen::Index column = eigen_index(k - first);
      if (!there.finite(column)) continue;
      const double ratio = -there.values(column) - normal.log_density(normals_[k].data());
      if (inside++ == 0) shift = ratio;
      sum += ratio - shift;
      squares += (ratio - shift) * (ratio - shift);
      scored.highest = std::max(scored.highest, ratio);
    }
  };
  const std::size_t first = std::isfinite(best) ? std::min(first_draws, draws) : draws;
  look_at_draws(0, first);
  if (first < draws) {
    if (inside == 0 || shift + sum / static_cast<double>(inside) < best - far_below_best) return scored;
    look_at_draws(first, draws);
  }
  const double count = static_cast<double>(inside), part = count / static_cast<double>(draws);
  if (inside < 2 || part < least_in_support) return scored;
  scored.elbo = shift + sum / count + std::log(part);
  scored.spread = std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1))) - std::log(part);
  if (!std::isfinite(scored.elbo)) scored.elbo = -HUGE_VAL;
  return scored;
}

std::optional<MeasuredHessian> Search::measure(const DensityPoint& at, const NormalApproximation& normal) {
  auto measured =
      measure_hessian(f_, at, covariance_factor(normal), normal.log_determinant, later_difference, stretched);
  if (!measured) return measured;
  const DenseVector move = -(measured->factor * (measured->factor.transpose() * at.gradient));
  const Scored ahead = score(dense_normal(at.x + move, measured->factor, measured->log_determinant));
  // Its scales are better than those of BFGS, which ten draws cannot always tell.
  if (ahead.elbo > best_.elbo - indistinguishable) best_ = ahead;
  if (ahead.spread > good_enough)  // the Newton step may lead too far
    keep_better(score(dense_normal(at.x, measured->factor, measured->log_determinant), best_.elbo, plan_.elbo_draws));
  flat_.insert(flat_.end(), measured->flat.begin(), measured->flat.end());
  return measured;
}

/// To the end of the path. In few dimensions what BFGS has learnt is held against the measured Hessian, with which the
/// path goes on if that promises more.
PathEnd Search::follow(std::unique_ptr<Curvature> curvature) {
  move_to(now_, *curvature);
  double before = now_.value;
  for (std::size_t round = 1;; ++round) {
    const PathEnd end = descend(*curvature);
    const auto normal = candidates_.back().normal();
    if (end == PathEnd::spike || !normal) return end;
    keep_better(score(*normal));
    if (!dense_ || (end == PathEnd::converged && best_.spread < close_to_normal)) return end;
    const auto measured = measure(now_, *normal);
    const bool finished = end == PathEnd::iterations || end == PathEnd::unbounded;
    if (!measured || finished || round == most_rounds || (round > 1 && before - now_.value < least_gain)) return end;
    before = now_.value;
    const double decrement = (measured->factor.transpose() * now_.gradient).squaredNorm();
    if (decrement < still_moving) return PathEnd::converged;
    curvature = dense_curvature(measured->factor);
    move_to(now_, *curvature);
  }
}

/// A rough evidence lower bound of a point of the path.
double Search::glance(const Candidate& candidate) {
  const auto normal = candidate.normal();
  return normal ? score(*normal, -HUGE_VAL, first_draws).elbo : -HUGE_VAL;
}

void Search::look_at(std::size_t k, const Candidate*& best) {
  const auto normal = candidates_[k].normal();
  if (!normal) return;
  const double before = best_.elbo;
  keep_better(score(*normal, before, plan_.elbo_draws));
  if (normal->dimension() <= few_dimensions && dense_) measure(candidates_[k].at, *normal);
  if (best_.elbo > before) best = &candidates_[k];
}

/// For a path whose end is not good: points 0, 1, 2, 3, 5, 8, ... of it. A path falls into a spike fast.
void Search::look_back() {
  const Candidate* best = nullptr;
  for (std::size_t k = 0, next = 1; k < candidates_.size(); k = std::exchange(next, k + std::max<std::size_t>(next, 1)))
    look_at(k, best);
  if (best && dense_ && best_.normal.dimension() > few_dimensions) measure(best->at, best_.normal);
}

/// From the best approximation of the path. The Hessian where they lead tells how components depend on each other.
void Search::look_at_independent_components() {
  const std::size_t n = best_.normal.dimension();
  const auto draw = [&](std::size_t k) {
    std::vector<double> z(n);
    draw_normals(seed_, path_number_, for_mean_field, k, z);
    return z;
  };
  const MeanField fitted =
      fit_mean_field(f_, {best_.normal.mean, best_.normal.marginal_sds()}, draw, plan_.mean_field_evaluations);
  const DenseVector mean = Eigen::Map<const DenseVector>(fitted.mean.data(), eigen_index(n)),
                    sds = Eigen::Map<const DenseVector>(fitted.sds.data(), eigen_index(n));
  const bool measures = n <= plan_.most_measured;
  const auto curvature = measures ? dense_curvature(sds.asDiagonal()) : limited_curvature(sds.cwiseAbs2(), 0);
  const auto normal = curvature->normal(mean);
  if (!normal) return;
  keep_better(score(*normal, best_.elbo, plan_.elbo_draws));
  if (!measures) return;
  measure(f_(mean), *normal);
  add_flat_axes(mean, sds);
}

/// The axes along which the log density has not fallen far out: an improper posterior has room for components of any
/// width.
void Search::add_flat_axes(const DenseVector& mean, const DenseVector& sds) {
  const Eigen::Index n = mean.size();
  DenseMatrix points(n, 2 * n);
  points.leftCols(n) = (flat_at * sds).asDiagonal();
  points.rightCols(n) = -points.leftCols(n);
  points.colwise() += mean;
  const DenseVector values = f_.at_columns(points).values;
  const double fallen = f_(mean).value + flat_fall;
  for (Eigen::Index i = 0; i < n; ++i)
    if (values(i) < fallen || values(n + i) < fallen) flat_.push_back(sds(i) * DenseVector::Unit(n, i));
}

/// In many dimensions: axes along which the gradient has been zero all the way.
void Search::look_for_flat_axes() {
  for (Eigen::Index i = 0; i < now_.x.size(); ++i)
    if (now_.gradient(i) == 0 && candidates_.front().at.gradient(i) == 0)
      flat_.push_back(DenseVector::Unit(now_.x.size(), i) *
                      std::max(1.0, best_.normal.scale[static_cast<std::size_t>(i)]));
}

/// True where the log density has not fallen far out, along a direction that looked flat. It may have looked so in
/// another place, where all scales are smaller: far is what the approximation says, too.
bool Search::goes_on_for_ever(const NormalApproximation& normal) {
  if (flat_.empty()) return false;
  const DenseVector mean = Eigen::Map<const DenseVector>(normal.mean.data(), eigen_index(normal.dimension()));
  const double centre = f_(mean).value;
  if (normal.basis.empty()) reach(normal, flat_);
  for (const DenseVector& direction : flat_)
    for (const double side : {-flat_at, flat_at})
      if (const double there = f_(mean + side * direction).value; there <= centre || there < centre + flat_fall)
        return true;
  return false;
}

Path Search::run(const std::vector<double>& start) {
  Path path;
  dense_ = start.size() <= plan_.most_dense;
  now_ = f_(Eigen::Map<const DenseVector>(start.data(), eigen_index(start.size())));
  lowest_ = now_;
  const double farthest = now_.value - plan_.near * static_cast<double>(start.size());
  if (now_.finite() && !start.empty()) {
    path.end = follow(first_curvature());
    path.began_near = path.end == PathEnd::converged && std::isfinite(best_.elbo) && farthest < lowest_.value;
    const bool good = path.end == PathEnd::converged && best_.spread < good_enough;
    if (!path.began_near && (!good || glanced_ > best_.elbo + far_below_best)) look_back();
    const bool nearly_good = path.end == PathEnd::converged && (path.began_near || best_.spread < nearly_normal);
    if (!nearly_good && std::isfinite(best_.elbo) && plan_.mean_field_evaluations > 0) {
      const double before = best_.elbo;
      look_at_independent_components();
      path.left_a_spike = best_.elbo > before;
    }
    if (!dense_ && std::isfinite(best_.elbo)) look_for_flat_axes();
    path.found = std::isfinite(best_.elbo) && !goes_on_for_ever(best_.normal);
  }
  path.normal = best_.normal;
  if (std::isfinite(best_.elbo)) path.sds = best_.normal.marginal_sds();
  path.elbo = best_.elbo;
  path.elbo_spread = best_.spread;
  path.highest_ratio = best_.highest;
  path.best_point = {lowest_.x.data(), lowest_.x.data() + lowest_.x.size()};
  path.best_log_density = -lowest_.value;
  path.iterations = iterations_;
  path.evaluations = f_.evaluations();
  return path;
}

}  // namespace

bool alike(const Path& a, const Path& b) {
  double distance = 0, ratio = 0;
  for (std::size_t i = 0; i < a.sds.size(); ++i) {
    const double apart = a.normal.mean[i] - b.normal.mean[i], sd = std::min(a.sds[i], b.sds[i]);
    distance = std::max(distance, std::fabs(apart) / sd);
    ratio = std::max(ratio, std::fabs(std::log(a.sds[i] / b.sds[i])));
  }
  return distance < 1 && ratio < std::log(2.0);
}

Path pathfinder(const DensityEvaluator& density, const std::vector<double>& start, std::uint64_t seed,
                std::uint64_t path_number, const PathfinderPlan& plan) {
  return Search(density, seed, path_number, plan).run(start);
}

DrawnStarts draw_starts(const DensityEvaluator& density, const Path& path, std::size_t count, std::uint64_t seed,
                        std::uint64_t path_number, const PathfinderPlan& plan) {
  const std::size_t n = path.best_point.size();
  DrawnStarts starts{std::vector<double>(count * n), std::vector<double>(count), 0};
  NegativeLogDensity f(density);
  for (std::size_t d = 0; d < count; ++d) {
    // The draw from a handful with weights w_k has the largest log w_k + G_k, with G_k of the standard Gumbel
    // distribution.
    double best = -HUGE_VAL;
    starts.log_densities[d] = path.best_log_density;
    double* const start = starts.points.data() + d * n;
    std::copy(path.best_point.begin(), path.best_point.end(), start);
    for (std::size_t tried = 0; path.found && tried < most_handfuls && !std::isfinite(best); ++tried) {
      const std::size_t first = (d * most_handfuls + tried) * plan.handful;
      const DrawnFromNormal drawn(path.normal, plan.handful, [&](std::size_t k, std::vector<double>& z) {
        return draw_normals(seed, path_number, for_starts, first + k, z);
      });
      const DensityColumns there = f.at_columns(drawn.points);
      for (std::size_t k = 0; k < plan.handful; ++k) {
        const Eigen::Index column = eigen_index(k);
        const double u = drawn.uniforms[k];
        const double key = -there.values(column) - drawn.log_densities[k] - std::log(-std::log(u < 1 ? u : 0.5));
        if (!there.finite(column) || !(key > best)) continue;
        best = key;
        starts.log_densities[d] = -there.values(column);
        std::copy_n(drawn.points.col(column).data(), n, start);
      }
    }
  }
  starts.evaluations = f.evaluations();
  return starts;
}

std::vector<double> draw_deviations(const Path& path, std::size_t count, std::uint64_t seed,
                                    std::uint64_t path_number) {
  const std::size_t n = path.normal.dimension();
  std::vector<double> z(n), deviations(count * n);
  for (std::size_t k = 0; k < count; ++k) {
    draw_normals(seed, path_number, for_deviations, k, z);
    double* const x = deviations.data() + k * n;
    path.normal.transform(z.data(), x);
    for (std::size_t i = 0; i < n; ++i) x[i] -= path.normal.mean[i];
  }
  return deviations;
}

}  // namespace manychain
