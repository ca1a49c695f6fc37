// The requirements on a model class. Generated units ask before they compile anything else, so that what is wrong is
// said in a sentence.
#pragma once

#include <type_traits>
#include <utility>

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/evaluate.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

template <template <class, int...> class>
constexpr bool is_model_template(int) {
  return true;
}
template <template <class...> class>
constexpr bool is_model_template(long) {
  return false;
}
template <template <class, auto...> class>
constexpr bool is_model_template(unsigned) {
  return false;
}
template <template <auto...> class>
constexpr bool is_model_template(unsigned long) {
  return false;
}
template <class>
constexpr bool is_model_template(...) {
  return false;
}

/// True if a pointer to a member points to a datum, of each object or of the class.
template <class Pointer>
inline constexpr bool points_to_datum = std::is_member_object_pointer_v<Pointer> ||
                                        (std::is_pointer_v<Pointer> &&
                                         std::is_object_v<std::remove_pointer_t<Pointer>>);
/// The base to derive from instead of a class that does not allow it.
struct Underivable {};

/// has_NAME<M>: M has a member function of that name, whatever it takes and whoever may use it. &with_NAME<M>::NAME is
/// ambiguous where M has any member of that name; public data and types may be called so. Of a final class nothing is
/// known.
#define MANYCHAIN_MEMBER(name)                                                                  \
  struct named_##name {                                                                         \
    int name;                                                                                   \
  };                                                                                            \
  template <class M>                                                                            \
  struct with_##name : std::conditional_t<std::is_final_v<M>, Underivable, M>, named_##name {}; \
  template <class M>                                                                            \
  inline constexpr bool has_##name = !(                                                         \
      requires { &with_##name<M>::name; } || requires { typename M::name; } ||                  \
      requires { requires points_to_datum<decltype(&M::name)>; });
MANYCHAIN_MEMBER(data)
MANYCHAIN_MEMBER(parameters)
MANYCHAIN_MEMBER(log_density)
MANYCHAIN_MEMBER(value_and_gradient)
MANYCHAIN_MEMBER(value)
MANYCHAIN_MEMBER(score)
MANYCHAIN_MEMBER(conditionals)
MANYCHAIN_MEMBER(proposal)
MANYCHAIN_MEMBER(draw)
#undef MANYCHAIN_MEMBER

}  // namespace detail

/// The requirements on a model, one after the other.
template <class M>
constexpr bool check_model_class() {
  static_assert(std::is_default_constructible_v<M>,
                "a model is made without arguments and filled by data(DataReader&): give it no other constructor");
  static_assert(
      std::is_trivially_copyable_v<M>,
      "a model is copied to the device byte by byte: hold data in View, Matrix and Size, not in std::vector or "
      "another class that is not trivially copyable");
  static_assert(
      !requires(const M& m, DataReader& in) { m.data(in); },
      "a model reads its data in a public member void data(manychain::DataReader& in), without const: it fills the "
      "model");
  static_assert(
      !detail::has_data<M> || requires(M m, DataReader & in) { m.data(in); },
      "a model reads its data in a public member void data(manychain::DataReader& in)");
  static_assert(!detail::has_log_density<M> || gives_log_density<M>,
                "log_density must be a public const member that takes its target by reference: template <class Target> "
                "MANYCHAIN_HD void log_density(Target& target) const");
  static_assert(!detail::has_value_and_gradient<M> || gives_own_gradient<M>,
                "value_and_gradient must be a public const member: template <class R, class Q, class G> MANYCHAIN_HD R "
                "value_and_gradient(const Q& q, G& gradient) const");
  static_assert(
      !detail::has_value<M> || gives_value<M>,
      "value must be a public const member: template <class R, class Q> MANYCHAIN_HD R value(const Q& q) const");
  static_assert(
      !detail::has_score<M> || gives_score<M>,
      "score must be a public const member: template <class R, class Q, class G> MANYCHAIN_HD void score(const "
      "Q& q, G& gradient) const");
  static_assert(
      !detail::has_conditionals<M> || gives_conditionals<M>,
      "conditionals must be a public const member: template <class Visitor> MANYCHAIN_HD void conditionals(Visitor& "
      "visitor) const");
  static_assert(
      !detail::has_proposal<M> || gives_proposal<M>,
      "proposal must be a public const member: template <class Visitor> MANYCHAIN_HD void proposal(Visitor& visitor) "
      "const");
  static_assert(
      !detail::has_draw<M> || gives_draws<M>,
      "draw must be a public const member: template <class Visitor> MANYCHAIN_HD void draw(Visitor& visitor) const");
  static_assert(gives_density<M> || gives_score<M> || gives_conditionals<M> || gives_draws<M>,
                "a model gives a log density: template <class Target> MANYCHAIN_HD void log_density(Target& target) "
                "const; or value_and_gradient, value, score, conditionals or draw");
  static_assert(
      gives_log_density<M> || requires(const M& m, detail::ProbeTarget& t) { m.parameters(t); },
      "a model without log_density declares its parameters: template <class Target> MANYCHAIN_HD void "
      "parameters(Target& target) const");
  return true;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
