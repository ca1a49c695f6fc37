// Expressions that know their value and pass an adjoint on to what they were made of. No tape, no heap.
//
// A node owns its children by value. `target += expression` has adjoint one, so the statement's reverse sweep runs at
// once. A named intermediate (a constrained parameter, let(expression)) collects its adjoint and passes it on when it
// leaves its scope: destructors run in exactly the reverse order that reverse mode needs.
#pragma once

#include <type_traits>
#include <utility>

#include "manychain/core/size.hpp"
#include "manychain/model/autodiff/leaves.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <Expression E>
MANYCHAIN_HD E as_node(const E& e) {
  return e;
}
template <Intermediate I>
MANYCHAIN_HD auto as_node(const I& i) {
  return i.node();
}
template <Arithmetic A>
MANYCHAIN_HD auto as_node(A a) {
  return Constant<double>(static_cast<double>(a));
}
template <Real R>
MANYCHAIN_HD auto as_node(R r) {
  return Constant<R>(r);
}
template <class T, int K>
MANYCHAIN_HD auto as_node(const RowNumbers<T, K>& numbers) {
  RowNumbers<double, K> literals;
  for (int k = 0; k < K; ++k) literals.x[k] = static_cast<double>(numbers.x[k]);
  return Constant<RowNumbers<double, K>>(literals);
}
template <class R>
MANYCHAIN_HD auto as_node(const LaneIntegers<R>& numbers) {
  return Constant<R>(numbers);
}
template <class T>
using node_of = decltype(as_node(std::declval<const T&>()));
template <class T>
using value_of = decltype(std::declval<node_of<T>>().value());

/// The number behind a Real, a literal or an expression, for use where a derivative is not wanted.
template <class T>
MANYCHAIN_HD auto value(const T& x) {
  return as_node(x).value();
}

/// Several children, each with the partial derivative of the value with respect to it.
template <class Child, class D>
struct Partial {
  Child child;
  D derivative;
};
template <class Child, class D>
MANYCHAIN_HD Partial<Child, D> partial(const Child& child, D derivative) {
  return {child, derivative};
}

template <class V, class... Partials>
struct Elementary;
template <class V>
struct Elementary<V> : NoNumber<ExpressionTag, Elementary<V>> {
  V v;
  MANYCHAIN_HD explicit Elementary(V value) : v(value) {}
  MANYCHAIN_HD V value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A, M) const {}
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A, F, M) const {}
};
template <class V, class First, class... Rest>
struct Elementary<V, First, Rest...> : Elementary<V, Rest...> {
  First first;
  MANYCHAIN_HD Elementary(V value, First f, Rest... rest) : Elementary<V, Rest...>(value, rest...), first(f) {}
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (std::is_same_v<A, One>)
      first.child.push(first.derivative, m);
    else
      first.child.push(a, first.derivative, m);
    Elementary<V, Rest...>::push(a, m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }
};
/// A function of several children given by its value and its partial derivatives there. What is not needed (the value
/// in a gradient-only sweep, derivatives towards data) is dead code, and the compiler removes it.
template <class V, class... Partials>
MANYCHAIN_HD Elementary<V, Partials...> elementary(V value, Partials... partials) {
  return Elementary<V, Partials...>(value, partials...);
}

// The four operations. Sums pass the adjoint on as it is, so that the leaf can fuse the product that it came with; a
// sum of a product is fused as well.
template <class X, class Y>
struct Product : NoNumber<ExpressionTag, Product<X, Y>> {
  X x;
  Y y;
  MANYCHAIN_HD Product(const X& a, const Y& b) : x(a), y(b) {}
  MANYCHAIN_HD auto value() const { return x.value() * y.value(); }
  /// sign * value() + c, rounded once.
  template <int Sign, class C>
  MANYCHAIN_HD auto fused(C c) const {
    using V = std::remove_cvref_t<decltype(x.value() * y.value() + c)>;
    if constexpr (Real<V>)
      return fma(Sign > 0 ? V(x.value()) : -V(x.value()), V(y.value()), V(c));
    else
      return Sign * (x.value() * y.value()) + c;
  }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (std::is_same_v<A, One>) {
      x.push(y.value(), m);
      y.push(x.value(), m);
    } else {
      x.push(a, y.value(), m);
      y.push(a, x.value(), m);
    }
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }
};
template <class E>
inline constexpr bool is_product = false;
template <class X, class Y>
inline constexpr bool is_product<Product<X, Y>> = true;

