// Mixtures of densities: of terms, of the log densities of vectors, row by row, and of those of whole vectors:
//
//   target.observe("y", log_mix(theta, normal(y, mu[0], sigma), normal(y, mu[1], sigma)));
//   term += log_sum_exp(vector_of(K, [&](int k) { return log(w[k]) + sum(normal(y[i], mu[k], sigma)); }));
#pragma once

#include "manychain/model/distributions/density_sums.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
/// log_sum_exp(a, b): log(exp(a) + exp(b)), of a mixture whose weights are in a and b; of the densities of
/// vectors row by row. Support: all, -infinity included. Source: Stan Functions Reference, Composed functions.
template <Operand A, Operand B>
requires(detail::DataOrNode<A> || detail::DataOrNode<B>) MANYCHAIN_HD auto log_sum_exp(const A& a, const B& b) {
  const auto x = as_node(a);
  const auto y = as_node(b);
  using V = std::remove_cvref_t<decltype(x.value() + y.value())>;
  const V u(x.value()), v(y.value());
  // The smaller is taken relative to the larger: nothing overflows, and what is far smaller than the other does not
  // take that with it, as it does in a + log1p_exp(b - a). Two that are -infinity count alike.
  const V ratio = select(u == v, V(1), exp(-abs(u - v)));
  const V larger = over_one_plus(V(1), ratio), smaller = ratio * larger;
  V value = select(u < v, v, u) + log1p(ratio);
  V of_x = select(u < v, smaller, larger), of_y = select(u < v, larger, smaller);
  if constexpr (checks_bounds) {
    const int part = checks::part_of_mixture(&checks::mixture_type<A, B>, 2);
    if (part >= 0) value = part == 0 ? u : v, of_x = V(part == 0), of_y = V(part != 0);
  }
  return elementary(value, partial(x, of_x), partial(y, of_y));
}

namespace detail {
// log(p) and log(1 - p), whose slopes are finite where p rounds to zero or one: the share that they are times is zero.
template <class P>
MANYCHAIN_HD auto log_share(const P& p) {
  using V = std::remove_cvref_t<decltype(p.value() * 1.0)>;
  return elementary(log(p.value()), partial(p, 1.0 / max(p.value(), V(std::numeric_limits<number_of<V>>::min()))));
}
template <class P>
MANYCHAIN_HD auto log_rest(const P& p) {
  using V = std::remove_cvref_t<decltype(p.value() * 1.0)>;
  const V rest = 1.0 - p.value();
  return elementary(log1p(-p.value()), partial(p, -(1.0 / max(rest, V(std::numeric_limits<number_of<V>>::min())))));
}
}  // namespace detail

/// log_mix(theta, a, b): log(theta exp(a) + (1 - theta) exp(b)), a mixture of two densities; of the densities of
/// vectors row by row. Support: 0 < theta < 1. Source: Stan Functions Reference, Composed functions.
template <Operand T, Operand A, Operand B>
requires(Node<T> || Node<A> || Node<B>) MANYCHAIN_HD auto log_mix(const T& theta, const A& a, const B& b) {
  const auto weight = detail::operand<typename detail::common_number<T, A, B>::type>(theta);
  if constexpr (Node<T>)
    return log_sum_exp(detail::log_share(weight) + a, detail::log_rest(weight) + b);
  else
    return log_sum_exp(log(weight) + a, log1p(-weight) + b);
}

