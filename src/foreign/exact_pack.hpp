// Several chains in one Real, each with the bits that a Scalar would have: registers for what is exact or rounded once,
// the C library, lane by lane, for what is not.
//
// A density of others is so computed with the same draws alone and at the points of many chains.
#pragma once

#include <cmath>
#include <cstdint>

#include "manychain/core/pack.hpp"
#include "manychain/random/philox_pack.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class Number>
struct ExactPack {
  using number = Number;
  using mask = PackMask<Number>;
  static constexpr int lanes = Pack<Number>::lanes;

  Pack<Number> v;

  ExactPack() = default;
  ExactPack(Pack<Number> p) : v(p) {}
  template <Arithmetic A>
  ExactPack(A a) : v(a) {}               // NOLINT: implicit on purpose, so that literals work
  ExactPack(Scalar<Number> a) : v(a) {}  // NOLINT: what all chains share

  friend ExactPack operator+(ExactPack a, ExactPack b) { return a.v + b.v; }
  friend ExactPack operator-(ExactPack a, ExactPack b) { return a.v - b.v; }
  friend ExactPack operator*(ExactPack a, ExactPack b) { return a.v * b.v; }
  friend ExactPack operator/(ExactPack a, ExactPack b) { return a.v / b.v; }
  friend ExactPack operator-(ExactPack a) { return -a.v; }
  ExactPack& operator+=(ExactPack b) { return v += b.v, *this; }
  ExactPack& operator-=(ExactPack b) { return v -= b.v, *this; }
  ExactPack& operator*=(ExactPack b) { return v *= b.v, *this; }
  friend mask operator<(ExactPack a, ExactPack b) { return a.v < b.v; }
  friend mask operator<=(ExactPack a, ExactPack b) { return a.v <= b.v; }
  friend mask operator>(ExactPack a, ExactPack b) { return a.v > b.v; }
  friend mask operator>=(ExactPack a, ExactPack b) { return a.v >= b.v; }
  friend mask operator==(ExactPack a, ExactPack b) { return a.v == b.v; }
  friend mask operator!=(ExactPack a, ExactPack b) { return a.v != b.v; }

  friend ExactPack sqrt(ExactPack a) { return sqrt(a.v); }
  friend ExactPack abs(ExactPack a) { return abs(a.v); }
  friend ExactPack floor(ExactPack a) { return floor(a.v); }
  friend ExactPack min(ExactPack a, ExactPack b) { return min(a.v, b.v); }
  friend ExactPack max(ExactPack a, ExactPack b) { return max(a.v, b.v); }
  friend ExactPack select(mask m, ExactPack a, ExactPack b) { return select(m, a.v, b.v); }
  friend mask isfinite(ExactPack a) { return isfinite(a.v); }
  friend ExactPack in_register(ExactPack a) { return in_register(a.v); }
  friend void load(ExactPack& x, const Number* p) { load(x.v, p); }
  friend void store(ExactPack x, Number* p) { store(x.v, p); }

  friend ExactPack fma(ExactPack a, ExactPack b, ExactPack c) {
#if defined(__FMA__)
    return fma(a.v, b.v, c.v);
#else
    alignas(sizeof(a)) Number x[lanes], y[lanes], z[lanes];
    store(a, x), store(b, y), store(c, z);
    for (int l = 0; l < lanes; ++l) x[l] = std::fma(x[l], y[l], z[l]);
    load(a, x);
    return a;
#endif
  }
  friend ExactPack exp(ExactPack a) { return each(a, exp_of); }
  friend ExactPack log(ExactPack a) { return each(a, log_of); }
  friend ExactPack log1p(ExactPack a) { return each(a, log1p_of); }
  friend ExactPack expm1(ExactPack a) { return each(a, expm1_of); }
  friend ExactPack tanh(ExactPack a) { return each(a, tanh_of); }
  friend ExactPack atan(ExactPack a) { return each(a, atan_of); }

 private:
  static ExactPack each(ExactPack a, Number (*f)(Number)) {
    alignas(sizeof(a)) Number x[lanes];
    store(a, x);
    for (Number& one : x) one = f(one);
    load(a, x);
    return a;
  }
  // Calls of one number: with OpenMP a compiler may take the C library's functions of several, which round otherwise.
  [[gnu::noinline]] static Number exp_of(Number x) { return std::exp(x); }
  [[gnu::noinline]] static Number log_of(Number x) { return std::log(x); }
  [[gnu::noinline]] static Number log1p_of(Number x) { return std::log1p(x); }
  [[gnu::noinline]] static Number expm1_of(Number x) { return std::expm1(x); }
  [[gnu::noinline]] static Number tanh_of(Number x) { return std::tanh(x); }
  [[gnu::noinline]] static Number atan_of(Number x) { return std::atan(x); }
};

/// The numbers of its chains.
template <class Number>
struct ExactLanes {
  alignas(sizeof(ExactPack<Number>)) Number of[ExactPack<Number>::lanes];

  explicit ExactLanes(ExactPack<Number> x) { store(x, of); }
  ExactPack<Number> pack() const {
    ExactPack<Number> x;
    load(x, of);
    return x;
  }
};

template <class Number>
struct Bits<ExactPack<Number>> : Bits<Pack<Number>> {
  static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence, std::uint64_t block) {
    Bits<Pack<Number>> words[4];
    Bits<Pack<Number>>::generate(words, seed, subsequence, block);
    for (int i = 0; i < 4; ++i) static_cast<Bits<Pack<Number>>&>(out[i]) = words[i];
  }
};
// Their products are exact, so that they are rounded once with fused instructions and without.
inline ExactPack<float> uniform_of(const Bits<ExactPack<float>>& a) {
  return uniform_of(static_cast<const Bits<Pack<float>>&>(a));
}
inline ExactPack<double> uniform_of(const Bits<ExactPack<double>>& a, const Bits<ExactPack<double>>& b) {
  return uniform_of(static_cast<const Bits<Pack<double>>&>(a), static_cast<const Bits<Pack<double>>&>(b));
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