template <class L, class R, int Sign>
struct Sum : NoNumber<ExpressionTag, Sum<L, R, Sign>> {
  L left;
  R right;
  MANYCHAIN_HD Sum(const L& l, const R& r) : left(l), right(r) {}
  MANYCHAIN_HD auto value() const {
    if constexpr (is_product<R>)
      return right.template fused<Sign>(left.value());
    else if constexpr (is_product<L>)
      return left.template fused<1>(Sign > 0 ? right.value() : -right.value());
    else if constexpr (Sign > 0)
      return left.value() + right.value();
    else
      return left.value() - right.value();
  }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    left.push(a, m);
    if constexpr (Sign > 0)
      right.push(a, m);
    else if constexpr (std::is_same_v<A, One>)
      right.push(-1.0, m);
    else
      right.push(-a, m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    left.push(a, factor, m);
    right.push(Sign > 0 ? a : -a, factor, m);
  }
};

template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD auto operator+(const A& a, const B& b) {
  return Sum<node_of<A>, node_of<B>, 1>(as_node(a), as_node(b));
}
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD auto operator-(const A& a, const B& b) {
  return Sum<node_of<A>, node_of<B>, -1>(as_node(a), as_node(b));
}
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD auto operator*(const A& a, const B& b) {
  const auto x = as_node(a);
  const auto y = as_node(b);
  return Product<node_of<A>, node_of<B>>(x, y);
}
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD auto operator/(const A& a, const B& b) {
  const auto x = as_node(a);
  const auto y = as_node(b);
  const auto inverse = 1.0 / y.value();  // all that a gradient alone divides
  return elementary(x.value() / y.value(), partial(x, inverse), partial(y, -(x.value() * inverse * inverse)));
}
template <Node A>
MANYCHAIN_HD auto operator-(const A& a) {
  const auto x = as_node(a);
  return elementary(-x.value(), partial(x, decltype(x.value())(-1)));
}

// Functions of one argument.
/// exp(x): the exponential. Source: its definition.
template <Node A>
MANYCHAIN_HD auto exp(const A& a) {
  const auto x = as_node(a);
  const auto v = exp(x.value());
  return elementary(v, partial(x, v));
}
/// log(x): the natural logarithm. Support: x > 0. Source: its definition.
template <Node A>
MANYCHAIN_HD auto log(const A& a) {
  const auto x = as_node(a);
  return elementary(log(x.value()), partial(x, 1.0 / x.value()));
}
/// log1p(x): log(1 + x), accurate near 0. Support: x > -1. Source: its definition.
template <Node A>
MANYCHAIN_HD auto log1p(const A& a) {
  const auto x = as_node(a);
  return elementary(log1p(x.value()), partial(x, 1.0 / (1.0 + x.value())));
}
/// expm1(x): exp(x) - 1, accurate near 0. Source: its definition.
template <Node A>
MANYCHAIN_HD auto expm1(const A& a) {
  const auto x = as_node(a);
  return elementary(expm1(x.value()), partial(x, exp(x.value())));
}
/// sqrt(x): the square root. Support: x >= 0. Source: its definition.
template <Node A>
MANYCHAIN_HD auto sqrt(const A& a) {
  const auto x = as_node(a);
  const auto v = sqrt(x.value());
  return elementary(v, partial(x, 0.5 * (1.0 / v)));  // a standard deviation is divided by elsewhere, too
}
/// The two of the slope goes to the adjoint, which is often known before the value is: a literal, or the same in every
/// step of a recurrence.
template <class X>
struct Square : NoNumber<ExpressionTag, Square<X>> {
  X x;
  MANYCHAIN_HD explicit Square(const X& of) : x(of) {}
  MANYCHAIN_HD auto value() const { return x.value() * x.value(); }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (std::is_same_v<A, One>)
      x.push(x.value() + x.value(), m);
    else
      x.push(a * 2.0, x.value(), m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }
};
/// square(x): x x. Source: its definition.
template <Node A>
MANYCHAIN_HD auto square(const A& a) {
  const auto x = as_node(a);
  return Square<std::remove_const_t<decltype(x)>>(x);
}
/// tanh(x): the hyperbolic tangent. Source: its definition.
template <Node A>
MANYCHAIN_HD auto tanh(const A& a) {
  const auto x = as_node(a);
  const auto v = tanh(x.value());
  return elementary(v, partial(x, 1.0 - v * v));
}
/// atan(x): the inverse tangent. Source: its definition.
template <Node A>
MANYCHAIN_HD auto atan(const A& a) {
  const auto x = as_node(a);
  return elementary(atan(x.value()), partial(x, 1.0 / (1.0 + x.value() * x.value())));
}
/// abs(x): the absolute value; its slope at 0 is taken as 1. Source: its definition.
template <Node A>
MANYCHAIN_HD auto abs(const A& a) {
  const auto x = as_node(a);
  using V = decltype(x.value());
  return elementary(abs(x.value()), partial(x, select(x.value() < V(0), V(-1), V(1))));
}
/// inv_logit(x): 1 / (1 + exp(-x)), without overflow. Source: its definition.
template <Node A>
MANYCHAIN_HD auto inv_logit(const A& a) {
  const auto x = as_node(a);
  const auto both = inv_logit_pair(x.value());
  return elementary(both.p, partial(x, both.p * both.complement));
}
/// log1p_exp(x): log(1 + exp(x)), without overflow: softplus. Source: its definition.
template <Node A>
MANYCHAIN_HD auto log1p_exp(const A& a) {
  const auto x = as_node(a);
  return elementary(log1p_exp(x.value()), partial(x, inv_logit(x.value())));
}

