// Log densities and masses that take whole vectors: of a category, of ordered categories, of a simplex, of counts.
//
// Categories are counted from 0, as indices are: of data that count from 1 write y[j] - 1. A category is an int, an
// element of data by an opaque index, a whole number of a state, or a vector of any of these: the result is then the
// sum over its elements. The other vectors are parameters, constrained ones or data. A number that is no category has
// mass zero; an int of data that is none is refused when data are bound.
//
// Docstrings are in the form that continuous_distributions.hpp describes.
#pragma once

#include "manychain/model/distributions/functions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A function of many children: `children(put)` calls put(child, derivative) for each of them.
template <class V, class Children>
struct Gathered : NoNumber<ExpressionTag, Gathered<V, Children>> {
  V v;
  Children children;
  MANYCHAIN_HD Gathered(V value, const Children& c) : v(value), children(c) {}
  MANYCHAIN_HD V value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    children([&](const auto& child, const auto& derivative) MANYCHAIN_LAMBDA {
      if constexpr (std::is_same_v<A, One>)
        child.push(derivative, m);
      else
        child.push(a, derivative, m);
    });
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }
};
template <class V, class Children>
MANYCHAIN_HD auto gathered(V value, const Children& children) {
  return Gathered<V, Children>(value, children);
}

/// An expression keeps this of a vector, or of one number that stands for all of its elements.
template <class T>
MANYCHAIN_HD auto kept(const T& x) {
  if constexpr (VectorOperand<T>)
    return x.view();
  else if constexpr (Expression<T> || Intermediate<T>)
    return as_node(x);
  else
    return x;
}
template <class T, class Index>
MANYCHAIN_HD auto part(const T& x, const Index& i) {
  if constexpr (VectorOperand<T>)
    return kept(x[i]);
  else
    return x;
}
/// density(arguments), or the sum of it over the elements of those that are vectors or matrices.
template <class Density, class... Args>
MANYCHAIN_HD auto over_elements(Density density, const Args&... args) {
  if constexpr (checks_bounds) checks::note_density();
  if constexpr ((ModelMatrix<Args> || ...)) {
    check_shapes(args...);
    return over_elements(density, elements_of(args)...);
  } else if constexpr ((VectorOperand<Args> || ...)) {
    if constexpr (checks_bounds) checks::same_size("a density", checked_operand(args)...);
    int size = 0;
    const auto note = [&size](const auto& x) MANYCHAIN_LAMBDA {
      if constexpr (VectorOperand<decltype(x)>) size = x.size().value();
    };
    (note(args), ...);
    auto term = [density, ... held = kept(args)](int i) MANYCHAIN_LAMBDA { return density(part(held, i)...); };
    return EachElement<Size<dynamic>, decltype(term)>{Size<dynamic>(size), term};
  } else {
    return density(kept(args)...);
  }
}
/// Throws, when data are bound, where a category of a model is not one of as many as there are.
template <class Vector, class Y>
MANYCHAIN_HD void check_category([[maybe_unused]] const Vector& vector, [[maybe_unused]] const Y& y,
                                 [[maybe_unused]] int more = 0) {
  if constexpr (checks_bounds && std::is_integral_v<Y>) {
    auto categories = checked_operand(vector);
    categories.size += more;
    checks::index(categories, y);
  }
}
/// Whole numbers of data that select elements: an int, or those of several rows.
template <class Y>
inline constexpr bool selects_elements = std::is_integral_v<Y>;
template <int K>
inline constexpr bool selects_elements<RowNumbers<int, K>> = true;

/// y as an index into n elements, and whether it was one.
MANYCHAIN_HD int within(int y, int n) { return y < 0 ? 0 : y < n ? y : n - 1; }
template <int K>
MANYCHAIN_HD RowNumbers<int, K> within(RowNumbers<int, K> y, int n) {
  for (int k = 0; k < K; ++k) y.x[k] = within(y.x[k], n);
  return y;
}
}  // namespace detail

/// categorical(y, theta): category y with probability theta[y], theta a simplex. Support: y = 0, ..., K - 1 for the K
/// elements of theta. Source: Stan Functions Reference, Categorical distribution (there y = 1, ..., K).
template <class Y, VectorOperand T>
MANYCHAIN_HD auto categorical(const Y& category, const T& probabilities) {
  detail::needs_probability("categorical", "theta", probabilities);
  const auto one = [theta = probabilities.view()](const auto& y) MANYCHAIN_LAMBDA {
    using Category = std::remove_cvref_t<decltype(y)>;
    detail::check_category(theta, y);
    const int n = theta.size().value();
    if constexpr (detail::selects_elements<Category>) {
      const auto p = as_node(theta[detail::within(y, n)]);
      using V = std::remove_cvref_t<decltype(p.value())>;
      return detail::supported(V(y) == V(detail::within(y, n)),
                               detail::nan_if(detail::no_probability(V(p.value())), V(log(p.value()))),
                               partial(p, 1.0 / p.value()));
    } else {  // differs from chain to chain: looked for among all
      using V = detail::common_real<std::remove_cvref_t<decltype(as_node(y).value())>,
                                    std::remove_cvref_t<decltype(as_node(theta[0]).value())>>;
      const V k_(as_node(y).value());
      V p = V(0);
      for_each(theta.size(), [&](int k) MANYCHAIN_LAMBDA { p = select(k_ == V(k), V(as_node(theta[k]).value()), p); });
      const V inverse = 1.0 / p;
      return detail::gathered(
          detail::nan_if(detail::no_probability(p), V(log(p))), [theta, k_, inverse](const auto& put) MANYCHAIN_LAMBDA {
            for_each(theta.size(),
                     [&](int k) MANYCHAIN_LAMBDA { put(as_node(theta[k]), select(k_ == V(k), inverse, V(0))); });
          });
    }
  };
  return detail::over_elements(one, category);
}

