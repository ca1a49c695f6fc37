// The square z' z of the solution of L z = v, as a number of an expression: what a mixture of multivariate densities
// has in each of its parts.
#pragma once

#include "manychain/model/matrices/cholesky.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// z' z of L z = v. Adjoints: u = 2 L'^-1 z, of v u, of L the lower triangle of -u z'. It solves as it is made and
/// again where its adjoint is passed on, in local memory: a number of an expression has no arena, and is copied.
template <class L, class V>
struct SolvedSquare : NoNumber<ExpressionTag, SolvedSquare<L, V>> {
  L factor;
  V right;
  using N = std::remove_cvref_t<decltype(std::declval<V>().size())>;
  using R = std::remove_cvref_t<decltype(std::declval<value_of<decltype(std::declval<L>()[0][0])>>() *
                                         std::declval<value_of<decltype(std::declval<V>()[0])>>())>;
  static constexpr int most = N::fixed ? N::compile_time : 32;  ///< elements
  R v;
  MANYCHAIN_HD SolvedSquare(const L& lower, const V& vector) : factor(lower), right(vector), v(0) {
    if constexpr (checks_bounds)
      if (right.size().value() > most) checks::throw_many_elements("sum() of a multivariate density", most);
    Solution z;
    solve(z);
    for_each(right.size(), [&](int i) { v = fma(z[i], z[i], v); });
  }
  MANYCHAIN_HD R value() const { return v; }
  template <class Adjoint, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, M m) const {
    const R twice = R(2) * detail::adjoint_in<R>(adjoint);
    Solution z, left;  // of the adjoints of z, what the rows below leave
    solve(z);
    for_each(right.size(), [&](int i) { left[i] = twice * z[i]; });
    for_each(right.size(), [&](int back) {
      const int i = right.size().value() - 1 - back;
      const auto row = factor[i];
      const R u = left[i] * R(detail::reciprocal_of(factor, i)), minus_u = -u;
      as_node(right[i]).push(u, m);
      detail::for_range<is_unrolled<N>>(0, i, [&](int j) {
        const auto element = as_node(row[j]);
        left[j] = fma(R(element.value()), minus_u, left[j]);
        element.push(minus_u, z[j], m);
      });
      as_node(row[i]).push(minus_u, z[i], m);
    });
  }
  template <class Adjoint, class F, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, F factor_of, M m) const {
    push(adjoint * factor_of, m);
  }

 private:
  using Solution = Registers<R, most>;
  MANYCHAIN_HD void solve(Solution& z) const {
    for_each(right.size(), [&](int i) {
      const auto row = factor[i];
      R sum = R(0);
      detail::for_range<is_unrolled<N>>(0, i, [&](int j) { sum = fma(R(as_node(row[j]).value()), z[j], sum); });
      z[i] = (R(as_node(right[i]).value()) - sum) * R(detail::reciprocal_of(factor, i));
    });
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
