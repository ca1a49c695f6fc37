// cross_validate(): against the exact predictive densities of a conjugate normal regression.
#include "manychain/run/folds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "manychain/core/error.hpp"
#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// y ~ N(alpha + beta x, 1), alpha and beta ~ N(0, 2). `series` 1: y[j] ~ N(y[j - 1], 1).
template <class Number>
struct Line {
  static constexpr int dimension = 2;
  Size<> N, series;
  View<const Number> x, y;

  void data(DataReader& in) {
    in("N", N);
    in("series", series);
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.real("beta");
    target += normal(alpha, 0, 2);
    target += normal(beta, 0, 2);
    const bool is_series = series.value() == 1;
    target.observe("y", N, [&](int j, auto& term) {
      term += normal(y[j], alpha + beta * x[j] + (is_series && j > 0 ? y[j > 0 ? j - 1 : 0] : Number(0)), 1);
    });
  }
};

/// A parameter for each row.
template <class Number>
struct OwnMeans {
  Size<> N;
  View<const Number> y;

  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mean = target.vector("mean", N);
    target += normal(mean, 0, 1);
    target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], mean[j], 1); });
  }
};

Data line_data(std::size_t rows, int series = 0) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> x, y;
  for (std::size_t j = 0; j < rows; ++j) {
    x.push_back(normal(random));
    y.push_back(1 - 0.5 * x[j] + normal(random));
  }
  Data data;
  data.set("N", rows);
  data.set("series", series);
  data.set("x", x);
  data.set("y", y);
  return data;
}

/// The log predictive density of row `r` where `fitted` says which rows are known.
double exact(const Data& data, const std::vector<bool>& fitted, std::size_t r) {
  const std::vector<double>&x = data.find("x")->values, &y = data.find("y")->values;
  double a = 0.25, b = 0, c = 0.25, u = 0, v = 0;  // precision and its product with the mean
  for (std::size_t j = 0; j < x.size(); ++j)
    if (fitted[j]) a += 1, b += x[j], c += x[j] * x[j], u += y[j], v += x[j] * y[j];
  const double det = a * c - b * b, alpha = (c * u - b * v) / det, beta = (a * v - b * u) / det;
  const double variance = 1 + (c - 2 * b * x[r] + a * x[r] * x[r]) / det;
  const double z = y[r] - alpha - beta * x[r];
  return -0.5 * (std::log(2 * M_PI * variance) + z * z / variance);
}

template <class F>
std::string refused(const F& f) {
  try {
    f();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Folds, PredictAsAConjugateRegressionDoes) {
  const Data data = line_data(23);
  const Model model = model_of<Line>(data);
  Settings settings;
  settings.sampling.target_ess = 4000;
  settings.seed = 1;
  const CrossValidation found = cross_validate(model, 5, settings);
  ASSERT_TRUE(found.converged);
  EXPECT_EQ(found.observed, "y");
  ASSERT_EQ(found.refitted.rows.size(), 23u);
  EXPECT_EQ(found.fits.sets.size(), 6u);
  double sum = 0, squares = 0, loo = 0;
  std::vector<std::size_t> sizes(5, 0);
  for (std::size_t r = 0; r < 23; ++r) {
    ++sizes[found.fold[r]];
    std::vector<bool> fitted, others(23, true);
    for (const std::size_t f : found.fold) fitted.push_back(f != found.fold[r]);
    others[r] = false;
    const double density = exact(data, fitted, r);
    // A mean of 4000 draws or more whose relative sd is below one: 0.02, four times.
    EXPECT_NEAR(found.refitted.rows[r], density, 0.08) << r;
    EXPECT_NEAR(found.smoothed.rows[r], exact(data, others, r), 0.08) << r;
    EXPECT_LT(found.khat[r], 0.7);
    sum += density;
    squares += density * density;
    loo += exact(data, others, r);
  }
  for (const std::size_t size : sizes) EXPECT_TRUE(size == 4 || size == 5);
  EXPECT_NEAR(found.refitted.elpd, sum, 0.1);
  EXPECT_NEAR(found.smoothed.elpd, loo, 0.1);
  EXPECT_NEAR(found.refitted.error, std::sqrt(23.0 / 22 * (squares - sum * sum / 23)), 0.1);
  EXPECT_EQ(found.bad_khat, 0u);
  EXPECT_SAYS(found.table(), "5 folds of 23 rows of y");

  settings.threads = 1;
  const CrossValidation again = cross_validate(model, 5, settings);
  EXPECT_EQ(again.refitted.rows, found.refitted.rows);
  EXPECT_EQ(again.smoothed.rows, found.smoothed.rows);
}

TEST(Folds, RefuseWhereRowsCannotBeLeftOut) {
  const auto of = [](const Model& model, std::size_t folds = 3) {
    return refused([&] { cross_validate(model, folds); });
  };
  EXPECT_SAYS(of(model_of<Line>(line_data(9, 1))), "the density of y[");
  EXPECT_SAYS(of(model_of<Line>(line_data(9)), 10), "folds: 10 is not allowed; there are 9 rows");
  EXPECT_SAYS(of(model_of<Line>(line_data(9)), 1), "folds: 1 is not allowed");
  Data means;
  means.set("N", 9);
  means.set("y", std::vector<double>(9, 1.0));
  EXPECT_SAYS(of(model_of<OwnMeans>(means)), "it has 6 parameters in place of 9");
  means.set("M", 9);
  EXPECT_SAYS(of(model_of<OwnMeans>(means)), "M, N are 9 all of them");
  EXPECT_SAYS(of(builtin_model("banana")), "rows of model banana cannot be left out");
}

TEST(Folds, TakeRowsOfATable) {
  Data table = Data::from_csv("x,y\n1,2\n2,1\n3,5\n4,4\n5,6\n6,5\n");
  table.set("series", 0);
  const CrossValidation found = cross_validate(model_of<Line>(table), 6);
  EXPECT_EQ(found.refitted.rows.size(), 6u);
  for (const double x : found.refitted.rows) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace manychain
