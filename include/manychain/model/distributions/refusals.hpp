// Code that is not in the language of models and is often written all the same: each case ends in one sentence, where
// the compiler would otherwise list every operator that does not fit. See also NoNumber and refuse_copy
// (model/autodiff/leaves.hpp).
//
// The functions have result types that are no placeholders: asking whether an expression is valid instantiates none.
#pragma once

#include "manychain/model/distributions/density_sums.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// An opaque index as observe() hands it out.
template <class I>
inline constexpr bool is_row_range = false;
template <int K>
inline constexpr bool is_row_range<RowRange<K>> = true;
template <class I>
inline constexpr bool is_lane_index = false;
template <class R>
inline constexpr bool is_lane_index<LaneIndex<R>> = true;
template <class I>
concept OpaqueIndex = is_row_range<I> || is_lane_index<I>;

namespace detail {
/// Something with an opaque index, but not j + 1 and j - 1, which give one.
template <class A, class B>
concept IndexOperands = ((OpaqueIndex<A> && (OpaqueIndex<B> || Operand<B>)) || (Operand<A> && OpaqueIndex<B>));
template <class A, class B>
concept IndexShift = is_row_range<A> &&(Arithmetic<B> || PlainRows<B>);

/// The type that a refused operation would give.
using Nothing = Constant<double>;

template <class T>
MANYCHAIN_HD bool refuse_comparison() {
  static_assert(allowed<T>,
                "no comparison of parameters, which differ from chain to chain: write select(value(x) > 0, "
                "a, b), with value() of what is compared");
  return false;
}
template <class T>
MANYCHAIN_HD void refuse_let() {
  static_assert(
      allowed<T>,
      "a vector needs working memory: write auto eta = target.let(alpha + beta * x), and in the body of a row the "
      "vector without let()");
}
template <class T>
MANYCHAIN_HD Nothing refuse_density() {
  static_assert(allowed<T>,
                "the log density of a vector is added to another or to a number, and multiplied or divided by a "
                "number or a vector of weights: of anything else write a row, in target.sum_over(n, body)");
  return Nothing(0);
}
template <class T>
MANYCHAIN_HD Nothing refuse_choice() {
  static_assert(allowed<T>, "there is no max() or min() of parameters: write select(value(a) < value(b), b, a)");
  return Nothing(0);
}
/// Refuses arithmetic with an opaque index.
template <class T>
MANYCHAIN_HD void refuse_index_arithmetic() {
  static_assert(allowed<T>,
                "with `auto j` the index is opaque: use it to index, and j + 1 and j - 1 (not in a minibatch); for "
                "anything else write [&](int j, auto& term), which takes one row at a time");
}
/// Refuses a vector in a target's `+=`.
template <class T>
MANYCHAIN_HD void refuse_vector_term() {
  static_assert(
      allowed<T>,
      "a term is a number: give the vector to a distribution, or add its elements in target.sum_over(n, body)");
}
template <class T>
MANYCHAIN_HD void refuse_assignment() {
  static_assert(allowed<T>,
                "an expression does not change: name the result, auto b = a + x; a sum over elements is "
                "dot(x, w) or target.sum_over(n, body)");
}
}  // namespace detail

#define MANYCHAIN_REFUSED(op)                                                      \
  template <Operand A, Operand B>                                                  \
  requires(Node<A> || Node<B>) MANYCHAIN_HD bool operator op(const A&, const B&) { \
    return detail::refuse_comparison<A>();                                         \
  }
MANYCHAIN_REFUSED(<)
MANYCHAIN_REFUSED(<=)
MANYCHAIN_REFUSED(>)
MANYCHAIN_REFUSED(>=)
MANYCHAIN_REFUSED(==)
#undef MANYCHAIN_REFUSED

#define MANYCHAIN_REFUSED(op, allowed_operands)                                                           \
  template <class A, class B>                                                                             \
  requires((VectorDensity<A> || VectorDensity<B>)&&!detail::allowed_operands<A, B> && !CompoundTerm<A> && \
           !CompoundTerm<B>) MANYCHAIN_HD detail::Nothing                                                 \
  operator op(const A&, const B&) {                                                                       \
    return detail::refuse_density<A>();                                                                   \
  }
