// Row blocks: the same quantity for several consecutive rows, which are terms of a sum. A regression on a CPU computes
// some rows at once, so that a coefficient and its adjoint are read and written once for all of them, and the rows'
// latencies overlap: eight rows with AVX-512, else four. Models do not see it: the opaque index of observe() is then a
// RowRange, and what it selects is a RowBlock. Whole numbers of the data (RowNumbers) select elements in turn, and are
// the same for all lanes.
#pragma once

#include "manychain/core/math.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Number of rows of observe() and sum_over() that are evaluated at once on this Real. One where nothing is gained: a
/// GPU thread has neighbours that fill its waits, and registers are scarce.
template <class R>
inline constexpr int rows_at_once = 1;

/// Rows `first` to `first + K - 1`: an opaque index.
template <int K>
struct RowRange {
  int first;
  MANYCHAIN_HD friend RowRange operator+(RowRange j, int by) { return {j.first + by}; }
  MANYCHAIN_HD friend RowRange operator-(RowRange j, int by) { return {j.first - by}; }
};

namespace detail {
template <class T>
inline constexpr bool one_row_at_a_time = false;
}  // namespace detail

template <class M, int K>
struct RowBlockMask {
  M x[K];

  /// There are several answers. `if (y[j] > 0)` is told so in one sentence.
  template <std::same_as<bool> B>
  MANYCHAIN_HD explicit operator B() const {
    static_assert(detail::one_row_at_a_time<B>,
                  "with `auto j` a body takes several rows at once and cannot branch on data: write "
                  "[&](int j, auto& term), which takes one row at a time, or select(mask, a, b)");
    return false;
  }
};

/// Plain numbers, of data that are whole: K of them. They select elements as an int does, and meet Reals as literals
/// do.
template <class T, int K>
struct RowNumbers {
  T x[K];

  template <Arithmetic A>
  MANYCHAIN_HD operator A() const {
    static_assert(detail::one_row_at_a_time<A>,
                  "with `auto j` a body takes several rows at once, and an element of the data is no single number: "
                  "write [&](int j, auto& term), which takes one row at a time");
    return A();
  }
};

template <class R, int K>
struct RowBlock {
  using number = number_of<R>;
  using mask = RowBlockMask<mask_of<R>, K>;
  static constexpr int lanes = R::lanes;

  R x[K];

  RowBlock() = default;
  /// One value for all rows.
  template <class A>
  requires(Arithmetic<A> || std::is_same_v<A, R> || std::is_same_v<A, Scalar<number>>) MANYCHAIN_HD
      RowBlock(A a) {  // NOLINT: implicit on purpose, a literal or a parameter meets rows
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] = R(a);
  }
  /// Data meet chains.
  template <class S>
  requires(!std::is_same_v<S, R> && std::is_constructible_v<R, S>) MANYCHAIN_HD
      RowBlock(const RowBlock<S, K>& b) {  // NOLINT
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] = R(b.x[k]);
  }
  template <class T>
  MANYCHAIN_HD RowBlock(const RowNumbers<T, K>& b) {  // NOLINT
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] = R(b.x[k]);
  }
  MANYCHAIN_HD RowBlock& operator+=(const RowBlock& b) {
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] += b.x[k];
    return *this;
  }
};

template <class T>
inline constexpr int rows_in_block = 0;
template <class R, int K>
inline constexpr int rows_in_block<RowBlock<R, K>> = K;
template <class M, int K>
inline constexpr int rows_in_block<RowBlockMask<M, K>> = K;
template <class T, int K>
inline constexpr int rows_in_block<RowNumbers<T, K>> = K;
template <class T>
inline constexpr bool is_row_numbers = false;
template <class T, int K>
inline constexpr bool is_row_numbers<RowNumbers<T, K>> = true;
template <class T>
concept PlainRows = is_row_numbers<std::remove_cvref_t<T>>;
template <class T>
concept SeveralRows = rows_in_block<std::remove_cvref_t<T>> >
0;

/// Row k of several, or what stands for all rows.
template <class T>
MANYCHAIN_HD auto row_of(const T& value, int k) {
  if constexpr (SeveralRows<T>)
    return value.x[k];
  else
    return value;
}

namespace detail {
template <class A, class... Rest>
constexpr int common_rows() {
  if constexpr (rows_in_block < A >> 0 || sizeof...(Rest) == 0)
    return rows_in_block<A>;
  else
    return common_rows<Rest...>();
}
/// f(row k of each argument), for each k: a RowBlock of Reals, a RowBlockMask, or RowNumbers.
template <class F, class... Args>
MANYCHAIN_HD auto each_row(F f, const Args&... args) {
  constexpr int K = common_rows<Args...>();
  using V = std::remove_cvref_t<decltype(f(row_of(args, 0)...))>;
  if constexpr (Real<V>) {
    RowBlock<V, K> result;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) result.x[k] = f(row_of(args, k)...);
    return result;
  } else if constexpr (Arithmetic<V> && !std::is_same_v<V, bool>) {
    RowNumbers<V, K> result;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) result.x[k] = f(row_of(args, k)...);
    return result;
  } else {
    RowBlockMask<V, K> result;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) result.x[k] = f(row_of(args, k)...);
    return result;
  }
}
template <class A>
concept RowBlockOperand = Real<A> || Arithmetic<A> || PlainRows<A>;
/// Several numbers, and what may stand beside it.
template <class A, class B>
concept RowBlockOperands = (SeveralRows<A> || SeveralRows<B>)&&RowBlockOperand<A>&& RowBlockOperand<B>;
template <class A, class B>
concept RowBlockMaskOperands = (SeveralRows<A> && !Real<A> && !Real<B>) || (SeveralRows<B> && !Real<B> && !Real<A>);
}  // namespace detail

