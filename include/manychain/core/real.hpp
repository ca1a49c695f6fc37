// Real: the number type that chain code is a template on. Here its scalar form, one chain per thread or a lane of
// width 1.
//
// A Real has + - * /, comparisons that give a mask, and the functions below, found by ADL. Chain code never branches on
// a Real: it says select(mask, a, b), any(mask), all(mask).
//
// Chain code is compiled without implicit contraction (-ffp-contract=off, --fmad=false) and says fma() where it means
// it, so that it gives the same bits whatever is compiled beside it.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "manychain/core/macros.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;

/// A float or a double that a literal cannot widen: Scalar<float>(x) * 0.5 stays single precision, which on a GPU is a
/// factor of 64 in speed.
template <class T>
struct Scalar {
  static_assert(!std::is_const_v<T>, "a number among the data of a model is Scalar<Number>, without const");
  T v;

  using number = T;
  using mask = bool;
  static constexpr int lanes = 1;

  Scalar() = default;
  template <Arithmetic A>
  MANYCHAIN_HD constexpr Scalar(A a) : v(static_cast<T>(a)) {}  // NOLINT: implicit on purpose, so that literals work

  MANYCHAIN_HD friend Scalar operator+(Scalar a, Scalar b) { return Scalar(a.v + b.v); }
  MANYCHAIN_HD friend Scalar operator-(Scalar a, Scalar b) { return Scalar(a.v - b.v); }
  MANYCHAIN_HD friend Scalar operator*(Scalar a, Scalar b) { return Scalar(a.v * b.v); }
  MANYCHAIN_HD friend Scalar operator/(Scalar a, Scalar b) { return Scalar(a.v / b.v); }
  MANYCHAIN_HD friend Scalar operator-(Scalar a) { return Scalar(-a.v); }
  MANYCHAIN_HD Scalar& operator+=(Scalar b) { return v += b.v, *this; }
  MANYCHAIN_HD Scalar& operator-=(Scalar b) { return v -= b.v, *this; }
  MANYCHAIN_HD Scalar& operator*=(Scalar b) { return v *= b.v, *this; }
  MANYCHAIN_HD friend bool operator<(Scalar a, Scalar b) { return a.v < b.v; }
  MANYCHAIN_HD friend bool operator<=(Scalar a, Scalar b) { return a.v <= b.v; }
  MANYCHAIN_HD friend bool operator>(Scalar a, Scalar b) { return a.v > b.v; }
  MANYCHAIN_HD friend bool operator>=(Scalar a, Scalar b) { return a.v >= b.v; }
  MANYCHAIN_HD friend bool operator==(Scalar a, Scalar b) { return a.v == b.v; }
  MANYCHAIN_HD friend bool operator!=(Scalar a, Scalar b) { return a.v != b.v; }

  /// a * b + c, rounded once; twice in long double, which only checks take: fmal() of libm works in software, and took
  /// 21 of the 24 s of a short run of a Gaussian process with 400 points.
  MANYCHAIN_HD friend Scalar fma(Scalar a, Scalar b, Scalar c) {
    if constexpr (sizeof(T) > sizeof(double))  // nvcc refuses to hear of a long double
      return a * b + c;
    else
      return Scalar(std::fma(a.v, b.v, c.v));
  }
  MANYCHAIN_HD friend Scalar exp(Scalar a) { return Scalar(std::exp(a.v)); }
  MANYCHAIN_HD friend Scalar log(Scalar a) { return Scalar(std::log(a.v)); }
  MANYCHAIN_HD friend Scalar log1p(Scalar a) { return Scalar(std::log1p(a.v)); }
  MANYCHAIN_HD friend Scalar expm1(Scalar a) { return Scalar(std::expm1(a.v)); }
  MANYCHAIN_HD friend Scalar tanh(Scalar a) { return Scalar(std::tanh(a.v)); }
  MANYCHAIN_HD friend Scalar atan(Scalar a) { return Scalar(std::atan(a.v)); }
  MANYCHAIN_HD friend Scalar sqrt(Scalar a) { return Scalar(std::sqrt(a.v)); }
  MANYCHAIN_HD friend Scalar abs(Scalar a) { return Scalar(std::fabs(a.v)); }
  MANYCHAIN_HD friend Scalar floor(Scalar a) { return Scalar(std::floor(a.v)); }
  MANYCHAIN_HD friend Scalar min(Scalar a, Scalar b) { return b.v < a.v ? b : a; }
  MANYCHAIN_HD friend Scalar max(Scalar a, Scalar b) { return a.v < b.v ? b : a; }
  MANYCHAIN_HD friend bool isfinite(Scalar a) {
    return std::fabs(a.v) <= std::numeric_limits<T>::max();  // false for NaN
  }
  /// `a` where the mask holds, `b` elsewhere. Either may be a literal.
  MANYCHAIN_HD friend Scalar select(bool mask, Scalar a, Scalar b) { return mask ? a : b; }
};

MANYCHAIN_HD bool any(bool mask) { return mask; }
MANYCHAIN_HD bool all(bool mask) { return mask; }

template <Arithmetic A, Arithmetic B>
MANYCHAIN_HD auto select(bool mask, A a, B b) {
  return mask ? a : b;
}
// select() for data. Declared before any model, so that a model can write manychain::select: argument-dependent lookup
// does not find it for plain numbers, and <sys/select.h> has another select.
template <class A>
inline constexpr bool is_scalar = false;
template <class T>
inline constexpr bool is_scalar<Scalar<T>> = true;
/// Data, or data and a literal.
template <class A, class B>
concept ScalarChoice = (is_scalar<A> && (Arithmetic<B> || std::is_same_v<A, B>)) || (Arithmetic<A> && is_scalar<B>);
template <class A, class B>
requires ScalarChoice<A, B> MANYCHAIN_HD auto select(bool mask, A a, B b) {
  using S = std::conditional_t<is_scalar<A>, A, B>;
  return select(mask, S(a), S(b));
}
/// The operands that stand for an R without more ado: a literal, data, itself.
template <class A, class R>
concept StandsFor = Arithmetic<A> || std::is_same_v<A, Scalar<typename R::number>> || std::is_same_v<A, R>;
/// By a mask of chains.
template <class M, class A, class B, class R = typename M::real>
requires(StandsFor<A, R>&& StandsFor<B, R>) MANYCHAIN_HD R select(const M& mask, const A& a, const B& b) {
  return select(mask, R(a), R(b));
}

/// Reads the Real of chains `first`, `first + 1`, ... from memory where the chain index is fastest.
template <class T>
MANYCHAIN_HD void load(Scalar<T>& x, const T* p) {
  x.v = *p;
}
template <class T>
MANYCHAIN_HD void store(Scalar<T> x, T* p) {
  *p = x.v;
}

template <class R>
using number_of = typename R::number;
template <class R>
using mask_of = typename R::mask;

/// Scalar or Pack, as opposed to a plain number or an expression.
template <class R>
concept Real = requires {
  typename R::number;
  typename R::mask;
  R::lanes;
};

/// x, through a register. Of a pack that is copied from memory to memory as a class GCC 12 does not see that it is
/// known: sums that nothing reads stay in memory (eight schools: 17 stores of a gradient's 160 instructions).
template <Real R>
MANYCHAIN_HD R in_register(R x) {
  return x;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
