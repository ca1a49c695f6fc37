#include "adaptation/estimate_metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/linear_algebra.hpp"

namespace manychain {
namespace {

constexpr double smallest_eigenvalue = 1e-8;

using Matrix = Eigen::MatrixXd;

/// The given components of the points: [point][component].
Matrix selected(const std::vector<double>& points, std::size_t dimension, const std::vector<std::size_t>& components) {
  Matrix y(eigen_index(points.size() / dimension), eigen_index(components.size()));
  for (Eigen::Index k = 0; k < y.rows(); ++k)
    for (Eigen::Index i = 0; i < y.cols(); ++i)
      y(k, i) = points[static_cast<std::size_t>(k) * dimension + components[static_cast<std::size_t>(i)]];
  return y;
}

/// Centres the columns and divides them by `unit`, or by their standard deviations if that is empty.
Matrix standardised(Matrix y, const std::vector<double>& unit) {
  y.rowwise() -= y.colwise().mean().eval();
  for (Eigen::Index i = 0; i < y.cols(); ++i) {
    const double sd =
        unit.empty() ? y.col(i).norm() / std::sqrt(static_cast<double>(y.rows())) : unit[static_cast<std::size_t>(i)];
    y.col(i) *= sd > 0 ? 1 / sd : 0;
  }
  return y;
}

/// Eigenpairs of the correlation matrix; in many dimensions only the largest, by subspace iteration from a fixed start.
/// The matrix is not shrunk towards the identity: noise changes an eigenvalue in proportion to it, and the smallest
/// decide.
std::optional<SymmetricEigen> correlation_eigenpairs(const Matrix& y) {
  const double n = static_cast<double>(y.rows());
  const auto capacity = static_cast<Eigen::Index>(metric_capacity(static_cast<std::size_t>(y.cols())));
  std::optional<SymmetricEigen> found;
  if (capacity == y.cols()) {
    found = symmetric_eigen(transposed_product(y, y) / n);
  } else {
    // Any vectors that are not orthogonal to those sought.
    Matrix q(y.cols(), capacity);
    for (Eigen::Index i = 0; i < q.rows(); ++i)
      for (Eigen::Index j = 0; j < q.cols(); ++j)
        q(i, j) = std::sin(static_cast<double>((i + 1) * (j + 1)) + 0.5 * static_cast<double>(j));
    for (int round = 0; round < 4; ++round) q = thin_qr(transposed_product(y, product(y, q)) / n).q;
    const Matrix image = product(y, q);
    found = symmetric_eigen(transposed_product(image, image) / n);
    if (found) found->vectors = product(q, found->vectors);
  }
  if (found) found->values = found->values.array().max(smallest_eigenvalue);
  return found;
}

/// Indices of the eigenvalues, those furthest from one first.
std::vector<Eigen::Index> by_strength(const Eigen::VectorXd& values) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto strength = [&](Eigen::Index k) { return std::fabs(std::log(values[k])); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return strength(a) > strength(b); });
  return order;
}

/// Directions estimated from one half of the points, and the variances along them in the other half. These are not
/// biased by the selection of directions, and chance correlations by a heavy tail do not recur in them.
struct Halves {
  std::vector<double> seen, held;  ///< eigenvalues and variances, strongest first; empty if not finite

  Halves(const Matrix& y, const std::vector<double>& unit) {
    const Eigen::Index n = y.rows() / 2;
    const auto half = [&](Eigen::Index first) { return standardised(y(Eigen::seqN(first, n, 2), Eigen::all), unit); };
    const auto found = correlation_eigenpairs(half(0));
    if (!found) return;
    const Matrix other = product(half(1), found->vectors);
    for (const Eigen::Index k : by_strength(found->values)) {
      seen.push_back(found->values[k]);
      held.push_back(std::max(smallest_eigenvalue, other.col(k).array().square().mean()));
    }
  }
};

