// Random words that a transition takes: counted before a run, and too many refused.
#include "manychain/chain/random_words.hpp"

#include <gtest/gtest.h>

#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// A part that takes few words of components, before one that takes many of conditionals.
struct ByComponentThenGibbs : Sequence<SingleComponent<>, Gibbs<>> {
  static constexpr SamplerInfo info = [] {
    SamplerInfo both = Sequence<SingleComponent<>, Gibbs<>>::info;
    both.name = "by_component_then_gibbs";
    return both;
  }();
};

Settings settings_of(const char* sampler) {
  Settings settings;
  settings.sampler = sampler;
  settings.backend = Backend::cpu;
  settings.chains = 1;
  settings.warmup.transitions = 0;
  settings.sampling.draws = 4;
  settings.seed = 1;
  return settings;
}

/// N gamma variates, and as many predicted if `predicts`.
template <class Number, bool predicts>
struct GammasOf {
  using samplers = SamplerList<Gibbs<>, Gibbs<RandomScan>, Hmc<>>;
  Size<> N;
  void data(DataReader& in) { in("N", N, lower(1)); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", N, lower(0));
    target += gamma(x, 2, 1);
    if constexpr (predicts) target.predict("new", N, [&](auto) { return gamma_distribution(2, 1); });
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.components(0, N, [](int, const auto&) { return gamma_distribution(2, 1); });
  }
};
template <class Number>
struct Gammas : GammasOf<Number, false> {};
template <class Number>
struct PredictedGammas : GammasOf<Number, true> {};

Data count(int n) {
  Data data;
  data.set("N", n);
  return data;
}

// A gamma variate owns a uniform for its boost and 32 trials of three uniforms, each in blocks of its own.
TEST(RandomWords, AreCounted) {
  const HostModel<Gammas<float>> float32(count(10));
  const HostModel<Gammas<double>> float64(count(10));
  const Layout layout = layout_of(float64.model);
  EXPECT_EQ(words_from_distributions(float32.model, layout, DrawsFrom::conditionals), 4u * (10 * 33 + 1));
  EXPECT_EQ(words_from_distributions(float64.model, layout, DrawsFrom::conditionals), 4u * (10 * 65 + 1));
  EXPECT_EQ(words_from_distributions(float32.model, layout, DrawsFrom::conditionals_at_random), 4u * (10 * 34 + 1));
  EXPECT_EQ(words_from_distributions(float32.model, layout, DrawsFrom::itself), 0u);
  const HostModel<PredictedGammas<float>> predicted(count(10));
  EXPECT_EQ(words_of_predictions(predicted.model, layout_of(predicted.model)), 4u * 10 * 33);
}

// Beyond 2^24 words per transition would read those of the next.
TEST(RandomWords, TooManyAreRefused) {
  Settings settings = settings_of("gibbs");
  EXPECT_SAYS(
      refusal(model_of<Gammas>(count(130'000)), settings),
      "draws 17160004 random words per transition with sampler gibbs or for its predictions, and there are 2^24");
  Settings hmc = settings_of("hmc");
  hmc.precision = Precision::single_precision;  // else paths to where the posterior is come before
  EXPECT_SAYS(refusal(model_of<PredictedGammas>(count(130'000)), hmc), "there are 2^24");
  EXPECT_EQ(refusal(model_of<Gammas>(count(100'000)), settings), "nothing was thrown");
  settings.precision = Precision::double_precision;
  EXPECT_SAYS(refusal(model_of<Gammas>(count(100'000)), settings), "there are 2^24");
}

// Each part has streams of its own, and draws from a source of its own.
template <class Number>
struct ProposesGammas : GammasOf<Number, false> {
  using samplers = SamplerList<ByComponentThenGibbs>;
};
TEST(RandomWords, ThoseOfEachPartAreCounted) {
  Settings settings = settings_of("by_component_then_gibbs");
  settings.precision = Precision::double_precision;
  EXPECT_SAYS(refusal(model_of<ProposesGammas>(count(100'000)), settings), "there are 2^24");
}

// Whole numbers that single precision does not have would be rounded, and an empty range has none.
template <class Number, int low, int high>
struct IntegersOf {
  using samplers = SamplerList<Gibbs<>>;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.integers("k", Size<1>{}, low, high);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return discrete_uniform_distribution(low, high); });
  }
};
TEST(Integers, RangesThatCannotBeAreRefused) {
  const auto message = [](const auto& model) -> std::string {
    try {
      layout_of(model);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_SAYS(message(IntegersOf<double, 3, 2>()), "integers k: from 3 to 2 is not allowed");
  EXPECT_SAYS(message(IntegersOf<double, 0, (1 << 24) + 1>()), "within 2^24 of zero");
  EXPECT_EQ(message(IntegersOf<double, -5, 1 << 24>()), "nothing was thrown");
}

}  // namespace
}  // namespace manychain
