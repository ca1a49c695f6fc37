// Real as a SIMD pack: one chain per lane. Registers and most functions come from xsimd; what xsimd 8.1 lacks or does
// not fuse is done here through intrinsics.
#pragma once

#include <immintrin.h>

#include <xsimd/xsimd.hpp>

#include "manychain/core/lane_index.hpp"
#include "manychain/core/row_block.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class T>
struct Pack;

/// One bit a lane.
template <class T>
struct PackMask {
  using real = Pack<T>;

  xsimd::batch_bool<T> v;

  PackMask() = default;
  MANYCHAIN_HD PackMask(xsimd::batch_bool<T> m) : v(m) {}
  MANYCHAIN_HD PackMask(bool m) : v(m) {}  // NOLINT: implicit on purpose, a comparison of data meets chains

  /// Chains differ. `if (value(x) > 0)` is told so in one sentence.
  template <std::same_as<bool> B>
  MANYCHAIN_HD explicit operator B() const {
    static_assert(sizeof(B) == 0,
                  "no branch on what differs from chain to chain: write select(mask, a, b), any(mask) or all(mask); a "
                  "model that cannot do without says static constexpr bool branches = true");
    return false;
  }
  MANYCHAIN_HD friend PackMask operator&&(PackMask a, PackMask b) { return {a.v & b.v}; }
  MANYCHAIN_HD friend PackMask operator||(PackMask a, PackMask b) { return {a.v | b.v}; }
  // A comparison of data beside one of chains: said exactly, or the built-in operators fit as well.
  MANYCHAIN_HD friend PackMask operator&&(bool a, PackMask b) { return PackMask(a) && b; }
  MANYCHAIN_HD friend PackMask operator&&(PackMask a, bool b) { return a && PackMask(b); }
  MANYCHAIN_HD friend PackMask operator||(bool a, PackMask b) { return PackMask(a) || b; }
  MANYCHAIN_HD friend PackMask operator||(PackMask a, bool b) { return a || PackMask(b); }
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

// x < y ? x : y and x > y ? x : y, in one instruction. Through xsimd's functions GCC loses track of the logistic
// gradient: it is then three times slower.
#if defined(__AVX512F__)
MANYCHAIN_HD __m512 lesser(__m512 x, __m512 y) { return _mm512_min_ps(x, y); }
MANYCHAIN_HD __m512d lesser(__m512d x, __m512d y) { return _mm512_min_pd(x, y); }
MANYCHAIN_HD __m512 greater(__m512 x, __m512 y) { return _mm512_max_ps(x, y); }
MANYCHAIN_HD __m512d greater(__m512d x, __m512d y) { return _mm512_max_pd(x, y); }
#elif defined(__AVX__)
MANYCHAIN_HD __m256 lesser(__m256 x, __m256 y) { return _mm256_min_ps(x, y); }
MANYCHAIN_HD __m256d lesser(__m256d x, __m256d y) { return _mm256_min_pd(x, y); }
MANYCHAIN_HD __m256 greater(__m256 x, __m256 y) { return _mm256_max_ps(x, y); }
MANYCHAIN_HD __m256d greater(__m256d x, __m256d y) { return _mm256_max_pd(x, y); }
#else
MANYCHAIN_HD __m128 lesser(__m128 x, __m128 y) { return _mm_min_ps(x, y); }
MANYCHAIN_HD __m128d lesser(__m128d x, __m128d y) { return _mm_min_pd(x, y); }
MANYCHAIN_HD __m128 greater(__m128 x, __m128 y) { return _mm_max_ps(x, y); }
MANYCHAIN_HD __m128d greater(__m128d x, __m128d y) { return _mm_max_pd(x, y); }
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
  MANYCHAIN_HD friend mask operator!=(Pack a, Pack b) { return !(a == b); }  // true of NaN, as a scalar's

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
  MANYCHAIN_HD friend Pack min(Pack a, Pack b) { return batch(detail::lesser(b.v.data, a.v.data)); }
  MANYCHAIN_HD friend Pack max(Pack a, Pack b) { return batch(detail::greater(b.v.data, a.v.data)); }
  MANYCHAIN_HD friend Pack select(mask m, Pack a, Pack b) { return xsimd::select(m.v, a.v, b.v); }
  MANYCHAIN_HD friend mask isfinite(Pack a) { return {xsimd::abs(a.v) <= batch(std::numeric_limits<T>::max())}; }

  MANYCHAIN_HD friend Pack in_register(Pack a) { return batch(a.v.data); }
  MANYCHAIN_HD friend void load(Pack& x, const T* p) { x.v = batch::load_aligned(p); }
  MANYCHAIN_HD friend void store(Pack x, T* p) { x.v.store_aligned(p); }
};

/// As many as keep their sums in registers beside a coefficient, its adjoint and the data: of 32 registers, or of 16.
template <class T>
inline constexpr int rows_at_once<Pack<T>> = sizeof(xsimd::batch<T>) == 64 ? 8 : 4;

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

template <class T>
MANYCHAIN_HD Pack<T> gathered(const LanePointers<Pack<T>>& from, int column) {
  alignas(sizeof(Pack<T>)) T x[Pack<T>::lanes];
  MANYCHAIN_UNROLL
  for (int l = 0; l < Pack<T>::lanes; ++l) x[l] = from.p[l][column];
  return xsimd::batch<T>::load_aligned(x);
}

/// 16 bytes of each lane: no instruction set unpacks across wider parts.
template <class T>
inline constexpr int run_length<Pack<T>> = 16 / sizeof(T);

