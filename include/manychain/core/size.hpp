// Sizes that are known at compile time or come from the data, as in Eigen.
#pragma once

#include "manychain/core/macros.hpp"

namespace manychain {

/// Stands for "known when the data are".
inline constexpr int dynamic = -1;

/// The sum of sizes of which any may be dynamic: what a model writes for its own dimension.
constexpr int add_sizes(int a, int b) { return a == dynamic || b == dynamic ? dynamic : a + b; }

inline namespace MANYCHAIN_ISA {

/// State up to this many components lives in registers, and loops over it are unrolled.
inline constexpr int register_components = 32;

template <int N = dynamic>
struct Size {
  static constexpr bool fixed = true;
  static constexpr bool small = N <= register_components;
  static constexpr int compile_time = N;
  MANYCHAIN_HD constexpr int value() const { return N; }
};

template <>
struct Size<dynamic> {
  static constexpr bool fixed = false;
  static constexpr bool small = false;
  static constexpr int compile_time = dynamic;
  int n = 0;
  Size() = default;
  MANYCHAIN_HD constexpr Size(int size) : n(size) {}  // NOLINT: implicit on purpose
  MANYCHAIN_HD constexpr int value() const { return n; }
};

/// The size of a vector as a model writes it: a Size, or a plain int.
template <int N>
MANYCHAIN_HD Size<N> as_size(Size<N> n) {
  return n;
}
MANYCHAIN_HD Size<dynamic> as_size(int n) { return Size<dynamic>(n); }

/// True if loops over it are unrolled, which have then nothing to gain.
template <class N>
inline constexpr bool is_unrolled = N::fixed&& N::small;

/// body(i) for i = 0 .. size - 1; unrolled when the size is fixed and small, so that i can name a register.
template <class N, class Body>
MANYCHAIN_HD void for_each(N size, Body&& body) {
  if constexpr (is_unrolled<N>) {
    MANYCHAIN_UNROLL
    for (int i = 0; i < N::compile_time; ++i) body(i);
  } else {
    for (int i = 0; i < size.value(); ++i) body(i);
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
