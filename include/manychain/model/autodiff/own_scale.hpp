// Parameters with an offset and a multiplier, x = mu + sigma u, and densities whose location and scale are that very
// offset and multiplier: normal(theta, mu, tau) of theta with offset_multiplier(mu, tau). Such a density is evaluated
// from u. From x it would be (mu + tau u - mu) / tau, which has no correct digit where tau is small against mu.
//
// A location is the offset if it is the same leaf, which the address of its adjoint tells, the same number, or a sum,
// product or square of such. The comparison is one of addresses and of data, the same for all chains, and is known to
// the compiler once all is inlined. Where there are no adjoints, values are compared, chain by chain: x and u are then
// related as if both were the same, whatever they are made of. `manychain check` notes terms that lose the digits of x
// (src/check/model_check_digits.hpp).
#pragma once

#include <cmath>

#include "manychain/model/autodiff/constraints.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// A leaf for x = offset + multiplier * u, of one element or of several rows, which can be asked for u.
/// X, U: leaves of both. Scale: OffsetScale.
template <class X, class U, class Scale>
struct ScaledLeaf : X {
  U u;
  const Scale* scale;
  MANYCHAIN_HD ScaledLeaf(const X& x, const U& unscaled, const Scale& of) : X(x), u(unscaled), scale(&of) {}
  MANYCHAIN_HD const X& leaf() const { return *this; }
};
template <class E>
inline constexpr bool is_scaled_leaf = false;
template <class X, class U, class Scale>
inline constexpr bool is_scaled_leaf<ScaledLeaf<X, U, Scale>> = true;
/// The node of such an operand is a ScaledLeaf.
template <class T>
concept ScaledNode = Node<T> && is_scaled_leaf<std::remove_cvref_t<node_of<T>>>;

/// exp(x) of a ScaledLeaf, which can be asked for x: of a lognormal variate.
template <class V, class X>
struct ExpOfScaled : Elementary<V, Partial<X, V>> {
  MANYCHAIN_HD ExpOfScaled(V value, const X& x) : Elementary<V, Partial<X, V>>(value, {x, value}) {}
  MANYCHAIN_HD const X& exponent() const { return this->first.child; }
};
template <class E>
inline constexpr bool is_exp_of_scaled = false;
template <class V, class X>
inline constexpr bool is_exp_of_scaled<ExpOfScaled<V, X>> = true;
template <ScaledNode A>
MANYCHAIN_HD auto exp(const A& a) {
  const auto x = as_node(a);
  const auto v = exp(x.value());
  return ExpOfScaled<std::remove_const_t<decltype(v)>, std::remove_const_t<decltype(x)>>(v, x);
}

/// Offset and multiplier of n elements, and log(multiplier), which has an adjoint: n from the Jacobian, less what
/// densities that are evaluated from u give back.
template <class M, class S, class R>
class OffsetScale {
 public:
  MANYCHAIN_HD OffsetScale(const OffsetMultiplier<M, S>& constraint, int n)
      : constraint_(constraint), log_(log(R(constraint.multiplier.value()))), adjoint_(R(n)) {}
  MANYCHAIN_HD const M& offset() const { return constraint_.offset; }
  MANYCHAIN_HD const S& multiplier() const { return constraint_.multiplier; }
  MANYCHAIN_HD R log_value() const { return log_; }
  MANYCHAIN_HD auto log_multiplier() const { return Variable<R>(log_, &adjoint_); }
  /// The multiplier's adjoint from its logarithm; nothing, also where it is zero, if nothing is left.
  MANYCHAIN_HD R stretch() const {
    return select(adjoint_ == R(0), R(0), adjoint_ / R(constraint_.multiplier.value()));
  }

 private:
  OffsetMultiplier<M, S> constraint_;
  R log_;
  mutable R adjoint_;
};