/// A choice.
template <class Mask, class A, class B>
struct Select : NoNumber<ExpressionTag, Select<Mask, A, B>> {
  Mask mask;
  A a;
  B b;
  /// On a CPU a bool is the same for all lanes: a comparison of data in a body of one row, or of the only chain.
  /// Compilers move what one side needs alone behind the branch: a graded response model of four such sides runs 3
  /// times as fast. A unit that checks evaluates both sides.
#if defined(__CUDA_ARCH__)
  static constexpr bool branches = false;
#else
  static constexpr bool branches = std::is_same_v<Mask, bool> && !checks_bounds;
#endif
  MANYCHAIN_HD Select(Mask m, const A& x, const B& y) : mask(m), a(x), b(y) {}
  MANYCHAIN_HD auto value() const {
    using V = decltype(a.value() + b.value());
    if constexpr (branches)
      return mask ? V(a.value()) : V(b.value());
    else
      return select(mask, V(a.value()), V(b.value()));
  }
  template <class Adjoint>
  MANYCHAIN_HD void push(Adjoint adjoint, NoMask) const {
    if constexpr (branches && !is_traced<Adjoint>) {  // Traced finds leaves by their order
      if (mask)
        a.push(adjoint, NoMask{});
      else
        b.push(adjoint, NoMask{});
    } else {
      a.push(adjoint, mask);
      b.push(adjoint, !mask);
    }
  }
  template <class Adjoint, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, M m) const {
    a.push(adjoint, m && mask);
    b.push(adjoint, m && !mask);
  }
  template <class Adjoint, class F, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, F factor, M m) const {
    push(adjoint * factor, m);
  }
};
/// select(mask, a, b): a where the mask holds, b elsewhere, each with the adjoint of its own chains alone; a mask is a
/// comparison of value(x). Source: its definition.
template <class Mask, Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD auto select(Mask mask, const A& a, const B& b) {
  return Select<Mask, node_of<A>, node_of<B>>(mask, as_node(a), as_node(b));
}

/// A named intermediate: evaluated once, used as often as you like. It is a local variable and nothing else: it cannot
/// be copied, moved or assigned, because its adjoint would then be passed on twice or never. Write a second let(...)
/// instead of a copy, and return the expression, not the intermediate, from a function.
template <class E>
class Let : public NoNumber<IntermediateTag, Let<E>> {
 public:
  using value_type = decltype(std::declval<E>().value());
  MANYCHAIN_HD explicit Let(const E& e) : expression_(e), value_(e.value()), adjoint_{0, 0} {
    if constexpr (checks_bounds) checks::note_made(this, sizeof(Let));
  }
  MANYCHAIN_HD ~Let() {
    expression_.push(adjoint_[0] + adjoint_[1], NoMask{});
    if constexpr (checks_bounds) checks::note_gone(this, sizeof(Let));
  }
  MANYCHAIN_HD Let(const Let& other) : Let(other.expression_) { refuse_copy<Let>(); }
  MANYCHAIN_HD Let& operator=(const Let&) { return refuse_copy<Let>(), *this; }
  MANYCHAIN_HD auto node() const { return Variable<value_type, 2, checks_bounds>(value_, adjoint_); }

 private:
  E expression_;
  value_type value_;
  mutable value_type adjoint_[2];
};
template <Expression E>
MANYCHAIN_HD Let<E> let(const E& e) {
  return Let<E>(e);
}

/// A vector whose elements can be asked for: parameters, constrained vectors, data.
template <class V>
concept VectorOperand = requires(const std::remove_cvref_t<V>& v) {
  v[0];
  v.size();
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
