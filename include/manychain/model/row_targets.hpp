// What the body of observe() and sum_over() adds to where that is not the target itself.
#pragma once

#include "manychain/model/parameter_vectors.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// What the body of observe() adds to where K rows are evaluated at once.
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
    for_each(each.size, [&](int i) { *this += each.term(i); });
    return *this;
  }

 private:
  Target& target_;
};

/// What the body of observe() adds to in a minibatch.
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
    for_each(each.size, [&](int i) { *this += each.term(i); });
    return *this;
  }

 private:
  R scale_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
