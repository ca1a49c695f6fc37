#include "annealing/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/linear_algebra.hpp"
#include "random/chain_variates.hpp"

namespace manychain {
namespace {

constexpr double singular = 1e-6;
constexpr double same_shape = 1e-10;                                  // relative difference of factors, by rounding
constexpr std::uint64_t draws_of_reference = std::uint64_t{1} << 38;  // in the place of a transition
constexpr std::uint64_t begin_of_turns = max_chains - 1;              // in the place of a particle

using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;

ConstVector vector_of(const std::vector<double>& x) { return {x.data(), eigen_index(x.size())}; }
ConstMatrix factor_of(const ReferencePart& part) {
  const Eigen::Index d = eigen_index(part.mean.size());
  return {part.factor.data(), d, d};
}
Eigen::VectorXd sds_of(const ReferencePart& part) {
  if (part.factor.empty()) return vector_of(part.scale);
  return factor_of(part).rowwise().norm();
}

double constant_of(const ReferencePart& part) {
  return std::log(part.share) - part.log_determinant -
         0.5 * static_cast<double>(part.mean.size()) * std::log(2 * std::numbers::pi);
}
/// L^-1 (x - mean).
Eigen::VectorXd standardised(const ReferencePart& part, const ConstVector& point) {
  Eigen::VectorXd z = point - vector_of(part.mean);
  if (part.factor.empty()) return z.cwiseQuotient(vector_of(part.scale));
  factor_of(part).triangularView<Eigen::Lower>().solveInPlace(z);
  return z;
}

TriangularMatrix transposed(const Eigen::MatrixXd& lower) {
  const Eigen::MatrixXd upper = lower.transpose();
  return {upper.data(), static_cast<std::size_t>(upper.rows()), false};
}

/// The number c of parts N(mean, L L^T) and N(mean, c^2 L L^T), both dense; 0: they are no such parts.
double multiple_of(const ReferencePart& part, const ReferencePart& other) {
  if (part.factor.empty() || other.factor.empty() || part.mean != other.mean) return 0;
  const double c = other.factor[0] / part.factor[0];
  const ConstMatrix a = factor_of(part), b = factor_of(other);
  return (b - c * a).norm() <= same_shape * b.norm() ? c : 0;
}

/// The part whose turn it is, of parts with these cumulated shares: a sequence without long runs. With a random begin
/// each turn is that of a part with the probability of its share.
std::size_t turn(const std::vector<double>& cumulated, double begin, std::size_t k) {
  const double u = begin + static_cast<double>(k) * (std::numbers::phi - 1);
  const double at = u - std::floor(u);
  const auto found = std::upper_bound(cumulated.begin(), cumulated.end(), at);
  return std::min(static_cast<std::size_t>(found - cumulated.begin()), cumulated.size() - 1);
}

}  // namespace

ReferencePart diagonal_part(double share, std::vector<double> mean, std::vector<double> sds) {
  ReferencePart part;
  part.share = share;
  part.mean = std::move(mean);
  part.scale = std::move(sds);
  part.log_determinant = vector_of(part.scale).array().log().sum();
  return part;
}

ReferencePart normal_part(double share, std::vector<double> mean, const std::vector<double>& covariance) {
  const Eigen::Index d = eigen_index(mean.size());
  const ConstMatrix all(covariance.data(), d, d);
  const Eigen::VectorXd sds = all.diagonal().cwiseSqrt();
  std::vector<double> scale(sds.data(), sds.data() + d);
  if (mean.size() > Reference::most_dense) return diagonal_part(share, std::move(mean), std::move(scale));
  const Eigen::MatrixXd correlation = sds.cwiseInverse().asDiagonal() * all * sds.cwiseInverse().asDiagonal();
  const std::optional<Eigen::MatrixXd> root = cholesky_factor(correlation);
  if (!root || !(root->diagonal().minCoeff() > singular))
    return diagonal_part(share, std::move(mean), std::move(scale));
  const Eigen::MatrixXd factor = sds.asDiagonal() * *root;
  ReferencePart part;
  part.share = share;
  part.mean = std::move(mean);
  part.factor.assign(factor.data(), factor.data() + d * d);
  part.log_determinant = factor.diagonal().array().log().sum();
  return part;
}

Reference::Reference(std::vector<ReferencePart> parts) : parts_(std::move(parts)) {
  double all = 0, known = 0;
  Eigen::VectorXd logs = Eigen::VectorXd::Zero(eigen_index(dimension()));
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    all += parts_[k].share;
    if (parts_[k].wide) continue;
    alone_at_ = k;
    known += 1;
    logs += sds_of(parts_[k]).array().log().matrix();
  }
  for (ReferencePart& part : parts_) part.share /= all;
  if (known == 0) logs = sds_of(parts_[0]).array().log().matrix();
  logs = (logs / std::max(known, 1.0)).array().exp().matrix();
  common_.assign(logs.data(), logs.data() + logs.size());
  if (known > 1) alone_at_ = parts_.size();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    like_.push_back({k, 1});
    for (std::size_t other = 0; other < k; ++other)
      if (const double c = multiple_of(parts_[other], parts_[k]); c > 0 && like_[other].part == other)
        like_[k] = {other, 1 / (c * c)};
  }
  inverse_.resize(parts_.size());
  inverse_transposed_.resize(parts_.size());
  const Eigen::Index d = eigen_index(dimension());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k].factor.empty() || like_[k].part != k) continue;
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(d, d);
    factor_of(parts_[k]).triangularView<Eigen::Lower>().solveInPlace(inverse);
    inverse_[k] = TriangularMatrix(inverse.data(), dimension(), true);
    inverse_transposed_[k] = transposed(inverse);
  }
  if (!has_common_scales()) {
    const ConstMatrix factor = factor_of(parts_[alone_at_]);
    metric_ = TriangularMatrix(factor.data(), dimension(), true);
    metric_transposed_ = transposed(factor);
  }
}

