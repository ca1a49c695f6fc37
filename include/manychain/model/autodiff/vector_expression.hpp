// Expressions of whole vectors: alpha + beta * x, exp(theta), X * beta. An element is computed when it is asked for, by
// whatever index, so that rows of data are taken several at once where a loop takes them so; target.let(v) computes
// each once. What a vector expression holds is a few pointers and scalars.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>

#include "manychain/model/autodiff/expression.hpp"
#include "manychain/model/data/mixture_choice.hpp"
#if defined(MANYCHAIN_CHECKED)
#include "manychain/model/autodiff/first_elements.hpp"
#endif

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// A vector of a model, as opposed to any class that can be indexed: parameters, data, expressions of these.
template <class V>
concept ModelVector = VectorOperand<V> && requires(const std::remove_cvref_t<V>& v) {
  v.view();
};
/// A matrix of a model: operator[] gives a row.
template <class M>
concept ModelMatrix = requires(const std::remove_cvref_t<M>& m) {
  m[0][0];
  m.rows();
  m.columns().value();
};

namespace detail {
/// The form in which a lazy expression keeps an argument.
template <class T>
MANYCHAIN_HD auto hold(const T& x) {
  if constexpr (VectorOperand<T>)
    return x.view();
  else if constexpr (Arithmetic<T> || PlainRows<T>)
    return x;
  else
    return as_node(x);
}
/// Element i of a vector, or the scalar that stands for all of them.
template <class T, class Index>
MANYCHAIN_HD auto element_at(const T& x, const Index& i) {
  if constexpr (VectorOperand<T>)
    return x[i];
  else
    return x;
}
template <class T, class... Ts>
MANYCHAIN_HD auto first_vector_size(const T& x, const Ts&... rest) {
  if constexpr (VectorOperand<T>)
    return x.size();
  else
    return first_vector_size(rest...);
}
/// True if several elements may be asked for at once (RowRange).
template <class T>
inline constexpr bool takes_rows = !VectorOperand<T> || requires(const T& v) {
  v[RowRange<2>{0}];
};
/// Checks an index of an expression, whose elements nothing else counts: looked at where data are bound.
template <class N, class Index>
MANYCHAIN_HD void check_element([[maybe_unused]] N size, [[maybe_unused]] const Index& i) {
  if constexpr (checks_bounds && std::is_integral_v<Index>)
    checks::index({size.value(), "a vector expression", nullptr}, static_cast<int>(i));
}
/// A vector or a scalar, the argument of a density or an operator over all elements.
template <class T>
concept VectorArgument = ModelVector<T> || Operand<T>;
}  // namespace detail

/// f(element of each operand), with up to three operands, of which some are scalars. (Members of their own, in the
/// place of a tuple: nvcc is much faster with them.)
template <class F, class N, class A, class B = std::nullptr_t, class C = std::nullptr_t>
class Elementwise {
 public:
  MANYCHAIN_HD Elementwise(F f, N size, const A& a, const B& b = nullptr, const C& c = nullptr)
      : f_(f), size_(size), a_(a), b_(b), c_(c) {}
  template <class Index>
  MANYCHAIN_HD auto operator[](const Index& i) const {
    detail::check_element(size_, i);
    if constexpr (std::is_same_v<B, std::nullptr_t>)
      return f_(detail::element_at(a_, i));
    else if constexpr (std::is_same_v<C, std::nullptr_t>)
      return f_(detail::element_at(a_, i), detail::element_at(b_, i));
    else
      return f_(detail::element_at(a_, i), detail::element_at(b_, i), detail::element_at(c_, i));
  }
  MANYCHAIN_HD N size() const { return size_; }
  MANYCHAIN_HD Elementwise view() const { return *this; }

 private:
  F f_;
  N size_;
  A a_;
  B b_;
  C c_;
};

namespace detail {
template <class F, class N, class... Args>
inline constexpr bool takes_rows<Elementwise<F, N, Args...>> = (takes_rows<Args> && ...);

template <class F, class... Args>
MANYCHAIN_HD auto elementwise(const char* what, F f, const Args&... args) {
  if constexpr (checks_bounds) checks::same_size(what, checked_operand(args)...);
  const auto size = first_vector_size(args...);
  return Elementwise<F, std::remove_cvref_t<decltype(size)>, decltype(hold(args))...>(f, size, hold(args)...);
}
}  // namespace detail

