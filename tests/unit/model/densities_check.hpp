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
  std::vector<double> arguments;
  std::vector<Number> numbers;  // the value, then the derivative towards each argument
};
inline const std::vector<Row> table = {
#include "unit/model/reference_densities.inc"
#include "unit/model/reference_log_cdfs.inc"
};

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

// Tolerance: so many roundings of the condition. Results below 1e-4 of it need not keep relative accuracy.
template <class R, class Densities>
void check_densities(Densities densities, double roundings = 16) {
  using T = number_of<R>;
  const double eps = std::numeric_limits<T>::epsilon();
  densities([&](const std::string& name, auto density, auto arguments, auto counts) {
    std::vector<Row> rows;
    for (const Row& row : table)
      if (row.density == name) rows.push_back(row);
    ASSERT_GE(rows.size(), 4u) << name;
    for (std::size_t first = 0; first < rows.size(); ++first) {
      // Every lane another row; where counts are data, all lanes share those of one row.
      const auto row = [&](int l) -> const Row& {
        return rows[(first + (counts ? 0 : static_cast<std::size_t>(l))) % rows.size()];
      };
      const auto got = run_target<Request::value_and_gradient, R>(
          arguments - counts, [&](int i, int l) { return row(l).arguments[static_cast<std::size_t>(i + counts)]; },
          in_target<arguments, counts>(density, rows[first].arguments.data()));
      for (int l = 0; l < R::lanes; ++l) {
        const std::size_t k = static_cast<std::size_t>(l);
        const auto check = [&](double value, const Number& right) {
          std::string point;
          for (double x : row(l).arguments) point += " " + std::to_string(x);
          if (std::fabs(right.condition) > std::numeric_limits<T>::max() / 100) {
            EXPECT_GE(std::fabs(value), std::numeric_limits<T>::max() / 100) << name << point;
            EXPECT_EQ(value < 0, right.exact < 0) << name << point;
          } else {
            EXPECT_NEAR(value, right.exact, roundings * eps * (right.condition + 1)) << name << point << ", lane " << l;
          }
        };
        check(got.value[k], row(l).numbers[0]);
        for (int i = counts; i < arguments; ++i)
          check(got.gradient[static_cast<std::size_t>(i - counts)][k], row(l).numbers[static_cast<std::size_t>(i + 1)]);
      }
    }
  });
}

}  // namespace manychain::test