Reference narrowed(const Reference& reference, double factor) {
  std::vector<ReferencePart> parts = reference.parts();
  std::erase_if(parts, [](const ReferencePart& part) { return part.wide; });
  if (parts.empty()) parts = reference.parts();
  for (ReferencePart& part : parts) {
    for (double& x : part.factor) x *= factor;
    for (double& x : part.scale) x *= factor;
    part.log_determinant += static_cast<double>(part.mean.size()) * std::log(factor);
  }
  return Reference(std::move(parts));
}

Reference::SquaredDistances Reference::squared_distances(std::size_t k, const double* points, std::size_t count) const {
  const ReferencePart& part = parts_[k];
  const Eigen::Index d = eigen_index(dimension()), n = eigen_index(count);
  SquaredDistances found{std::vector<double>(count), std::vector<double>(count * dimension())};
  Eigen::MatrixXd z = ConstMatrix(points, d, n).colwise() - vector_of(part.mean);
  Eigen::Map<Eigen::VectorXd> values(found.values.data(), n);
  Eigen::Map<Eigen::MatrixXd> slopes(found.slopes.data(), d, n);
  if (part.factor.empty()) {
    z = vector_of(part.scale).cwiseInverse().asDiagonal() * z;
    values = z.colwise().squaredNorm().transpose();
    slopes = -(vector_of(part.scale).cwiseInverse().asDiagonal() * z);
    return found;
  }
  inverse_[k].multiply(z.data(), count, slopes.data());
  values = slopes.colwise().squaredNorm().transpose();
  z = -slopes;
  inverse_transposed_[k].multiply(z.data(), count, slopes.data());
  return found;
}

void Reference::evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) const {
  const Eigen::Index d = eigen_index(dimension()), n = eigen_index(count), parts = eigen_index(parts_.size());
  Eigen::Map<Eigen::MatrixXd> sum(gradients, d, n);
  Eigen::MatrixXd values(n, parts);
  std::vector<SquaredDistances> distances(parts_.size());
  for (Eigen::Index k = 0; k < parts; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Like& like = like_[at];
    if (like.part == at) distances[at] = squared_distances(at, points, count);
    values.col(k) = constant_of(parts_[at]) - 0.5 * like.weight * vector_of(distances[like.part].values).array();
  }
  Eigen::ArrayXd parts_of_it(parts);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double largest = values.row(i).maxCoeff();
    parts_of_it = (values.row(i).array() - largest).exp().transpose();
    const double all = parts_of_it.sum();
    log_densities[i] = largest + std::log(all);
    sum.col(i).setZero();
    for (Eigen::Index k = 0; k < parts; ++k) {
      const Like& like = like_[static_cast<std::size_t>(k)];
      if (parts_of_it(k) > 0)
        sum.col(i) += parts_of_it(k) / all * like.weight * ConstVector(distances[like.part].slopes.data() + i * d, d);
    }
  }
}

std::vector<double> Reference::draw(std::uint64_t seed, std::size_t first, std::size_t count) const {
  const std::size_t d = dimension();
  std::vector<double> cumulated, points(count * d), z(count * d);
  double sum = 0;
  for (const ReferencePart& part : parts_) cumulated.push_back(sum += part.share);
  double begin = 0;
  chain_uniforms({seed, Purpose::annealing, begin_of_turns, draws_of_reference}, 1, 1, &begin);
  chain_normals({seed, Purpose::annealing, first, draws_of_reference}, count, d, z.data());
  for (std::size_t k = 0; k < count; ++k) {
    const ConstVector normals(z.data() + k * d, eigen_index(d));
    const ReferencePart& part = parts_[turn(cumulated, begin, first + k)];
    Eigen::Map<Eigen::VectorXd> point(points.data() + k * d, eigen_index(d));
    point = vector_of(part.mean);
    if (!part.factor.empty())
      point += factor_of(part).triangularView<Eigen::Lower>() * normals;
    else
      point += vector_of(part.scale).cwiseProduct(normals);
  }
  return points;
}

std::size_t Reference::part_of(const double* x) const {
  std::size_t found = 0;
  double highest = -std::numeric_limits<double>::infinity();
  const ConstVector point(x, eigen_index(dimension()));
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k].wide) continue;
    const double value =
        constant_of(parts_[k]) - std::log(parts_[k].share) - 0.5 * standardised(parts_[k], point).squaredNorm();
    if (!(value > highest)) continue;
    highest = value;
    found = k;
  }
  return found;
}

void Reference::scale(double* vectors, std::size_t count, bool transposed) const {
  Eigen::Map<Eigen::MatrixXd> v(vectors, eigen_index(dimension()), eigen_index(count));
  if (has_common_scales()) {
    v = vector_of(common_).asDiagonal() * v;
    return;
  }
  const std::vector<double> x(vectors, vectors + count * dimension());
  (transposed ? metric_transposed_ : metric_).multiply(x.data(), count, vectors);
}

bool Reference::has_common_scales() const { return alone_at_ == parts_.size() || parts_[alone_at_].factor.empty(); }

}  // namespace manychain