namespace detail {
// A register of 16-byte parts, each from a place of its own; and the unpacking of two registers, part by part.
#if defined(__AVX512F__)
template <class At>
MANYCHAIN_HD __m512 from_parts(At at, const float*) {
  const __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at(0))), _mm_loadu_ps(at(1)), 1);
  const __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at(2))), _mm_loadu_ps(at(3)), 1);
  return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
template <class At>
MANYCHAIN_HD __m512d from_parts(At at, const double*) {
  const __m256d low = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at(0))), _mm_loadu_pd(at(1)), 1);
  const __m256d high = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at(2))), _mm_loadu_pd(at(3)), 1);
  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}
MANYCHAIN_HD __m512 unpack_low(__m512 a, __m512 b) { return _mm512_unpacklo_ps(a, b); }
MANYCHAIN_HD __m512 unpack_high(__m512 a, __m512 b) { return _mm512_unpackhi_ps(a, b); }
MANYCHAIN_HD __m512d unpack_low(__m512d a, __m512d b) { return _mm512_unpacklo_pd(a, b); }
MANYCHAIN_HD __m512d unpack_high(__m512d a, __m512d b) { return _mm512_unpackhi_pd(a, b); }
MANYCHAIN_HD __m512d as_pairs(__m512 a) { return _mm512_castps_pd(a); }
MANYCHAIN_HD __m512 from_pairs(__m512d a) { return _mm512_castpd_ps(a); }
#elif defined(__AVX__)
template <class At>
MANYCHAIN_HD __m256 from_parts(At at, const float*) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at(0))), _mm_loadu_ps(at(1)), 1);
}
template <class At>
MANYCHAIN_HD __m256d from_parts(At at, const double*) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at(0))), _mm_loadu_pd(at(1)), 1);
}
MANYCHAIN_HD __m256 unpack_low(__m256 a, __m256 b) { return _mm256_unpacklo_ps(a, b); }
MANYCHAIN_HD __m256 unpack_high(__m256 a, __m256 b) { return _mm256_unpackhi_ps(a, b); }
MANYCHAIN_HD __m256d unpack_low(__m256d a, __m256d b) { return _mm256_unpacklo_pd(a, b); }
MANYCHAIN_HD __m256d unpack_high(__m256d a, __m256d b) { return _mm256_unpackhi_pd(a, b); }
MANYCHAIN_HD __m256d as_pairs(__m256 a) { return _mm256_castps_pd(a); }
MANYCHAIN_HD __m256 from_pairs(__m256d a) { return _mm256_castpd_ps(a); }
#else
template <class At>
MANYCHAIN_HD __m128 from_parts(At at, const float*) {
  return _mm_loadu_ps(at(0));
}
template <class At>
MANYCHAIN_HD __m128d from_parts(At at, const double*) {
  return _mm_loadu_pd(at(0));
}
MANYCHAIN_HD __m128 unpack_low(__m128 a, __m128 b) { return _mm_unpacklo_ps(a, b); }
MANYCHAIN_HD __m128 unpack_high(__m128 a, __m128 b) { return _mm_unpackhi_ps(a, b); }
MANYCHAIN_HD __m128d unpack_low(__m128d a, __m128d b) { return _mm_unpacklo_pd(a, b); }
MANYCHAIN_HD __m128d unpack_high(__m128d a, __m128d b) { return _mm_unpackhi_pd(a, b); }
MANYCHAIN_HD __m128d as_pairs(__m128 a) { return _mm_castps_pd(a); }
MANYCHAIN_HD __m128 from_pairs(__m128d a) { return _mm_castpd_ps(a); }
#endif

/// Part i of register r holds the run of lane run_length i + r.
template <class T>
MANYCHAIN_HD auto run_register(const LanePointers<Pack<T>>& from, int column, int r) {
  return from_parts([&](int part) { return from.p[run_length<Pack<T>> * part + r] + column; },
                    static_cast<const T*>(nullptr));
}
}  // namespace detail

/// p[column], p[column + 1], ... of each lane.
MANYCHAIN_HD void gathered_run(const LanePointers<Pack<float>>& from, int column, Pack<float> (&out)[4]) {
  using detail::as_pairs, detail::from_pairs, detail::run_register, detail::unpack_high, detail::unpack_low;
  const auto a = run_register(from, column, 0), b = run_register(from, column, 1);
  const auto c = run_register(from, column, 2), d = run_register(from, column, 3);
  const auto ab = as_pairs(unpack_low(a, b)), cd = as_pairs(unpack_low(c, d));
  const auto ab_high = as_pairs(unpack_high(a, b)), cd_high = as_pairs(unpack_high(c, d));
  using batch = xsimd::batch<float>;
  out[0] = batch(from_pairs(unpack_low(ab, cd)));
  out[1] = batch(from_pairs(unpack_high(ab, cd)));
  out[2] = batch(from_pairs(unpack_low(ab_high, cd_high)));
  out[3] = batch(from_pairs(unpack_high(ab_high, cd_high)));
}
MANYCHAIN_HD void gathered_run(const LanePointers<Pack<double>>& from, int column, Pack<double> (&out)[2]) {
  const auto a = detail::run_register(from, column, 0), b = detail::run_register(from, column, 1);
  out[0] = xsimd::batch<double>(detail::unpack_low(a, b));
  out[1] = xsimd::batch<double>(detail::unpack_high(a, b));
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
