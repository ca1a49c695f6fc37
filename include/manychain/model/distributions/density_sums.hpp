// Arithmetic of log densities of vectors: normal(v, 0, 1) + normal(w, 0, 1), 0.5 * normal(y, mu, sigma) (power priors,
// tempering), weight * normal(y, mu, sigma) with a vector of weights. It is done row by row, as a body would do it.
#pragma once

#include "manychain/model/distributions/distributions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// A log density of a vector and another, or a number. Only `target +=` and observe() evaluate it.
template <class A, class B>
struct DensitySum {
  A first;
  B second;
};

namespace detail {
template <class T>
inline constexpr bool is_each_element = false;
template <class N, class Term>
inline constexpr bool is_each_element<EachElement<N, Term>> = true;
template <class T>
inline constexpr bool is_density_sum = false;
template <class A, class B>
inline constexpr bool is_density_sum<DensitySum<A, B>> = true;
}  // namespace detail

/// The log density of a vector, or a sum of such, before a target evaluates it.
template <class T>
concept VectorDensity =
    detail::is_each_element<std::remove_cvref_t<T>> || detail::is_density_sum<std::remove_cvref_t<T>>;

struct CompoundTag {};
/// A term of a density that needs intermediates of its own: add_to(target) writes it in the language of models.
template <class T>
concept CompoundTerm = std::derived_from<std::remove_cvref_t<T>, CompoundTag>;

