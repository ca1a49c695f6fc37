// Terms: the same quantity for several consecutive terms of a sum. A regression on a CPU computes some rows at once, so
// that a coefficient and its adjoint are read and written once for all of them, and the rows' latencies overlap. Models
// do not see it: the opaque index of observe() is then a TermRange, and what it selects is a Terms.
#pragma once

#include "manychain/core/math.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// How many terms of observe() and sum_over() are evaluated at once on this Real. One where nothing is gained: a GPU
/// thread has neighbours that fill its waits, and registers are scarce.
template <class R>
inline constexpr int terms_at_once = 1;

/// Terms `first` to `first + K - 1`: an opaque index.
template <int K>
struct TermRange {
  int first;
  MANYCHAIN_HD friend TermRange operator+(TermRange j, int by) { return {j.first + by}; }
  MANYCHAIN_HD friend TermRange operator-(TermRange j, int by) { return {j.first - by}; }
};

namespace detail {
template <class T>
inline constexpr bool one_row_at_a_time = false;
}  // namespace detail

template <class M, int K>
struct TermsMask {
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
struct TermNumbers {
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
struct Terms {
  using number = number_of<R>;
  using mask = TermsMask<mask_of<R>, K>;
  static constexpr int lanes = R::lanes;

  R x[K];

  Terms() = default;
  /// One value for all terms.
  template <class A>
  requires(Arithmetic<A> || std::is_same_v<A, R> || std::is_same_v<A, Scalar<number>>) MANYCHAIN_HD
      Terms(A a) {  // NOLINT: implicit on purpose, a literal or a parameter meets terms
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] = R(a);
  }
  /// Data meet chains.
  template <class S>
  requires(!std::is_same_v<S, R> && std::is_constructible_v<R, S>) MANYCHAIN_HD Terms(const Terms<S, K>& b) {  // NOLINT
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] = R(b.x[k]);
  }
  template <class T>
  MANYCHAIN_HD Terms(const TermNumbers<T, K>& b) {  // NOLINT
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] = R(b.x[k]);
  }
  MANYCHAIN_HD Terms& operator+=(const Terms& b) {
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) x[k] += b.x[k];
    return *this;
  }
};

template <class T>
inline constexpr int terms_in = 0;
template <class R, int K>
inline constexpr int terms_in<Terms<R, K>> = K;
template <class M, int K>
inline constexpr int terms_in<TermsMask<M, K>> = K;
template <class T, int K>
inline constexpr int terms_in<TermNumbers<T, K>> = K;
template <class T>
inline constexpr bool is_term_numbers = false;
template <class T, int K>
inline constexpr bool is_term_numbers<TermNumbers<T, K>> = true;
template <class T>
concept PlainTerms = is_term_numbers<std::remove_cvref_t<T>>;
template <class T>
concept SeveralTerms = terms_in<std::remove_cvref_t<T>> >
0;

/// Term k of several, or what stands for all terms.
template <class T>
MANYCHAIN_HD auto term_of(const T& value, int k) {
  if constexpr (SeveralTerms<T>)
    return value.x[k];
  else
    return value;
}

namespace detail {
template <class A, class... Rest>
constexpr int common_terms() {
  if constexpr (terms_in < A >> 0 || sizeof...(Rest) == 0)
    return terms_in<A>;
  else
    return common_terms<Rest...>();
}
/// f(term k of each argument), for each k: a Terms of Reals, a TermsMask, or TermNumbers.
template <class F, class... Args>
MANYCHAIN_HD auto each_term(F f, const Args&... args) {
  constexpr int K = common_terms<Args...>();
  using V = std::remove_cvref_t<decltype(f(term_of(args, 0)...))>;
  if constexpr (Real<V>) {
    Terms<V, K> result;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) result.x[k] = f(term_of(args, k)...);
    return result;
  } else if constexpr (Arithmetic<V> && !std::is_same_v<V, bool>) {
    TermNumbers<V, K> result;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) result.x[k] = f(term_of(args, k)...);
    return result;
  } else {
    TermsMask<V, K> result;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) result.x[k] = f(term_of(args, k)...);
    return result;
  }
}
template <class A>
concept TermsOperand = Real<A> || Arithmetic<A> || PlainTerms<A>;
/// Several numbers, and what may stand beside it.
template <class A, class B>
concept TermsOperands = (SeveralTerms<A> || SeveralTerms<B>)&&TermsOperand<A>&& TermsOperand<B>;
template <class A, class B>
concept TermsMaskOperands = (SeveralTerms<A> && !Real<A> && !Real<B>) || (SeveralTerms<B> && !Real<B> && !Real<A>);
}  // namespace detail

