// Evaluating a model, whichever way it gives its log density.
//
// A model is a small trivially copyable class template <class Number, int... Sizes> with
//   static constexpr int dimension;            // unconstrained parameters, or dynamic; may be left out (dynamic)
//   void data(DataReader&);                    // reads its data; may be left out
// and one of
//   template <class Target> void log_density(Target&) const;                        // one function says everything
//   template <class R, class Q, class G> R value_and_gradient(const Q&, G&) const;  // a hand-written gradient; the
//   value
//                                                                                   // may be a Compensated<R>
//   template <class R, class Q> R value(const Q&) const;                            // a value alone
// The last two declare their parameters (unconstrained) in
//   template <class Target> void parameters(Target&) const;
// A model whose log_density() has no gradient says `static constexpr bool has_gradient = false;`, one that cannot do
// without branches `static constexpr bool branches = true;` and then runs one chain a lane.
#pragma once

#include "manychain/model/target.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
using ProbeReal = Scalar<float>;
using ProbeVector = Strided<ProbeReal>;
using ProbeTarget = Target<ProbeReal, ProbeVector, ProbeVector, Want::value>;
}  // namespace detail

template <class M>
inline constexpr bool gives_own_gradient = requires(const M& m, const detail::ProbeVector& q, detail::ProbeVector& g) {
  m.template value_and_gradient<detail::ProbeReal>(q, g);
};
template <class M>
inline constexpr bool gives_value = requires(const M& m, const detail::ProbeVector& q) {
  m.template value<detail::ProbeReal>(q);
};
template <class M>
inline constexpr bool gives_log_density = !gives_own_gradient<M> && !gives_value<M>;

template <class M>
constexpr bool model_has_gradient() {
  if constexpr (requires { M::has_gradient; })
    return M::has_gradient;
  else
    return gives_own_gradient<M> || gives_log_density<M>;
}
template <class M>
constexpr bool model_branches() {
  if constexpr (requires { M::branches; })
    return M::branches;
  else
    return false;
}
template <class M>
constexpr int model_dimension() {
  if constexpr (requires { M::dimension; })
    return M::dimension;
  else
    return dynamic;
}

/// The log density at q, its gradient into g, or both. g is overwritten; it is not touched for Want::value unless the
/// model only knows value and gradient together.
template <Want want, class R, class Model, class N, class Q, class G>
MANYCHAIN_HD Compensated<R> evaluate(const Model& model, N dimension, const Q& q, G& g, const Arena<R>& arena) {
  if constexpr (gives_own_gradient<Model> && !(gives_value<Model> && want == Want::value)) {
    const auto value = model.template value_and_gradient<R>(q, g);
    if constexpr (std::is_same_v<decltype(value), const Compensated<R>>) {
      return value;
    } else {
      Compensated<R> lp;
      lp.sum = value;
      return lp;
    }
  } else if constexpr (gives_value<Model>) {
    static_assert(want == Want::value, "this model has no gradient");
    Compensated<R> lp;
    lp.sum = model.template value<R>(q);
    return lp;
  } else {
    if constexpr (want != Want::value && N::fixed && N::small) {
      // Adjoints of its own, which nothing else can point to: the zeros they begin with are then folded away.
      Registers<R, N::compile_time> adjoints;
      for_each(dimension, [&](int i) { adjoints[i] = R(0); });
      Target<R, Q, decltype(adjoints), want> target(q, adjoints, arena);
      model.log_density(target);
      for_each(dimension, [&](int i) { g[i] = adjoints[i]; });
      return target.log_density();
    } else {
      if constexpr (want != Want::value) for_each(dimension, [&](int i) { g[i] = R(0); });
      Target<R, Q, G, want> target(q, g, arena);
      model.log_density(target);
      return target.log_density();
    }
  }
}

/// Whether evaluate<Want::value> writes to its gradient argument.
template <class Model>
inline constexpr bool value_needs_gradient_memory = gives_own_gradient<Model> && !gives_value<Model>;

/// The outputs of the draw at q: sink(index, value).
template <class R, class Model, class Q, class Sink>
MANYCHAIN_HD void evaluate_outputs(const Model& model, const Q& q, const Arena<R>& arena, int first_derived,
                                   Sink sink) {
  Q unused = q;
  Target<R, Q, Q, Want::outputs, Sink> target(q, unused, arena, first_derived, sink);
  if constexpr (gives_log_density<Model>)
    model.log_density(target);
  else
    model.parameters(target);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
