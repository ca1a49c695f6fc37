// The objects that the body of observe() and sum_over() adds to where that is not the target itself, and which terms it
// is given.
#pragma once

#include "manychain/model/matrices/parameter_vectors.hpp"
#include "manychain/random/variates.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The object that the body of observe() adds to where K rows are evaluated at once.
template <class Target, int K>
class RowBlockTarget {
  using R = typename Target::real_type;

 public:
  MANYCHAIN_HD explicit RowBlockTarget(Target& target) : target_(target) {}
  RowBlockTarget(const RowBlockTarget&) = delete;
  RowBlockTarget& operator=(const RowBlockTarget&) = delete;
  template <Operand E>
  MANYCHAIN_HD RowBlockTarget& operator+=(const E& expression) {
    const auto node = as_node(expression);
    const auto value = node.value();
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) target_.add(R(row_of(value, k)));
    if constexpr (Target::gradient) node.push(Literal<K>{1}, NoMask{});
    return *this;
  }
  template <ModelVector V>
  MANYCHAIN_HD RowBlockTarget& operator+=(const V&) {
    return detail::refuse_vector_term<V>(), *this;
  }
  template <class N, class Term>
  MANYCHAIN_HD RowBlockTarget& operator+=(const EachElement<N, Term>& each) {
    detail::refuse_mixture<Term>();
    for_each(each.size, [&](int i) { *this += each.term(i); });
    return *this;
  }
  template <class A, class B>
  MANYCHAIN_HD RowBlockTarget& operator+=(const DensitySum<A, B>& sum) {
    return *this += sum.first, *this += sum.second;
  }

 private:
  Target& target_;
};

/// The object that the body of observe() adds to in a minibatch.
template <class Target>
class ScaledTerm {
  using R = typename Target::real_type;

 public:
  MANYCHAIN_HD explicit ScaledTerm(R scale) : scale_(scale) {}
  ScaledTerm(const ScaledTerm&) = delete;
  ScaledTerm& operator=(const ScaledTerm&) = delete;
  template <Operand E>
  MANYCHAIN_HD ScaledTerm& operator+=(const E& expression) {
    as_node(expression).push(scale_, NoMask{});
    return *this;
  }
  template <ModelVector V>
  MANYCHAIN_HD ScaledTerm& operator+=(const V&) {
    return detail::refuse_vector_term<V>(), *this;
  }
  template <class N, class Term>
  MANYCHAIN_HD ScaledTerm& operator+=(const EachElement<N, Term>& each) {
    detail::refuse_mixture<Term>();
    for_each(each.size, [&](int i) { *this += each.term(i); });
    return *this;
  }
  template <class A, class B>
  MANYCHAIN_HD ScaledTerm& operator+=(const DensitySum<A, B>& sum) {
    return *this += sum.first, *this += sum.second;
  }

 private:
  R scale_;
};

/// Which data terms an evaluation takes: all.
struct AllTerms {};
/// All; but on a GPU, where a chain has several threads (core/chain_threads.hpp), each of them takes every so manyeth
/// term of observe() and sum_over(), with so much more weight. All take what stands outside, so that the average over
/// the threads is what one thread would find, and nothing asks which thread it is: a constraint's Jacobian, the adjoint
/// of an intermediate. Weights are powers of two and change no rounding.
struct DealtTerms {};
/// `count` terms of each observe(), drawn with replacement, each chain its own, and scaled by N / count (Welling and
/// Teh 2011).
template <class R>
struct Minibatch {
  Stream<R> stream;
  int count;
};
/// The source of predictions in an evaluation of outputs.
template <class R>
struct Predictions {
  Variates<R>* variates;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
