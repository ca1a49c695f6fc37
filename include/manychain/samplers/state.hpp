// The state of a chain from transition to transition. A sampler lists its fields once; allocation, copies, superchains
// and snapshots walk that list. The engine knows a field by its name alone.
//
// A state is real numbers. Integers are those that happen to be whole, exact up to 2^24 in single precision: one array
// and one gather serve both.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "manychain/model/language/evaluate.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

inline namespace MANYCHAIN_ISA {

/// Registers while the dimension is fixed and small, coalesced memory otherwise.
template <class R, class N>
using Vector = std::conditional_t<is_unrolled<N>, Registers<R, N::fixed ? N::compile_time : 1>, Strided<R>>;

template <class R, class N>
MANYCHAIN_HD Vector<R, N> take_vector(Arena<R>& arena, N n) {
  if constexpr (is_unrolled<N>)
    return Vector<R, N>{};
  else
    return arena.take(n.value());
}

// A field is a class with a template In<R, N>, which holds it for chains in R: take(memory, n) finds room for its
// vectors, visit(f) calls f(name, value) with an R, a Compensated<R> or a Vector<R, N>. Each is zero, or what the
// starting point gives, before the first transition.

struct Position {
  template <class R, class N>
  struct In {
    Vector<R, N> position;
    MANYCHAIN_HD void take(Arena<R>& memory, N n) { position = take_vector(memory, n); }
    template <class F>
    MANYCHAIN_HD void visit(F& f) {
      f("position", position);
    }
  };
  static constexpr int vectors = 1;
};
/// The log density of the position: a sum and its rounding error.
struct LogDensity {
  template <class R, class N>
  struct In {
    Compensated<R> log_density;
    MANYCHAIN_HD void take(Arena<R>&, N) {}
    template <class F>
    MANYCHAIN_HD void visit(F& f) {
      f("log_density", log_density);
    }
  };
  static constexpr int vectors = 0;
};
/// The gradient of the log density, at the position.
struct Gradient {
  template <class R, class N>
  struct In {
    Vector<R, N> gradient;
    MANYCHAIN_HD void take(Arena<R>& memory, N n) { gradient = take_vector(memory, n); }
    template <class F>
    MANYCHAIN_HD void visit(F& f) {
      f("gradient", gradient);
    }
  };
  static constexpr int vectors = 1;
};

/// The state of a chain with these fields, and the memory in which its transition works.
template <class R, class N, class... F>
struct Chain : F::template In<R, N>... {
  N dimension;
  Arena<R> arena;  ///< for trial states and for the model

  Chain() = default;
  MANYCHAIN_HD Chain(N n, Arena<R> memory) : dimension(n) {
    (F::template In<R, N>::take(memory, n), ...);
    arena = memory;
  }
  template <class Visitor>
  MANYCHAIN_HD void visit(Visitor&& f) {
    (F::template In<R, N>::visit(f), ...);
  }
};

/// A list of fields. Position and log density come first, then the gradient if there is one: starting points are found
/// without knowing the sampler.
template <class... F>
struct Fields {
  template <class R, class N>
  using State = Chain<R, N, F...>;
  template <class Field>
  static constexpr bool has = (std::is_same_v<F, Field> || ...);
  static constexpr int vectors = (F::vectors + ... + 0);  ///< of the model's dimension
};
/// True if a list of fields begins as it must.
template <class List>
inline constexpr bool fields_in_order = false;
template <class... F>
inline constexpr bool fields_in_order<Fields<Position, LogDensity, F...>> = !(std::is_same_v<F, Gradient> || ...);
template <class... F>
inline constexpr bool fields_in_order<Fields<Position, LogDensity, Gradient, F...>> = true;
using DensityFields = Fields<Position, LogDensity>;
using GradientFields = Fields<Position, LogDensity, Gradient>;

namespace detail {
template <class A, class B>
struct FieldUnion;
template <class... A>
struct FieldUnion<Fields<A...>, Fields<>> {
  using type = Fields<A...>;
};
template <class... A, class B, class... Rest>
struct FieldUnion<Fields<A...>, Fields<B, Rest...>> {
  using type = typename FieldUnion<std::conditional_t<Fields<A...>::template has<B>, Fields<A...>, Fields<A..., B>>,
                                   Fields<Rest...>>::type;
};

/// Reads field after field from rows of chains, `stride` apart: the first row of each begins at rows[k] + chain.
template <class R, class N>
struct LoadFields {
  number_of<R>* const* rows;
  std::int64_t stride, chain;
  N n;
  int k = 0;
  MANYCHAIN_HD void operator()(const char*, R& x) { load(x, rows[k++] + chain); }
  MANYCHAIN_HD void operator()(const char*, Compensated<R>& x) {
    load(x.sum, rows[k] + chain);
    load(x.error, rows[k++] + stride + chain);
  }
  template <class V>
  MANYCHAIN_HD void operator()(const char*, V& x) {
    for_each(n, [&](int i) { load(x[i], rows[k] + i * stride + chain); });
    ++k;
  }
};
template <class R, class N>
struct StoreFields {
  number_of<R>* const* rows;
  std::int64_t stride, chain;
  N n;
  int k = 0;
  MANYCHAIN_HD void operator()(const char*, const R& x) { store(x, rows[k++] + chain); }
  MANYCHAIN_HD void operator()(const char*, const Compensated<R>& x) {
    store(x.sum, rows[k] + chain);
    store(x.error, rows[k++] + stride + chain);
  }
  template <class V>
  MANYCHAIN_HD void operator()(const char*, const V& x) {
    for_each(n, [&](int i) { store(R(x[i]), rows[k] + i * stride + chain); });
    ++k;
  }
};
/// Runs on the host alone, but visit() could be called on the device.
struct ListFields {
  using R = Scalar<float>;
  static constexpr int most = 2 * most_fields;
  const char* names[most];
  std::int64_t rows[most];
  std::int64_t dimension;
  int count = 0;
  MANYCHAIN_HD void operator()(const char* name, const R&) { add(name, 1); }
  MANYCHAIN_HD void operator()(const char* name, const Compensated<R>&) { add(name, 2); }
  template <class V>
  MANYCHAIN_HD void operator()(const char* name, const V&) {
    add(name, dimension);
  }
  MANYCHAIN_HD void add(const char* name, std::int64_t n) {
    if (count == most) return;
    names[count] = name;
    rows[count++] = n;
  }
};
}  // namespace detail

/// The fields of two samplers that work on one state.
template <class A, class B>
using union_of = typename detail::FieldUnion<A, B>::type;

/// The fields of a state of that dimension, in the order of its rows.
template <class State>
std::vector<FieldInfo> fields_of(std::int64_t dimension) {
  State state{};
  detail::ListFields listed{};
  listed.dimension = dimension;
  state.visit(listed);
  std::vector<FieldInfo> fields;
  for (int k = 0; k < listed.count; ++k) fields.push_back({listed.names[k], listed.rows[k]});
  return fields;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
