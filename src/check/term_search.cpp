#include "check/term_search.hpp"

#include <algorithm>
#include <cmath>

#include "manychain/chain/program.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

/// Derivatives of all terms along a component, and of the Jacobians, which stand last.
std::vector<long double> derivatives(ModelTerms& terms, const double* q, std::size_t n, std::size_t component) {
  Numbers at(q, q + n);
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

/// True if moving a component leaves all terms as they are: a gradient may vanish where a term is locally flat.
bool moves_nothing(const Model& model, ModelTerms* terms, Numbers q, std::size_t component) {
  const double from = q[component];
  const auto value = [&](double at) {
    q[component] = at;
    return terms ? terms->values(q.data()) : std::vector<long double>{model.bound().density(q.data(), nullptr)};
  };
  const std::vector<long double> here = value(from);
  return value(from - 3) == here && value(from + 3) == here;
}

}  // namespace

std::vector<std::string> by_parameter(const std::vector<std::string>& names, const std::vector<bool>& chosen) {
  const auto parameter = [&](std::size_t i) { return names[i].substr(0, names[i].rfind('[')); };
  std::vector<std::string> found;
  for (std::size_t first = 0, last = 0; first < names.size(); first = last) {
    while (last < names.size() && parameter(last) == parameter(first)) ++last;
    const auto begin = chosen.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(last);
    if (std::find(begin, end, false) == end) {
      found.push_back(parameter(first));
      continue;
    }
    for (std::size_t i = first; i < last; ++i)
      if (chosen[i]) found.push_back(names[i]);
  }
  return found;
}

std::string statement_of(const std::string& term) {
  const std::size_t row = term.rfind(", row "), element = term.rfind(", element ");
  return term.substr(0, std::min(row, element));
}

std::vector<std::string> unused_parameters(const Model& model, const std::vector<CheckPoint>& points) {
  const Layout& layout = model.layout();
  const std::size_t n = layout.dimension;
  if (!model.has_gradient() || points.empty()) return {};
  std::vector<bool> unused(n, true);
  for (std::size_t i = 0; i < n; ++i) unused[i] = !(layout.integers > 0 && layout.integer[i]);
  const auto terms = model.bound().terms();
  Numbers all(n), jacobians(n, 0.0);
  for (const CheckPoint& point : points) {
    all = point.gradient;
    if (terms) {
      const std::size_t count = terms->values(point.q.data()).size();
      terms->gradient(point.q.data(), 0, count, all.data());
      terms->gradient(point.q.data(), 0, 0, jacobians.data());
    }
    for (std::size_t i = 0; i < n; ++i) unused[i] = unused[i] && all[i] == jacobians[i];
  }
  for (std::size_t i = 0; i < n; ++i) unused[i] = unused[i] && moves_nothing(model, terms.get(), points[0].q, i);
  return by_parameter(layout.unconstrained_names, unused);
}

NonfiniteTerm nonfinite_term(const Model& model, const double* q) {
  const auto terms = model.bound().terms();
  if (!terms) return {};
  const std::vector<long double>& values = terms->values(q);
  // In double an infinity is one that extended precision may hold.
  const auto bad =
      std::find_if(values.begin(), values.end(), [](long double x) { return !std::isfinite(static_cast<double>(x)); });
  if (bad != values.end())
    return {terms->name(static_cast<std::size_t>(bad - values.begin())), unsigned_nan(static_cast<double>(*bad))};
  if (const double jacobian = static_cast<double>(terms->log_jacobian()); !std::isfinite(jacobian))
    for (const ConstraintJacobian& constraint : terms->jacobians(q))
      if (!std::isfinite(constraint.added))
        return {"the Jacobian of " + constraint.parameter, unsigned_nan(constraint.added)};
  return {};
}

std::size_t worst_of_terms(std::size_t count, const std::function<double(std::size_t, std::size_t)>& error) {
  std::size_t first = 0, last = count;
  while (last - first > 1) {
    const std::size_t middle = first + (last - first) / 2;
    if (error(first, middle) >= error(middle, last))
      last = middle;
    else
      first = middle;
  }
  return first;
}

TermFound wrong_term(const Model& model, ModelTerms* terms, const double* q, std::size_t component) {
  if (!terms) return {};
  const std::size_t n = model.layout().dimension;
  const std::vector<long double> slopes = derivatives(*terms, q, n, component);
  if (slopes.empty()) return {};
  const std::size_t count = slopes.size() - 1;
  terms->values(q);  // names are of this evaluation
  Numbers gradient(n);
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
  const std::size_t worst = worst_of_terms(count, error);
  return {terms->name(worst), of(worst, worst + 1) - jacobians, slope(worst, worst + 1)};
}

}  // namespace manychain
