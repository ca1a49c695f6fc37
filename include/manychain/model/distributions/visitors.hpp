// The visitors that a model's conditionals() and proposal() speak to. Which visitor it is decides what comes out: draws
// one after another, draws all at once, their densities, or a single one of them.
//
//   template <class Visitor> void conditionals(Visitor& visitor) const {
//     // component 0 given the rest, components 2 .. 2 + n - 1, several together
//     visitor.component(0, [&](const auto& q) { return normal_distribution(0.8 * q[1], 0.6); });
//     visitor.components(2, n, [&](int i, const auto& q) { return ...; });
//     visitor.block(2 + n, k, [&](const auto& q) { return dirichlet_distribution(...); });
//   }
//
// q is the whole state on the unconstrained scale; distributions: model/distributions/sampled_distributions.hpp.
#pragma once

#include <utility>

#include "manychain/model/distributions/sampled_distributions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Components first, first + 1, ... of a state.
template <class V>
struct Segment {
  V* whole;
  int first;
  MANYCHAIN_HD decltype(auto) operator[](int i) const { return (*whole)[first + i]; }
};

/// The argument, instead of a state, of a distribution that may not look at it.
struct NoState {};

/// Each component is drawn given the newest values of all others: systematic-scan Gibbs.
template <class R, class V>
struct SequentialVisitor {
  V& q;
  Variates<R>& variates;
  template <class Distribution>
  MANYCHAIN_HD void component(int i, Distribution distribution) {
    q[i] = distribution(std::as_const(q)).template draw<R>(variates);
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void components(int first, N n, Distribution distribution) {
    for_each(as_size(n), [&](int i) { q[first + i] = distribution(i, std::as_const(q)).template draw<R>(variates); });
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void block(int first, N, Distribution distribution) {
    const auto of_block = distribution(std::as_const(q));
    Segment<V> out{&q, first};
    of_block.template draw<R>(variates, out);
  }
};

/// One of the updates alone, the `chosen`-th; all chains choose the same.
template <class R, class V>
struct SelectedVisitor {
  V& q;
  Variates<R>& variates;
  int chosen;
  int next = 0;
  template <class Distribution>
  MANYCHAIN_HD void component(int i, Distribution distribution) {
    if (next++ == chosen) q[i] = distribution(std::as_const(q)).template draw<R>(variates);
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void components(int first, N n, Distribution distribution) {
    const int k = chosen - next, count = as_size(n).value();
    next += count;
    if (k < 0 || k >= count) return;
    if constexpr (is_unrolled<decltype(as_size(n))>)
      for_each(as_size(n), [&](int i) {
        if (i == k) q[first + i] = distribution(i, std::as_const(q)).template draw<R>(variates);
      });
    else
      q[first + k] = distribution(k, std::as_const(q)).template draw<R>(variates);
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void block(int first, N, Distribution distribution) {
    if (next++ != chosen) return;
    const auto of_block = distribution(std::as_const(q));
    Segment<V> out{&q, first};
    of_block.template draw<R>(variates, out);
  }
};

/// Number of updates.
struct CountingVisitor {
  int updates = 0;
  template <class Distribution>
  MANYCHAIN_HD void component(int, Distribution) {
    ++updates;
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void components(int, N n, Distribution) {
    updates += as_size(n).value();
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void block(int, N, Distribution) {
    ++updates;
  }
};

/// Calls mark(i) for every component that is updated.
template <class Mark>
struct MarkingVisitor {
  Mark mark;
  template <class Distribution>
  MANYCHAIN_HD void component(int i, Distribution) {
    mark(i);
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void components(int first, N n, Distribution) {
    for (int i = 0; i < as_size(n).value(); ++i) mark(first + i);
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void block(int first, N n, Distribution) {
    for (int i = 0; i < as_size(n).value(); ++i) mark(first + i);
  }
};

/// All components drawn given `from`, into `to`, and the log density of what was drawn.
template <class R, class From, class V>
struct DrawVisitor {
  const From& from;
  V& to;
  Variates<R>& variates;
  Compensated<R> log_density;
  template <class Distribution>
  MANYCHAIN_HD void component(int i, Distribution distribution) {
    put(i, distribution(from));
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void components(int first, N n, Distribution distribution) {
    for_each(as_size(n), [&](int i) { put(first + i, distribution(i, from)); });
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void block(int first, N, Distribution distribution) {
    const auto of_block = distribution(from);
    Segment<V> out{&to, first};
    of_block.template draw<R>(variates, out);
    log_density.add(of_block.template log_density<R>(out));
  }

 private:
  template <class L>
  MANYCHAIN_HD void put(int i, const L& distribution) {
    to[i] = distribution.template draw<R>(variates);
    log_density.add(distribution.log_density(R(to[i])));
  }
};

/// The log density of proposing `to` from `from`.
template <class R, class From, class V>
struct DensityVisitor {
  const From& from;
  const V& to;
  Compensated<R> log_density;
  template <class Distribution>
  MANYCHAIN_HD void component(int i, Distribution distribution) {
    log_density.add(distribution(from).log_density(R(to[i])));
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void components(int first, N n, Distribution distribution) {
    for_each(as_size(n), [&](int i) { log_density.add(distribution(i, from).log_density(R(to[first + i]))); });
  }
  template <class N, class Distribution>
  MANYCHAIN_HD void block(int first, N, Distribution distribution) {
    const Segment<const V> x{&to, first};
    log_density.add(distribution(from).template log_density<R>(x));
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
