// The arguments of a density may be numbers, data, expressions, vectors and matrices of these, mixed. The density of a
// vector or a matrix is the sum over the elements.
#pragma once

#include <limits>
#include <utility>

#include "manychain/model/autodiff/flat_matrix.hpp"
#include "manychain/model/autodiff/own_scale.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// An argument of a function that data have by way of its expression.
template <class T>
concept DataOrNode = Node<T> || Real<T>;

/// The number type of the arguments that are no literals, which literals take (void: all are literals).
template <class T>
struct argument_number {
  using type = void;
};
template <class T>
requires Real<value_of<T>>
struct argument_number<T> {
  using type = number_of<value_of<T>>;
};
template <VectorOperand T>
struct argument_number<T> : argument_number<std::remove_cvref_t<decltype(std::declval<const T&>()[0])>> {};

template <class... Ts>
struct common_number {
  using type = void;
};
template <class T, class... Ts>
struct common_number<T, Ts...> {
  using own = typename argument_number<std::remove_cvref_t<T>>::type;
  using type = std::conditional_t<std::is_void_v<own>, typename common_number<Ts...>::type, own>;
};

template <class Number, class T>
MANYCHAIN_HD auto operand(const T& x) {
  if constexpr (Arithmetic<T>)
    return Constant<Scalar<Number>>(Scalar<Number>(x));
  else if constexpr (PlainRows<T>)
    return Constant<RowBlock<Scalar<Number>, rows_in_block<T>>>(x);
  else
    return as_node(x);
}
/// The value of a density whose arguments are all literals, as a literal again: it takes any precision.
MANYCHAIN_HD double literal(Scalar<double> value) { return value.v; }
template <int K>
MANYCHAIN_HD RowNumbers<double, K> literal(const RowBlock<Scalar<double>, K>& value) {
  RowNumbers<double, K> result;
  for (int k = 0; k < K; ++k) result.x[k] = value.x[k].v;
  return result;
}

}  // namespace detail

/// A sum of terms over the elements of vectors; only `target +=` and observe() evaluate it. term(i) is that of an
/// index, also of an opaque one.
template <class N, class Term>
struct EachElement {
  N size;
  Term term;
};

namespace detail {
/// True if a term is a mixture of those of several densities: the sum of these over the elements could be meant, too.
template <class Term>
inline constexpr bool mixes_rows = false;

/// All `+=` call this.
template <class Term>
MANYCHAIN_HD void refuse_mixture() {
  static_assert(!mixes_rows<Term>,
                "a mixture of the densities of vectors is one of each element, which only observe(name, log_mix(...)) "
                "says: elsewhere mix in a body, sum_over(n, [&](auto i, auto& term) { term += log_mix(...); }), or mix "
                "whole vectors, log_mix(theta, sum(normal(...)), sum(normal(...)))");
}
}  // namespace detail

