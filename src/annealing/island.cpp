#include "annealing/island.hpp"

#include <algorithm>
#include <cmath>

namespace manychain {
namespace {

constexpr int leapfrogs = 5;
constexpr double target_acceptance = 0.8, gain = 1.5;  // of the logarithm of a step, from one temperature to the next
constexpr double shortest_step = 0.3;                  // of the longest one, each particle its own
constexpr double degenerate = 0.5;                     // effective part of the particles
constexpr std::uint64_t other_uniforms = std::uint64_t{1} << 37, resampling = std::uint64_t{1} << 36;

}  // namespace

double log_add(double a, double b) {
  const double largest = std::max(a, b);
  return largest == minus_infinity ? largest : largest + std::log1p(std::exp(std::min(a, b) - largest));
}

double log_sum(const std::vector<double>& logs) {
  double sum = minus_infinity;
  for (const double x : logs) sum = log_add(sum, x);
  return sum;
}

Island::Island(const DensityEvaluator& density, const Reference& reference, std::vector<double> points,
               IslandPlace place)
    : density_(density), reference_(reference), place_(place) {
  const std::size_t d = reference.dimension();
  x_ = Eigen::Map<const Eigen::MatrixXd>(points.data(), eigen_index(d), eigen_index(points.size() / d));
  log_weights_.assign(points.size() / d, 0.0);
  at_ = evaluate(x_);
}

/// A point without a finite density or gradient is outside of the support.
Island::Densities Island::evaluate(const Eigen::MatrixXd& x) {
  const std::size_t count = static_cast<std::size_t>(x.cols());
  Densities at{std::vector<double>(count), std::vector<double>(count), Eigen::MatrixXd(x.rows(), x.cols()),
               Eigen::MatrixXd(x.rows(), x.cols())};
  density_(x.data(), count, at.model.data(), at.model_slope.data());
  reference_.evaluate(x.data(), count, at.reference.data(), at.reference_slope.data());
  evaluations_ += count;
  for (std::size_t k = 0; k < count; ++k) {
    if (std::isfinite(at.model[k]) && at.model_slope.col(eigen_index(k)).allFinite()) continue;
    at.model[k] = minus_infinity;
    at.model_slope.col(eigen_index(k)).setZero();
  }
  return at;
}

ChainsOfStream Island::particles(std::uint64_t use) const {
  return {place_.seed, Purpose::annealing, place_.first, place_.round << 24 | steps_ | use};
}

double Island::tempered(const Densities& at, std::size_t k) const {
  return at.model[k] == minus_infinity ? minus_infinity : (1 - inverse_) * at.reference[k] + inverse_ * at.model[k];
}
Eigen::MatrixXd Island::slope(const Densities& at) const {
  return (1 - inverse_) * at.reference_slope + inverse_ * at.model_slope;
}

StepFound Island::step(double inverse, double log_step, bool moves, bool adapts) {
  StepFound found{log_sum(log_weights_), minus_infinity, minus_infinity, log_step + correction_};
  double squares = minus_infinity;
  for (std::size_t k = 0; k < log_weights_.size(); ++k) {
    const double change =
        at_.model[k] == minus_infinity ? minus_infinity : (inverse - inverse_) * (at_.model[k] - at_.reference[k]);
    found.log_first = log_add(found.log_first, log_weights_[k] + change);
    found.log_second = log_add(found.log_second, log_weights_[k] + 2 * change);
    log_weights_[k] += change;
    squares = log_add(squares, 2 * log_weights_[k]);
  }
  inverse_ = inverse;
  ++steps_;
  const double effective = std::exp(2 * found.log_first - squares);
  if (found.log_first > minus_infinity && effective < degenerate * static_cast<double>(log_weights_.size())) resample();
  if (!moves || found.log_first == minus_infinity) return found;
  const double acceptance = move(log_step + correction_);
  if (adapts) correction_ += gain * (acceptance - target_acceptance);
  found.log_step = log_step + correction_;
  return found;
}

/// The systematic scheme: all then have the mean of the weights.
void Island::resample() {
  const std::size_t n = log_weights_.size();
  const double all = log_sum(log_weights_);
  double begin = 0;
  chain_uniforms(particles(resampling), 1, 1, &begin);
  double sum = 0;
  std::size_t next = 0;
  std::vector<Eigen::Index> chosen;
  for (std::size_t k = 0; k < n; ++k) {
    sum += std::exp(log_weights_[k] - all) * static_cast<double>(n);
    for (; next < n && static_cast<double>(next) + begin <= sum; ++next) chosen.push_back(eigen_index(k));
  }
  const auto heaviest = std::max_element(log_weights_.begin(), log_weights_.end()) - log_weights_.begin();
  chosen.resize(n, heaviest);  // what rounding has left
  const Eigen::MatrixXd x = x_;
  const Densities at = at_;
  for (std::size_t k = 0; k < n; ++k) {
    const Eigen::Index from = chosen[k], to = eigen_index(k);
    x_.col(to) = x.col(from);
    at_.model[k] = at.model[static_cast<std::size_t>(from)];
    at_.reference[k] = at.reference[static_cast<std::size_t>(from)];
    at_.model_slope.col(to) = at.model_slope.col(from);
    at_.reference_slope.col(to) = at.reference_slope.col(from);
  }
  log_weights_.assign(n, all - std::log(static_cast<double>(n)));
  ++resampled_;
}

/// A transition of HMC. Returns the acceptance rate, particles by their weights.
double Island::move(double log_step) {
  const std::size_t n = log_weights_.size();
  const Eigen::Index columns = eigen_index(n);
  Eigen::MatrixXd z(x_.rows(), columns);
  Eigen::RowVectorXd steps(columns);
  std::vector<double> accepts(n);
  chain_normals(particles(0), n, static_cast<std::size_t>(x_.rows()), z.data(), accepts.data());
  chain_uniforms(particles(other_uniforms), n, 1, steps.data());
  steps = std::exp(log_step) * (shortest_step + (1 - shortest_step) * steps.array());
  const Eigen::RowVectorXd kinetic = 0.5 * z.colwise().squaredNorm();
  Eigen::MatrixXd x = x_;
  Densities at = at_;
  std::vector<bool> inside(n, true);
  // Half a step of the momentum: the end of one leapfrog, and the begin of the next one.
  const auto half_kick = [&]() -> Eigen::MatrixXd {
    Eigen::MatrixXd force = slope(at);
    reference_.scale(force.data(), n, true);
    return 0.5 * (force * steps.asDiagonal());
  };
  Eigen::MatrixXd kick = half_kick();
  for (int l = 0; l < leapfrogs; ++l) {
    z += kick;
    Eigen::MatrixXd moved = z * steps.asDiagonal();
    reference_.scale(moved.data(), n, false);
    x += moved;
    for (std::size_t k = 0; k < n; ++k)
      if (!x.col(eigen_index(k)).allFinite()) {
        inside[k] = false;
        x.col(eigen_index(k)) = x_.col(eigen_index(k));
        z.col(eigen_index(k)).setZero();
      }
    at = evaluate(x);
    for (std::size_t k = 0; k < n; ++k) inside[k] = inside[k] && at.model[k] > minus_infinity;
    kick = half_kick();
    z += kick;
  }
  const Eigen::RowVectorXd end = 0.5 * z.colwise().squaredNorm();
  double accepted = 0, all = 0;
  const double largest = *std::max_element(log_weights_.begin(), log_weights_.end());
  for (std::size_t k = 0; k < n; ++k) {
    if (log_weights_[k] == minus_infinity) continue;
    const Eigen::Index column = eigen_index(k);
    const double change = tempered(at, k) - end(column) - tempered(at_, k) + kinetic(column);
    const double rate = inside[k] && !std::isnan(change) ? std::min(1.0, std::exp(change)) : 0;
    const double weight = std::exp(log_weights_[k] - largest);
    accepted += weight * rate;
    all += weight;
    if (!(accepts[k] <= rate)) continue;
    x_.col(column) = x.col(column);
    at_.model[k] = at.model[k];
    at_.reference[k] = at.reference[k];
    at_.model_slope.col(column) = at.model_slope.col(column);
    at_.reference_slope.col(column) = at.reference_slope.col(column);
  }
  return accepted / all;
}

}  // namespace manychain
