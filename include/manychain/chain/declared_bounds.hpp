// The range that a declaration gives a parameter, for the checks of a model (checks::Declared).
#pragma once

#include <limits>
#include <type_traits>

#include "manychain/model/autodiff/vector_constraints.hpp"
#include "manychain/model/data/checks.hpp"
#include "manychain/model/recurrences/forward_mode.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// The value of a bound, if it is known; NaN if it depends on parameters.
template <class R, class B>
double known_bound(const B& bound) {
  if constexpr (is_constant_node<B>)
    return static_cast<double>(R(bound.value()).v);
  else
    return std::numeric_limits<double>::quiet_NaN();
}

/// True for constraints under which an element may be any number.
template <class C>
inline constexpr bool takes_all =
    std::is_same_v<C, Unconstrained> || std::is_same_v<C, Ordered> || std::is_same_v<C, SumToZero>;
template <class M, class S>
inline constexpr bool takes_all<OffsetMultiplier<M, S>> = true;

inline checks::Declared unbounded(const char* statement, const char* name) {
  return {statement, name, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

template <class R, class C>
checks::Declared declared(const char* statement, const char* name, const C&) {
  checks::Declared parameter = unbounded(statement, name);
  parameter.ordered = std::is_same_v<C, Ordered>;
  parameter.together = constrains_vector<C> && !std::is_same_v<C, Simplex>;
  if constexpr (std::is_same_v<C, Simplex>) {
    parameter.low = 0, parameter.high = 1;
  } else if constexpr (std::is_same_v<C, PositiveOrdered>) {
    parameter.low = 0;
  } else if constexpr (std::is_same_v<C, UnitVector>) {
    parameter.low = -1, parameter.high = 1;
  } else if constexpr (!takes_all<C>) {  // a matrix, or a constraint of the user's own
    parameter.low = parameter.high = std::numeric_limits<double>::quiet_NaN();
  }
  return parameter;
}
template <class R, class B>
checks::Declared declared(const char* statement, const char* name, const Lower<B>& constraint) {
  checks::Declared parameter = unbounded(statement, name);
  parameter.low = known_bound<R>(constraint.bound);
  return parameter;
}
template <class R, class B>
checks::Declared declared(const char* statement, const char* name, const Upper<B>& constraint) {
  checks::Declared parameter = unbounded(statement, name);
  parameter.high = known_bound<R>(constraint.bound);
  return parameter;
}
template <class R, class A, class B>
checks::Declared declared(const char* statement, const char* name, const Interval<A, B>& constraint) {
  checks::Declared parameter = unbounded(statement, name);
  parameter.low = known_bound<R>(constraint.low), parameter.high = known_bound<R>(constraint.high);
  return parameter;
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
