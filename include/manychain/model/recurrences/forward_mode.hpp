// Forward mode: derivatives of a whole function, whatever it is made of, by dual numbers (model/recurrences/dual.hpp).
//
//   const auto f = [&](const auto& a, const auto& b) {      // any code that does not branch on a or b
//     auto x = a;
//     for (int t = 0; t < 20; ++t) x = x + b * tanh(x - a);  // a loop, variables that change, arrays of one's own
//     return x * x;
//   };
//   target += normal(y, forward_mode(f, alpha, beta), sigma);
//
// It is for what cannot be said with expressions: a loop that goes on changing a variable, an algorithm with arrays.
// The cost of N derivatives is that of some N + 1 evaluations, and 1 + N numbers stand for each: good for up to about
// ten. Of more parameters, and of recurrences over the data, the gradient is cheaper by expressions, target.let() and
// target.scan(), which cost some three evaluations whatever the number of parameters.
#pragma once

#include <utility>

#include "manychain/model/recurrences/dual.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
template <class T>
inline constexpr bool is_constant_node = false;
template <class V>
inline constexpr bool is_constant_node<Constant<V>> = true;

/// The form in which an argument of a whole function is kept: a node, a literal, or a view of a vector of fixed size.
template <class A>
MANYCHAIN_HD auto hold_argument(const A& a) {
  if constexpr (VectorOperand<A>) {
    static_assert(std::remove_cvref_t<decltype(a.size())>::fixed,
                  "a vector that is an argument here has a fixed size, Size<3>{}, since each of its elements is a "
                  "direction; data of any size are captured by the function");
    return a.view();
  } else if constexpr (Arithmetic<A>) {
    return a;
  } else {
    return as_node(a);
  }
}

/// Number of directions of an argument: none if it is data.
template <class H>
inline constexpr int directions = Arithmetic<H> || is_constant_node<H> ? 0 : 1;
template <VectorOperand H>
inline constexpr int directions<H> = is_constant_node<node_of<decltype(std::declval<H>()[0])>>
                                         ? 0
                                         : std::remove_cvref_t<decltype(std::declval<H>().size())>::compile_time;

/// The value that the function is given in the place of an argument whose first direction is First: a T, whatever it
/// stands for, so that variables of the function may take either; but whole numbers of the program as they are.
template <class T, int First, class R, class H>
MANYCHAIN_HD auto lifted(const H& argument) {
  constexpr bool varies = directions < H >> 0;
  if constexpr (VectorOperand<H>) {
    Registers<T, std::remove_cvref_t<decltype(argument.size())>::compile_time> elements;
    for_each(argument.size(), [&](int i) {
      const R x(as_node(argument[i]).value());
      elements[i] = varies ? T::variable(x, First + i) : T(x);
    });
    return elements;
  } else if constexpr (std::integral<H>) {
    return argument;
  } else {
    const R x(as_node(argument).value());
    return varies ? T::variable(x, First) : T(x);
  }
}
template <class H>
struct argument_value {
  using type = value_of<H>;
};
template <VectorOperand H>
struct argument_value<H> {
  using type = value_of<decltype(std::declval<H>()[0])>;
};

/// Arguments of a whole function, one behind the other. (No tuple: nvcc is much faster without.)
template <class... Hs>
struct Arguments;
template <>
struct Arguments<> {
  static constexpr int count = 0;
  template <class F, class... Done>
  MANYCHAIN_HD auto apply(const F& f, const Done&... done) const {
    return f(done...);
  }
  template <class T, int First, class R>
  MANYCHAIN_HD auto lift() const {
    return Arguments<>();
  }
  template <int First, class F>
  MANYCHAIN_HD void each_direction(const F&) const {}
};
template <class H, class... Rest>
struct Arguments<H, Rest...> {
  static constexpr int count = directions<H> + Arguments<Rest...>::count;
  H first;
  Arguments<Rest...> rest;
  MANYCHAIN_HD explicit Arguments(const H& h, const Rest&... others) : first(h), rest(others...) {}
  MANYCHAIN_HD Arguments(const H& h, const Arguments<Rest...>& others) : first(h), rest(others) {}

