// Langevin samplers. MALA leaves its targets invariant; ULA and SGLD do not, but on normals their stationary
// distribution is known, and they leave that invariant. False alarms: z_test.hpp. Power: wrong_proposals_test.cpp, and
// here: the unbiased distribution is not that of ULA and SGLD.
#include <gtest/gtest.h>

#include "manychain/models/normal.hpp"
#include "statistical/sampler_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;
using manychain::Sgld;
using manychain::Ula;

ExactTarget with_step(ExactTarget target, double step) {
  target.proposal_scale = step;
  return target;
}

const Experiment mala{.sampler = "mala", .chains = chains};
TEST(Mala, normal) { expect_invariant(with_step(normal_target(), 0.8), mala); }
TEST(Mala, correlated_normal) { expect_invariant(with_step(correlated_target(), 0.3), mala); }
TEST(Mala, banana) { expect_invariant(with_step(banana_target(), 0.8), mala); }
TEST(Mala, funnel) { expect_invariant(with_step(funnel_target(), 0.3), mala); }
TEST(Mala, bounded_scalars) { expect_invariant(with_step(bounded_target<manychain::Mala<>>(), 0.7), mala); }

// On a standard normal ULA is x' = (1 - eps/2) x + sqrt(eps) z, whose stationary variance v solves
// v = (1 - eps/2)^2 v + eps: v = 1 / (1 - eps/4).
constexpr double eps = 0.4;

/// One standard normal, sampled by chains that start with that variance.
template <class Number>
using Normal1 = manychain::models::Normal<Number, 1>;

template <class Sampler>
ExactTarget normal_of_variance(double variance) {
  manychain::Data data;
  data.set("D", 1);
  ExactTarget target{"standard normal", model_under_test<Normal1, Sampler>(data), {}, {}};
  target.draw = [=](Random& random, double* q, double* x) {
    standard_normals(random, q, 1);
    q[0] = x[0] = std::sqrt(variance) * q[0];
  };
  target.functions = [](const double* x, std::vector<double>& values) { normal_functions(x, 1, values); };
  target.proposal_scale = eps;
  return target;
}

const double any_rate[] = {0, 1};

TEST(Ula, has_the_variance_of_its_step) {
  const Experiment ula{.sampler = "ula", .chains = chains};
  expect_invariant(normal_of_variance<Ula>(1 / (1 - eps / 4)), ula, any_rate);
  EXPECT_GT(test_invariance(normal_of_variance<Ula>(1), ula).largest(), threshold + power_margin);
}

TEST(Sgld, with_all_terms_and_a_constant_step_is_ula) {
  const Experiment sgld{.sampler = "sgld", .chains = chains, .schedule = manychain::StepSchedule{eps, 1, 0}};
  expect_invariant(normal_of_variance<Sgld>(1 / (1 - eps / 4)), sgld, any_rate);
  EXPECT_GT(test_invariance(normal_of_variance<Sgld>(1), sgld).largest(), threshold + power_margin);
}

/// The mean mu of N observations with standard deviation s and the prior normal(0, s0): the gradient is
/// b (m - mu), b = 1/s0^2 + N/s^2, m the posterior mean. A minibatch of n adds noise that does not depend on mu, of
/// variance V = N^2 / (n s^4) Var(y), Var(y) that of the data about their mean. So
///   mu' - m = (1 - eps b/2) (mu - m) + eps/2 noise + sqrt(eps) z
/// has the stationary mean m and variance (1 + eps V/4) / (b (1 - eps b/4)).
inline constexpr double observed[] = {-1, 0.5, 2.5, 0, 3};
inline constexpr double noise_sd = 1.5, prior_sd = 2;

template <class Number>
struct NormalMean {
  static constexpr int dimension = 1;
  static constexpr bool minibatches = true;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    manychain::Size<manychain::dynamic> n;
    in("N", n);
    in("y", y, n);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += normal(mu, 0, prior_sd);
    target.observe("y", y.size(), [&](auto j, auto& term) { term += normal(y[j], mu, noise_sd); });
  }
};

/// Starts with the stationary mean and variance; `noise`: whether the variance counts that of the gradient.
ExactTarget normal_mean(double step, int minibatch, bool noise) {
  const double n = std::size(observed), b = 1 / (prior_sd * prior_sd) + n / (noise_sd * noise_sd);
  double mean = 0, square = 0;
  for (double y : observed) mean += y / n;
  for (double y : observed) square += (y - mean) * (y - mean) / n;
  const double v = noise ? n * n / (minibatch * std::pow(noise_sd, 4)) * square : 0;
  const double m = n * mean / (noise_sd * noise_sd) / b, sd = std::sqrt((1 + step * v / 4) / (b * (1 - step * b / 4)));
  manychain::Data data;
  data.set("N", static_cast<int>(n));
  data.set("y", std::vector<double>(std::begin(observed), std::end(observed)));
  ExactTarget target{"mean of a normal", model_under_test<NormalMean, Sgld>(data), {}, {}};
  target.draw = [=](Random& random, double* q, double* x) {
    standard_normals(random, q, 1);
    q[0] = x[0] = m + sd * q[0];
  };
  target.functions = [=](const double* x, std::vector<double>& values) {
    values.push_back(x[0]);
    values.push_back((x[0] - m) * (x[0] - m));
  };
  return target;
}

TEST(Sgld, has_the_variance_of_its_step_and_of_its_minibatch) {
  const double step = 0.15;
  for (const int minibatch : {1, 2, 6}) {
    const Experiment sgld{.sampler = "sgld",
                          .chains = chains,
                          .schedule = manychain::StepSchedule{step, 1, 0},
                          .minibatch = static_cast<std::size_t>(minibatch)};
    expect_invariant(normal_mean(step, minibatch, true), sgld, any_rate);
    EXPECT_GT(test_invariance(normal_mean(step, minibatch, false), sgld).largest(), threshold + power_margin);
  }
}

// The steps a (b + t)^-gamma of the first transitions, from the mean of a chain that starts elsewhere and is not moved
// by noise: the mean over chains is a product of factors 1 - eps_t/2.
TEST(Sgld, follows_its_schedule) {
  const double a = 0.7, b = 2, gamma = 0.6, start = 3;
  ExactTarget target = normal_of_variance<Sgld>(1);
  target.draw = [=](Random&, double* q, double* x) { q[0] = x[0] = start; };
  double factor = 1;
  for (int t = 0; t < 4; ++t) factor *= 1 - 0.5 * a * std::pow(b + t, -gamma);
  target.functions = [=](const double* x, std::vector<double>& values) {
    values.push_back(x[0] == start ? start * factor : x[0]);
  };
  expect_invariant(target, {.sampler = "sgld", .chains = chains, .schedule = manychain::StepSchedule{a, b, gamma}},
                   any_rate);
}

}  // namespace
