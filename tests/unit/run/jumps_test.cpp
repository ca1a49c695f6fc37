// Log densities that jump: their parameter is named, the advice is followed, and continuous densities have no jumps.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "manychain/model/distributions/continuous_distributions.hpp"
#include "run/draws_in_ranks.hpp"
#include "sampling/ranked.hpp"
#include "unit/run/advice.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/model_of.hpp"

namespace manychain::test {
namespace {

constexpr int rows = 40;

/// y[i] ~ normal(a, 1) before a change, normal(b, 1) behind it; `before[k]` is the sum of the first k + 1.
template <class Number>
struct ChangeData {
  Size<> N;
  View<const Number> y, before;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
    in("before", before, N);
  }
};
/// The change is a real number, of which the density is a step function.
template <class Number>
struct ChangeAsNumber : ChangeData<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto tau = target.real("tau", interval(0, rows));
    auto a = target.real("a");
    auto b = target.real("b");
    target += normal(a, 0, 5) + normal(b, 0, 5);
    target.observe("y", this->N,
                   [&](int i, auto& term) { term += normal(this->y[i], select(value(tau) > i, a, b), 1); });
  }
};
/// The change is summed over its places, which are equally probable.
template <class Number>
struct ChangeSummedOut : ChangeData<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("b");
    target += normal(a, 0, 5) + normal(b, 0, 5);
    target += log_sum_exp(vector_of(this->N, [&](int k) {
      return a * this->before[k] - 0.5 * (k + 1) * square(a) + b * (this->before[rows - 1] - this->before[k]) -
             0.5 * (rows - 1 - k) * square(b);
    }));
  }
};

/// 17 rows about 0, 23 about 1.2: a fixed sequence of quantiles in the place of random numbers.
std::vector<double> observations() {
  std::vector<double> y;
  for (int i = 0; i < rows; ++i) {
    const double u = std::fmod(0.5 + 0.6180339887498949 * (i + 1), 1.0);
    y.push_back((i < 17 ? 0 : 1.2) + std::log(u / (1 - u)) / 1.7);  // nearly normal
  }
  return y;
}
Data change_data() {
  const std::vector<double> y = observations();
  std::vector<double> before(y);
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  Data data;
  data.set("N", rows);
  data.set("y", y);
  data.set("before", before);
  return data;
}

/// The exact means of tau, a and b: given the place of the change, a and b are normal.
struct Exact {
  double tau = 0, a = 0, b = 0;
};
Exact exact_means() {
  const std::vector<double> y = observations();
  const auto piece = [&](int first, int last, double& mean) {
    double sum = 0;
    for (int i = first; i < last; ++i) sum += y[static_cast<std::size_t>(i)];
    const double precision = 1 / 25.0 + (last - first);
    mean = sum / precision;
    return 0.5 * mean * mean * precision - 0.5 * std::log(25 * precision);
  };
  Exact exact;
  double total = 0;
  for (int k = 1; k <= rows; ++k) {
    double a = 0, b = 0;
    const double weight = std::exp(piece(0, k, a) + piece(k, rows, b));
    total += weight;
    exact.tau += weight * (k - 0.5), exact.a += weight * a, exact.b += weight * b;
  }
  return {exact.tau / total, exact.a / total, exact.b / total};
}
void expect_mean(const Result& result, const std::string& name, double exact) {
  for (const auto& row : result.summary)
    if (row.name == name) {
      EXPECT_NEAR(row.statistics.mean, exact, 4.5 * row.statistics.mcse_mean) << result.table();
      return;
    }
  ADD_FAILURE() << "there is no " << name;
}

// Of 120 runs of metropolis with this warm-up one did not converge, and means were off by 3.9 errors at most
// (rms 1.04): chance leaves more than one of four unconverged once in 2000 times.
TEST(Jumps, AreNamedAndTheAdviceCures) {
  const Model model = model_of<ChangeAsNumber, "hmc", "metropolis">(change_data());
  const Exact exact = exact_means();
  int walked_to_the_end = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Settings s;
    s.seed = seed;
    s.sampling.draws = 200;
    const Result before = sample(model, s);
    EXPECT_FALSE(before.converged);
    ASSERT_EQ(before.posterior.jumps.size(), 1u) << before.verdict().text();
    EXPECT_EQ(before.posterior.jumps[0].rfind("tau (by ", 0), 0u) << before.posterior.jumps[0];
    const diagnostics::Verdict verdict = before.verdict();
    const diagnostics::Finding* const jumps = find(verdict, "Jumps: the log density jumps at values of tau (by ");
    ASSERT_TRUE(jumps) << verdict.text();
    EXPECT_NE(jumps->advice.find("take Settings::sampler metropolis, which follows no gradient, and raise "
                                 "Settings::warmup.transitions (now 300) to 9000."),
              std::string::npos)
        << jumps->advice;
    const diagnostics::Finding* const apart = find(verdict, "Nested R-hat:");
    ASSERT_TRUE(apart) << verdict.text();
    EXPECT_EQ(apart->advice, "No more draws mend that: see Jumps.");
    EXPECT_FALSE(find(verdict, "Tails:")) << verdict.text();  // tau lies between two bounds

    Settings usual, walking;
    usual.seed = walking.seed = seed;
    walking.sampler = "metropolis";
    walking.warmup.transitions = 9000;
    const Result walked = sample(model, walking);
    walked_to_the_end += walked.converged;
    if (walked.converged) expect_mean(walked, "tau", exact.tau);

    const Result summed = sample(model_of<ChangeSummedOut, "hmc">(change_data()), usual);
    EXPECT_TRUE(summed.converged) << summed.verdict().text();
    EXPECT_TRUE(summed.posterior.jumps.empty());
    expect_mean(summed, "a", exact.a);
    expect_mean(summed, "b", exact.b);
  }
  EXPECT_GE(walked_to_the_end, 3);
}

