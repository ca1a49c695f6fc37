// Distributions, value and all derivatives, against the tables of reference_densities.py.
#pragma once

#include "unit/model/densities.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {

struct Number {
  double exact, condition;  // the sum of the magnitudes of the terms
};
struct Row {
  const char* density;
  double arguments[4];
  Number numbers[5];  // the value, then the derivative towards each argument
};
inline constexpr Row table[] = {
#include "unit/model/reference_densities.inc"
#include "unit/model/reference_log_cdfs.inc"
};
inline std::vector<Row> rows_of(const std::string& density) {
  std::vector<Row> rows;
  for (const Row& row : table)
    if (row.density == density) rows.push_back(row);
  return rows;
}

/// density(parameters ...) where the first Counts of the arguments are data.
template <int Arguments, int Counts>
auto in_target(auto density, const double* counts) {
  return [=](auto& target) {
    using R = typename std::remove_reference_t<decltype(target)>::real_type;
    const auto argument = [&](auto k, const auto& x) {
      if constexpr (decltype(k)::value < Counts)
        return Scalar<number_of<R>>(counts[k]);
      else
        return x[k - Counts];
    };
    auto x = target.vector("x", Size<Arguments - Counts>{});
    [&]<int... K>(std::integer_sequence<int, K...>) {
      target += density(argument(std::integral_constant<int, K>{}, x)...);
    }
    (std::make_integer_sequence<int, Arguments>{});
  };
}

/// Tolerance: so many roundings of the condition. Results below 1e-4 of it need not keep relative accuracy.
template <class T>
void compare_with_reference(const Row& row, int arguments, double value, const Number& right, double roundings,
                            int lane) {
  std::string point = row.density;
  for (int i = 0; i < arguments; ++i) point += " " + std::to_string(row.arguments[i]);
  if (std::fabs(right.condition) > std::numeric_limits<T>::max() / 100) {
    EXPECT_GE(std::fabs(value), std::numeric_limits<T>::max() / 100) << point;
    EXPECT_EQ(value < 0, right.exact < 0) << point;
  } else {
    const double eps = std::numeric_limits<T>::epsilon();
    EXPECT_NEAR(value, right.exact, roundings * eps * (right.condition + 1)) << point << ", lane " << lane;
  }
}

template <class R, class Densities>
void check_densities(Densities densities, double roundings = 16) {
  densities([&](const std::string& name, auto density, auto arguments, auto counts) {
    const std::vector<Row> rows = rows_of(name);
    ASSERT_GE(rows.size(), 4u) << name;
    for (std::size_t first = 0; first < rows.size(); ++first) {
      // Every lane another row; where counts are data, all lanes share those of one row.
      const auto row = [&](int l) -> const Row& {
        return rows[(first + (counts ? 0 : static_cast<std::size_t>(l))) % rows.size()];
      };
      const auto got = run_target<Request::value_and_gradient, R>(
          arguments - counts, [&](int i, int l) { return row(l).arguments[i + counts]; },
          in_target<arguments, counts>(density, rows[first].arguments));
      for (int l = 0; l < R::lanes; ++l) {
        const auto compare = [&](double value, int i) {
          compare_with_reference<number_of<R>>(row(l), arguments, value, row(l).numbers[i], roundings, l);
        };
        const std::size_t k = static_cast<std::size_t>(l);
        compare(got.value[k], 0);
        for (int i = counts; i < arguments; ++i) compare(got.gradient[static_cast<std::size_t>(i - counts)][k], i + 1);
      }
    }
  });
}

/// Value and gradient of density(parameters).
template <class R, class Density>
auto at_parameters(std::vector<double> q, Density density) {
  return run_target<Request::value_and_gradient, R>(
      static_cast<int>(q.size()), [&](int i, int) { return q[static_cast<std::size_t>(i)]; },
      [&](auto& t) {
        auto x = t.vector("x", static_cast<int>(q.size()));
        t += density(x);
      });
}

}  // namespace manychain::test
