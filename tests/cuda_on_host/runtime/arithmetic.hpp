// Instructions of PTX that C++ has not, or has with other edges. Most have the names of the instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ptx {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/// Reinterprets bits as another type. A larger destination is filled with zeros, a smaller one takes the low bits.
template <class To, class From>
inline To bits(From from) {
  To to{};
  std::memcpy(&to, &from, std::min(sizeof to, sizeof from));
  return to;
}

// Floating point.

template <class T>
inline bool is_nan(T x) {
  return x != x;
}
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// The number beside a NaN; -0 is below +0.
template <class T>
inline T smaller(T a, T b) {
  if (a == b) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
template <class T>
inline T larger(T a, T b) {
  if (a == b) return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}
template <class T>
inline T absolute(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(x);
  else
    return x < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x)) : x;
}
/// .sat: within [0, 1], a NaN becomes 0.
template <class T>
inline T saturated(T x) {
  return x >= 1 ? T(1) : x > 0 ? x : T(0);
}
/// .ftz: what is subnormal becomes zero.
template <class T>
inline T flushed(T x) {
  return std::fabs(x) < std::numeric_limits<T>::min() ? std::copysign(T(0), x) : x;
}

/// f() under another rounding mode. Its operands must be volatile.
template <class F>
inline auto rounded(int mode, F f) {
  const int before = std::fegetround();
  std::fesetround(mode);
  const volatile auto result = f();
  std::fesetround(before);
  return result;
}
template <class F>
inline auto rounded_rm(F f) {
  return rounded(FE_DOWNWARD, f);
}
template <class F>
inline auto rounded_rp(F f) {
  return rounded(FE_UPWARD, f);
}
template <class F>
inline auto rounded_rz(F f) {
  return rounded(FE_TOWARDZERO, f);
}

/// .approx.ftz.f64 looks at the upper 32 bits alone and gives no others.
inline double upper_word(double x) { return bits<double>(bits<std::uint64_t>(x) & ~0xffffffffull); }
inline double approximate_rcp(double x) { return upper_word(1 / flushed(upper_word(x))); }
inline double approximate_rsqrt(double x) { return upper_word(1 / std::sqrt(flushed(upper_word(x)))); }

/// A whole number as an integer: the nearest there is, 0 of a NaN.
template <class To, class From>
inline To to_integer(From x) {
  if (is_nan(x)) return 0;
  if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

// Integers.

template <class To, class From>
inline To clamped(From x) {
  return static_cast<To>(std::clamp<int128>(x, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
}
template <class T>
inline T high_product(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int128, uint128>;
  return static_cast<T>((static_cast<Wide>(a) * b) >> (8 * sizeof(T)));
}
/// Division by zero gives all ones, and the smallest number by -1 itself, as on devices.
template <class T>
inline T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(~T(0));
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
inline T remainder_of(T a, T b) {
  if (b == 0) return a;
  return std::is_signed_v<T> && b == static_cast<T>(-1) ? T(0) : static_cast<T>(a % b);
}

/// Shifts by more than there are bits leave none, or the sign.
template <class T>
inline T shl(T a, std::uint32_t n) {
  return n >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << n);
}
template <class T>
inline T shr(T a, std::uint32_t n) {
  return static_cast<T>(a >> std::min<std::uint32_t>(n, 8 * sizeof(T) - 1)) >> (n >= 8 * sizeof(T));
}

/// Funnel shifts of the 64 bits b:a.
inline std::uint32_t shf_l(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
  return static_cast<std::uint32_t>(((std::uint64_t(b) << 32 | a) << n) >> 32);
}
inline std::uint32_t shf_r(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
  return static_cast<std::uint32_t>((std::uint64_t(b) << 32 | a) >> n);
}
inline std::uint32_t shf_l_wrap(std::uint32_t a, std::uint32_t b, std::uint32_t n) { return shf_l(a, b, n & 31); }
inline std::uint32_t shf_r_wrap(std::uint32_t a, std::uint32_t b, std::uint32_t n) { return shf_r(a, b, n & 31); }
inline std::uint32_t shf_l_clamp(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
  return shf_l(a, b, std::min(n, 32u));
}
inline std::uint32_t shf_r_clamp(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
  return shf_r(a, b, std::min(n, 32u));
}

/// b with the `length` low bits of a inserted at `position`.
template <class T>
inline T bfi(T a, T b, std::uint32_t position, std::uint32_t length) {
  position &= 255, length &= 255;
  if (position >= 8 * sizeof(T) || length == 0) return b;
  const T mask = shl(static_cast<T>(length >= 8 * sizeof(T) ? ~T(0) : (T(1) << length) - 1), position);
  return static_cast<T>((b & ~mask) | (shl(a, position) & mask));
}
/// `length` bits of a from `position` on, with the sign of the last of them.
template <class T>
inline T bfe(T a, std::uint32_t position, std::uint32_t length) {
  position &= 255, length &= 255;
  constexpr std::uint32_t top = 8 * sizeof(T) - 1;
  if (length == 0) return 0;
  const bool negative = std::is_signed_v<T> && (shr(a, std::min(position + length - 1, top)) & 1);
  const T field = shr(a, position);
  if (length > top) return field;
  const T mask = static_cast<T>((std::make_unsigned_t<T>(1) << length) - 1);
  return static_cast<T>(negative ? field | ~mask : field & mask);
}
/// Each byte of the result is one of the eight of b:a, or its sign.
inline std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selection) {
  const std::uint64_t bytes = std::uint64_t(b) << 32 | a;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t selector = selection >> (4 * i) & 15;
    std::uint32_t byte = bytes >> (8 * (selector & 7)) & 255;
    if (selector & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
/// Any function of three bits, given as its table.
inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 8; ++i)
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
/// `length` ones from `position` on.
inline std::uint32_t bmsk_clamp(std::uint32_t position, std::uint32_t length) {
  const std::uint64_t ones = (std::uint64_t(1) << std::min(length, 32u)) - 1;
  return static_cast<std::uint32_t>(ones << std::min(position, 32u));
}
inline std::uint32_t bmsk_wrap(std::uint32_t position, std::uint32_t length) {
  return bmsk_clamp(position & 31, length & 31);
}
template <class T>
inline T reversed(T x) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) result |= static_cast<T>((x >> i & 1) << (8 * sizeof(T) - 1 - i));
  return result;
}

}  // namespace ptx