  /// f of all of them.
  template <class F, class... Done>
  MANYCHAIN_HD auto apply(const F& f, const Done&... done) const {
    return rest.apply(f, done..., first);
  }
  /// The arguments that the function is given.
  template <class T, int First, class R>
  MANYCHAIN_HD auto lift() const {
    const auto x = lifted<T, First, R>(first);
    const auto others = rest.template lift<T, First + directions<H>, R>();
    return joined(x, others);
  }
  /// f(direction, node) for each that has one.
  template <int First, class F>
  MANYCHAIN_HD void each_direction(const F& f) const {
    if constexpr (directions < H >> 0) {
      if constexpr (VectorOperand<H>)
        for_each(first.size(), [&](int i) { f(First + i, as_node(first[i])); });
      else
        f(First, first);
    }
    rest.template each_direction<First + directions<H>>(f);
  }

 private:
  template <class L, class... Ls>
  MANYCHAIN_HD static Arguments<L, Ls...> joined(const L& x, const Arguments<Ls...>& others) {
    return {x, others};
  }
};
template <class... As>
MANYCHAIN_HD auto hold_arguments(const As&... args) {
  return Arguments<decltype(hold_argument(args))...>(hold_argument(args)...);
}

template <class T>
inline constexpr int results_in = 0;
template <class T, int M>
inline constexpr int results_in<Registers<T, M>> = M;
}  // namespace detail

/// A function of several arguments, with the derivatives that forward mode found.
template <class T, class Args>
struct ForwardMode : NoNumber<ExpressionTag, ForwardMode<T, Args>> {
  T result;
  Args arguments;
  MANYCHAIN_HD ForwardMode(const T& f, const Args& args) : result(f), arguments(args) {}
  MANYCHAIN_HD auto value() const { return result.v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    arguments.template each_direction<0>([&](int k, const auto& node) {
      if constexpr (std::is_same_v<A, One>)
        node.push(result.d[k], m);
      else
        node.push(a, result.d[k], m);
    });
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }
};
/// Several results, as a vector.
template <class T, int M, class Args>
class ForwardModeVector {
 public:
  MANYCHAIN_HD ForwardModeVector(const Registers<T, M>& results, const Args& arguments)
      : results_(results), arguments_(arguments) {}
  MANYCHAIN_HD auto operator[](int i) const { return ForwardMode<T, Args>(results_[i], arguments_); }
  template <class Index>
  requires detail::NoIndex<Index> MANYCHAIN_HD auto operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  MANYCHAIN_HD Size<M> size() const { return {}; }
  MANYCHAIN_HD ForwardModeVector view() const { return *this; }

 private:
  Registers<T, M> results_;
  Args arguments_;
};

/// numbers(a, b, ...): several numbers as one result of a function, results[0], results[1], ...
template <class... As>
MANYCHAIN_HD auto numbers(const As&... x) {
  using T = std::remove_cvref_t<decltype((... + x))>;
  return Registers<T, static_cast<int>(sizeof...(As))>{{T(x)...}};
}

/// forward_mode(f, x, y, ...): the value of f(x, y, ...) as an expression, its derivatives found by forward mode. f is
/// called once, with a Dual for each argument, with an array of them for a vector of fixed size, and with whole numbers
/// of the program as they are; data that it captures cost nothing. It may loop, change variables and hold arrays. It
/// returns one number, or several by numbers(a, b, ...), which are then a vector. Cost: one and as many evaluations as
/// there are parameters. Source: Wengert 1964; Griewank and Walther 2008, Evaluating Derivatives, chapter 3.
template <class F, class... As>
MANYCHAIN_HD auto forward_mode(const F& f, const As&... args) {
  const auto arguments = detail::hold_arguments(args...);
  using Args = std::remove_cvref_t<decltype(arguments)>;
  using R =
      std::remove_cvref_t<decltype((... + std::declval<typename detail::argument_value<
                                              std::remove_cvref_t<decltype(detail::hold_argument(args))>>::type>()))>;
  using T = Dual<R, Args::count>;
  const auto result = arguments.template lift<T, 0, R>().apply(f);
  using Result = std::remove_cvref_t<decltype(result)>;
  if constexpr (detail::results_in < Result >> 0) {
    constexpr int count = detail::results_in<Result>;
    Registers<T, count> results;
    for_each(Size<count>{}, [&](int i) { results[i] = T(result[i]); });
    return ForwardModeVector<T, count, Args>(results, arguments);
  } else {
    return ForwardMode<T, Args>(T(result), arguments);
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
