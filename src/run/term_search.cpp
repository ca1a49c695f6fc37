#include "run/term_search.hpp"

#include <algorithm>
#include <cmath>

#include "manychain/chain/program.hpp"

namespace manychain {
namespace {

using Vector = std::vector<double>;

/// Derivatives of all terms along a component, and of the Jacobians, which stand last.
std::vector<long double> derivatives(ModelTerms& terms, const double* q, std::size_t n, std::size_t component) {
  Vector at(q, q + n);
  const auto shifted = [&](double h) {
    at[component] = q[component] + h;
    std::vector<long double> values = terms.values(at.data());
    values.push_back(terms.log_jacobian());
    return values;
  };
  // Steps that are exact in binary; extrapolated (truncation of the order of h^4).
  const double h = std::ldexp(std::max(1.0, std::fabs(q[component])), -11);
  const double above = q[component] + h, step = above - q[component];
  const std::vector<long double> a = shifted(step), b = shifted(-step), c = shifted(2 * step), d = shifted(-2 * step);
  if (a.size() != b.size() || a.size() != c.size() || a.size() != d.size()) return {};
  std::vector<long double> slopes(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    const long double narrow = (a[k] - b[k]) / (2 * static_cast<long double>(step));
    const long double wide = (c[k] - d[k]) / (4 * static_cast<long double>(step));
    slopes[k] = narrow + (narrow - wide) / 3;
  }
  return slopes;
}

}  // namespace

NonfiniteTerm nonfinite_term(const Model& model, const double* q) {
  const auto terms = model.bound().terms();
  if (!terms) return {};
  const std::vector<long double>& values = terms->values(q);
  // In double an infinity is one that extended precision may hold.
  const auto bad =
      std::find_if(values.begin(), values.end(), [](long double x) { return !std::isfinite(static_cast<double>(x)); });
  if (bad != values.end())
    return {terms->name(static_cast<std::size_t>(bad - values.begin())), static_cast<double>(*bad)};
  if (const double jacobian = static_cast<double>(terms->log_jacobian()); !std::isfinite(jacobian))
    for (const ConstraintJacobian& constraint : terms->jacobians(q))
      if (!std::isfinite(constraint.added)) return {"the Jacobian of " + constraint.parameter, constraint.added};
  return {};
}

TermFound wrong_term(const Model& model, const double* q, std::size_t component) {
  const auto terms = model.bound().terms();
  if (!terms) return {};
  const std::size_t n = model.layout().dimension;
  const std::vector<long double> slopes = derivatives(*terms, q, n, component);
  if (slopes.empty()) return {};
  const std::size_t count = slopes.size() - 1;
  terms->values(q);  // names are of this evaluation
  Vector gradient(n);
  const auto of = [&](std::size_t first, std::size_t last) {
    terms->gradient(q, first, last, gradient.data());
    return gradient[component];
  };
  const double jacobians = of(0, 0);  // which are part of every gradient
  const auto slope = [&](std::size_t first, std::size_t last) {
    long double sum = 0;
    for (std::size_t k = first; k < last; ++k) sum += slopes[k];
    return static_cast<double>(sum);
  };
  const auto error = [&](std::size_t first, std::size_t last) {
    const double e = std::fabs(of(first, last) - jacobians - slope(first, last));
    return std::isnan(e) ? HUGE_VAL : e;
  };
  const double of_jacobians = std::fabs(jacobians - static_cast<double>(slopes[count]));
  double scale = std::fabs(jacobians);
  for (std::size_t k = 0; k < count; ++k) scale += std::fabs(static_cast<double>(slopes[k]));
  const double whole = error(0, count);
  if (!(std::max(whole, of_jacobians) > 1e-7 * std::max(scale, 1e-300))) return {};
  if (!(of_jacobians < whole))
    return {"the Jacobian of " + model.layout().unconstrained_names[component], jacobians,
            static_cast<double>(slopes[count])};
  std::size_t first = 0, last = count;
  while (last - first > 1) {
    const std::size_t middle = first + (last - first) / 2;
    if (error(first, middle) >= error(middle, last))
      last = middle;
    else
      first = middle;
  }
  return {terms->name(first), of(first, last) - jacobians, slope(first, last)};
}

}  // namespace manychain
