// The directions of a metric in chain code. With S = I + U (sqrt(Lambda) - I) U' momenta are held as scaled velocities
// u = S v, v standard normal, so that a leapfrog takes one product with U and U' and not two:
//   u += eps/2 S^2 D grad;  q += eps D u;  u += eps/2 S^2 D grad.
#pragma once

#include "manychain/core/real.hpp"
#include "manychain/core/size.hpp"
#include "manychain/samplers/metric.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Direction j of the metric, of chains in R.
template <class R>
struct Direction {
  using Number = number_of<R>;
  const Number* row;
  const Number* factors;
  template <class N>
  MANYCHAIN_HD Direction(const LowRank<Number>& metric, N n, int j)
      : row(metric.directions + j * n.value()), factors(metric.factors + j * LowRank<Number>::factors_per_direction) {}

  MANYCHAIN_HD R operator[](int i) const { return R(Scalar<Number>(row[i])); }
  MANYCHAIN_HD R factor(int which) const { return R(Scalar<Number>(factors[which])); }
  template <class N, class V>
  MANYCHAIN_HD R product(N n, const V& v) const {
    R sum = R(0);
    for_each(n, [&](int i) { sum = fma((*this)[i], v[i], sum); });
    return sum;
  }
  template <class N, class V>
  MANYCHAIN_HD void add_to(N n, R multiple, V& v) const {
    for_each(n, [&](int i) { v[i] = fma((*this)[i], multiple, v[i]); });
  }
};

/// u = S v, in place.
template <class R, class N, class V>
MANYCHAIN_HD void colour(const LowRank<number_of<R>>& metric, N n, V& v) {
  MANYCHAIN_ROLLED
  for (int j = 0; j < metric.rank; ++j) {
    const Direction<R> direction(metric, n, j);
    direction.add_to(n, direction.product(n, v) * direction.factor(1), v);
  }
}

/// |v|^2 - |u|^2 for the u = S v that is given.
template <class R, class N, class V>
MANYCHAIN_HD R whitened_excess(const LowRank<number_of<R>>& metric, N n, const V& u) {
  R excess = R(0);
  MANYCHAIN_ROLLED
  for (int j = 0; j < metric.rank; ++j) {
    const Direction<R> direction(metric, n, j);
    const R along = direction.product(n, u);
    excess = fma(along * along, direction.factor(2), excess);
  }
  return excess;
}

/// u += fraction (S^2 - I) step gradient, `step` the scales times the step size.
template <class R, class N, class V>
MANYCHAIN_HD void kick_along(const LowRank<number_of<R>>& metric, N n, number_of<R> fraction, const number_of<R>* step,
                             V& u, const V& gradient) {
  using Number = number_of<R>;
  MANYCHAIN_ROLLED
  for (int j = 0; j < metric.rank; ++j) {
    const Direction<R> direction(metric, n, j);
    R along = R(0);
    for_each(n, [&](int i) { along = fma(direction[i] * R(Scalar<Number>(fraction * step[i])), gradient[i], along); });
    direction.add_to(n, along * direction.factor(0), u);
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
