// Does a sampler leave its target invariant? Chains start from exact draws and make a few transitions; then the mean of
// f(after) - f(before) over independent chains must be zero for every test function f (paired differences: what a chain
// keeps of its start cancels).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "manychain/chain/model_unit_cpu.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/run/engine.hpp"
#include "statistical/z_test.hpp"

namespace statistical {

using manychain::Precision;
using Random = std::mt19937_64;

/// A target of which exact draws can be made.
struct ExactTarget {
  std::string name;
  manychain::Model model;
  /// One draw: its unconstrained position, and what the model reports of it.
  std::function<void(Random&, double* position, double* outputs)> draw;
  /// Appends the values of the test functions at outputs.
  std::function<void(const double* outputs, std::vector<double>& values)> functions;
  double proposal_scale = 0.5;                ///< of Metropolis; the step of Langevin samplers
  double step_size = 0.5, trajectory = 3.14;  ///< of HMC
};

struct Invariance {
  std::vector<double> z;  ///< one per test function
  double acceptance_rate = 0;

  double largest() const {
    double z_max = 0;
    for (double x : z) z_max = std::isnan(x) ? HUGE_VAL : std::max(z_max, std::fabs(x));
    return z_max;
  }
};

struct Experiment {
  std::string sampler;
  Precision precision = Precision::single_precision;
  std::size_t chains = 0;
  std::size_t transitions = 4;
  bool scalar = false;
  bool cuda = false;
  std::optional<manychain::StepSchedule> schedule = {};  ///< of SGLD
  std::size_t minibatch = 0;
  manychain::Integrator integrator = manychain::Integrator::leapfrog;
  double longer = 1;        ///< of HMC: the target's step size times this, so that it rejects
  bool directions = false;  ///< of HMC: a metric with two_directions()
  double direction_length = 1;
  bool leaves = false;  ///< of HMC: some_leaves(), of a model_under_test()
};

/// Each component but the first is a leaf of the first, the last one also of the second, by an exponential of its own:
/// they fit no target, and need not.
inline manychain::LeafMasses some_leaves(std::size_t dimension) {
  manychain::LeafMasses masses;
  for (std::size_t i = dimension; i-- > 1;) {
    const double x = static_cast<double>(i);
    masses.component.push_back(static_cast<std::int32_t>(i));
    masses.constant.push_back(0.3 + 0.05 * x);
    masses.intercept.push_back(-0.4);
    masses.hyper.push_back(0);
    masses.exponent.push_back(-0.6 + 0.05 * x);
    masses.second.push_back(static_cast<std::int32_t>(masses.hyper.size()));
    masses.second_intercept.push_back(-0.2);
    if (i + 1 == dimension && i > 1) {
      masses.hyper.push_back(1);
      masses.exponent.push_back(0.3);
    }
    masses.first.push_back(static_cast<std::int32_t>(masses.hyper.size()));
  }
  return masses;
}

/// Two orthonormal directions, one wider and one narrower than the scales tell: they fit no target, and need not.
inline manychain::Metric two_directions(std::vector<double> scale, double length) {
  const std::size_t n = scale.size();
  manychain::Metric metric{std::move(scale), {3.0, 0.4}, std::vector<double>(2 * n)};
  double norm[2] = {}, along = 0;
  for (std::size_t i = 0; i < n; ++i) {
    metric.directions[i] = 1 + static_cast<double>(i);
    metric.directions[n + i] = i % 2 ? -1.0 : 1.0;
  }
  for (std::size_t i = 0; i < n; ++i) norm[0] += metric.directions[i] * metric.directions[i];
  for (std::size_t i = 0; i < n; ++i) along += metric.directions[i] * metric.directions[n + i] / norm[0];
  for (std::size_t i = 0; i < n; ++i) metric.directions[n + i] -= along * metric.directions[i];
  for (std::size_t i = 0; i < n; ++i) norm[1] += metric.directions[n + i] * metric.directions[n + i];
  for (std::size_t k = 0; k < 2 * n; ++k) metric.directions[k] *= length / std::sqrt(norm[k / n]);
  return metric;
}

inline Invariance test_invariance(const ExactTarget& target, const Experiment& experiment) {
  using namespace manychain;
  Settings settings;
  settings.sampler = experiment.sampler;
  settings.precision = experiment.precision;
  settings.chains = experiment.chains;
  settings.scalar = experiment.scalar;
  settings.sampling.draws = 1;
  settings.seed = 20261121;
  settings.output.keep_sample_stats = false;
  settings.sampling.schedule = experiment.schedule;
  settings.sampling.minibatch = experiment.minibatch;
  settings.sampling.metric = experiment.leaves ? MetricKind::hierarchical : MetricKind::dense;  // room for both
  const Layout& layout = target.model.layout();
  const std::size_t n = layout.dimension, chains = experiment.chains;

  Random random(1);
  std::vector<double> positions(n * chains), q(n), x(layout.outputs);
  std::vector<std::vector<double>> before;
  std::vector<double> values;
  for (std::size_t c = 0; c < chains; ++c) {
    target.draw(random, q.data(), x.data());
    for (std::size_t i = 0; i < n; ++i) positions[i * chains + c] = q[i];
    values.clear();
    target.functions(x.data(), values);
    if (c == 0) before.assign(values.size(), std::vector<double>(chains));
    for (std::size_t f = 0; f < values.size(); ++f) before[f][c] = values[f];
  }

  const std::unique_ptr<Engine> engine =
      experiment.cuda ? make_cuda_engine(target.model, settings) : make_cpu_engine(target.model, settings);
  engine->initialise(positions, 0);
  const SamplerInfo* const known = target.model.bound().sampler(experiment.sampler);
  const SamplerInfo sampler = known ? *known : SamplerInfo{};
  std::vector<double> scale(n, 1.0);
  for (std::size_t i = 0; i < n && sampler.leaves_conditionals; ++i)
    if (layout.conditional[i]) scale[i] = 0;  // as sample() does
  Metric metric = experiment.directions ? two_directions(scale, experiment.direction_length) : Metric{scale, {}, {}};
  if (experiment.leaves) metric.leaves = some_leaves(n);
  engine->set_metric(0, metric);
  GroupTuning tuning;
  tuning.step_size = sampler.trajectory ? experiment.longer * target.step_size : target.proposal_scale;
  tuning.trajectory = target.trajectory;
  tuning.leapfrog_limit = 1000;
  tuning.integrator = experiment.integrator;
  tuning.schedule = settings.sampling.schedule.value_or(StepSchedule{});
  tuning.minibatch = static_cast<int>(settings.sampling.minibatch);
  engine->set_tuning(0, tuning);
  Block block;
  block.count = static_cast<std::uint32_t>(experiment.transitions);
  block.keep = true;
  block.thin = experiment.transitions;
  engine->advance(block, 0);

  const Draws after = engine->draws(0, 1);
  std::vector<Moments> difference(before.size());
  for (std::size_t c = 0; c < chains; ++c) {
    for (std::size_t o = 0; o < layout.outputs; ++o) x[o] = after(0, o, c);
    values.clear();
    target.functions(x.data(), values);
    for (std::size_t f = 0; f < values.size(); ++f) difference[f].add(values[f] - before[f][c]);
  }
  Invariance result;
  for (const Moments& d : difference) result.z.push_back(z_of_mean(d, 0));
  double accepted = 0;
  for (double sum : engine->statistics().acceptance_sum) accepted += sum;
  result.acceptance_rate = accepted / static_cast<double>(chains * experiment.transitions);
  return result;
}

/// Acceptance rates at which a sampler moves, and rejects. One that never moves, or moves by next to nothing, is
/// invariant, too.
inline constexpr double moving[] = {0.2, 0.995}, always_accepted[] = {1, 1};

inline void expect_invariant(const ExactTarget& target, Experiment experiment, const double (&rate)[2] = moving) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    experiment.precision = precision;
    const Invariance found = test_invariance(target, experiment);
    EXPECT_LT(found.largest(), threshold) << target.name << ", " << experiment.sampler << ", "
                                          << (precision == Precision::single_precision ? "single" : "double");
    EXPECT_GE(found.acceptance_rate, rate[0]);
    EXPECT_LE(found.acceptance_rate, rate[1]);
    std::printf("%s %s: largest of %zu |z| %.2f, acceptance %.3f\n", target.name.c_str(), experiment.sampler.c_str(),
                found.z.size(), found.largest(), found.acceptance_rate);
  }
}