#define MANYCHAIN_TERMS_OPERATOR(op)                                                              \
  template <class A, class B>                                                                     \
  requires detail::RowBlockOperands<A, B> MANYCHAIN_HD auto operator op(const A& a, const B& b) { \
    return detail::each_row([](auto x, auto y) { return x op y; }, a, b);                         \
  }
MANYCHAIN_TERMS_OPERATOR(+)
MANYCHAIN_TERMS_OPERATOR(-)
MANYCHAIN_TERMS_OPERATOR(*)
MANYCHAIN_TERMS_OPERATOR(/)
MANYCHAIN_TERMS_OPERATOR(<)
MANYCHAIN_TERMS_OPERATOR(<=)
MANYCHAIN_TERMS_OPERATOR(>)
MANYCHAIN_TERMS_OPERATOR(>=)
MANYCHAIN_TERMS_OPERATOR(==)
MANYCHAIN_TERMS_OPERATOR(!=)  // made of == by the language only where that gives a bool
MANYCHAIN_TERMS_OPERATOR(%)
#undef MANYCHAIN_TERMS_OPERATOR

template <class R, int K>
MANYCHAIN_HD auto operator-(const RowBlock<R, K>& a) {
  return detail::each_row([](auto x) { return -x; }, a);
}
template <class T, int K>
MANYCHAIN_HD auto operator-(const RowNumbers<T, K>& a) {
  return detail::each_row([](auto x) { return -x; }, a);
}

#define MANYCHAIN_TERMS_FUNCTION(name)                          \
  template <class R, int K>                                     \
  MANYCHAIN_HD auto name(const RowBlock<R, K>& a) {             \
    return detail::each_row([](auto x) { return name(x); }, a); \
  }
MANYCHAIN_TERMS_FUNCTION(exp)
MANYCHAIN_TERMS_FUNCTION(log)
MANYCHAIN_TERMS_FUNCTION(log1p)
MANYCHAIN_TERMS_FUNCTION(expm1)
MANYCHAIN_TERMS_FUNCTION(tanh)
MANYCHAIN_TERMS_FUNCTION(atan)
MANYCHAIN_TERMS_FUNCTION(sqrt)
MANYCHAIN_TERMS_FUNCTION(abs)
MANYCHAIN_TERMS_FUNCTION(floor)
MANYCHAIN_TERMS_FUNCTION(isfinite)
MANYCHAIN_TERMS_FUNCTION(lgamma_positive)
MANYCHAIN_TERMS_FUNCTION(digamma_positive)
#undef MANYCHAIN_TERMS_FUNCTION

// Functions of whole numbers, as the C++ library has them.
#define MANYCHAIN_TERM_NUMBERS_FUNCTION(name)                                             \
  template <class T, int K>                                                               \
  MANYCHAIN_HD auto name(const RowNumbers<T, K>& a) {                                     \
    return detail::each_row([](auto x) { return std::name(static_cast<double>(x)); }, a); \
  }
MANYCHAIN_TERM_NUMBERS_FUNCTION(exp)
MANYCHAIN_TERM_NUMBERS_FUNCTION(log)
MANYCHAIN_TERM_NUMBERS_FUNCTION(log1p)
MANYCHAIN_TERM_NUMBERS_FUNCTION(sqrt)
#undef MANYCHAIN_TERM_NUMBERS_FUNCTION

/// abs() has the type of the numbers, as in a row by itself: a quotient of it is one of whole numbers.
template <class T, int K>
MANYCHAIN_HD auto abs(const RowNumbers<T, K>& a) {
  return detail::each_row([](auto x) { return x < 0 ? -x : x; }, a);
}

template <class A, class B>
requires detail::RowBlockOperands<A, B> MANYCHAIN_HD auto min(const A& a, const B& b) { return select(b < a, b, a); }
template <class A, class B>
requires detail::RowBlockOperands<A, B> MANYCHAIN_HD auto max(const A& a, const B& b) { return select(a < b, b, a); }

template <class R, int K>
MANYCHAIN_HD RowBlock<R, K> fma(const RowBlock<R, K>& a, const RowBlock<R, K>& b, const RowBlock<R, K>& c) {
  return detail::each_row([](auto x, auto y, auto z) { return fma(x, y, z); }, a, b, c);
}

template <class A, class B>
requires detail::RowBlockMaskOperands<A, B> MANYCHAIN_HD auto operator&&(const A& a, const B& b) {
  return detail::each_row([](auto x, auto y) { return x && y; }, a, b);
}
template <class A, class B>
requires detail::RowBlockMaskOperands<A, B> MANYCHAIN_HD auto operator||(const A& a, const B& b) {
  return detail::each_row([](auto x, auto y) { return x || y; }, a, b);
}
template <class M, int K>
MANYCHAIN_HD auto operator!(const RowBlockMask<M, K>& a) {
  return detail::each_row([](auto x) { return !x; }, a);
}
template <class M, int K>
MANYCHAIN_HD bool any(const RowBlockMask<M, K>& a) {
  bool result = false;
  for (int k = 0; k < K; ++k) result = result || any(a.x[k]);
  return result;
}
template <class M, int K>
MANYCHAIN_HD bool all(const RowBlockMask<M, K>& a) {
  bool result = true;
  for (int k = 0; k < K; ++k) result = result && all(a.x[k]);
  return result;
}

/// Any of the three may be several, or stand for all its rows.
template <class M, class A, class B>
requires((SeveralRows<M> || SeveralRows<A> ||
          SeveralRows<B>)&&detail::RowBlockOperand<A>&& detail::RowBlockOperand<B>) MANYCHAIN_HD
    auto select(const M& mask, const A& a, const B& b) {
  return detail::each_row([](auto m, auto x, auto y) { return select(m, x, y); }, mask, a, b);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