namespace detail {
template <class A, class B>
concept SumOfDensities = (VectorDensity<A> && (VectorDensity<B> || Operand<B>)) || (Operand<A> && VectorDensity<B>);
template <class A, class B>
concept DividedDensity = VectorDensity<A> && VectorArgument<B>;
template <class A, class B>
concept WeightedDensity = DividedDensity<A, B> || DividedDensity<B, A>;

/// A part of a row's term: that of another density, an element of a vector, or a number for all rows.
template <class T>
inline constexpr bool is_row_term = !VectorOperand<T> && !Operand<T>;
template <class T, class Index>
MANYCHAIN_HD auto row_part(const T& x, const Index& i) {
  if constexpr (is_row_term<T>)
    return x(i);
  else
    return element_at(x, i);
}
template <class T, class Index>
concept RowPart = (is_row_term<T> && std::is_invocable_v<const T&, const Index&>) ||
                  (!is_row_term<T> && (std::is_integral_v<Index> || takes_rows<T>));

/// op(a, b) in each row.
template <class Op, class A, class B>
struct CombinedTerm {
  A a;
  B b;
  template <class Index>
  requires(RowPart<A, Index>&& RowPart<B, Index>) MANYCHAIN_HD auto operator()(const Index& i) const {
    return Op{}(row_part(a, i), row_part(b, i));
  }
};
template <class A>
struct NegatedTerm {
  A a;
  template <class Index>
  requires RowPart<A, Index> MANYCHAIN_HD auto operator()(const Index& i) const { return -row_part(a, i); }
};
template <class N, class Term>
MANYCHAIN_HD auto with_term(N size, const Term& term) {
  return EachElement<N, Term>{size, term};
}
template <class Op, class A, class B>
MANYCHAIN_HD CombinedTerm<Op, A, B> combined_term(const A& a, const B& b) {
  return {a, b};
}
template <class A>
MANYCHAIN_HD NegatedTerm<A> negated_term(const A& a) {
  return {a};
}

/// The rows of `each`, as messages name them.
template <class T>
checks::Operand counted_rows(const T& each, const char* called) {
  return {each.size.value(), called, nullptr};
}

/// weight * density or density / weight, in each row; of a sum for each of its parts.
template <class Op, class D, class W>
MANYCHAIN_HD auto weighted(const char* what, const D& density, const W& weight) {
  if constexpr (is_density_sum<D>) {
    const auto first = weighted<Op>(what, density.first, weight);
    const auto second = weighted<Op>(what, density.second, weight);
    return DensitySum<std::remove_cvref_t<decltype(first)>, std::remove_cvref_t<decltype(second)>>{first, second};
  } else if constexpr (Operand<D>) {
    constexpr bool is_number = Operand<W>;  // of a concept clang says in a dozen lines why it does not hold
    static_assert(is_number,
                  "a vector of weights belongs to rows: write weight * normal(y, mu, sigma) + number, not weight * "
                  "(normal(y, mu, sigma) + number)");
    if constexpr (is_number)
      return Op{}(as_node(density), as_node(weight));
    else
      return density;
  } else {
    if constexpr (checks_bounds && VectorOperand<W>)
      checks::same_size(what, counted_rows(density, "the log density"), checked_operand(weight));
    return with_term(density.size, combined_term<Op>(density.term, hold(weight)));
  }
}
template <class D>
MANYCHAIN_HD auto negated(const D& density) {
  if constexpr (is_density_sum<D>) {
    const auto first = negated(density.first);
    const auto second = negated(density.second);
    return DensitySum<std::remove_cvref_t<decltype(first)>, std::remove_cvref_t<decltype(second)>>{first, second};
  } else if constexpr (Operand<D>) {
    return -as_node(density);
  } else {
    return with_term(density.size, negated_term(density.term));
  }
}
/// The form in which a sum keeps a part.
template <class T>
MANYCHAIN_HD auto part_of_sum(const T& x) {
  if constexpr (VectorDensity<T>)
    return x;
  else
    return as_node(x);
}
template <class A, class B>
MANYCHAIN_HD auto density_sum(const A& a, const B& b) {
  return DensitySum<A, B>{a, b};
}

/// A mixture or sum with one term a row, for observe().
template <class D>
MANYCHAIN_HD auto by_rows(const D& density) {
  if constexpr (is_density_sum<D>) {
    constexpr bool rows = VectorDensity<decltype(density.first)> && VectorDensity<decltype(density.second)>;
    static_assert(rows,
                  "in observe() each row has a term, and beside the log density of a vector stands one number, for all "
                  "rows or for each: give it its own target += ..., or write the rows, observe(name, n, body)");
    if constexpr (rows) {
      const auto first = by_rows(density.first);
      const auto second = by_rows(density.second);
      if constexpr (checks_bounds)
        checks::same_size("a sum in observe()", counted_rows(first, "the first log density"),
                          counted_rows(second, "the second"));
      return with_term(first.size, combined_term<Plus>(first.term, second.term));
    } else if constexpr (VectorDensity<decltype(density.first)>) {
      return by_rows(density.first);
    } else {
      return by_rows(density.second);
    }
  } else {
    return density;
  }
}
}  // namespace detail

template <class A, class B>
requires detail::SumOfDensities<A, B> MANYCHAIN_HD auto operator+(const A& a, const B& b) {
  return detail::density_sum(detail::part_of_sum(a), detail::part_of_sum(b));
}
template <class A, class B>
requires detail::SumOfDensities<A, B> MANYCHAIN_HD auto operator-(const A& a, const B& b) {
  return detail::density_sum(detail::part_of_sum(a), detail::negated(detail::part_of_sum(b)));
}
template <VectorDensity D>
MANYCHAIN_HD auto operator-(const D& density) {
  return detail::negated(density);
}
template <class A, class B>
requires detail::WeightedDensity<A, B> MANYCHAIN_HD auto operator*(const A& a, const B& b) {
  if constexpr (VectorDensity<A>)
    return detail::weighted<detail::Times>("operator *", a, b);
  else
    return detail::weighted<detail::Times>("operator *", b, a);
}
template <class A, class B>
requires detail::DividedDensity<A, B> MANYCHAIN_HD auto operator/(const A& a, const B& b) {
  return detail::weighted<detail::DividedBy>("operator /", a, b);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