/// categorical_logit(y, eta): category y with probability proportional to exp(eta[y]). Support: y = 0, ..., K - 1 for
/// the K elements of eta. Source: Stan Functions Reference, Categorical distribution (there y = 1, ..., K).
template <class Y, VectorOperand E>
MANYCHAIN_HD auto categorical_logit(const Y& category, const E& logits) {
  const auto one = [eta = logits.view()](const auto& y) MANYCHAIN_LAMBDA {
    using Category = std::remove_cvref_t<decltype(y)>;
    detail::check_category(eta, y);
    using L = std::remove_cvref_t<decltype(as_node(eta[0]).value())>;
    using V = detail::common_real<L, decltype(L(0) * as_node(y).value())>;
    const auto n = eta.size();
    L top = detail::log_of_zero<L>();
    for_each(n, [&](int k) MANYCHAIN_LAMBDA { top = max(top, L(as_node(eta[k]).value())); });
    L sum = L(0);
    V own = detail::log_of_zero<V>();
    V number;
    if constexpr (Arithmetic<Category>)
      number = V(y);
    else
      number = V(as_node(y).value());
    for_each(n, [&](int k) MANYCHAIN_LAMBDA {
      const L surplus = as_node(eta[k]).value() - top;
      sum += exp(surplus);
      own = select(number == V(k), V(surplus), own);
    });
    const L inverse = 1.0 / sum;
    return detail::gathered(V(own - log(sum)), [eta, n, number, top, inverse](const auto& put) MANYCHAIN_LAMBDA {
      for_each(n, [&](int k) MANYCHAIN_LAMBDA {
        const auto x = as_node(eta[k]);
        put(x, select(number == V(k), V(1), V(0)) - exp(x.value() - top) * inverse);
      });
    });
  };
  return detail::over_elements(one, category);
}

namespace detail {
/// Throws, when data are bound, where cutpoints of the data decrease.
template <class C>
MANYCHAIN_HD void check_cutpoints([[maybe_unused]] const char* density, [[maybe_unused]] const C& cutpoints) {
  if constexpr (checks_bounds && CheckedDatum<std::remove_cvref_t<decltype(cutpoints[0])>>)
    for (int k = 1; k < cutpoints.size().value(); ++k)
      if (const double before = datum(cutpoints[k - 1]), at = datum(cutpoints[k]); at < before)
        checks::throw_cutpoints(density, before, at);
}
}  // namespace detail

/// ordered_logistic(y, eta, c): category y with probability inv_logit(eta - c[y - 1]) - inv_logit(eta - c[y]), c[-1]
/// being -infinity and c[K - 1] infinity; the K - 1 cutpoints c increase, without which no category has mass. Support:
/// y = 0, ..., K - 1. Source: Stan Functions Reference, Ordered logistic distribution (there y = 1, ..., K).
template <class Y, class E, VectorOperand C>
MANYCHAIN_HD auto ordered_logistic(const Y& category, const E& predictor, const C& cutpoints) {
  detail::check_cutpoints("ordered_logistic", cutpoints);
  const auto one = [c = cutpoints.view()](const auto& y, const auto& predictor_) MANYCHAIN_LAMBDA {
    using Number = typename detail::common_number<std::remove_cvref_t<decltype(c[0])>,
                                                  std::remove_cvref_t<decltype(predictor_)>>::type;
    const auto n = c.size();
    detail::check_category(c, y, 1);
    const auto eta = detail::operand<Number>(predictor_);
    const auto category_ = detail::operand<Number>(y);
    using V = detail::common_real<detail::common_real<decltype(eta.value()), decltype(category_.value())>,
                                  std::remove_cvref_t<decltype(as_node(c[0]).value())>>;
    const V number(category_.value()), x(eta.value());
    // Distances to the two cutpoints; infinite where there is none.
    V above = -detail::log_of_zero<V>(), below = detail::log_of_zero<V>(), last = above;
    auto ordered = number == number;  // false of NaN, which has no category either
    for_each(n, [&](int k) MANYCHAIN_LAMBDA {
      const V distance = x - V(as_node(c[k]).value());
      ordered = ordered && distance <= last;
      last = distance;
      above = select(number == V(k + 1), distance, above);
      below = select(number == V(k), distance, below);
    });
    const V gap = 1.0 / expm1(above - below);
    const V slope_above = inv_logit(-above) + gap, slope_below = -(inv_logit(below) + gap);
    const auto inside =
        ordered && V(below) < V(above) && number >= V(0) && number <= V(n.value()) && number == floor(number);
    const V value = log1m_exp(below - above) - log1p_exp(-above) - log1p_exp(below);
    return detail::gathered(select(inside, value, detail::log_of_zero<V>()),
                            [c, n, eta, number, inside, slope_above, slope_below](const auto& put) MANYCHAIN_LAMBDA {
                              put(eta, select(inside, V(slope_above + slope_below), V(0)));
                              for_each(n, [&](int k) MANYCHAIN_LAMBDA {
                                const V slope =
                                    select(number == V(k + 1), slope_above, select(number == V(k), slope_below, V(0)));
                                put(as_node(c[k]), select(inside, V(-slope), V(0)));
                              });
                            });
  };
  return detail::over_elements(one, category, predictor);
}