TEST(Jumps, NeedAStepThatIsAdapted) {
  Settings s = few("hmc", 64, 0, 100);
  s.sampling.step_size = 1e-4;
  const diagnostics::Verdict verdict =
      sample(model_of<ChangeAsNumber, "hmc", "metropolis">(change_data()), s).verdict();
  const diagnostics::Finding* const jumps = find(verdict, "Jumps:");
  ASSERT_TRUE(jumps) << verdict.text();
  EXPECT_NE(jumps->advice.find(
                "leave out Settings::sampling.step_size, and raise Settings::warmup.transitions (now 0) to 9000."),
            std::string::npos)
      << jumps->advice;
}

TEST(Jumps, AreTheSameInRanks) {
  const Model model = model_of<ChangeAsNumber, "hmc", "metropolis">(change_data());
  const Settings s = few("hmc", 96, 300, 100);
  const std::vector<std::string> alone = sample(model, s).posterior.jumps;
  EXPECT_EQ(alone.size(), 1u);
  for (const DrawsAt draws : {DrawsAt::all_ranks, DrawsAt::own_rank})
    for (const std::exception_ptr& thrown :
         in_ranks(3, [&](Ranks& ranks) { EXPECT_EQ(sample_in_ranks(model, s, ranks, draws).posterior.jumps, alone); }))
      EXPECT_EQ(what(thrown), "");
}

// No chain was between the modes: a point there ends neither the run nor the looks for causes.
TEST(Jumps, AreLookedForAroundPointsWhereTheDensityThrows) {
  std::atomic<int> thrown = 0;
  CompiledDensity density;
  density.dimension = 1;
  density.value_and_gradient = [&thrown](const double* q, double* gradient) {
    if (std::fabs(q[0] - 30) < 5) {
      ++thrown;
      throw std::domain_error("between the modes");
    }
    const double mode = q[0] < 30 ? 10 : 50;
    gradient[0] = mode - q[0];
    return -0.5 * (q[0] - mode) * (q[0] - mode);
  };
  Settings s = few("hmc", 64, 100, 60);
  s.sampling.step_size = 0.3;  // the metric of both modes together would lead chains across
  for (std::size_t c = 0; c < s.chains; ++c)
    s.warmup.initial_points.push_back((c % 2 ? 10 : 50) + 0.01 * static_cast<double>(c % 16));
  const Result result = sample(Model(density), s);
  EXPECT_GT(thrown, 0);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.posterior.jumps.empty());
}

/// Continuous, with a kink, and with a slope of 7500 within the posterior.
template <class Number>
struct Kinks {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += double_exponential(x, 0, 1) + normal(y, 0, 1);
    target += 3 * inv_logit(10000 * y);
  }
};

/// Chains that take such steps hardly move, so that jumps are looked for.
void expect_no_jumps(const Model& model) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Settings s = few("hmc", 256, 100, 20);
    s.seed = seed;
    s.sampling.step_size = 1e-4;
    s.sampling.trajectory = 1e-3;
    const Result result = sample(model, s);
    EXPECT_FALSE(result.converged) << model.name();
    double least = HUGE_VAL;
    for (const auto& row : result.summary) least = std::min(least, row.statistics.ess_bulk);
    EXPECT_LT(least, 512) << model.name();
    EXPECT_TRUE(result.posterior.jumps.empty()) << model.name() << ": " << result.posterior.jumps[0];
  }
}
TEST(Jumps, AreNoneOfContinuousDensities) {
  for (const char* const name :
       {"normal", "banana", "funnel", "eight_schools", "eight_schools_centered", "linear_regression",
        "logistic_regression", "rosenbrock", "ill_conditioned_normal", "correlated_normal"})
    expect_no_jumps(builtin_model(name));
  expect_no_jumps(model_of<Kinks, "hmc">());
  expect_no_jumps(model_of<ChangeSummedOut, "hmc">(change_data()));
}

}  // namespace
}  // namespace manychain::test