/// Number of directions to take, in that order and at most `room`, by their cost and the spread of one and the
/// remaining eigenvalues.
std::size_t worthwhile(const std::vector<double>& ordered, double direction_cost, std::size_t room) {
  // Entry k: spread of the eigenvalues from k on.
  std::vector<double> spread(ordered.size() + 1, 1);
  double smallest = 1, largest = 1;
  for (std::size_t k = ordered.size(); k-- > 0;) {
    smallest = std::min(smallest, ordered[k]);
    largest = std::max(largest, ordered[k]);
    spread[k] = std::sqrt(largest / smallest);
  }
  std::size_t best = 0;
  const auto work = [&](std::size_t k) { return spread[k] * (1 + static_cast<double>(k) * direction_cost); };
  for (std::size_t k = 1; k <= std::min(room, ordered.size()); ++k)
    if (work(k) < work(best)) best = k;
  return work(best) < 0.8 * work(0) ? best : 0;
}

}  // namespace

MetricEstimate estimate_metric(MetricKind kind, const std::vector<double>& scale, const std::vector<double>& points,
                               double direction_cost) {
  MetricEstimate estimate{{scale, {}, {}}, 1};
  const std::size_t dimension = scale.size(), n = points.size() / dimension;
  // A component without a scale, or constant in one half of the points, has no direction.
  const auto moves = [&](std::size_t i) {
    bool odd = false, even = false;
    for (std::size_t k = 2; k < n; ++k)
      (k % 2 == 1 ? odd : even) |= points[k * dimension + i] != points[k % 2 * dimension + i];
    return odd && even;
  };
  std::vector<std::size_t> moved;
  std::vector<double> unit;
  for (std::size_t i = 0; i < dimension; ++i) {
    if (!(scale[i] > 0) || !moves(i)) continue;
    moved.push_back(i);
    if (kind == MetricKind::fisher) unit.push_back(scale[i]);
  }
  if (n < 2 * moved.size() || moved.size() < 2) return estimate;

  const Matrix y = selected(points, dimension, moved);
  const Halves halves(y, unit);
  if (halves.seen.empty()) return estimate;  // some point is not finite

  const std::size_t room = metric_capacity(dimension);  // of those that do not move, too: as memory is taken for it
  std::size_t rank = kind == MetricKind::automatic || kind == MetricKind::hierarchical
                         ? worthwhile(halves.held, direction_cost, room)
                         : 0;
  if (rank > 0 || kind == MetricKind::dense || kind == MetricKind::low_rank) {
    const std::optional<SymmetricEigen> found = correlation_eigenpairs(standardised(y, unit));
    if (!found) return estimate;
    const std::vector<Eigen::Index> order = by_strength(found->values);
    const double ratio = std::sqrt(static_cast<double>(moved.size()) / static_cast<double>(n));
    const double noise_above = (1 + ratio) * (1 + ratio), noise_below = (1 - ratio) * (1 - ratio);
    const auto stands_out = [&](double value) { return value > 2 * noise_above || value < noise_below / 2; };
    const std::size_t most = std::min(room, order.size());
    if (kind == MetricKind::dense) rank = most;
    while (kind == MetricKind::low_rank && rank < most && stands_out(found->values[order[rank]])) ++rank;
    for (std::size_t j = 0; j < rank; ++j) {
      estimate.metric.eigenvalues.push_back(found->values[order[j]]);
      std::vector<double> direction(dimension, 0);
      for (std::size_t i = 0; i < moved.size(); ++i)
        direction[moved[i]] = found->vectors(static_cast<Eigen::Index>(i), order[j]);
      estimate.metric.directions.insert(estimate.metric.directions.end(), direction.begin(), direction.end());
    }
  }
  const auto left = halves.seen.begin() + static_cast<std::ptrdiff_t>(rank);
  if (left != halves.seen.end())
    estimate.widest = std::max(
        1.0, halves.held[static_cast<std::size_t>(std::max_element(left, halves.seen.end()) - halves.seen.begin())]);
  return estimate;
}

std::vector<double> fisher_scale(std::vector<double> scale, const std::vector<double>& points,
                                 const std::vector<double>& gradients) {
  const std::size_t d = scale.size(), n = points.size() / d;
  const auto variance = [&](const std::vector<double>& values, std::size_t i) {
    double mean = 0, squares = 0;
    for (std::size_t k = 0; k < n; ++k) mean += values[k * d + i] / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) squares += (values[k * d + i] - mean) * (values[k * d + i] - mean);
    return squares;
  };
  for (std::size_t i = 0; i < d; ++i) {
    const double own = std::sqrt(std::sqrt(variance(points, i) / variance(gradients, i)));
    if (std::isfinite(own) && own > 0) scale[i] = own;
  }
  return scale;
}