/// dirichlet(theta, alpha): Dirichlet with concentrations alpha[k] > 0, a vector or one number for all elements.
/// Support: theta a simplex, which is not asked. Source: Stan Functions Reference, Dirichlet distribution.
template <VectorOperand T, class A>
MANYCHAIN_HD auto dirichlet(const T& simplex, const A& concentrations) {
  detail::needs_positive("dirichlet", "alpha", concentrations);
  using Number = typename detail::common_number<T, A>::type;
  if constexpr (checks_bounds && VectorOperand<A>)
    checks::same_size("dirichlet()", detail::checked_operand(simplex), detail::checked_operand(concentrations));
  const auto n = simplex.size();
  const auto theta = simplex.view();
  const auto alpha = detail::kept(concentrations);
  const auto share = [theta](int k) MANYCHAIN_LAMBDA { return detail::operand<Number>(theta[k]); };
  const auto concentration = [alpha](int k)
                                 MANYCHAIN_LAMBDA { return detail::operand<Number>(detail::part(alpha, k)); };
  using S = std::remove_cvref_t<decltype(share(0).value())>;
  using C = std::remove_cvref_t<decltype(concentration(0).value())>;
  using V = detail::common_real<S, C>;
  C total = C(0);
  V value = V(0);
  for_each(n, [&](int k) MANYCHAIN_LAMBDA {
    const C a = concentration(k).value();
    total += a;
    value += V(detail::times_log(a - 1.0, log(share(k).value())) - lgamma_positive(a));
  });
  const C both = digamma_positive(total);
  return detail::gathered(V(value + lgamma_positive(total)),
                          [n, share, concentration, both](const auto& put) MANYCHAIN_LAMBDA {
                            for_each(n, [&](int k) MANYCHAIN_LAMBDA {
                              const auto x = share(k);
                              const auto a = concentration(k);
                              put(x, detail::divide_or_zero(a.value() - 1.0, x.value()));
                              put(a, both - digamma_positive(a.value()) + log(x.value()));
                            });
                          });
}

/// multinomial(y, theta): counts y[k] of as many trials as they add up to, each giving k with probability theta[k].
/// Support: y[k] = 0, 1, ... Source: Stan Functions Reference, Multinomial distribution.
template <VectorOperand Y, VectorOperand T>
MANYCHAIN_HD auto multinomial(const Y& counts, const T& probabilities) {
  detail::needs_probability("multinomial", "theta", probabilities);
  detail::check_whole("multinomial", counts);
  using Number = typename detail::common_number<T, Y>::type;
  if constexpr (checks_bounds)
    checks::same_size("multinomial()", detail::checked_operand(counts), detail::checked_operand(probabilities));
  const auto n = probabilities.size();
  const auto count = [y = counts.view()](int k) MANYCHAIN_LAMBDA { return detail::operand<Number>(y[k]).value(); };
  const auto share = [theta = probabilities.view()](int k)
                         MANYCHAIN_LAMBDA { return detail::operand<Number>(theta[k]); };
  using C = std::remove_cvref_t<decltype(count(0))>;
  using V = detail::common_real<C, std::remove_cvref_t<decltype(share(0).value())>>;
  C total = C(0), logs = C(0);
  V value = V(0);
  auto inside = V(0) == V(0);
  for_each(n, [&](int k) MANYCHAIN_LAMBDA {
    const C y = count(k);
    total += y;
    logs += lgamma_positive(y + 1.0);
    inside = inside && V(y) >= V(0);
    const V p(share(k).value());
    value += detail::nan_if(detail::no_probability(p), V(detail::times_log(y, log(p))));
  });
  value = select(inside, V(value + (lgamma_positive(total + 1.0) - logs)), detail::log_of_zero<V>());
  return detail::gathered(value, [n, count, share, inside](const auto& put) MANYCHAIN_LAMBDA {
    for_each(n, [&](int k) MANYCHAIN_LAMBDA {
      const auto x = share(k);
      put(x, select(inside, V(detail::divide_or_zero(count(k), x.value())), V(0)));
    });
  });
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