namespace detail {
/// A term that does not take several elements at once.
template <class Term>
struct OneByOne {
  Term term;
  MANYCHAIN_HD auto operator()(int i) const { return term(i); }
};

/// A number with derivatives of its own (dual.hpp), in a function that is differentiated as a whole.
template <class T>
concept DualArgument = requires(const T& x) {
  x.chain(x.v, x.v);
};

/// A matrix among the arguments as the vector of its elements, row by row; anything else as it is.
template <class T>
MANYCHAIN_HD const T& elements_of(const T& x) {
  return x;
}
template <ModelMatrix M>
MANYCHAIN_HD auto elements_of(const M& matrix) {
  if constexpr (requires { matrix.elements(); })
    return matrix.elements();
  else
    return flat_matrix(matrix);
}
/// Throws, when data are bound, where matrices have several shapes: as many elements do not make them fit.
template <class... Args>
MANYCHAIN_HD void check_shapes([[maybe_unused]] const Args&... args) {
  if constexpr (checks_bounds) {
    int rows = -1, columns = -1;
    const auto compare = [&](const auto& x) {
      if constexpr (ModelMatrix<decltype(x)>) {
        if (rows >= 0 && (x.rows() != rows || x.columns().value() != columns))
          checks::throw_shapes(rows, columns, x.rows(), x.columns().value());
        rows = x.rows();
        columns = x.columns().value();
      }
    };
    (compare(args), ...);
  }
}

/// Calls f(node) where a scalar, or the first element of a vector or a matrix, is a leaf, which may be a parameter.
template <class T, class F>
MANYCHAIN_HD void with_leaf(const T& x, const F& f) {
  if constexpr (ModelMatrix<T>) {
    if (x.rows() > 0) with_leaf(x[0], f);
  } else if constexpr (VectorOperand<T>) {
    if constexpr (requires { as_node(x[0]).adjoint; }) {
      if (x.size().value() > 0) f(as_node(x[0]));
    }
  } else if constexpr (requires { as_node(x).adjoint; }) {
    f(as_node(x));
  }
}
/// Throws, when data are bound, where a parameter that itself is this argument is not bound to [low, high].
template <class T>
MANYCHAIN_HD void needs_range([[maybe_unused]] const char* density, [[maybe_unused]] const char* argument,
                              [[maybe_unused]] const T& x, [[maybe_unused]] double low, [[maybe_unused]] double high) {
  if constexpr (checks_bounds)
    with_leaf(x, [&](const auto& leaf) { checks::require_range(leaf.adjoint, low, high, density, argument); });
}
/// A scale, a rate, a shape or a concentration must be positive.
template <class T>
MANYCHAIN_HD void needs_positive(const char* density, const char* argument, const T& x) {
  needs_range(density, argument, x, 0, std::numeric_limits<double>::infinity());
}
template <class T>
MANYCHAIN_HD void needs_probability(const char* density, const char* argument, const T& x) {
  needs_range(density, argument, x, 0, 1);
}
/// The ends of a uniform distribution must be bounded towards each other (checks::require_order()).
template <class A, class B>
MANYCHAIN_HD void needs_order([[maybe_unused]] const char* density, [[maybe_unused]] const A& low,
                              [[maybe_unused]] const B& high) {
  if constexpr (checks_bounds) {
    checks::End a, b;
    const auto note = [](checks::End& end, const auto& x) {
      if constexpr (Arithmetic<std::remove_cvref_t<decltype(x)>>) end.number = static_cast<double>(x);
      if constexpr (is_scalar<std::remove_cvref_t<decltype(x)>>) end.number = static_cast<double>(x.v);
      with_leaf(x, [&](const auto& leaf) { end.adjoint = leaf.adjoint; });
    };
    note(a, low), note(b, high);
    checks::require_order(a, b, density);
  }
}

/// Hands `density` one node an argument; sums over the elements when any argument is a vector or a matrix.
template <class Density, class... Args>
MANYCHAIN_HD auto vectorised(Density density, const Args&... args) {
  using Number = typename common_number<Args...>::type;
  if constexpr (checks_bounds) checks::note_density();
  if constexpr ((ModelMatrix<Args> || ...)) {
    check_shapes(args...);
    return vectorised(density, elements_of(args)...);
  } else if constexpr ((DualArgument<Args> || ...)) {
    return density_of_duals(density, args...);
  } else if constexpr ((VectorOperand<Args> || ...)) {
    if constexpr (checks_bounds) checks::same_size("a density", checked_operand(args)...);
    const auto size = first_vector_size(args...);
    auto term = [density, ... held = hold(args)](const auto& i)
                    MANYCHAIN_LAMBDA { return density(operand<Number>(element_at(held, i))...); };
    if constexpr ((takes_rows<decltype(hold(args))> && ...))
      return EachElement<std::remove_cvref_t<decltype(size)>, decltype(term)>{size, term};
    else
      return EachElement<std::remove_cvref_t<decltype(size)>, OneByOne<decltype(term)>>{size, {term}};
  } else if constexpr (std::is_void_v<Number>) {
    return elementary(literal(density(operand<double>(args)...).value()));
  } else {
    return density(operand<Number>(args)...);
  }
}
}  // namespace detail

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
