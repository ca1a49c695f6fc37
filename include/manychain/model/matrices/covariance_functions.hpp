// Covariance functions of Gaussian processes, as lazy matrices. Give them to target.cholesky() or multi_normal(), with
// add_diagonal() for the noise. x: points of the data, a vector, or a matrix with a point in each row. Rasmussen and
// Williams 2006, chapter 4.
#pragma once

#include <type_traits>
#include <utility>

#include "manychain/model/matrices/linear_algebra.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// The type of a difference of coordinates: a square of whole numbers could overflow.
template <class T>
using Distance = std::conditional_t<std::is_integral_v<std::remove_cvref_t<T>>, double, std::remove_cvref_t<T>>;

/// The squared distance of points i and j.
template <class X>
MANYCHAIN_HD auto squared_distance(const X& x, int i, int j) {
  if constexpr (ModelMatrix<X>) {
    using T = Distance<decltype(x[0][0])>;
    T sum = T(0);
    const auto a = x[i];
    const auto b = x[j];
    for_each(x.columns(), [&](int k) {
      const T d = T(a[k]) - T(b[k]);
      sum = sum + d * d;
    });
    return sum;
  } else {
    using T = Distance<decltype(x[i])>;
    const T d = T(x[i]) - T(x[j]);
    return d * d;
  }
}
template <class X>
MANYCHAIN_HD auto hold_points(const X& x) {
  if constexpr (ModelMatrix<X>)
    return hold_matrix(x);
  else
    return x.view();
}
template <class X>
MANYCHAIN_HD auto count_points(const X& x) {
  if constexpr (ModelMatrix<X>)
    return Size<dynamic>(x.rows());
  else
    return x.size();
}

// alpha^2 correlation(squared distance / rho^2): each gives the correlation and rho times its derivative towards rho.
template <class R>
struct CorrelationAt {
  R value, slope;
};
struct ExponentiatedQuadratic {
  template <class R>
  MANYCHAIN_HD CorrelationAt<R> operator()(R s) const {
    const R value = exp(R(-0.5) * s);
    return {value, value * s};
  }
};
struct Exponential {
  template <class R>
  MANYCHAIN_HD CorrelationAt<R> operator()(R s) const {
    const R r = sqrt(s), value = exp(-r);
    return {value, value * r};
  }
};
struct Matern32 {
  template <class R>
  MANYCHAIN_HD CorrelationAt<R> operator()(R s) const {
    const R r = sqrt(R(3) * s), e = exp(-r);
    return {fma(r, e, e), R(3) * s * e};
  }
};
struct Matern52 {
  template <class R>
  MANYCHAIN_HD CorrelationAt<R> operator()(R s) const {
    const R r = sqrt(R(5) * s), e = exp(-r), third = R(5.0 / 3) * s;
    return {e * (R(1) + r + third), e * third * (R(1) + r)};
  }
};

/// Element (i, j) of a stationary covariance. What depends on the parameters alone is computed once.
template <class Correlation, class X, class A, class P>
class Stationary {
  using R = std::remove_cvref_t<decltype(std::declval<A>().value() * std::declval<P>().value())>;
  static_assert(Real<R>, "a covariance function has a parameter among its arguments");

 public:
  MANYCHAIN_HD Stationary(const X& x, const A& alpha, const P& rho)
      : x_(x), alpha_(alpha), rho_(rho), scale_(alpha.value()), inverse_(R(1) / R(rho.value())) {}
  MANYCHAIN_HD auto operator()(int i, int j) const {
    const auto at = Correlation{}(R(squared_distance(x_, i, j)) * (inverse_ * inverse_));
    const R square = scale_ * scale_;
    return elementary(R(square * at.value), partial(alpha_, R(R(2) * scale_ * at.value)),
                      partial(rho_, R(square * at.slope * inverse_)));
  }

 private:
  X x_;
  A alpha_;
  P rho_;
  R scale_, inverse_;
};

template <class Correlation, class X, class A, class P>
MANYCHAIN_HD auto stationary(const X& x, const A& alpha, const P& rho) {
  if constexpr (ModelMatrix<X>)
    static_assert(!Node<decltype(x[0][0])>, "points of a covariance function are data");
  else
    static_assert(!Node<decltype(x[0])>, "points of a covariance function are data");
  const auto points = hold_points(x);
  const auto n = count_points(x);
  const Stationary<Correlation, std::remove_const_t<decltype(points)>, node_of<A>, node_of<P>> element(
      points, as_node(alpha), as_node(rho));
  return matrix_of(n, n, element);
}
template <class T>
concept Points = ModelVector<T> || ModelMatrix<T>;
}  // namespace detail

