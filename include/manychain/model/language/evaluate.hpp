// Evaluating a model, whichever way it gives its log density.
//
// A model is a small trivially copyable class template <class Number, int... Sizes> with
//   static constexpr int dimension;            // unconstrained parameters, or dynamic; may be left out (dynamic)
//   void data(DataReader&);                    // reads its data; may be left out
// and one of
//   template <class Target> void log_density(Target&) const;                        // one function says everything
//   template <class R, class Q, class G> R value_and_gradient(const Q&, G&) const;  // a hand-written gradient; may
//                                                                                   // return a Compensated<R>
//   template <class R, class Q> R value(const Q&) const;                            // a value alone
//   template <class R, class Q, class G> void score(const Q&, G&) const;            // a gradient alone, no density
//   template <class Visitor> void conditionals(Visitor&) const;                     // full conditionals alone
//   template <class Visitor> void draw(Visitor&) const;                             // independent draws, or a step
// All but the first declare their parameters (unconstrained) in
//   template <class Target> void parameters(Target&) const;
// Beside any density a model may give, for the samplers that use them (model/distributions/visitors.hpp),
//   template <class Visitor> void conditionals(Visitor&) const;                     // Gibbs
//   template <class Visitor> void proposal(Visitor&) const;                         // Metropolis-Hastings
//   static constexpr bool independent_proposal = true;                              // it does not look at the state
//   double log_envelope() const;                                                    // log M, p <= M q: rejection
// One with a gradient of its own may write what is recorded of a draw itself, sink(index, value) for each output in the
// order of its layout: foreign densities do, whose parameters are constrained by others
// (src/foreign/foreign_density.cpp).
//   template <class R, class Q, class Sink> void outputs(const Q&, Arena<R>, const Sink&, Variates<R>&) const;
// A model whose log_density() has no gradient says `static constexpr bool has_gradient = false;`, one that cannot do
// without branches `static constexpr bool branches = true;` and then runs one chain per lane.
#pragma once

#include "manychain/model/language/target.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
using ProbeReal = Scalar<float>;
using ProbeVector = Strided<ProbeReal>;
using ProbeTarget = Target<ProbeReal, ProbeVector, ProbeVector, Request::value>;
struct ProbeVisitor {};
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
inline constexpr bool gives_log_density = requires(const M& m, detail::ProbeTarget& t) {
  m.log_density(t);
};
template <class M>
inline constexpr bool gives_density = gives_own_gradient<M> || gives_value<M> || gives_log_density<M>;
template <class M>
inline constexpr bool gives_score = requires(const M& m, const detail::ProbeVector& q, detail::ProbeVector& g) {
  m.template score<detail::ProbeReal>(q, g);
};
template <class M>
inline constexpr bool gives_own_outputs = requires(const M& m, const detail::ProbeVector& q,
                                                   Variates<detail::ProbeReal>& variates) {
  m.template outputs<detail::ProbeReal>(q, Arena<detail::ProbeReal>{}, NoSink{}, variates);
};
template <class M>
inline constexpr bool gives_conditionals = requires(const M& m, detail::ProbeVisitor& s) {
  m.conditionals(s);
};
template <class M>
inline constexpr bool gives_proposal = requires(const M& m, detail::ProbeVisitor& s) {
  m.proposal(s);
};
template <class M>
inline constexpr bool gives_draws = requires(const M& m, detail::ProbeVisitor& s) {
  m.draw(s);
};
template <class M>
constexpr bool model_proposes_independently() {
  if constexpr (requires { M::independent_proposal; })
    return gives_proposal<M> && M::independent_proposal;
  else
    return false;
}
template <class M>
inline constexpr bool proposes_independently = model_proposes_independently<M>();
/// `static constexpr bool minibatches = true;`: its data terms are those of observe(), and may be subsampled.
template <class M>
constexpr bool model_has_terms() {
  if constexpr (requires { M::minibatches; })
    return M::minibatches;
  else
    return false;
}
template <class M>
inline constexpr bool gives_envelope = requires(const M& m) {
  static_cast<double>(m.log_envelope());
};

