// The leaves of an expression: what has a value and receives an adjoint. What an adjoint may be stands here too: a
// Real, one that is known to be 1, a literal for each of several rows, and a mask of the lanes it is for.
#pragma once

#include <concepts>
#include <type_traits>

#include "manychain/core/lane_index.hpp"
#include "manychain/core/row_block.hpp"
#include "manychain/model/data/checks.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

struct ExpressionTag {};
struct IntermediateTag {};

namespace detail {
/// False, once a template is instantiated: what must not be written ends in a static_assert with a sentence.
template <class...>
inline constexpr bool allowed = false;
}  // namespace detail

/// An expression or an intermediate is no number of C++, and says so where it meets one: a double, a function of the
/// C++ library, an index, a branch. Members of a template, so that they are refused where they are used.
template <class Tag, class Self>
struct NoNumber : Tag {
  MANYCHAIN_HD operator double() const {  // NOLINT: implicit, as whoever comes here has meant it
    static_assert(detail::allowed<Self>,
                  "a parameter or an expression of parameters is no double: name it with auto; write exp(x), not "
                  "std::exp(x); write select(mask, a, b), not m ? a : b; what is lacking is made with elementary()");
    return 0;
  }
  MANYCHAIN_HD explicit operator bool() const {
    static_assert(detail::allowed<Self>,
                  "no branch on a parameter, which differs from chain to chain: write select(value(x) > 0, a, b)");
    return false;
  }
};

/// A copy of an intermediate calls this: its adjoint would be passed on twice or never. A deleted function has no
/// sentence.
template <class Self>
MANYCHAIN_HD void refuse_copy() {
  static_assert(
      detail::allowed<Self>,
      "an intermediate (a let, a constrained parameter) is not copied, moved or assigned: use it by its name, "
      "capture it by reference, write a second let(...), return the expression from a function");
}

template <class T>
concept Expression = std::derived_from<std::remove_cvref_t<T>, ExpressionTag>;
template <class T>
concept Intermediate = std::derived_from<std::remove_cvref_t<T>, IntermediateTag>;
/// The operand that an operator of this file takes at least one of.
template <class T>
concept Node = Expression<T> || Intermediate<T>;
/// Whole numbers of the data, several or one per lane.
template <class T>
concept DataIntegers = PlainRows<T> || is_lane_integers<std::remove_cvref_t<T>>;
/// An operand that may stand beside it: a literal, or data.
template <class T>
concept Operand = Node<T> || Arithmetic<std::remove_cvref_t<T>> || Real<std::remove_cvref_t<T>> || DataIntegers<T>;

/// Adjoints may be masked (select): a masked lane receives nothing, not zero times something that may be infinite.
struct NoMask {};
MANYCHAIN_HD NoMask row_of(NoMask, int) { return {}; }
/// The adjoint of a whole statement. A type of its own, because the compiler does not see through a fused product
/// with 1.
struct One {};
/// A literal shared by K rows that are evaluated at once: One of a statement about a RowRange, and its multiples. It
/// keeps the number of rows known where nothing else in the statement depends on the row.
template <int K>
struct Literal {
  double v;
  template <class F>
  MANYCHAIN_HD friend auto operator*(Literal a, const F& factor) {
    if constexpr (Arithmetic<F>)
      return Literal{a.v * factor};
    else if constexpr (SeveralRows<F>)
      return a.v * factor;
    else
      return RowBlock<F, K>(a.v * factor);
  }
  MANYCHAIN_HD friend Literal operator-(Literal a) { return {-a.v}; }
};
template <class T>
inline constexpr int literal_rows = 0;
template <int K>
inline constexpr int literal_rows<Literal<K>> = K;
template <int K>
MANYCHAIN_HD double row_of(Literal<K> a, int) {
  return a.v;
}

/// An adjoint that is noted, with the leaf that it reaches, in the place of being added there: the partial derivatives
/// of an expression towards its leaves (model/recurrences/forward_scan.hpp). Record has leaf(slot, adjoint) and
/// state(k, adjoint).
template <class R, class Record>
struct Traced {
  R v;
  Record* record;
  template <class F>
  MANYCHAIN_HD friend Traced operator*(Traced a, const F& factor) {
    return {R(a.v * factor), a.record};
  }
  MANYCHAIN_HD friend Traced operator-(Traced a) { return {-a.v, a.record}; }
  MANYCHAIN_HD R masked(NoMask) const { return v; }
  template <class M>
  MANYCHAIN_HD R masked(M m) const {
    return select(m, v, R(0));
  }
};
template <class A>
inline constexpr bool is_traced = false;
template <class R, class Record>
inline constexpr bool is_traced<Traced<R, Record>> = true;

/// A literal or data: adjoints end here.
template <class V>
struct Constant : NoNumber<ExpressionTag, Constant<V>> {
  V v;
  MANYCHAIN_HD explicit Constant(V value) : v(value) {}
  MANYCHAIN_HD V value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A, M) const {}
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A, F, M) const {}
};