namespace detail {
/// The part in each row of a mixture: a density, a number for all rows, or an element of a vector. A number beside a
/// density, log(theta) + normal(y, mu, sigma), belongs to each row here, where `target +=` adds it once.
template <class T>
MANYCHAIN_HD auto mixed_part(const T& x) {
  if constexpr (is_density_sum<T>) {
    const auto first = mixed_part(x.first);
    const auto second = mixed_part(x.second);
    return combined_term<Plus>(first, second);
  } else if constexpr (VectorDensity<T>) {
    return x.term;
  } else {
    return hold(x);
  }
}
/// The number of elements of a vector.
template <class T, class... Ts>
MANYCHAIN_HD auto mixed_size(const T& first, const Ts&... rest) {
  if constexpr (is_density_sum<T>)
    return mixed_size(first.first, first.second, rest...);
  else if constexpr (VectorDensity<T>)
    return first.size;
  else
    return mixed_size(rest...);
}
/// Checks, when data are bound, that everything that has rows has as many.
template <class N, class T>
MANYCHAIN_HD void check_mixed([[maybe_unused]] const char* what, [[maybe_unused]] N size, [[maybe_unused]] const T& x) {
  if constexpr (checks_bounds) {
    const checks::Operand rows = {size.value(), "the mixture", nullptr};
    if constexpr (is_density_sum<T>) {
      check_mixed(what, size, x.first);
      check_mixed(what, size, x.second);
    } else if constexpr (VectorDensity<T>) {
      checks::same_size(what, rows, counted_rows(x, "a density in it"));
    } else if constexpr (VectorOperand<T>) {
      checks::same_size(what, rows, checked_operand(x));
    }
  }
}

struct LogSumExp {
  template <class A, class B>
  MANYCHAIN_HD auto operator()(const A& a, const B& b) const {
    return log_sum_exp(a, b);
  }
};
struct LogMix {
  template <class T, class A, class B>
  MANYCHAIN_HD auto operator()(const T& theta, const A& a, const B& b) const {
    return log_mix(theta, a, b);
  }
};
/// f(parts) in each row.
template <class F, class T, class A, class B>
struct MixedTerm {
  T theta;
  A a;
  B b;
  template <class Index>
  requires(RowPart<T, Index>&& RowPart<A, Index>&& RowPart<B, Index>) MANYCHAIN_HD auto operator()(
      const Index& i) const {
    return F{}(row_part(theta, i), row_part(a, i), row_part(b, i));
  }
};
template <class F, class T, class A, class B>
MANYCHAIN_HD MixedTerm<F, T, A, B> mixed_term(const T& theta, const A& a, const B& b) {
  return {theta, a, b};
}

template <class F, class T, class A, class B>
inline constexpr bool mixes_rows<MixedTerm<F, T, A, B>> = true;
template <class Op, class A, class B>
inline constexpr bool mixes_rows<CombinedTerm<Op, A, B>> =
    std::is_same_v<Op, LogSumExp> || mixes_rows<A> || mixes_rows<B>;
template <class A>
inline constexpr bool mixes_rows<NegatedTerm<A>> = mixes_rows<A>;

template <class T>
concept MixedArgument = VectorDensity<T> || VectorArgument<T>;
template <class A, class B>
concept MixedRows = MixedArgument<A> && MixedArgument<B> &&(VectorDensity<A> || VectorDensity<B>);
}  // namespace detail

template <class A, class B>
requires detail::MixedRows<A, B> MANYCHAIN_HD auto log_sum_exp(const A& a, const B& b) {
  const auto size = detail::mixed_size(a, b);
  detail::check_mixed("log_sum_exp()", size, a);
  detail::check_mixed("log_sum_exp()", size, b);
  return detail::with_term(size,
                           detail::combined_term<detail::LogSumExp>(detail::mixed_part(a), detail::mixed_part(b)));
}
template <detail::VectorArgument T, class A, class B>
requires detail::MixedRows<A, B> MANYCHAIN_HD auto log_mix(const T& theta, const A& a, const B& b) {
  const auto size = detail::mixed_size(a, b);
  detail::check_mixed("log_mix()", size, theta);
  detail::check_mixed("log_mix()", size, a);
  detail::check_mixed("log_mix()", size, b);
  return detail::with_term(
      size, detail::mixed_term<detail::LogMix>(detail::hold(theta), detail::mixed_part(a), detail::mixed_part(b)));
}

namespace detail {
template <class D>
MANYCHAIN_HD auto total_of(const D& density) {
  if constexpr (is_density_sum<D>)
    return total_of(density.first) + total_of(density.second);
  else if constexpr (Operand<D>)
    return as_node(density);
  else
    return sum(vector_of(density.size, density.term));
}
}  // namespace detail

/// The log density of a vector as a number, the sum over its elements: a part of a mixture of vectors. Likewise sum()
/// of multi_normal_cholesky() and multi_student_t_cholesky() (model/matrices/matrix_distributions.hpp).
template <VectorDensity D>
MANYCHAIN_HD auto sum(const D& density) {
  return detail::total_of(density);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
