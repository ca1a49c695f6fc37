// Arguments of every kind for the distributions: expressions, intermediates, data, literals and vectors.
#pragma once

#include <algorithm>
#include <vector>

#include "manychain/model/data/view.hpp"
#include "unit/model/densities.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {

/// In-support values for the arguments of each distribution (0.25 .. 0.9 suits all; counts are whole).
inline double plain_argument(std::string name, int i) {
  const bool log_cdf = name.find("_lc") != std::string::npos;
  name = name.substr(0, name.find("_lc"));  // of a log CDF the distribution
  if (name == "uniform") return i == 0 ? 0.5 : i == 1 ? 0.25 : 0.875;
  if (name.rfind("bernoulli", 0) == 0) return i == 0 ? (log_cdf ? 0 : 1) : 0.5;
  if (name == "binomial_logit") return i == 0 ? 2 : i == 1 ? 5 : 0.5;
  if (name == "poisson_log") return i == 0 ? 3 : 0.5;
  if (name == "pareto") return i == 0 ? 0.875 : 0.25 + 0.125 * i;
  if (name == "binomial" || name == "beta_binomial") return i == 0 ? 2 : i == 1 ? 5 : 0.25 + 0.125 * i;
  if (name == "poisson" || name == "geometric" || name.rfind("neg_binomial", 0) == 0)
    return i == 0 ? 3 : 0.25 + 0.125 * i;
  return 0.25 + 0.125 * i;
}

enum Kind { literal, data, expression, vector_of_data, vector_of_parameters, kinds };

/// Three elements of the parameters as a vector of their own.
template <class X>
struct ParameterPart {
  const X* x;
  int offset;
  auto operator[](int i) const { return (*x)[offset + i]; }
  Size<3> size() const { return {}; }
  ParameterPart view() const { return *this; }
};

/// Argument i of kind K: the same number whichever it is. Parameters 3 i .. 3 i + 2 are its elements.
template <int K, class Number, class X>
auto make_argument(int i, const std::vector<Number>& values, const X& x) {
  if constexpr (K == literal)
    return static_cast<double>(values[static_cast<std::size_t>(3 * i)]);
  else if constexpr (K == data)
    return Scalar<Number>(values[static_cast<std::size_t>(3 * i)]);
  else if constexpr (K == expression)
    return x[3 * i] + 0.0;
  else if constexpr (K == vector_of_data)
    return View<const Number, 3>(values.data() + 3 * i, Size<3>{});
  else
    return ParameterPart<X>{&x, 3 * i};
}

/// Every argument a parameter, in double: what the table of references has checked.
template <int... I>
auto of_parameters(const std::string& name, auto density, std::integer_sequence<int, I...>) {
  constexpr int arguments = sizeof...(I);
  return run_target<Request::value_and_gradient, Scalar<double>>(
      arguments, [&](int i, int) { return plain_argument(name, i); },
      [&](auto& target) {
        const auto x = target.vector("x", Size<arguments>{});
        target += density(x[I]...);
      });
}

/// Three equal numbers for each argument.
template <class Number>
std::vector<Number> plain_arguments(const std::string& name, int arguments) {
  std::vector<Number> values;
  for (int i = 0; i < arguments; ++i) values.insert(values.end(), 3, static_cast<Number>(plain_argument(name, i)));
  return values;
}

/// `right`: with every argument a parameter. The first `counts` arguments have no gradient.
template <class R>
void compare_kinds(const std::string& name, const Outcome<R>& got, const Outcome<Scalar<double>>& right,
                   const std::vector<int>& kind, int counts) {
  const bool any_vector = *std::max_element(kind.begin(), kind.end()) >= vector_of_data;
  const double eps = 64 * std::numeric_limits<number_of<R>>::epsilon();
  for (std::size_t lane = 0; lane < got.value.size(); ++lane) {
    const double expected = right.value[0] * (any_vector ? 3 : 1);
    ASSERT_NEAR(got.value[lane], expected, eps * (5 + std::fabs(expected))) << name << testing::PrintToString(kind);
    for (std::size_t i = 0; i < kind.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        // An expression beside a vector stands for all of its elements, so its slope is their sum.
        double slope = static_cast<int>(i) < counts ? 0 : right.gradient[i][0];
        if (kind[i] == expression)
          slope *= k > 0 ? 0 : any_vector ? 3 : 1;
        else if (kind[i] != vector_of_parameters)
          slope = 0;
        ASSERT_NEAR(got.gradient[3 * i + k][lane], slope, eps * (5 + std::fabs(slope)))
            << name << testing::PrintToString(kind) << ", argument " << i << " element " << k;
      }
  }
}

/// Kinds `First`, `First + Step`, ... for the arguments in turn.
template <class R, int First, int Step, int... I>
void check_kinds(const std::string& name, const Outcome<Scalar<double>>& right, int counts, auto density,
                 std::integer_sequence<int, I...>) {
  constexpr int arguments = sizeof...(I);
  constexpr int kind[] = {(First + Step * I) % kinds...};
  const auto values = plain_arguments<number_of<R>>(name, arguments);
  const auto got = run_target<Request::value_and_gradient, R>(
      3 * arguments, [&](int i, int) { return double(values[static_cast<std::size_t>(i)]); },
      [&](auto& target) {
        const auto x = target.vector("x", Size<3 * arguments>{});
        target += density(make_argument<kind[I]>(I, values, x)...);
      });
  compare_kinds(name, got, right, {kind[I]...}, counts);
}

/// Starting from every kind, by steps FirstStep .. LastStep: what compiles in a second or two a distribution.
template <class R, int FirstStep, int LastStep>
void check_all_kinds(auto densities) {
  densities([](const std::string& name, auto density, auto arguments, auto counts) {
    constexpr auto indices = std::make_integer_sequence<int, arguments>{};
    const auto right = of_parameters(name, density, indices);
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (check_kinds<R, K % kinds, FirstStep + K / kinds>(name, right, counts, density, indices), ...);
    }
    (std::make_integer_sequence<int, kinds*(LastStep - FirstStep + 1)>{});
  });
}

}  // namespace manychain::test