/// Something that has an adjoint: a parameter, or a reference to an intermediate. Where it stands for several rows
/// that are evaluated at once, it receives the sum of their adjoints, in the order of the rows.
///
/// Sums: how many partial sums `adjoint` points to. Two for an intermediate, which take turns: what it is made of waits
/// for the whole sum, and two have half the latency of one (the gradient of eight schools: 6 % faster).
///
/// Scoped: the adjoint lies in an intermediate, and it is asked whether that is still there. Only where data are bound.
template <class R, int Sums = 1, bool Scoped = false>
struct Variable : NoNumber<ExpressionTag, Variable<R, Sums, Scoped>> {
  R v;
  R* adjoint;
  MANYCHAIN_HD Variable(R value, R* slot) : v(value), adjoint(slot) {}
  MANYCHAIN_HD R value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (Scoped && !is_traced<A>) {
      if (!checks::is_there(adjoint)) return;
    }
    if constexpr (is_traced<A>)
      a.record->leaf(adjoint, a.masked(m));
    else if constexpr (std::is_same_v<A, One>)
      add(R(1), m);
    else if constexpr (literal_rows<A> > 0 && !SeveralRows<R> && !SeveralRows<M>)
      add(R(a.v * literal_rows<A>), m);
    else if constexpr (literal_rows<A> > 0 && SeveralRows<R>)
      add(R(a.v), m);
    else if constexpr ((SeveralRows<A> || SeveralRows<M>)&&!SeveralRows<R>)
      for_rows<A, M>([&](int k) { add(R(row_of(a, k)), row_of(m, k)); });
    else
      add(R(a), m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    if constexpr (Scoped && !is_traced<A>) {
      if (!checks::is_there(adjoint)) return;
    }
    if constexpr (literal_rows < A >> 0 || is_traced<A>)
      push(a * factor, m);
    else if constexpr ((SeveralRows<A> || SeveralRows<F> || SeveralRows<M>)&&!SeveralRows<R>)
      for_rows<A, F, M>([&](int k) { add(R(row_of(a, k)), R(row_of(factor, k)), row_of(m, k)); });
    else
      add(R(a), R(factor), m);
  }

 private:
  template <class... Parts, class F>
  MANYCHAIN_HD static void for_rows(F f) {
    constexpr int count = detail::common_rows<Parts...>();
    MANYCHAIN_UNROLL
    for (int k = 0; k < count; ++k) f(k);
  }
  MANYCHAIN_HD void add(R a, NoMask) const { put(*adjoint + a); }
  MANYCHAIN_HD void add(R a, R factor, NoMask) const { put(fma(a, factor, *adjoint)); }
  template <class M>
  MANYCHAIN_HD void add(R a, M m) const {
    put(select(m, *adjoint + a, *adjoint));
  }
  template <class M>
  MANYCHAIN_HD void add(R a, R factor, M m) const {
    put(select(m, fma(a, factor, *adjoint), *adjoint));
  }
  MANYCHAIN_HD void put(R sum) const {
    if constexpr (Sums == 2) {
      adjoint[0] = adjoint[1];
      adjoint[1] = sum;
    } else {
      *adjoint = sum;
    }
  }
};

namespace detail {
template <int K>
MANYCHAIN_HD int row_index(RowRange<K> j, int k) {
  return j.first + k;
}
template <int K>
MANYCHAIN_HD int row_index(const RowNumbers<int, K>& j, int k) {
  return j.x[k];
}
template <class Index>
inline constexpr int rows_of_index = rows_in_block<Index>;
template <int K>
inline constexpr int rows_of_index<RowRange<K>> = K;
}  // namespace detail

/// Elements of a vector in memory, by a range or as data select them; with Adjoints, each with an adjoint of its own.
/// An element that data select more than once receives its adjoints in the order of the rows. Elements are read where
/// they are needed: several rows are too many for a node to carry about.
template <class R, class Index, class Values, class Adjoints>
struct SelectedElements : NoNumber<ExpressionTag, SelectedElements<R, Index, Values, Adjoints>> {
  static constexpr int K = detail::rows_of_index<Index>;
  Index j;
  Values values;
  Adjoints adjoints;
  MANYCHAIN_HD SelectedElements(const Index& index, const Values& v, const Adjoints& a)
      : j(index), values(v), adjoints(a) {}
  MANYCHAIN_HD RowBlock<R, K> value() const {
    RowBlock<R, K> v;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) v.x[k] = values[detail::row_index(j, k)];
    return v;
  }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (!std::is_null_pointer_v<Adjoints>) {
      MANYCHAIN_UNROLL
      for (int k = 0; k < K; ++k) variable(k).push(row_of(a, k), row_of(m, k));
    }
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    if constexpr (literal_rows < A >> 0) {
      push(a * factor, m);
    } else if constexpr (!std::is_null_pointer_v<Adjoints>) {
      MANYCHAIN_UNROLL
      for (int k = 0; k < K; ++k) variable(k).push(row_of(a, k), row_of(factor, k), row_of(m, k));
    }
  }

 private:
  MANYCHAIN_HD auto variable(int k) const { return Variable<R>(R(0), &adjoints[detail::row_index(j, k)]); }
};
template <class R, class Index, class Values, class Adjoints>
MANYCHAIN_HD auto selected_elements(const Index& j, const Values& values, const Adjoints& adjoints) {
  return SelectedElements<R, Index, Values, Adjoints>(j, values, adjoints);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
