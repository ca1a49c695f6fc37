// Several chains in one Real, each with the bits that a Scalar<double> would have: registers for what is exact or
// rounded once, the C library, lane by lane, for what is not.
//
// A density of others is so computed with the same draws alone and at the points of many chains.
#pragma once

#include <cmath>
#include <cstdint>

#include "manychain/core/pack.hpp"
#include "manychain/random/philox_pack.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

struct ExactPack {
  using number = double;
  using mask = PackMask<double>;
  static constexpr int lanes = Pack<double>::lanes;

  Pack<double> v;

  ExactPack() = default;
  ExactPack(Pack<double> p) : v(p) {}
  template <Arithmetic A>
  ExactPack(A a) : v(a) {}               // NOLINT: implicit on purpose, so that literals work
  ExactPack(Scalar<double> a) : v(a) {}  // NOLINT: what all chains share

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
  friend void load(ExactPack& x, const double* p) { load(x.v, p); }
  friend void store(ExactPack x, double* p) { store(x.v, p); }

  friend ExactPack fma(ExactPack a, ExactPack b, ExactPack c) {
#if defined(__FMA__)
    return fma(a.v, b.v, c.v);
#else
    alignas(sizeof(a)) double x[lanes], y[lanes], z[lanes];
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
  static ExactPack each(ExactPack a, double (*f)(double)) {
    alignas(sizeof(a)) double x[lanes];
    store(a, x);
    for (double& one : x) one = f(one);
    load(a, x);
    return a;
  }
  // Calls of one number: with OpenMP a compiler may take the C library's functions of several, which round otherwise.
  [[gnu::noinline]] static double exp_of(double x) { return std::exp(x); }
  [[gnu::noinline]] static double log_of(double x) { return std::log(x); }
  [[gnu::noinline]] static double log1p_of(double x) { return std::log1p(x); }
  [[gnu::noinline]] static double expm1_of(double x) { return std::expm1(x); }
  [[gnu::noinline]] static double tanh_of(double x) { return std::tanh(x); }
  [[gnu::noinline]] static double atan_of(double x) { return std::atan(x); }
};

/// The numbers of its chains.
struct ExactLanes {
  alignas(sizeof(ExactPack)) double of[ExactPack::lanes];

  explicit ExactLanes(ExactPack x) { store(x, of); }
  ExactPack pack() const {
    ExactPack x;
    load(x, of);
    return x;
  }
};

template <>
struct Bits<ExactPack> : Bits<Pack<double>> {
  static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence, std::uint64_t block) {
    Bits<Pack<double>> words[4];
    Bits<Pack<double>>::generate(words, seed, subsequence, block);
    for (int i = 0; i < 4; ++i) out[i].v = words[i].v;
  }
};
/// The product is exact, so that it is rounded once with fused instructions and without.
inline ExactPack uniform_of(const Bits<ExactPack>& a, const Bits<ExactPack>& b) {
  return uniform_of(static_cast<const Bits<Pack<double>>&>(a), static_cast<const Bits<Pack<double>>&>(b));
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