MANYCHAIN_REFUSED(+, SumOfDensities)
MANYCHAIN_REFUSED(-, SumOfDensities)
MANYCHAIN_REFUSED(*, WeightedDensity)
MANYCHAIN_REFUSED(/, DividedDensity)
#undef MANYCHAIN_REFUSED

template <ModelVector V>
MANYCHAIN_HD auto let(const V& v) {
  detail::refuse_let<V>();
  return v.view();
}

/// `2 * j`, `j > 0`.
#define MANYCHAIN_REFUSED(op, Result)                                                        \
  template <class A, class B>                                                                \
  requires detail::IndexOperands<A, B> MANYCHAIN_HD Result operator op(const A&, const B&) { \
    return detail::refuse_index_arithmetic<A>(), Result();                                   \
  }
MANYCHAIN_REFUSED(<, bool)
MANYCHAIN_REFUSED(<=, bool)
MANYCHAIN_REFUSED(>, bool)
MANYCHAIN_REFUSED(>=, bool)
MANYCHAIN_REFUSED(==, bool)
MANYCHAIN_REFUSED(*, int)
MANYCHAIN_REFUSED(/, int)
MANYCHAIN_REFUSED(%, int)
#undef MANYCHAIN_REFUSED
#define MANYCHAIN_REFUSED(op)                                                                                 \
  template <class A, class B>                                                                                 \
  requires(detail::IndexOperands<A, B> && !detail::IndexShift<A, B>) MANYCHAIN_HD int operator op(const A&,   \
                                                                                                  const B&) { \
    return detail::refuse_index_arithmetic<A>(), 0;                                                           \
  }
MANYCHAIN_REFUSED(+)
MANYCHAIN_REFUSED(-)
#undef MANYCHAIN_REFUSED

/// `sum += x`: the type of an expression says what it was made of.
#define MANYCHAIN_REFUSED(op)                         \
  template <Node A, class B>                          \
  MANYCHAIN_HD void operator op(const A&, const B&) { \
    detail::refuse_assignment<A>();                   \
  }
MANYCHAIN_REFUSED(+=)
MANYCHAIN_REFUSED(-=)
MANYCHAIN_REFUSED(*=)
MANYCHAIN_REFUSED(/=)
#undef MANYCHAIN_REFUSED

/// `s += x` of a plain number. Its type is asked for at once, and so the sentence comes before what is said of the use
/// of s: the conversion of x to a double would be refused at the end of the unit.
#define MANYCHAIN_REFUSED(op)                                                                      \
  template <Arithmetic A, Node B>                                                                  \
  MANYCHAIN_HD auto operator op(A&, const B&) {                                                    \
    static_assert(detail::allowed<B>,                                                              \
                  "a plain number has no derivative: a sum of parameters is sum(v), dot(x, w) or " \
                  "target.sum_over(n, body), and a result is named with auto");                    \
    return 0;                                                                                      \
  }
MANYCHAIN_REFUSED(+=)
MANYCHAIN_REFUSED(-=)
MANYCHAIN_REFUSED(*=)
MANYCHAIN_REFUSED(/=)
#undef MANYCHAIN_REFUSED

template <detail::VectorArgument A, detail::VectorArgument B>
requires(Node<A> || Node<B> || ModelVector<A> || ModelVector<B>) MANYCHAIN_HD detail::Nothing operator^(const A&,
                                                                                                        const B&) {
  static_assert(detail::allowed<A>, "^ is no power here: write square(x), or pow(x, y)");
  return detail::Nothing(0);
}
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD detail::Nothing max(const A&, const B&) { return detail::refuse_choice<A>(); }
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD detail::Nothing min(const A&, const B&) { return detail::refuse_choice<A>(); }
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD detail::Nothing operator%(const A&, const B&) {
  static_assert(detail::allowed<A>,
                "there is no remainder of what differs from chain to chain: branch-free code takes "
                "select(mask, a, b)");
  return detail::Nothing(0);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