namespace detail {
/// Whole numbers of data: an int, those of several rows, or one for each lane.
template <class T>
inline constexpr bool whole_data = std::is_integral_v<T> || is_lane_integers<T>;
template <int K>
inline constexpr bool whole_data<RowNumbers<int, K>> = true;

MANYCHAIN_HD double as_real_number(int x) { return x; }
template <class R>
MANYCHAIN_HD R as_real_number(const LaneIntegers<R>& x) {
  return x;
}
template <int K>
MANYCHAIN_HD auto as_real_number(const RowNumbers<int, K>& x) {
  return each_row([](int one) { return static_cast<double>(one); }, x);
}

// Sums, differences and products of whole numbers are whole, for they may select elements. When data are bound, one
// that is beyond the range of int is refused.
#define MANYCHAIN_ELEMENT(op, Name, overflows)                                       \
  struct Name {                                                                      \
    template <class A, class B>                                                      \
    MANYCHAIN_HD auto operator()(const A& a, const B& b) const {                     \
      if constexpr (checks_bounds && std::is_integral_v<A> && std::is_integral_v<B>) \
        if (int result = 0; overflows(a, b, &result)) checks::throw_overflow(#op);   \
      return a op b;                                                                 \
    }                                                                                \
  };
MANYCHAIN_ELEMENT(+, Plus, __builtin_add_overflow)
MANYCHAIN_ELEMENT(-, Minus, __builtin_sub_overflow)
MANYCHAIN_ELEMENT(*, Times, __builtin_mul_overflow)
#undef MANYCHAIN_ELEMENT
/// A quotient of whole numbers is real, unlike that of two ints.
struct DividedBy {
  template <class A, class B>
  MANYCHAIN_HD auto operator()(const A& a, const B& b) const {
    if constexpr (whole_data<A> && whole_data<B>)
      return as_real_number(a) / as_real_number(b);
    else
      return a / b;
  }
};
/// A product that is summed: real.
struct RealTimes {
  template <class A, class B>
  MANYCHAIN_HD auto operator()(const A& a, const B& b) const {
    if constexpr (whole_data<A> && whole_data<B>)
      return as_real_number(a) * as_real_number(b);
    else
      return a * b;
  }
};
}  // namespace detail

#define MANYCHAIN_ELEMENTWISE(op, Name)                                                              \
  template <detail::VectorArgument A, detail::VectorArgument B>                                      \
  requires(ModelVector<A> || ModelVector<B>) MANYCHAIN_HD auto operator op(const A& a, const B& b) { \
    return detail::elementwise("operator " #op, detail::Name{}, a, b);                               \
  }
MANYCHAIN_ELEMENTWISE(+, Plus)
MANYCHAIN_ELEMENTWISE(-, Minus)
MANYCHAIN_ELEMENTWISE(*, Times)
MANYCHAIN_ELEMENTWISE(/, DividedBy)
#undef MANYCHAIN_ELEMENTWISE

namespace detail {
struct Negated {
  template <class A>
  MANYCHAIN_HD auto operator()(const A& a) const {
    return -a;
  }
};
}  // namespace detail
template <ModelVector V>
MANYCHAIN_HD auto operator-(const V& v) {
  return detail::elementwise("operator -", detail::Negated{}, v);
}

/// The function of each element. (Defines it for vectors; a header with a function of its own does so, too.)
#define MANYCHAIN_VECTOR_FUNCTION(name)                               \
  namespace detail {                                                  \
  struct Each_##name {                                                \
    template <class A>                                                \
    MANYCHAIN_HD auto operator()(const A& a) const {                  \
      return name(a);                                                 \
    }                                                                 \
  };                                                                  \
  }                                                                   \
  template <ModelVector V>                                            \
  MANYCHAIN_HD auto name(const V& v) {                                \
    return detail::elementwise(#name "()", detail::Each_##name{}, v); \
  }
MANYCHAIN_VECTOR_FUNCTION(exp)
MANYCHAIN_VECTOR_FUNCTION(log)
MANYCHAIN_VECTOR_FUNCTION(log1p)
MANYCHAIN_VECTOR_FUNCTION(expm1)
MANYCHAIN_VECTOR_FUNCTION(sqrt)
MANYCHAIN_VECTOR_FUNCTION(square)
MANYCHAIN_VECTOR_FUNCTION(tanh)
MANYCHAIN_VECTOR_FUNCTION(atan)
MANYCHAIN_VECTOR_FUNCTION(abs)
MANYCHAIN_VECTOR_FUNCTION(inv_logit)
MANYCHAIN_VECTOR_FUNCTION(log1p_exp)

/// The vector of vector_of().
template <class N, class Body>
class VectorOf {
 public:
  MANYCHAIN_HD VectorOf(N size, const Body& body) : size_(size), body_(body) {
#if defined(MANYCHAIN_CHECKED)
    if (checks::remembers()) first_.remember(size_.value(), body_);
#endif
  }
  template <class Index>
  MANYCHAIN_HD auto operator[](const Index& i) const {
    detail::check_element(size_, i);
#if defined(MANYCHAIN_CHECKED)
    if constexpr (std::is_integral_v<Index> && std::is_move_constructible_v<decltype(body_(i))>)
      return first_.read(i, body_);
    else
#endif
      return body_(i);
  }
  MANYCHAIN_HD N size() const { return size_; }
  MANYCHAIN_HD VectorOf view() const { return *this; }

 private:
  N size_;
  Body body_;
#if defined(MANYCHAIN_CHECKED)
  detail::FirstElements first_;
#endif
};
namespace detail {
template <class N, class Body>
inline constexpr bool takes_rows<VectorOf<N, Body>> = std::is_invocable_v<const Body&, RowRange<2>>;
}  // namespace detail
/// vector_of(n, body): body(i) for i = 0 .. n - 1, as a vector: what no operator says. body takes auto i, which is
/// faster on a CPU, or int i. Source: its definition.
template <class N, class Body>
MANYCHAIN_HD auto vector_of(N n, const Body& body) {
  return VectorOf<decltype(as_size(n)), Body>(as_size(n), body);
}

/// Elements `first` to `first + n - 1` of another.
template <class V, class N>
class VectorSegment {
 public:
  MANYCHAIN_HD VectorSegment(const V& whole, int first, N size) : whole_(whole), first_(first), size_(size) {}
  template <class Index>
  MANYCHAIN_HD auto operator[](const Index& i) const {
    detail::check_element(size_, i);
    return whole_[i + first_];
  }
  MANYCHAIN_HD N size() const { return size_; }
  MANYCHAIN_HD VectorSegment view() const { return *this; }

 private:
  V whole_;
  int first_;
  N size_;
};
namespace detail {
template <class V, class N>
inline constexpr bool takes_rows<VectorSegment<V, N>> = takes_rows<V>;
}  // namespace detail
/// segment(v, first, n): elements first to first + n - 1, counted from 0. Source: Stan Functions Reference, Slicing.
template <ModelVector V, class N>
MANYCHAIN_HD auto segment(const V& v, int first, N n) {
  const auto size = as_size(n);
  if constexpr (checks_bounds) {
    if (size.value() > 0) v[first], v[first + size.value() - 1];
  }
  return VectorSegment<decltype(v.view()), std::remove_cvref_t<decltype(size)>>(v.view(), first, size);
}

// Sums over the elements of a vector. An element is computed once for the value and once more for its adjoint: of a
// costly one make a target.let() first.

/// sum_i v[i].
template <class V>
struct Total : NoNumber<ExpressionTag, Total<V>> {
  V vector;
  using Element = std::remove_cvref_t<value_of<decltype(std::declval<V>()[0])>>;
  using R = std::conditional_t<std::is_integral_v<Element>, double, Element>;  // a sum of ints could overflow
  R v;
  MANYCHAIN_HD explicit Total(const V& terms) : vector(terms), v(0) {
    for_each(vector.size(), [&](int i) { v = v + as_node(vector[i]).value(); });
  }
  MANYCHAIN_HD R value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    for_each(vector.size(), [&](int i) { as_node(vector[i]).push(a, m); });
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }
};
/// sum(v): the sum of the elements; of the log density of a vector, sum(normal(y, mu, sigma)), that density as a
/// number, for mixtures. Source: its definition.
template <ModelVector V>
MANYCHAIN_HD auto sum(const V& v) {
  return Total<decltype(v.view())>(v.view());
}
/// mean(v): the mean of the elements. Source: its definition.
template <ModelVector V>
MANYCHAIN_HD auto mean(const V& v) {
  return sum(v) * (1.0 / v.size().value());
}
/// sum_i x[i] w[i] with data x and parameters w, fused. Two partial sums, of the even and of the odd terms: half the
/// latency of one, which is what a row of a regression waits for.
template <class X, class W>
struct Dot : NoNumber<ExpressionTag, Dot<X, W>> {
  X x;
  W w;
  using R = decltype(std::declval<W>()[0].value());
  using V = std::remove_cvref_t<decltype(std::declval<X>()[0] * std::declval<R>())>;
  V v;
  MANYCHAIN_HD Dot(const X& data, const W& weights) : x(data), w(weights) {
    if constexpr (checks_bounds) checks::same_size("dot()", detail::checked_operand(x), detail::checked_operand(w));
    V next = V(0), other = V(0);  // change places: chosen by index they would need an address, on a GPU a stack frame
    const auto put = [&](const V& sum) {
      if constexpr (SeveralRows<V>) {  // its rows already overlap
        next = sum;
      } else {
        next = other;
        other = sum;
      }
    };
    if constexpr (in_runs)
      data.for_each_column([&](int i, V element) { put(fma(element, V(weights[i].value()), next)); });
    else
      for_each(weights.size(), [&](int i) { put(fma(V(data[i]), V(weights[i].value()), next)); });
    if constexpr (SeveralRows<V>)
      v = next;
    else
      v = next + other;
  }
  MANYCHAIN_HD V value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (in_runs)
      x.for_each_column([&](int i, V element) { w[i].push(a, element, m); });
    else if constexpr (requires { x.again(); })
      push_by(x.again(), a, m);
    else
      push_by(x, a, m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }

 private:
  /// The row of a chain in a minibatch: some elements come at once.
  static constexpr bool in_runs = requires(const X& data) {
    data.for_each_column([](int, V) {});
  };
  template <class A, class M>
  MANYCHAIN_HD void push_by(const X& data, A a, M m) const {
    for_each(w.size(), [&](int i) {
      if constexpr (std::is_same_v<A, One>)
        w[i].push(V(data[i]), m);
      else
        w[i].push(a, V(data[i]), m);
    });
  }
};
/// dot(a, b): the sum of a[i] b[i] of two vectors, data or parameters. Source: its definition.
template <VectorOperand X, VectorOperand W>
MANYCHAIN_HD auto dot(const X& x, const W& w) {
  constexpr bool first = Node<decltype(x[0])>, second = Node<decltype(w[0])>;
  if constexpr (second && !first)
    return Dot<X, decltype(w.view())>(x, w.view());
  else if constexpr (first && !second)
    return Dot<W, decltype(x.view())>(w, x.view());
  else
    return sum(detail::elementwise("dot()", detail::RealTimes{}, x, w));
}

/// The part that stands for a mixture, in units that check a model; elsewhere there is no such part, and no code for
/// it.
template <bool checked>
struct ChosenPart {
  MANYCHAIN_HD explicit constexpr ChosenPart(const void*, int) {}
  static constexpr int part = -1;
};
template <>
struct ChosenPart<true> {
  explicit ChosenPart(const void* type, int parts) : part(checks::part_of_mixture(type, parts)) {}
  int part;
};

/// log(sum_i exp(v[i])), without overflow. -infinity where all elements are.
template <class V>
struct LogSumExp : NoNumber<ExpressionTag, LogSumExp<V>>, ChosenPart<checks_bounds> {
  V vector;
  using R = std::remove_cvref_t<value_of<decltype(std::declval<V>()[0])>>;
  R from, sum;  // relative to the largest element, which keeps the digits of small differences
  MANYCHAIN_HD explicit LogSumExp(const V& terms)
      : ChosenPart<checks_bounds>(type(), terms.size().value()), vector(terms), from(element(0)), sum(0) {
    if constexpr (checks_bounds) {
      if (this->part >= 0) {
        from = element(this->part), sum = R(1);
        return;
      }
    }
    for_each(vector.size(), [&](int i) {
      if (i > 0) from = max(from, element(i));
    });
    from = select(from < lowest(), R(0), from);  // exp(-inf - -inf) would be NaN
    for_each(vector.size(), [&](int i) { sum += exp(element(i) - from); });
  }
  MANYCHAIN_HD R value() const { return from + log(sum); }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (checks_bounds) {
      if (this->part >= 0) return as_node(vector[this->part]).push(a, m);
    }
    const R inverse = R(1) / select(sum > R(0), sum, R(1));
    for_each(vector.size(), [&](int i) {
      const auto x = as_node(vector[i]);
      const R share = exp(R(x.value()) - from) * inverse;
      if constexpr (std::is_same_v<A, One>)
        x.push(share, m);
      else
        x.push(a, share, m);
    });
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }

 private:
  MANYCHAIN_HD static const void* type() {
    if constexpr (checks_bounds)
      return &checks::mixture_type<V>;
    else
      return nullptr;
  }
  MANYCHAIN_HD R element(int i) const { return R(as_node(vector[i]).value()); }
  MANYCHAIN_HD static R lowest() { return R(-std::numeric_limits<number_of<R>>::max()); }
};
/// log_sum_exp(v): log(exp(v[0]) + ... + exp(v[n - 1])), without overflow. Support: an element or more, -infinity
/// included. Source: Stan Functions Reference, Composed functions.
template <ModelVector V>
MANYCHAIN_HD auto log_sum_exp(const V& v) {
  constexpr bool of_numbers = Operand<decltype(v[0])>;
  static_assert(of_numbers,
                "log_sum_exp() takes a vector of numbers: the log density of a vector is one as sum(normal(y, mu, "
                "sigma)), also as sum(multi_normal_cholesky(y, mu, L))");
  if constexpr (of_numbers)
    return LogSumExp<decltype(v.view())>(v.view());
  else
    return Constant<double>(0);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
