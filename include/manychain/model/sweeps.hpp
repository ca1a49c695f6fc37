// What a model's conditionals() and proposal() speak to. Which sweep it is decides what comes out: draws one after
// another, draws all at once, their densities, or a single one of them.
//
//   template <class Sweep> void conditionals(Sweep& sweep) const {
//     sweep.component(0, [&](const auto& q) { return normal_law(0.8 * q[1], 0.6); });    // component 0 given the rest
//     sweep.components(2, n, [&](int i, const auto& q) { return ...; });                 // components 2 .. 2 + n - 1
//     sweep.block(2 + n, k, [&](const auto& q) { return dirichlet_law(...); });          // several together
//   }
//
// q is the whole state on the unconstrained scale; laws: model/laws.hpp.
#pragma once

#include <utility>

#include "manychain/model/laws.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Components first, first + 1, ... of a state.
template <class V>
struct Segment {
  V* whole;
  int first;
  MANYCHAIN_HD decltype(auto) operator[](int i) const { return (*whole)[first + i]; }
};

/// What a law that may not look at the state is given instead: there is nothing to look at.
struct NoState {};

/// Each component is drawn given the newest values of all others: systematic-scan Gibbs.
template <class R, class V>
struct SequentialSweep {
  V& q;
  Variates<R>& variates;
  template <class Law>
  MANYCHAIN_HD void component(int i, Law law) {
    q[i] = law(std::as_const(q)).template draw<R>(variates);
  }
  template <class N, class Law>
  MANYCHAIN_HD void components(int first, N n, Law law) {
    for_each(as_size(n), [&](int i) { q[first + i] = law(i, std::as_const(q)).template draw<R>(variates); });
  }
  template <class N, class Law>
  MANYCHAIN_HD void block(int first, N, Law law) {
    const auto of_block = law(std::as_const(q));
    Segment<V> out{&q, first};
    of_block.template draw<R>(variates, out);
  }
};

/// One of the updates alone, the `chosen`-th; all chains choose the same.
template <class R, class V>
struct SelectedSweep {
  V& q;
  Variates<R>& variates;
  int chosen;
  int next = 0;
  template <class Law>
  MANYCHAIN_HD void component(int i, Law law) {
    if (next++ == chosen) q[i] = law(std::as_const(q)).template draw<R>(variates);
  }
  template <class N, class Law>
  MANYCHAIN_HD void components(int first, N n, Law law) {
    const int k = chosen - next, count = as_size(n).value();
    next += count;
    if (k < 0 || k >= count) return;
    if constexpr (decltype(as_size(n))::fixed && decltype(as_size(n))::small)
      for_each(as_size(n), [&](int i) {
        if (i == k) q[first + i] = law(i, std::as_const(q)).template draw<R>(variates);
      });
    else
      q[first + k] = law(k, std::as_const(q)).template draw<R>(variates);
  }
  template <class N, class Law>
  MANYCHAIN_HD void block(int first, N, Law law) {
    if (next++ != chosen) return;
    const auto of_block = law(std::as_const(q));
    Segment<V> out{&q, first};
    of_block.template draw<R>(variates, out);
  }
};

/// How many updates there are.
struct CountingSweep {
  int updates = 0;
  template <class Law>
  MANYCHAIN_HD void component(int, Law) {
    ++updates;
  }
  template <class N, class Law>
  MANYCHAIN_HD void components(int, N n, Law) {
    updates += as_size(n).value();
  }
  template <class N, class Law>
  MANYCHAIN_HD void block(int, N, Law) {
    ++updates;
  }
};

/// Calls mark(i) for every component that is updated.
template <class Mark>
struct MarkingSweep {
  Mark mark;
  template <class Law>
  MANYCHAIN_HD void component(int i, Law) {
    mark(i);
  }
  template <class N, class Law>
  MANYCHAIN_HD void components(int first, N n, Law) {
    for (int i = 0; i < as_size(n).value(); ++i) mark(first + i);
  }
  template <class N, class Law>
  MANYCHAIN_HD void block(int first, N n, Law) {
    for (int i = 0; i < as_size(n).value(); ++i) mark(first + i);
  }
};

/// All components drawn given `from`, into `to`, and the log density of what was drawn.
template <class R, class From, class V>
struct DrawSweep {
  const From& from;
  V& to;
  Variates<R>& variates;
  Compensated<R> log_density;
  template <class Law>
  MANYCHAIN_HD void component(int i, Law law) {
    put(i, law(from));
  }
  template <class N, class Law>
  MANYCHAIN_HD void components(int first, N n, Law law) {
    for_each(as_size(n), [&](int i) { put(first + i, law(i, from)); });
  }
  template <class N, class Law>
  MANYCHAIN_HD void block(int first, N, Law law) {
    const auto of_block = law(from);
    Segment<V> out{&to, first};
    of_block.template draw<R>(variates, out);
    log_density.add(of_block.template log_density<R>(out));
  }

 private:
  template <class L>
  MANYCHAIN_HD void put(int i, const L& law) {
    to[i] = law.template draw<R>(variates);
    log_density.add(law.log_density(R(to[i])));
  }
};

/// The log density of proposing `to` from `from`.
template <class R, class From, class V>
struct DensitySweep {
  const From& from;
  const V& to;
  Compensated<R> log_density;
  template <class Law>
  MANYCHAIN_HD void component(int i, Law law) {
    log_density.add(law(from).log_density(R(to[i])));
  }
  template <class N, class Law>
  MANYCHAIN_HD void components(int first, N n, Law law) {
    for_each(as_size(n), [&](int i) { log_density.add(law(i, from).log_density(R(to[first + i]))); });
  }
  template <class N, class Law>
  MANYCHAIN_HD void block(int first, N, Law law) {
    const Segment<const V> x{&to, first};
    log_density.add(law(from).template log_density<R>(x));
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
