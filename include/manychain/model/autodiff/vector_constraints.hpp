// More constrained vectors: target.vector("x", n, positive_ordered()) and so on; of a matrix, each row
// (model/matrices/row_constraints.hpp). What a constraint must know is said in constraints.hpp.
//
// Docstrings: name(): what it is. Support: which x are inside. Source: where the transform is written.
#pragma once

#include <type_traits>

#include "manychain/model/autodiff/constraints.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

struct PositiveOrdered {};
struct UnitVector {};
struct SumToZero {};

namespace detail {
/// True for a constraint of a whole vector, which a matrix has in each row.
template <class C>
inline constexpr bool constrains_vector =
    std::is_same_v<C, Simplex> || std::is_same_v<C, Ordered> || std::is_same_v<C, PositiveOrdered> ||
    std::is_same_v<C, UnitVector> || std::is_same_v<C, SumToZero>;
}  // namespace detail

/// simplex(): that of target.simplex(name, n). Support: positive vectors with sum one. Source: Stan Reference Manual,
/// Unit simplex (stick breaking).
MANYCHAIN_HD Simplex simplex() { return {}; }
/// ordered(): that of target.ordered(name, n). Support: increasing vectors. Source: Stan Reference Manual, Ordered
/// vector.
MANYCHAIN_HD Ordered ordered() { return {}; }
/// positive_ordered(): a vector that increases from above zero, x_0 = exp(u_0), x_i = x_{i-1} + exp(u_i). Support:
/// 0 < x_0 < x_1 < ... Source: Stan Reference Manual, Positive ordered vector.
MANYCHAIN_HD PositiveOrdered positive_ordered() { return {}; }
/// unit_vector(): a vector of length one, x = u / |u|, of n unconstrained components whose length is given a chi
/// distribution: x is uniform on the sphere if no density is added. Support: |x| = 1. Source: Stan Reference Manual,
/// Unit vector.
MANYCHAIN_HD UnitVector unit_vector() { return {}; }
/// sum_to_zero(): a vector whose elements add up to zero, an orthonormal transform of n - 1 unconstrained components.
/// Each element of u ~ normal(0, sigma) has standard deviation sigma sqrt(1 - 1 / n). Support: sum of x = 0. Source:
/// Stan Reference Manual, Zero sum vector (isometric log ratio transform, Egozcue et al. 2003).
MANYCHAIN_HD SumToZero sum_to_zero() { return {}; }

template <class R, class N, class U, class X>
MANYCHAIN_HD R forward(const PositiveOrdered&, N n, const U& u, X& x) {
  R jacobian = R(0), last = R(0);
  for_each(n, [&](int i) {
    last += exp(u[i]);
    jacobian += u[i];
    x[i] = last;
  });
  return jacobian;
}
template <class R, class N, class U, class X, class A, class G>
MANYCHAIN_HD void backward(const PositiveOrdered&, N n, const U& u, const X&, const A& adjoint, G& g) {
  R suffix = R(0);
  for_each(n, [&](int k) {
    const int i = n.value() - 1 - k;
    suffix += adjoint[i];
    g[i] += fma(suffix, exp(u[i]), R(1));
  });
}
template <class R, class X, class U>
void unconstrain(const PositiveOrdered&, int n, const X& x, U& u) {
  for (int i = 0; i < n; ++i) u[i] = log(R(number_of<R>(i == 0 ? x[0] : x[i] - x[i - 1])));
}

namespace detail {
/// 1 / |u|; zero where u is.
template <class R, class N, class U>
MANYCHAIN_HD R inverse_length(N n, const U& u) {
  R square = R(0);
  for_each(n, [&](int i) { square = fma(R(u[i]), R(u[i]), square); });
  return select(square > R(0), R(1) / sqrt(square), R(0));
}
}  // namespace detail

constexpr int smallest_size(const UnitVector&) { return 1; }
/// The log Jacobian is that of a length with a chi distribution, but for a constant. A vector of zeros has no
/// direction: it stands for the one of equal elements, and has no slope.
template <class R, class N, class U, class X>
MANYCHAIN_HD R forward(const UnitVector&, N n, const U& u, X& x) {
  const R inverse = detail::inverse_length<R>(n, u);
  const R equal = R(1) / sqrt(R(n.value()));
  R square = R(0);
  for_each(n, [&](int i) {
    square = fma(R(u[i]), R(u[i]), square);
    x[i] = select(inverse > R(0), u[i] * inverse, equal);
  });
  return R(-0.5) * square;
}
template <class R, class N, class U, class X, class A, class G>
MANYCHAIN_HD void backward(const UnitVector&, N n, const U& u, const X& x, const A& adjoint, G& g) {
  const R inverse = detail::inverse_length<R>(n, u);
  R along = R(0);
  for_each(n, [&](int i) { along = fma(R(x[i]), R(adjoint[i]), along); });
  for_each(n, [&](int i) { g[i] += fma(inverse, adjoint[i] - along * x[i], -u[i]); });
}
template <class R, class X, class U>
void unconstrain(const UnitVector&, int n, const X& x, U& u) {
  for (int i = 0; i < n; ++i) u[i] = R(number_of<R>(x[i]));
}
inline const char* violation(const UnitVector&, int n, const double* x) {
  double square = -1;
  for (int i = 0; i < n; ++i) square += x[i] * x[i];
  return square < 1e-6 && square > -1e-6 ? nullptr : "the squares of its elements must add up to 1";
}

MANYCHAIN_HD int unconstrained_size(const SumToZero&, int n) { return n - 1; }
constexpr int smallest_size(const SumToZero&) { return 1; }
namespace detail {
/// The divisor of u_{i-1}.
template <class R>
MANYCHAIN_HD R zero_sum_scale(int i) {
  return sqrt(R(i) * R(i + 1));
}
}  // namespace detail
/// x_i = sum over k > i of w_k - i w_i with w_i = u_{i-1} / sqrt(i (i + 1)).
template <class R, class N, class U, class X>
MANYCHAIN_HD R forward(const SumToZero&, N n, const U& u, X& x) {
  R sum = R(0);
  for_each(n, [&](int k) {
    const int i = n.value() - 1 - k;
    const R w = i == 0 ? R(0) : u[i - 1] / detail::zero_sum_scale<R>(i);
    x[i] = fma(R(-i), w, sum);
    sum += w;
  });
  return R(0);
}
template <class R, class N, class U, class X, class A, class G>
MANYCHAIN_HD void backward(const SumToZero&, N n, const U&, const X&, const A& adjoint, G& g) {
  R before = R(0);
  for_each(n, [&](int i) {
    if (i > 0) g[i - 1] += fma(R(-i), adjoint[i], before) / detail::zero_sum_scale<R>(i);
    before += adjoint[i];
  });
}
template <class R, class X, class U>
void unconstrain(const SumToZero&, int n, const X& x, U& u) {
  R sum = R(0);
  for (int i = n - 1; i > 0; --i) {
    const R w = (sum - R(number_of<R>(x[i]))) / R(i);
    sum += w;
    u[i - 1] = detail::zero_sum_scale<R>(i) * w;
  }
}
inline const char* violation(const SumToZero&, int n, const double* x) {
  double sum = 0, size = 1;
  for (int i = 0; i < n; ++i) sum += x[i], size += x[i] < 0 ? -x[i] : x[i];
  return sum < 1e-6 * size && sum > -1e-6 * size ? nullptr : "its elements must add up to 0";
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
