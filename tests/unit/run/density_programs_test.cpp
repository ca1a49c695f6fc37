// Programs that the library has for all models of any size (chain/density_programs.hpp) draw the bits of those that are
// compiled whole for the class.
#include "manychain/chain/density_programs.hpp"

#include <cmath>

#include "manychain/chain/cpu_program.hpp"
#include "model_of.hpp"

namespace manychain {
namespace {

template <class Number>
struct Groups {
  void data(DataReader&) {}
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto theta = target.vector("theta", Size<>(5));
    target += normal(mu, 0, 3) + half_cauchy(tau, 2) + normal(theta, mu, tau);
    target.observe("y", 5, [&](int i, auto& term) { term += normal(0.7 * i - 1, theta[i], 1.5); });
    target.derived("double_tau", 2 * tau);
    target.predict("y_rep", 5, [&](auto i) { return normal_distribution(theta[i], 1.5); });
  }
};

/// One chain at a time.
template <class Number>
struct BranchingGroups : Groups<Number> {
  static constexpr bool branches = true;
};

template <class M, class Number>
std::unique_ptr<Program<Number>> whole_program(const Data& data, const Layout& layout, const std::string& sampler,
                                               bool) {
  using R = std::conditional_t<model_branches<M>(), Scalar<Number>, Pack<Number>>;
  using Made = std::unique_ptr<Program<Number>>;
  return with_sampler<Made>(sampler, DensitySamplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
    return std::make_unique<CpuProgram<M, Sampler, R>>(data, layout);
  });
}
std::vector<DependentScale> scales(const Data&) {
  std::vector<DependentScale> found;
  for (std::size_t i = 2; i < 7; ++i) found.push_back({i, {1}});
  return found;
}
template <template <class> class M, bool whole>
Model model() {
  static const ModelUnit unit{
      "groups", "", [] { return ""; },
      [](const Data& data) -> std::shared_ptr<const Model::Bound> {
        using Single = VariantList<M<float>>;
        using Double = VariantList<M<double>>;
        const ProgramUnit programs = whole
                                         ? ProgramUnit{whole_program<M<float>, float>, whole_program<M<double>, double>}
                                         : cpu_unit<Single, Double, false, "hmc", "tempering">();
        return bind_generated("groups", data, {{programs}, {}}, model_functions<Single, Double>(scales, nullptr));
      }};
  return Model(unit, Data());
}

template <template <class> class M>
void expect_same_bits(const Settings& settings) {
  const Result called = sample(model<M, false>(), settings), whole = sample(model<M, true>(), settings);
  EXPECT_EQ(called.draws.float32.size() + called.draws.float64.size(), 64u * 20 * 13);
  EXPECT_EQ(called.draws.float32, whole.draws.float32);
  EXPECT_EQ(called.draws.float64, whole.draws.float64);
  EXPECT_EQ(called.gradients, whole.gradients);
  EXPECT_EQ(called.warmup.tuning.front().leaves, whole.warmup.tuning.front().leaves);
}
Settings few_draws(Precision precision) {
  Settings s;
  s.seed = 4;
  s.chains = 64;
  s.sampling.draws = 20;
  s.precision = precision;
  return s;
}

class DensityPrograms : public ::testing::TestWithParam<Precision> {};

TEST_P(DensityPrograms, of_hmc_draw_the_bits_of_one_that_is_compiled_whole) {
  for (const MetricKind metric : {MetricKind::automatic, MetricKind::dense, MetricKind::hierarchical})
    for (const Starts starts : {Starts::automatic, Starts::uniform}) {
      Settings s = few_draws(GetParam());
      s.sampling.metric = metric;
      s.warmup.starts = starts;
      expect_same_bits<Groups>(s);
    }
}
TEST_P(DensityPrograms, of_tempering_do_too) {
  Settings s = few_draws(GetParam());
  s.sampler = "tempering";
  expect_same_bits<Groups>(s);
}
TEST_P(DensityPrograms, run_one_chain_at_a_time_where_the_model_branches) {
  expect_same_bits<BranchingGroups>(few_draws(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(all, DensityPrograms,
                         ::testing::Values(Precision::single_precision, Precision::double_precision));

// A count that leaves lanes over, for every width of a pack.
TEST(DensityPoints, do_not_depend_on_the_points_beside_them) {
  constexpr std::size_t count = 19, n = 7;
  const Model groups = model<Groups, false>();
  ASSERT_EQ(groups.layout().dimension, n);
  const std::size_t rows = groups.layout().outputs;
  std::vector<double> points(count * n);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = std::sin(double(i));
  const auto all = groups.bound().operations(), one = groups.bound().operations();
  std::vector<double> values(count), gradients(count * n), outputs(rows * count);
  all->evaluate(points.data(), count, values.data(), gradients.data());
  const std::uint64_t words = all->outputs(points.data(), count, {9, 3, 5}, outputs.data());
  EXPECT_GT(words, 0u);
  for (std::size_t k = 0; k < count; ++k) {
    double value = 0;
    std::vector<double> gradient(n), output(rows);
    one->evaluate(points.data() + k * n, 1, &value, gradient.data());
    EXPECT_EQ(value, values[k]);
    EXPECT_EQ(gradient, std::vector<double>(gradients.begin() + k * n, gradients.begin() + (k + 1) * n));
    EXPECT_EQ(one->outputs(points.data() + k * n, 1, {9, 3 + k, 5}, output.data()), words);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(output[i], outputs[i * count + k]);
  }
}

}  // namespace
}  // namespace manychain
