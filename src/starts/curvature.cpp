#include "starts/curvature.hpp"

#include <cmath>
#include <deque>

#include "core/linear_algebra.hpp"

namespace manychain {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using DenseVector = Eigen::VectorXd;

/// A step counts if s^T y is more than this part of y^T H y: with less, H would grow by its inverse along s.
constexpr double least_curvature = 1e-10;

template <class Derived>
std::vector<double> numbers(const Eigen::PlainObjectBase<Derived>& m) {
  return {m.data(), m.data() + m.size()};
}

class Dense : public Curvature {
 public:
  explicit Dense(DenseMatrix inverse) : inverse_(std::move(inverse)) {}

  DenseVector times(const DenseVector& v) const override { return inverse_ * v; }

  bool update(const DenseVector& s, const DenseVector& y) override {
    const DenseVector hy = inverse_ * y;
    const double sy = s.dot(y), yhy = y.dot(hy);
    if (!(sy > least_curvature * yhy) || !std::isfinite(yhy)) return false;
    const DenseVector u = hy / sy;
    inverse_ += (1 + yhy / sy) / sy * (s * s.transpose()) - s * u.transpose() - u * s.transpose();
    return true;
  }

  std::unique_ptr<Curvature> clone() const override { return std::make_unique<Dense>(*this); }

  /// The Cholesky factor of the correlations: scales do not spoil it.
  std::optional<NormalApproximation> normal(const DenseVector& mean) const override {
    if (!(inverse_.diagonal().minCoeff() > 0) || !inverse_.allFinite()) return std::nullopt;
    const DenseVector sd = inverse_.diagonal().cwiseSqrt(), reciprocal = sd.cwiseInverse();
    const std::optional<DenseMatrix> factor =
        cholesky_factor(reciprocal.asDiagonal() * inverse_ * reciprocal.asDiagonal());
    if (!factor) return std::nullopt;
    NormalApproximation normal{numbers(mean), numbers(sd), {}, numbers(*factor), 0};
    normal.log_determinant = sd.array().log().sum() + factor->diagonal().array().log().sum();
    return normal;
  }

 private:
  DenseMatrix inverse_;
};

class Limited : public Curvature {
 public:
  Limited(DenseVector diagonal, std::size_t history) : diagonal_(std::move(diagonal)), history_(history) {}

  /// Two loops over the steps (Nocedal and Wright 2006, algorithm 7.4).
  DenseVector times(const DenseVector& v) const override {
    DenseVector q = v;
    std::vector<double> a(steps_.size());
    for (std::size_t k = steps_.size(); k-- > 0;) {
      a[k] = steps_[k]->s.dot(q) / steps_[k]->sy;
      q -= a[k] * steps_[k]->y;
    }
    q = q.cwiseProduct(diagonal_);
    for (std::size_t k = 0; k < steps_.size(); ++k) q += (a[k] - steps_[k]->y.dot(q) / steps_[k]->sy) * steps_[k]->s;
    return q;
  }

  bool update(const DenseVector& s, const DenseVector& y) override {
    const double b = s.dot(y), a = y.dot(diagonal_.cwiseProduct(y)), c = s.dot(s.cwiseQuotient(diagonal_));
    if (!(b > least_curvature * a) || !std::isfinite(a) || !std::isfinite(c)) return false;
    // 1/d' = a/(b d) + y^2/b - a s^2/(b c d^2)
    const DenseVector reciprocal = (a / b * diagonal_.cwiseInverse().array() + y.array().square() / b -
                                    a / (b * c) * s.cwiseQuotient(diagonal_).array().square())
                                       .matrix();
    if (reciprocal.minCoeff() > 0 && reciprocal.allFinite()) diagonal_ = reciprocal.cwiseInverse();
    steps_.push_back(std::make_shared<const Step>(Step{s, y, b}));
    if (steps_.size() > history_) steps_.pop_front();
    return true;
  }

