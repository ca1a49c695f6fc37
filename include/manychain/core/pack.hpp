// Real as a SIMD pack: one chain a lane. Registers and most functions come from xsimd; what xsimd 8.1 lacks or does not
// fuse is done here through intrinsics.
#pragma once

#include <immintrin.h>

#include <xsimd/xsimd.hpp>

#include "manychain/core/lane_index.hpp"
#include "manychain/core/terms.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class T>
struct Pack;

/// One bit a lane.
template <class T>
struct PackMask {
  xsimd::batch_bool<T> v;

  PackMask() = default;
  MANYCHAIN_HD PackMask(xsimd::batch_bool<T> m) : v(m) {}
  MANYCHAIN_HD PackMask(bool m) : v(m) {}  // NOLINT: implicit on purpose, a comparison of data meets chains

  MANYCHAIN_HD friend PackMask operator&&(PackMask a, PackMask b) { return {a.v & b.v}; }
  MANYCHAIN_HD friend PackMask operator||(PackMask a, PackMask b) { return {a.v | b.v}; }
  MANYCHAIN_HD friend PackMask operator!(PackMask a) { return {!a.v}; }
  MANYCHAIN_HD friend bool any(PackMask a) { return xsimd::any(a.v); }
  MANYCHAIN_HD friend bool all(PackMask a) { return xsimd::all(a.v); }
};

namespace detail {
// xsimd's fma is a product and a sum on AVX-512 (and must be one where there is no instruction for it).
#if defined(__AVX512F__)
MANYCHAIN_HD __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
MANYCHAIN_HD __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
#elif defined(__FMA__)
MANYCHAIN_HD __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
MANYCHAIN_HD __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#else
template <class Register>
MANYCHAIN_HD Register fused(Register a, Register b, Register c) {
  return a * b + c;
}
#endif
}  // namespace detail

template <class T>
struct Pack {
  using batch = xsimd::batch<T>;
  using number = T;
  using mask = PackMask<T>;
  static constexpr int lanes = static_cast<int>(batch::size);

  batch v;

  Pack() = default;
  MANYCHAIN_HD Pack(batch b) : v(b) {}
  template <Arithmetic A>
  MANYCHAIN_HD Pack(A a) : v(static_cast<T>(a)) {}  // NOLINT: implicit on purpose, so that literals work
  MANYCHAIN_HD Pack(Scalar<T> a) : v(a.v) {}        // NOLINT: data meets chains

  MANYCHAIN_HD friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  MANYCHAIN_HD friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  MANYCHAIN_HD friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  MANYCHAIN_HD friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  MANYCHAIN_HD friend Pack operator-(Pack a) { return -a.v; }
  MANYCHAIN_HD Pack& operator+=(Pack b) { return v = v + b.v, *this; }
  MANYCHAIN_HD Pack& operator-=(Pack b) { return v = v - b.v, *this; }
  MANYCHAIN_HD Pack& operator*=(Pack b) { return v = v * b.v, *this; }
  MANYCHAIN_HD friend mask operator<(Pack a, Pack b) { return {a.v < b.v}; }
  MANYCHAIN_HD friend mask operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  MANYCHAIN_HD friend mask operator>(Pack a, Pack b) { return {a.v > b.v}; }
  MANYCHAIN_HD friend mask operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
  MANYCHAIN_HD friend mask operator==(Pack a, Pack b) { return {a.v == b.v}; }

  MANYCHAIN_HD friend Pack fma(Pack a, Pack b, Pack c) { return batch(detail::fused(a.v.data, b.v.data, c.v.data)); }
  MANYCHAIN_HD friend Pack exp(Pack a) { return xsimd::exp(a.v); }
  MANYCHAIN_HD friend Pack log(Pack a) { return xsimd::log(a.v); }
  MANYCHAIN_HD friend Pack log1p(Pack a) { return xsimd::log1p(a.v); }
  MANYCHAIN_HD friend Pack expm1(Pack a) { return xsimd::expm1(a.v); }
  MANYCHAIN_HD friend Pack tanh(Pack a) { return xsimd::tanh(a.v); }
  MANYCHAIN_HD friend Pack atan(Pack a) { return xsimd::atan(a.v); }
  MANYCHAIN_HD friend Pack sqrt(Pack a) { return xsimd::sqrt(a.v); }
  MANYCHAIN_HD friend Pack abs(Pack a) { return xsimd::abs(a.v); }
  MANYCHAIN_HD friend Pack floor(Pack a) { return xsimd::floor(a.v); }
  MANYCHAIN_HD friend Pack min(Pack a, Pack b) { return select(b < a, b, a); }
  MANYCHAIN_HD friend Pack max(Pack a, Pack b) { return select(a < b, b, a); }
  MANYCHAIN_HD friend Pack select(mask m, Pack a, Pack b) { return xsimd::select(m.v, a.v, b.v); }
  MANYCHAIN_HD friend mask isfinite(Pack a) { return {xsimd::abs(a.v) <= batch(std::numeric_limits<T>::max())}; }

  MANYCHAIN_HD friend void load(Pack& x, const T* p) { x.v = batch::load_aligned(p); }
  MANYCHAIN_HD friend void store(Pack x, T* p) { x.v.store_aligned(p); }
};

/// As many as keep their sums in registers beside a coefficient, its adjoint and the data: of 32 registers, or of 16.
template <class T>
inline constexpr int terms_at_once<Pack<T>> = sizeof(xsimd::batch<T>) == 64 ? 8 : 4;

MANYCHAIN_HD Pack<float> gathered(const float* base, const LaneIndex<Pack<float>>& index) {
#if defined(__AVX512F__)
  return xsimd::batch<float>(_mm512_i32gather_ps(_mm512_load_si512(index.j), base, 4));
#elif defined(__AVX2__)
  return xsimd::batch<float>(
      _mm256_i32gather_ps(base, _mm256_load_si256(reinterpret_cast<const __m256i*>(index.j)), 4));
#else
  alignas(16) float x[4] = {base[index.j[0]], base[index.j[1]], base[index.j[2]], base[index.j[3]]};
  return xsimd::batch<float>::load_aligned(x);
#endif
}
MANYCHAIN_HD Pack<double> gathered(const double* base, const LaneIndex<Pack<double>>& index) {
#if defined(__AVX512F__)
  return xsimd::batch<double>(
      _mm512_i32gather_pd(_mm256_load_si256(reinterpret_cast<const __m256i*>(index.j)), base, 8));
#elif defined(__AVX2__)
  return xsimd::batch<double>(_mm256_i32gather_pd(base, _mm_load_si128(reinterpret_cast<const __m128i*>(index.j)), 8));
#else
  alignas(16) double x[2] = {base[index.j[0]], base[index.j[1]]};
  return xsimd::batch<double>::load_aligned(x);
#endif
}

/// Between data or literals, by a mask of chains.
template <class T, class A, class B>
requires((Arithmetic<A> || std::is_same_v<A, Scalar<T>>)&&(Arithmetic<B> || std::is_same_v<B, Scalar<T>>))
    MANYCHAIN_HD Pack<T> select(PackMask<T> mask, A a, B b) {
  return select(mask, Pack<T>(a), Pack<T>(b));
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
