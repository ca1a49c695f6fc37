// Programs that the library has for all models of any size (chain/density_programs.hpp) draw the bits of those that are
// compiled whole for the class.
#include "manychain/chain/density_programs.hpp"

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

template <class Number>
std::unique_ptr<Program<Number>> whole_program(const Data& data, const Layout& layout, const std::string& sampler,
                                               bool) {
  using Made = std::unique_ptr<Program<Number>>;
  return with_sampler<Made>(sampler, DensitySamplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
    return std::make_unique<CpuProgram<Groups<Number>, Sampler, Pack<Number>>>(data, layout);
  });
}
std::vector<DependentScale> scales(const Data&) {
  std::vector<DependentScale> found;
  for (std::size_t i = 2; i < 7; ++i) found.push_back({i, {1}});
  return found;
}
template <bool whole>
Model groups() {
  static const ModelUnit unit{
      "groups", "", [] { return ""; },
      [](const Data& data) -> std::shared_ptr<const Model::Bound> {
        using Single = VariantList<Groups<float>>;
        using Double = VariantList<Groups<double>>;
        const ProgramUnit programs = whole ? ProgramUnit{whole_program<float>, whole_program<double>}
                                           : cpu_unit<Single, Double, false, "hmc", "tempering">();
        return bind_generated("groups", data, {{programs}, {}}, model_functions<Single, Double>(scales, nullptr));
      }};
  return Model(unit, Data());
}

void expect_same_bits(const Settings& settings) {
  const Result called = sample(groups<false>(), settings), whole = sample(groups<true>(), settings);
  EXPECT_GT(called.draws.float32.size() + called.draws.float64.size(), 64u * 20 * 12);
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
      expect_same_bits(s);
    }
}
TEST_P(DensityPrograms, of_tempering_do_too) {
  Settings s = few_draws(GetParam());
  s.sampler = "tempering";
  expect_same_bits(s);
}
INSTANTIATE_TEST_SUITE_P(all, DensityPrograms,
                         ::testing::Values(Precision::single_precision, Precision::double_precision));

}  // namespace
}  // namespace manychain