double metric_distance(const Metric& a, const Metric& b) {
  double largest = 0;
  if (a.scale.size() > 100 || a.rank() + b.rank() == 0) {
    const std::vector<double> va = a.variances(), vb = b.variances();
    for (std::size_t i = 0; i < va.size(); ++i)
      if (va[i] > 0) largest = std::max(largest, std::fabs(std::log(vb[i] / va[i])));
    return largest;
  }
  // B in the coordinates whitened by A, S^-1 D_a^-1 B D_a^-1 S^-1: its eigenvalues are the ratios.
  const Eigen::Index n = eigen_index(a.scale.size());
  // I + U (f(Lambda) - I) U^T
  const auto along_directions = [n](const Metric& m, double (*f)(double)) {
    const Eigen::Map<const Matrix> u(m.directions.data(), n, eigen_index(m.rank()));
    Matrix scaled = u;
    for (std::size_t k = 0; k < m.rank(); ++k) scaled.col(eigen_index(k)) *= f(m.eigenvalues[k]) - 1;
    return Matrix(Matrix::Identity(n, n) + product(scaled, u.transpose()));
  };
  Matrix ratio = along_directions(b, [](double lambda) { return lambda; });
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto at = [](const Metric& m, Eigen::Index k) { return m.scale[static_cast<std::size_t>(k)]; };
      const double di = at(a, i), dj = at(a, j);
      ratio(i, j) *= di * dj > 0 ? at(b, i) / di * at(b, j) / dj : (i == j ? 1 : 0);
    }
  const Matrix inverse_root = along_directions(a, [](double lambda) { return 1 / std::sqrt(lambda); });
  ratio = product(inverse_root, product(ratio, inverse_root));
  const std::optional<SymmetricEigen> ratios = symmetric_eigen(ratio);
  if (!ratios) return std::numeric_limits<double>::infinity();
  for (const double value : ratios->values) largest = std::max(largest, std::fabs(std::log(value)));
  return largest;
}

bool starts_forgotten(const std::vector<double>& points, std::size_t dimension, std::size_t superchains) {
  const std::size_t chains = points.size() / dimension, each = chains / std::max<std::size_t>(superchains, 1);
  if (superchains < 2 || each < 2) return true;
  const double between = static_cast<double>(superchains - 1), within = static_cast<double>(superchains * (each - 1));
  // The standard normal quantile of 1 - p, Abramowitz and Stegun 26.2.23 (error below 5e-4).
  const double t = std::sqrt(-2 * std::log(0.001 / static_cast<double>(dimension)));
  const double z =
      t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  // F^(1/3) of the quantile, from ((1 - b) x - (1 - a)) / sqrt(b x^2 + a) = z with a = 2 / (9 between), b likewise.
  const double a = 2 / (9 * between), b = 2 / (9 * within);
  const double p = (1 - b) * (1 - b) - z * z * b, q = (1 - a) * (1 - b), r = (1 - a) * (1 - a) - z * z * a;
  if (!(p > 0)) return false;  // the quantile of so few chains has no such bound
  const double root = (q + std::sqrt(q * q - p * r)) / p, limit = root * root * root;
  for (std::size_t i = 0; i < dimension; ++i) {
    std::vector<double> means(superchains, 0.0);
    for (std::size_t c = 0; c < superchains * each; ++c)
      means[c % superchains] += points[c * dimension + i] / static_cast<double>(each);
    double squares = 0, mean = 0, spread = 0;
    for (std::size_t c = 0; c < superchains * each; ++c) {
      const double deviation = points[c * dimension + i] - means[c % superchains];
      squares += deviation * deviation;
    }
    for (const double m : means) mean += m / static_cast<double>(superchains);
    for (const double m : means) spread += (m - mean) * (m - mean);
    if (!(static_cast<double>(each) * spread / between <= limit * squares / within)) return false;
  }
  return true;
}

double direction_cost(std::size_t dimension, std::size_t data_values) {
  const double d = static_cast<double>(dimension);
  return d / (4 * d + static_cast<double>(data_values));
}

}  // namespace manychain
