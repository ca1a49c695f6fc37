// Models that docs/models.md quotes: a design matrix against the density written by hand, and predictions by recurrence
// against the likelihood of what they draw.
#include <gtest/gtest.h>

#include <cmath>

#include "manychain/model/language/variants.hpp"
#include "unit/model/earnings.hpp"
#include "unit/model/evaluation.hpp"
#include "unit/model/predicted_recurrences.hpp"

namespace manychain::test {
namespace {

/// Collects the outputs of a draw.
struct OutputSink {
  std::vector<double>* outputs;
  template <class R>
  void operator()(int i, R x) const {
    outputs->at(static_cast<std::size_t>(i)) = x.v;
  }
};
template <class Model>
std::vector<double> outputs_at(const Model& model, const Layout& layout, std::vector<double> q, std::uint64_t chain) {
  using R = Scalar<double>;
  std::vector<R> position(q.begin(), q.end()), scratch(layout.scratch + 1);
  std::vector<double> outputs(layout.outputs);
  evaluate_outputs<R>(model, Strided<R>{position.data(), 1}, Arena<R>{Strided<R>{scratch.data(), 1}, 0},
                      static_cast<int>(layout.parameter_outputs()), OutputSink{&outputs},
                      Stream<R>(20261123, Purpose::transition, chain, 0));
  return outputs;
}
template <class Density>
Outcome<Scalar<double>> at(const std::vector<double>& q, const Density& density) {
  return run_target<Request::value_and_gradient, Scalar<double>>(
      static_cast<int>(q.size()), [&](int i, int) { return q[static_cast<std::size_t>(i)]; }, density);
}

double log_normal_density(double x, double mu, double sigma) {
  const double z = (x - mu) / sigma;
  return -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2 * std::acos(-1.0));
}

TEST(DocumentedModels, EarningsFromTheFileToTheDensity) {
  const std::vector<double> height = {60, 65, 71, 74}, male = {0, 0, 1, 1}, education = {1, 3, 2, 3},
                            earn = {12000, 50000, 30000, 61000};
  Data data;
  data.set("N", 4);
  data.set("height", height);
  data.set("male", male);
  data.set("education", education);
  data.set("earn", earn);
  const HostModel<Earnings<double>> host(data);
  const std::vector<double> q = {9.5, 0.3, 0.2, -0.4, 0.6, 0.1, -0.7};
  double expected = q[6], mean = 0, variance = 0;  // the Jacobian of sigma
  for (const double h : height) mean += h / 4;
  for (const double h : height) variance += (h - mean) * (h - mean) / 4;
  const double sigma = std::exp(q[6]);
  for (std::size_t i = 0; i < 4; ++i) {
    const double h = (height[i] - mean) / std::sqrt(variance);
    const double eta =
        q[0] + q[1] * h + q[2] * male[i] + q[3] * (education[i] == 2) + q[4] * (education[i] == 3) + q[5] * h * male[i];
    expected += log_normal_density(std::log(earn[i]), eta, sigma);
  }
  for (std::size_t k = 0; k < 6; ++k) expected += log_normal_density(q[k], 0, 5);
  expected += log_normal_density(sigma, 0, 2) + std::log(2.0);
  EXPECT_NEAR(at(q, [&](auto& target) { host.model.log_density(target); }).value[0], expected, 1e-12 * 60);
  const Layout layout = layout_of(host.model);
  ASSERT_EQ(layout.quantities.back().name, "earn_rep");
  const std::vector<double> outputs = outputs_at(host.model, layout, q, 0);
  EXPECT_GT(outputs.back(), 0) << "predictions are earnings, not their logarithms";
}

TEST(DocumentedModels, MeasurementsInColumns) {
  Data data;
  data.set("N", 3);
  data.set("y", {1, -2, 0.5, 3, 2, 0}, {3, 2});
  const HostModel<Measurements<double>> host(data);
  const Layout layout = layout_of(host.model);
  ASSERT_EQ(layout.observed.size(), 1u);
  EXPECT_EQ(layout.observed[0].rows, 3u);
  EXPECT_EQ(layout.quantities.back().size(), 6u) << "as many as y has elements, row by row";
  // Columns of -20 and 20, with sigma = exp(-1).
  const std::vector<double> outputs = outputs_at(host.model, layout, {-20, 20, -1, -1}, 3);
  for (std::size_t e = 0; e < 6; ++e)
    EXPECT_NEAR(outputs[layout.quantities.back().offset + e], e % 2 == 0 ? -20 : 20, 5);
}

/// Rows from K multivariate normals with one covariance.
template <class Number>
struct Clusters {
  Size<> N, K, D;
  Matrix<const Number> y;
  void data(DataReader& in) {
    in("N", N);
    in("K", K);
    in("D", D);
    in("y", y, N, D);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto weight = target.simplex("weight", K);
    auto mean = target.matrix("mean", K, D);
    auto L = target.cholesky_cov("L", D);
    target += normal(mean, 0, 5) + normal(L, 0, 2);
    target.observe("y", N, [&](int i, auto& term) {
      term += log_sum_exp(manychain::vector_of(
          K, [&](int k) { return log(weight[k]) + sum(multi_normal_cholesky(y[i], mean[k], L)); }));
    });
  }
};

TEST(DocumentedModels, ClustersOfMultivariateNormals) {
  Data data;
  data.set("N", 2);
  data.set("K", 2);
  data.set("D", 2);
  data.set("y", {1, -2, 0.5, 3}, {2, 2});
  const HostModel<Clusters<double>> host(data);
  const std::vector<double> q = {0.4, 0.3, -0.6, 0.8, 0.1, 0.2, -0.5, 0.3};
  const double density = at(q, [&](auto& target) { host.model.log_density(target); }).value[0];
  const double prior = at(q, [](auto& target) {
                         auto weight = target.simplex("weight", 2);
                         auto mean = target.matrix("mean", 2, 2);
                         auto L = target.cholesky_cov("L", 2);
                         target += normal(mean, 0, 5) + normal(L, 0, 2) + 0 * weight[0];
                       }).value[0];
  const std::vector<double> o = outputs_at(host.model, layout_of(host.model), q, 0);
  const double *const weight = o.data(), *const mean = o.data() + 2, *const L = o.data() + 6, y[] = {1, -2, 0.5, 3};
  double expected = 0;
  for (int i = 0; i < 2; ++i) {
    double p = 0;
    for (int k = 0; k < 2; ++k) {
      const double z = (y[2 * i] - mean[2 * k]) / L[0];
      p += weight[k] * std::exp(log_normal_density(y[2 * i], mean[2 * k], L[0]) +
                                log_normal_density(y[2 * i + 1], mean[2 * k + 1] + L[2] * z, L[3]));
    }
    expected += std::log(p);
  }
  EXPECT_NEAR(density - prior, expected, 1e-12);
}

/// Series that predictions draw, with the likelihood of each: the mean of its derivative is zero, whatever the
/// parameters are, if both are of one model. 5 standard errors for each parameter: a false alarm in a million.
template <class Model, class Prior>
void expect_predictions_of_the_likelihood(const std::vector<double>& q, const Prior& prior) {
  constexpr int T = 6, series = 4000;
  std::vector<double> y(T, 0.25);
  Model model;
  model.T = Size<>(T);
  model.y = View<const double>(y.data(), Size<>(T));
  const Layout layout = layout_of(model);
  ASSERT_EQ(layout.observed.at(0).name, "y");
  const Quantity& predicted = layout.quantities.back();
  ASSERT_EQ(predicted.size(), static_cast<std::size_t>(T));
  const auto of_prior = at(q, prior);
  std::vector<double> sum(q.size()), squares(q.size());
  for (std::uint64_t k = 0; k < series; ++k) {
    const std::vector<double> outputs = outputs_at(model, layout, q, k);
    std::copy(outputs.begin() + static_cast<std::ptrdiff_t>(predicted.offset), outputs.end(), y.begin());
    const auto got = at(q, [&](auto& target) { model.log_density(target); });
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double slope = got.gradient[i][0] - of_prior.gradient[i][0];
      sum[i] += slope;
      squares[i] += slope * slope;
    }
  }
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double error = std::sqrt(squares[i]);
    EXPECT_GT(error, 0.1 * std::sqrt(series)) << "the series tell something of parameter " << i;
    EXPECT_NEAR(sum[i], 0, 5 * error) << "parameter " << i;
  }
}

TEST(DocumentedModels, PredictAnArma) {
  expect_predictions_of_the_likelihood<Arma<double>>({0.8, 0.9, -0.7, 0.2}, [](auto& target) {
    auto mu = target.real("mu");
    auto phi = target.real("phi", interval(-1, 1));
    auto theta = target.real("theta", interval(-1, 1));
    auto sigma = target.real("sigma", lower(0));
    target += normal(mu, 0, 1) + normal(phi, 0, 0.5) + normal(theta, 0, 0.5) + lognormal(sigma, 0, 0.5);
  });
}
TEST(DocumentedModels, PredictAHiddenMarkovModel) {
  expect_predictions_of_the_likelihood<HiddenMarkov<double>>({-1.1, 0.9, 1.2, 0.3}, [](auto& target) {
    auto mu = target.ordered("mu", Size<2>{});
    auto stay = target.vector("stay", Size<2>{}, interval(0, 1));
    target += normal(mu, 0, 2) + beta(stay, 4, 2);
  });
}

}  // namespace
}  // namespace manychain::test
