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

/// Of the components with a scale, standardised: [point][component].
Matrix standardised(const std::vector<double>& points, std::size_t dimension, const std::vector<std::size_t>& moved) {
  const auto n = static_cast<Eigen::Index>(points.size() / dimension);
  Matrix y(n, static_cast<Eigen::Index>(moved.size()));
  for (Eigen::Index k = 0; k < y.rows(); ++k)
    for (Eigen::Index i = 0; i < y.cols(); ++i)
      y(k, i) = points[static_cast<std::size_t>(k) * dimension + moved[static_cast<std::size_t>(i)]];
  y.rowwise() -= y.colwise().mean().eval();
  for (Eigen::Index i = 0; i < y.cols(); ++i) {
    const double norm = y.col(i).norm();
    y.col(i) *= norm > 0 ? std::sqrt(static_cast<double>(n)) / norm : 0;
  }
  return y;
}

/// Of the correlations; of many dimensions the largest alone, by iterations of a subspace from a fixed start. They are
/// not shrunk towards none: what noise does to an eigenvalue is in proportion to it, and the smallest decide.
std::optional<SymmetricEigen> correlation_eigenpairs(const Matrix& y) {
  const double n = static_cast<double>(y.rows());
  const auto capacity = static_cast<Eigen::Index>(metric_capacity(static_cast<std::size_t>(y.cols())));
  std::optional<SymmetricEigen> found;
  if (capacity == y.cols()) {
    Matrix correlation = transposed_product(y, y) / n;
    correlation.diagonal().setOnes();  // also where points do not vary
    found = symmetric_eigen(correlation);
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

/// How many of the directions, in that order, to take. What is left of eigenvalues of one and those not taken decides.
std::size_t worthwhile(const std::vector<double>& ordered, double direction_cost) {
  // Of the eigenvalues from k on.
  std::vector<double> spread(ordered.size() + 1, 1);
  double smallest = 1, largest = 1;
  for (std::size_t k = ordered.size(); k-- > 0;) {
    smallest = std::min(smallest, ordered[k]);
    largest = std::max(largest, ordered[k]);
    spread[k] = std::sqrt(largest / smallest);
  }
  std::size_t best = 0;
  const auto work = [&](std::size_t k) { return spread[k] * (1 + static_cast<double>(k) * direction_cost); };
  for (std::size_t k = 1; k < spread.size(); ++k)
    if (work(k) < work(best)) best = k;
  return work(best) < 0.8 * work(0) ? best : 0;
}

}  // namespace

MetricEstimate estimate_metric(MetricKind kind, const std::vector<double>& scale, const std::vector<double>& points,
                               double direction_cost) {
  MetricEstimate estimate{{scale, {}, {}}, 1};
  const std::size_t dimension = scale.size(), n = points.size() / dimension;
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < dimension; ++i)
    if (scale[i] > 0) moved.push_back(i);
  if (n < 2 * moved.size() || moved.size() < 2) return estimate;

  const std::optional<SymmetricEigen> found = correlation_eigenpairs(standardised(points, dimension, moved));
  if (!found) return estimate;  // some point is not finite
  std::vector<Eigen::Index> order(static_cast<std::size_t>(found->values.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto strength = [&](Eigen::Index k) { return std::fabs(std::log(found->values[k])); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return strength(a) > strength(b); });
  std::vector<double> ordered;
  for (const Eigen::Index k : order) ordered.push_back(found->values[k]);

  const double ratio = std::sqrt(static_cast<double>(moved.size()) / static_cast<double>(n));
  const double noise_above = (1 + ratio) * (1 + ratio), noise_below = (1 - ratio) * (1 - ratio);
  std::size_t rank = 0;
  switch (kind) {
    case MetricKind::diagonal:
      break;
    case MetricKind::dense:
      rank = ordered.size();
      break;
    case MetricKind::automatic:
      rank = worthwhile(ordered, direction_cost);
      break;
    case MetricKind::low_rank:
      while (rank < ordered.size() && (ordered[rank] > 2 * noise_above || ordered[rank] < noise_below / 2)) ++rank;
      break;
  }
  for (std::size_t j = 0; j < rank; ++j) {
    estimate.metric.eigenvalues.push_back(ordered[j]);
    std::vector<double> direction(dimension, 0);
    for (std::size_t i = 0; i < moved.size(); ++i)
      direction[moved[i]] = found->vectors(static_cast<Eigen::Index>(i), order[j]);
    estimate.metric.directions.insert(estimate.metric.directions.end(), direction.begin(), direction.end());
  }
  for (std::size_t j = rank; j < ordered.size(); ++j)
    estimate.widest = std::max(estimate.widest, ordered[j] / noise_above);
  return estimate;
}

double metric_distance(const Metric& a, const Metric& b) {
  double largest = 0;
  if (a.scale.size() > 100 || a.rank() + b.rank() == 0) {
    const std::vector<double> va = a.variances(), vb = b.variances();
    for (std::size_t i = 0; i < va.size(); ++i)
      if (va[i] > 0) largest = std::max(largest, std::fabs(std::log(vb[i] / va[i])));
    return largest;
  }
  // B in the coordinates that A makes, S^-1 D_a^-1 B D_a^-1 S^-1: its eigenvalues are the ratios.
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