/// A scalar with an offset and a multiplier. An intermediate: see Let.
template <class M, class S, class R, bool Gradient>
class ConstrainedScalar<OffsetMultiplier<M, S>, R, Gradient>
    : public NoNumber<IntermediateTag, ConstrainedScalar<OffsetMultiplier<M, S>, R, Gradient>> {
 public:
  MANYCHAIN_HD ConstrainedScalar(const OffsetMultiplier<M, S>& constraint, R unconstrained, R* slot)
      : scale_(constraint, 1),
        u_(unconstrained),
        slot_(slot),
        value_(constrain(constraint, unconstrained)),
        adjoint_{0, 0} {
    if constexpr (checks_bounds) checks::note_made(this, sizeof(ConstrainedScalar));
  }
  MANYCHAIN_HD ~ConstrainedScalar() {
    if constexpr (Gradient) {
      const R adjoint = adjoint_[0] + adjoint_[1];
      scale_.offset().push(adjoint, NoMask{});
      scale_.multiplier().push(fma(adjoint, u_, scale_.stretch()), NoMask{});
      *slot_ += adjoint * R(scale_.multiplier().value());
    }
    if constexpr (checks_bounds) checks::note_gone(this, sizeof(ConstrainedScalar));
  }
  MANYCHAIN_HD ConstrainedScalar(const ConstrainedScalar& other)
      : ConstrainedScalar({other.scale_.offset(), other.scale_.multiplier()}, other.u_, other.slot_) {
    refuse_copy<ConstrainedScalar>();
  }
  MANYCHAIN_HD ConstrainedScalar& operator=(const ConstrainedScalar&) {
    return refuse_copy<ConstrainedScalar>(), *this;
  }
  MANYCHAIN_HD auto node() const {
    if constexpr (Gradient) {
      using X = Variable<R, 2, checks_bounds>;
      return ScaledLeaf<X, Variable<R>, Scale>(X(value_, adjoint_), Variable<R>(u_, slot_), scale_);
    } else {
      return ScaledLeaf<Constant<R>, Constant<R>, Scale>(Constant<R>(value_), Constant<R>(u_), scale_);
    }
  }

 private:
  using Scale = OffsetScale<M, S, R>;
  Scale scale_;
  R u_;
  R* slot_;
  R value_;
  mutable R adjoint_[2];
};