template <class M>
constexpr bool model_has_gradient() {
  if constexpr (requires { M::has_gradient; })
    return M::has_gradient;
  else
    return gives_own_gradient<M> || gives_log_density<M> || gives_score<M>;
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

/// True if a chain may have several threads, to which the terms of its model are dealt: adjoints must be each thread's
/// own, in registers, and a model that has no room for a pointer to data has no terms to deal.
template <class Model>
inline constexpr bool deals_terms = [] {
  if constexpr (chains_may_have_threads && gives_log_density<Model> && !gives_own_gradient<Model> &&
                !gives_value<Model>)
    return is_unrolled<Size<model_dimension<Model>()>> && sizeof(Model) >= sizeof(void*);
  else
    return false;
}();

/// The log density at q, its gradient into g, or both. g is overwritten; it is not touched for Request::value unless
/// the model only knows value and gradient together.
template <Request request, class R, class Model, class N, class Q, class G>
MANYCHAIN_HD Compensated<R> evaluate(const Model& model, N dimension, const Q& q, G& g, const Arena<R>& arena) {
  if constexpr (gives_own_gradient<Model> && !(gives_value<Model> && request == Request::value)) {
    const auto value = model.template value_and_gradient<R>(q, g);
    if constexpr (std::is_same_v<decltype(value), const Compensated<R>>) {
      return value;
    } else {
      Compensated<R> lp;
      lp.sum = value;
      return lp;
    }
  } else if constexpr (gives_value<Model>) {
    static_assert(request == Request::value, "this model has no gradient");
    Compensated<R> lp;
    lp.sum = model.template value<R>(q);
    return lp;
  } else if constexpr (!gives_log_density<Model>) {
    if constexpr (request != Request::value) model.template score<R>(q, g);
    return Compensated<R>();  // no density: zero
  } else {
    using Batch = std::conditional_t<deals_terms<Model>, DealtTerms, AllTerms>;
    const auto log_density_of = [](auto& target) {
      Compensated<R> lp = target.log_density();
      if constexpr (deals_terms<Model> && request != Request::gradient) ChainThreads::average(lp);
      return lp;
    };
    if constexpr (request != Request::value && is_unrolled<N>) {
      // Adjoints of its own, which nothing else can point to: the zeros they begin with are then folded away.
      Registers<R, N::compile_time> adjoints;
      for_each(dimension, [&](int i) { adjoints[i] = R(0); });
      Target<R, Q, decltype(adjoints), request, NoSink, Batch> target(q, adjoints, arena);
      model.log_density(target);
      if constexpr (deals_terms<Model>) ChainThreads::average(dimension, adjoints);
      for_each(dimension, [&](int i) { g[i] = in_register(adjoints[i]); });
      return log_density_of(target);
    } else {
      if constexpr (request != Request::value) for_each(dimension, [&](int i) { g[i] = R(0); });
      Target<R, Q, G, request, NoSink, Batch> target(q, g, arena);
      model.log_density(target);
      return log_density_of(target);
    }
  }
}

/// The gradient alone with `terms` random data terms in the place of all, each term's share scaled up: unbiased.
template <class R, class Model, class N, class Q, class G>
MANYCHAIN_HD void evaluate_minibatch(const Model& model, N dimension, const Q& q, G& g, const Arena<R>& arena,
                                     const Stream<R>& stream, int terms) {
  for_each(dimension, [&](int i) { g[i] = R(0); });
  Target<R, Q, G, Request::gradient, NoSink, Minibatch<R>> target(q, g, arena, 0, {}, Minibatch<R>{stream, terms});
  model.log_density(target);
}

/// True if evaluate<Request::value> writes to its gradient argument.
template <class Model>
inline constexpr bool value_needs_gradient_memory = gives_own_gradient<Model> && !gives_value<Model>;

/// Moves a starting point q to where its parameters may be: whole numbers among those allowed, by `spread`, which is
/// uniform on (-2, 2] whatever the radius of q.
template <class R, class Model, class Q>
MANYCHAIN_HD void settle(const Model& model, const Q& spread, Q& q, const Arena<R>& arena) {
  Target<R, Q, Q, Request::start> target(spread, q, arena);
  if constexpr (gives_log_density<Model>)
    model.log_density(target);
  else
    model.parameters(target);
}

/// The outputs of the draw at q: sink(index, value). Predictions are drawn from `variates`, or from `stream`.
template <class R, class Model, class Q, class Sink>
MANYCHAIN_HD void evaluate_outputs(const Model& model, const Q& q, const Arena<R>& arena, int first_derived, Sink sink,
                                   Variates<R>& variates) {
  if constexpr (gives_own_outputs<Model>) {
    model.template outputs<R>(q, arena, sink, variates);
  } else {
    Q unused = q;
    Target<R, Q, Q, Request::outputs, Sink, Predictions<R>> target(q, unused, arena, first_derived, sink, {&variates});
    if constexpr (gives_log_density<Model>)
      model.log_density(target);
    else
      model.parameters(target);
  }
}
template <class R, class Model, class Q, class Sink>
MANYCHAIN_HD void evaluate_outputs(const Model& model, const Q& q, const Arena<R>& arena, int first_derived, Sink sink,
                                   const Stream<R>& stream) {
  Variates<R> variates(stream);
  evaluate_outputs<R>(model, q, arena, first_derived, sink, variates);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