#define MANYCHAIN_TERMS_OPERATOR(op)                                                           \
  template <class A, class B>                                                                  \
  requires detail::TermsOperands<A, B> MANYCHAIN_HD auto operator op(const A& a, const B& b) { \
    return detail::each_term([](auto x, auto y) { return x op y; }, a, b);                     \
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
MANYCHAIN_HD auto operator-(const Terms<R, K>& a) {
  return detail::each_term([](auto x) { return -x; }, a);
}
template <class T, int K>
MANYCHAIN_HD auto operator-(const TermNumbers<T, K>& a) {
  return detail::each_term([](auto x) { return -x; }, a);
}

#define MANYCHAIN_TERMS_FUNCTION(name)                           \
  template <class R, int K>                                      \
  MANYCHAIN_HD auto name(const Terms<R, K>& a) {                 \
    return detail::each_term([](auto x) { return name(x); }, a); \
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

// Of whole numbers as the C++ library has them.
#define MANYCHAIN_TERM_NUMBERS_FUNCTION(name)                                              \
  template <class T, int K>                                                                \
  MANYCHAIN_HD auto name(const TermNumbers<T, K>& a) {                                     \
    return detail::each_term([](auto x) { return std::name(static_cast<double>(x)); }, a); \
  }
MANYCHAIN_TERM_NUMBERS_FUNCTION(exp)
MANYCHAIN_TERM_NUMBERS_FUNCTION(log)
MANYCHAIN_TERM_NUMBERS_FUNCTION(log1p)
MANYCHAIN_TERM_NUMBERS_FUNCTION(sqrt)
MANYCHAIN_TERM_NUMBERS_FUNCTION(abs)
#undef MANYCHAIN_TERM_NUMBERS_FUNCTION

template <class A, class B>
requires detail::TermsOperands<A, B> MANYCHAIN_HD auto min(const A& a, const B& b) { return select(b < a, b, a); }
template <class A, class B>
requires detail::TermsOperands<A, B> MANYCHAIN_HD auto max(const A& a, const B& b) { return select(a < b, b, a); }

template <class R, int K>
MANYCHAIN_HD Terms<R, K> fma(const Terms<R, K>& a, const Terms<R, K>& b, const Terms<R, K>& c) {
  return detail::each_term([](auto x, auto y, auto z) { return fma(x, y, z); }, a, b, c);
}

template <class A, class B>
requires detail::TermsMaskOperands<A, B> MANYCHAIN_HD auto operator&&(const A& a, const B& b) {
  return detail::each_term([](auto x, auto y) { return x && y; }, a, b);
}
template <class A, class B>
requires detail::TermsMaskOperands<A, B> MANYCHAIN_HD auto operator||(const A& a, const B& b) {
  return detail::each_term([](auto x, auto y) { return x || y; }, a, b);
}
template <class M, int K>
MANYCHAIN_HD auto operator!(const TermsMask<M, K>& a) {
  return detail::each_term([](auto x) { return !x; }, a);
}
template <class M, int K>
MANYCHAIN_HD bool any(const TermsMask<M, K>& a) {
  bool result = false;
  for (int k = 0; k < K; ++k) result = result || any(a.x[k]);
  return result;
}
template <class M, int K>
MANYCHAIN_HD bool all(const TermsMask<M, K>& a) {
  bool result = true;
  for (int k = 0; k < K; ++k) result = result && all(a.x[k]);
  return result;
}

/// Any of the three may be several, or stand for all its terms.
template <class M, class A, class B>
requires((SeveralTerms<M> || SeveralTerms<A> ||
          SeveralTerms<B>)&&detail::TermsOperand<A>&& detail::TermsOperand<B>) MANYCHAIN_HD
    auto select(const M& mask, const A& a, const B& b) {
  return detail::each_term([](auto m, auto x, auto y) { return select(m, x, y); }, mask, a, b);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