  std::unique_ptr<Curvature> clone() const override { return std::make_unique<Limited>(*this); }

  /// diag(a) + B G B^T with B = [diag(a) Y, S] (Zhang and others 2022, algorithms 3 and 4).
  std::optional<NormalApproximation> normal(const DenseVector& mean) const override {
    const Eigen::Index n = diagonal_.size();
    const Eigen::Index m = std::min(eigen_index(steps_.size()), n / 2);  // the latest: B has no more columns than rows
    const std::size_t dropped = steps_.size() - static_cast<std::size_t>(m);
    const DenseVector sd = diagonal_.cwiseSqrt();
    if (!(sd.minCoeff() > 0) || !sd.allFinite()) return std::nullopt;
    if (m == 0) {
      const DenseMatrix none = DenseMatrix::Ones(1, 1);
      DenseMatrix axis = DenseMatrix::Zero(n, 1);
      axis(0, 0) = 1;
      return NormalApproximation{numbers(mean), numbers(sd), numbers(axis), numbers(none), sd.array().log().sum()};
    }
    DenseMatrix s(n, m), y(n, m);  // in units of sd: the diagonal is one
    for (Eigen::Index k = 0; k < m; ++k) {
      const Step& step = *steps_[dropped + static_cast<std::size_t>(k)];
      s.col(k) = step.s.cwiseQuotient(sd);
      y.col(k) = step.y.cwiseProduct(sd);
    }
    const DenseMatrix products = transposed_product(s, y);
    // The inverse of the upper triangle, by back substitution.
    DenseMatrix upper_inverse = DenseMatrix::Zero(m, m);
    for (Eigen::Index j = 0; j < m; ++j)
      for (Eigen::Index i = j + 1; i-- > 0;) {
        double sum = i == j ? 1 : 0;
        for (Eigen::Index k = i + 1; k <= j; ++k) sum -= products(i, k) * upper_inverse(k, j);
        upper_inverse(i, j) = sum / products(i, i);
      }
    DenseMatrix middle = transposed_product(y, y);
    middle.diagonal() += products.diagonal();
    DenseMatrix gamma = DenseMatrix::Zero(2 * m, 2 * m);
    gamma.topRightCorner(m, m) = -upper_inverse;
    gamma.bottomLeftCorner(m, m) = -upper_inverse.transpose();
    gamma.bottomRightCorner(m, m) = product(transposed_product(upper_inverse, middle), upper_inverse);
    DenseMatrix both(n, 2 * m);
    both << y, s;
    const ThinQr qr = thin_qr(both);
    const DenseMatrix inside = DenseMatrix::Identity(2 * m, 2 * m) + product(product(qr.r, gamma), qr.r.transpose());
    if (!inside.allFinite()) return std::nullopt;
    const std::optional<DenseMatrix> factor = cholesky_factor((inside + inside.transpose()) / 2);
    if (!factor) return std::nullopt;
    NormalApproximation normal{numbers(mean), numbers(sd), numbers(qr.q), numbers(*factor), 0};
    normal.log_determinant = sd.array().log().sum() + factor->diagonal().array().log().sum();
    return normal;
  }

 private:
  struct Step {
    DenseVector s, y;
    double sy;
  };
  DenseVector diagonal_;
  std::size_t history_;
  std::deque<std::shared_ptr<const Step>> steps_;
};

}  // namespace

std::unique_ptr<Curvature> dense_curvature(const DenseMatrix& factor) {
  return std::make_unique<Dense>(product(factor, factor.transpose()));
}
std::unique_ptr<Curvature> limited_curvature(const DenseVector& diagonal, std::size_t history) {
  return std::make_unique<Limited>(diagonal, history);
}

NormalApproximation dense_normal(const DenseVector& mean, const DenseMatrix& factor, double log_determinant) {
  return {numbers(mean),
          std::vector<double>(static_cast<std::size_t>(mean.size()), 1.0),
          {},
          numbers(factor),
          log_determinant};
}

}  // namespace manychain