namespace detail {

/// A number that is the same for all chains: a literal, or data.
template <class E>
inline constexpr bool is_number_node = false;
template <Arithmetic T>
inline constexpr bool is_number_node<Constant<T>> = true;
template <class T>
inline constexpr bool is_number_node<Constant<Scalar<T>>> = true;
template <class Number, Arithmetic T>
MANYCHAIN_HD Number number_in(const Constant<T>& x) {
  return static_cast<Number>(x.v);
}
template <class Number, class T>
MANYCHAIN_HD Number number_in(const Constant<Scalar<T>>& x) {
  return static_cast<Number>(x.v.v);
}
template <class E>
inline constexpr bool is_square = false;
template <class X>
inline constexpr bool is_square<Square<X>> = true;
template <class E>
inline constexpr bool is_sum = false;
template <class L, class R, int Sign>
inline constexpr bool is_sum<Sum<L, R, Sign>> = true;

/// Tells the arguments of a density whose scale is no number to whoever searches scales that depend on parameters.
/// `as`: the variate, the location and the scale, from the variate and the parameters of the density.
template <class As, class X, class... P>
void note_scale_as(const As& as, const X& x, const P&... parameters) {
  constexpr auto number = [](const auto& value) {
    if constexpr (Arithmetic<std::remove_cvref_t<decltype(value)>>)
      return static_cast<long double>(value);
    else
      return static_cast<long double>(value.v);
  };
  if constexpr (requires { number(x.value()), (number(parameters.value()), ...); }) {
    checks::ScaleArguments noted = as(number(x.value()), number(parameters.value())...);
    noted.data = is_number_node<X>;
    checks::note_scale(noted);
  }
}
template <class X, class M, class S>
void note_scale(const X& x, const M& mu, const S& sigma) {
  using N = long double;
  if constexpr (!is_number_node<S>)
    note_scale_as([](N at, N location, N scale) { return checks::ScaleArguments{at, location, scale}; }, x, mu, sigma);
}
/// A gamma variate, or the inverse of one (Sign -1): the logarithm has a location and a scale, which is about
/// 1 / sqrt(shape).
template <int Sign, class X, class A, class B>
void note_scale_of_gamma(const X& x, const A& shape, const B& rate) {
  using N = long double;
  if constexpr (!is_number_node<A>)
    note_scale_as(
        [](N at, N a, N b) {
          return checks::ScaleArguments{std::log(at), Sign * std::log(a / b), 1 / std::sqrt(a), false, true};
        },
        x, shape, rate);
}

/// A beta variate: its logit has a location, log(a / b), and a scale of about 1 / sqrt(a + b). Both without the last
/// digits, which change with a sum of the shapes where their ratio does not.
template <class X, class A, class B>
void note_scale_of_beta(const X& x, const A& first, const B& second) {
  using N = long double;
  if constexpr (!is_number_node<A> || !is_number_node<B>)
    note_scale_as(
        [](N at, N a, N b) {
          const auto location = static_cast<float>(std::log(a / b)), scale = static_cast<float>(1 / std::sqrt(a + b));
          return checks::ScaleArguments{std::log(at / (1 - at)), location, scale};
        },
        x, first, second);
}

/// True if two nodes are made of the same leaves in the same way.
template <class R, class A, class B>
MANYCHAIN_HD bool same_node(const A& a, const B& b) {
  if constexpr (is_number_node<A> && is_number_node<B>) {
    return number_in<number_of<R>>(a) == number_in<number_of<R>>(b);
  } else if constexpr (!std::is_same_v<A, B>) {
    return false;
  } else if constexpr (requires { a.adjoint; }) {
    return a.adjoint == b.adjoint;
  } else if constexpr (is_product<A>) {
    return same_node<R>(a.x, b.x) && same_node<R>(a.y, b.y);
  } else if constexpr (is_sum<A>) {
    return same_node<R>(a.left, b.left) && same_node<R>(a.right, b.right);
  } else if constexpr (is_square<A>) {
    return same_node<R>(a.x, b.x);
  } else {
    return false;
  }
}

/// One of two expressions, the same one for all chains.
template <class A, class B>
struct EitherNode : NoNumber<ExpressionTag, EitherNode<A, B>> {
  bool first;
  A a;
  B b;
  MANYCHAIN_HD EitherNode(bool is_first, const A& x, const B& y) : first(is_first), a(x), b(y) {}
  MANYCHAIN_HD auto value() const {
    using V = std::remove_cvref_t<decltype(a.value() + b.value())>;
    return first ? V(a.value()) : V(b.value());
  }
  template <class Adjoint, class Mask>
  MANYCHAIN_HD void push(Adjoint adjoint, Mask mask) const {
    if (first)
      a.push(adjoint, mask);
    else
      b.push(adjoint, mask);
  }
  template <class Adjoint, class F, class Mask>
  MANYCHAIN_HD void push(Adjoint adjoint, F factor, Mask mask) const {
    push(adjoint * factor, mask);
  }
};

/// True if an element has adjoints.
template <class R>
inline constexpr bool has_adjoint = false;
template <class R, int Sums, bool Scoped>
inline constexpr bool has_adjoint<Variable<R, Sums, Scoped>> = true;
template <class R, class Index, class Values, class Adjoints>
inline constexpr bool has_adjoint<SelectedElements<R, Index, Values, Adjoints>> = !std::is_null_pointer_v<Adjoints>;
template <class X, class U, class Scale>
inline constexpr bool has_adjoint<ScaledLeaf<X, U, Scale>> = has_adjoint<X>;

/// The log density of a variate x with location mu and scale sigma: `standard(x.u)`, the log density of
/// (x - mu) / sigma, less log(sigma) where mu and sigma are the offset and the multiplier of x; else `general`.
template <class X, class M, class S, class Standard, class General>
MANYCHAIN_HD auto by_own_scale(const X& x, const M& mu, const S& sigma, const Standard& standard,
                               const General& general) {
  const auto& scale = *x.scale;
  using R = std::remove_cvref_t<decltype(scale.log_value())>;
  constexpr bool one_scale = !SeveralRows<decltype(mu.value())> && !SeveralRows<decltype(sigma.value())>;
  if constexpr (!one_scale) {
    return general;
  } else if constexpr (has_adjoint<X>) {
    const bool own = same_node<R>(mu, scale.offset()) && same_node<R>(sigma, scale.multiplier());
    if constexpr (checks_bounds && !is_number_node<S>)
      if (own) checks::forget_scale();  // of `general`: u has no scale but one
    const auto from_u = standard(x.u) - scale.log_multiplier();
    return EitherNode<std::remove_const_t<decltype(from_u)>, General>(own, from_u, general);
  } else {
    using V = std::remove_cvref_t<decltype(general.value() * 1.0)>;
    const auto own = R(mu.value()) == R(scale.offset().value()) && R(sigma.value()) == R(scale.multiplier().value());
    return elementary(V(select(own, V(standard(x.u).value() - scale.log_value()), V(general.value()))));
  }
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