/// For coordinates that are independent standard normals under the target: means, variances, products of neighbours, a
/// bounded function of each, and the log density.
inline void normal_functions(const double* z, std::size_t n, std::vector<double>& values) {
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(z[i]);
    values.push_back(z[i] * z[i]);
    values.push_back(std::cos(2 * z[i]));
    if (i + 1 < n) values.push_back(z[i] * z[i + 1]);
    squares += z[i] * z[i];
  }
  values.push_back(-0.5 * squares);
}

struct NoDensity final : manychain::PointOperations {
  void evaluate(const double*, std::size_t count, double* log_densities, double*) override {
    std::fill_n(log_densities, count, std::numeric_limits<double>::quiet_NaN());
  }
  std::uint64_t outputs(const double*, std::size_t, const manychain::ChainsAt&, double*) override { return 0; }
  void rows(const double*, std::size_t, std::size_t, double*, std::size_t) override {}
};

/// A model of the test's own with one sampler of its own, right or wrong.
template <template <class> class ModelClass, class Sampler>
struct BoundUnderTest : manychain::Model::Bound {
  manychain::Data data;

  explicit BoundUnderTest(const manychain::Data& d) : data(d) {
    name = "under_test";
    layout = manychain::layout_of(manychain::HostModel<ModelClass<double>>(data).model);
    for (std::size_t i = 1; i < layout.dimension; ++i)  // room for leaves
      layout.dependent_scales.push_back({i, i > 1 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0}});
  }
  std::unique_ptr<manychain::PointOperations> operations() const override { return std::make_unique<NoDensity>(); }
  std::unique_ptr<manychain::Program<float>> single_program(const std::string&,
                                                            manychain::ProgramChoice) const override {
    return std::make_unique<manychain::CpuProgram<ModelClass<float>, Sampler, manychain::Pack<float>>>(data, layout);
  }
  std::unique_ptr<manychain::Program<double>> double_program(const std::string&,
                                                             manychain::ProgramChoice) const override {
    return std::make_unique<manychain::CpuProgram<ModelClass<double>, Sampler, manychain::Pack<double>>>(data, layout);
  }
};

template <template <class> class ModelClass, class Sampler>
manychain::Model model_under_test(const manychain::Data& data = {}) {
  static const manychain::ModelUnit unit{
      "under_test", "", [] { return ""; },
      [](const manychain::Data& d) -> std::shared_ptr<const manychain::Model::Bound> {
        return std::make_shared<BoundUnderTest<ModelClass, Sampler>>(d);
      }};
  return manychain::Model(unit, data);
}

}  // namespace statistical