/// gp_exp_quad_cov(x, alpha, rho): alpha^2 exp(-d^2 / (2 rho^2)) at distance d; length scale rho > 0. Source: Rasmussen
/// and Williams 2006, Gaussian Processes for Machine Learning, chapter 4.
template <detail::Points X, Operand A, Operand P>
MANYCHAIN_HD auto gp_exp_quad_cov(const X& x, const A& alpha, const P& rho) {
  return detail::stationary<detail::ExponentiatedQuadratic>(x, alpha, rho);
}
/// gp_exponential_cov(x, alpha, rho): alpha^2 exp(-d / rho). Source: Rasmussen and Williams 2006, Gaussian Processes
/// for Machine Learning, chapter 4.
template <detail::Points X, Operand A, Operand P>
MANYCHAIN_HD auto gp_exponential_cov(const X& x, const A& alpha, const P& rho) {
  return detail::stationary<detail::Exponential>(x, alpha, rho);
}
/// gp_matern32_cov(x, alpha, rho): alpha^2 (1 + r) exp(-r), r = sqrt(3) d / rho. Source: Rasmussen and Williams 2006,
/// Gaussian Processes for Machine Learning, chapter 4.
template <detail::Points X, Operand A, Operand P>
MANYCHAIN_HD auto gp_matern32_cov(const X& x, const A& alpha, const P& rho) {
  return detail::stationary<detail::Matern32>(x, alpha, rho);
}
/// gp_matern52_cov(x, alpha, rho): alpha^2 (1 + r + r^2 / 3) exp(-r), r = sqrt(5) d / rho. Source: Rasmussen and
/// Williams 2006, Gaussian Processes for Machine Learning, chapter 4.
template <detail::Points X, Operand A, Operand P>
MANYCHAIN_HD auto gp_matern52_cov(const X& x, const A& alpha, const P& rho) {
  return detail::stationary<detail::Matern52>(x, alpha, rho);
}

namespace detail {
/// Element (i, j) of a periodic covariance.
template <class X, class A, class P, class T>
class Periodic {
  using R =
      std::remove_cvref_t<decltype(std::declval<A>().value() * std::declval<P>().value() * std::declval<T>().value())>;

 public:
  MANYCHAIN_HD Periodic(const X& x, const A& alpha, const P& rho, const T& period)
      : x_(x),
        alpha_(alpha),
        rho_(rho),
        period_(period),
        scale_(alpha.value()),
        inverse_(R(1) / R(rho.value())),
        frequency_(R(1) / R(period.value())) {}
  MANYCHAIN_HD auto operator()(int i, int j) const {
    R distance;
    if constexpr (ModelMatrix<X>)
      distance = sqrt(R(squared_distance(x_, i, j)));
    else
      distance = abs(R(x_[i] - x_[j]));
    const R turns = R(0.5) * distance * frequency_;  // half a turn a period
    R sine, cosine;
    sincos_two_pi(turns - floor(turns), sine, cosine);
    const R w = sine * inverse_, square = R(2) * (w * w), value = scale_ * scale_ * exp(-square);
    return elementary(
        value, partial(alpha_, R(R(2) * scale_ * exp(-square))), partial(rho_, R(R(2) * value * square * inverse_)),
        partial(period_, R(R(4 * pi) * value * (w * (cosine * inverse_)) * distance * (frequency_ * frequency_))));
  }

 private:
  X x_;
  A alpha_;
  P rho_;
  T period_;
  R scale_, inverse_, frequency_;
};
}  // namespace detail
/// gp_periodic_cov(x, alpha, rho, p): alpha^2 exp(-2 sin(pi d / p)^2 / rho^2), of period p > 0. Source: Rasmussen and
/// Williams 2006, Gaussian Processes for Machine Learning, chapter 4.
template <detail::Points X, Operand A, Operand P, Operand T>
MANYCHAIN_HD auto gp_periodic_cov(const X& x, const A& alpha, const P& rho, const T& period) {
  const auto points = detail::hold_points(x);
  const auto n = detail::count_points(x);
  const detail::Periodic<std::remove_const_t<decltype(points)>, node_of<A>, node_of<P>, node_of<T>> element(
      points, as_node(alpha), as_node(rho), as_node(period));
  return matrix_of(n, n, element);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
