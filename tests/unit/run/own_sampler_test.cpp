// Adaptations that a sampler brings: they are found by name, their target counts, and what does not fit is refused.
#include <gtest/gtest.h>

#include "manychain/adaptation/list.hpp"
#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

constexpr AdaptationInfo named(const char* name, bool observes) {
  AdaptationInfo info = Windowed::info;
  info.name = name;
  info.target_acceptance = 0.6;
  info.observes = observes;
  return info;
}
struct Mine : Windowed {
  static constexpr AdaptationInfo info = named("mine", false);
};
struct Observing : Windowed {
  static constexpr AdaptationInfo info = named("observing", true);
};

struct Walk : Metropolis<> {
  static constexpr SamplerInfo info{.name = "walk",
                                    .needs = {&Capabilities::density},
                                    .tuned = true,
                                    .target_acceptance = 0.3,
                                    .brings_adaptations = true};
  using Adaptations = AdaptationList<Mine, Observing>;
};

/// Never corrected, as it says.
struct Uncorrected : Ula {
  static constexpr SamplerInfo info{.name = "uncorrected",
                                    .needs = {&Capabilities::density, &Capabilities::gradient},
                                    .tuned = true,
                                    .target_acceptance = 0.9,
                                    .exact = false};
};

/// Independent draws.
struct Anew : Direct {
  static constexpr SamplerInfo info{
      .name = "anew", .needs = {&Capabilities::draws}, .chain = false, .draws_from = DrawsFrom::model};
};

/// Stays where it is, and says that it accepts 0.89 of its proposals.
struct Steady {
  static constexpr SamplerInfo info{.name = "steady", .needs = {&Capabilities::density}, .exact = false};
  using Fields = DensityFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 0;

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model&, Chain<R, N, F...>& chain,
                                                   const NoTuning<number_of<R>>&, const Stream<R>&, std::uint64_t) {
    TransitionInfo<R> info = detail::always_accepted(-chain.log_density.value());
    info.acceptance_probability = R(0.89);
    return info;
  }
};

/// Draws of its own are Cauchy: some lie far off.
template <class Number>
struct OneNormal {
  static constexpr int dimension = 1;
  using samplers = SamplerList<Walk, Uncorrected, Anew, Steady, Metropolis<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("x"), 0, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return cauchy_distribution(0, 1); });
  }
};

Settings by(const std::string& adaptation) {
  Settings settings;
  settings.sampler = "walk";
  settings.warmup.adaptation = adaptation;
  settings.backend = Backend::cpu;
  settings.chains = 256;
  settings.warmup.transitions = 200;
  settings.sampling.draws = 100;
  settings.seed = 1;
  return settings;
}

TEST(OwnSampler, IsTunedByTheAdaptationThatItBrings) {
  const Result result = sample(model_of<OneNormal>(), by("mine"));
  EXPECT_EQ(result.settings.warmup.target_acceptance, 0.6);
  EXPECT_NEAR(result.sampling.acceptance_rate, 0.6, 0.03);
  Settings settings = by("mine");
  settings.warmup.target_acceptance = 0.4;
  EXPECT_NEAR(sample(model_of<OneNormal>(), settings).sampling.acceptance_rate, 0.4, 0.03);
}

TEST(OwnSampler, RefusesAdaptationsThatItDoesNotBring) {
  for (const char* adaptation : {"windowed", "misspelt"})
    EXPECT_SAYS(refusal(model_of<OneNormal>(), by(adaptation)),
                "Settings::warmup.adaptation: sampler walk is not tuned by " + std::string(adaptation));
}

TEST(OwnSampler, RefusesAnAdaptationThatLooksAtProposalsItDoesNotShow) {
  EXPECT_SAYS(refusal(model_of<OneNormal>(), by("observing")), "looks at proposals, which sampler walk does not show");
}

// The verdict says the same of a sampler that a model brings as of one that is built in.
TEST(OwnSampler, IsJudgedByWhatItSaysOfItself) {
  Settings settings = by("windowed");
  settings.sampler = "uncorrected";
  settings.sampling.step_size = 0.5;
  const Result biased = sample(model_of<OneNormal>(), settings);
  EXPECT_STREQ(biased.sampler.name, "uncorrected");
  EXPECT_SAYS(biased.table(), "Biased: steps of uncorrected are never corrected");
  EXPECT_EQ(biased.table().find("Weighted"), std::string::npos);

  // The best log density of a chain of one draw is rare for some of 256, and no chain is outlying for it.
  settings.sampler = "anew";
  settings.sampling.step_size.reset();
  settings.warmup.transitions = 0;
  settings.sampling.draws = 1;
  settings.superchains = 0;
  const Result anew = sample(model_of<OneNormal>(), settings);
  double least = 0;
  for (std::size_t c = 0; c < settings.chains; ++c) least = std::min(least, anew.sample_stats(0, 0, c));
  EXPECT_LT(least, -20);
  EXPECT_EQ(anew.sampling.outlying_chains.size(), 0u);
  settings.sampler = "metropolis";
  EXPECT_STREQ(sample(model_of<OneNormal>(), settings).sampler.name, "metropolis");
}

// A sum of 5 million acceptance probabilities in single precision read 0.941.
TEST(OwnSampler, HasItsAcceptanceRateInALongRun) {
  Settings settings = by("windowed");
  settings.sampler = "steady";
  settings.precision = Precision::single_precision;
  settings.chains = 1;
  settings.warmup.transitions = 0;
  settings.sampling.draws = 1;
  settings.sampling.thin = 5'000'000;
  EXPECT_NEAR(sample(model_of<OneNormal>(), settings).sampling.acceptance_rate, 0.89, 1e-6);
}

TEST(OwnSampler, RefusesSettingsThatItHasNoUseFor) {
  Settings settings = by("mine");
  settings.sampling.minibatch = 5;
  EXPECT_SAYS(refusal(model_of<OneNormal>(), settings),
              "Settings::sampling.minibatch: sampler walk has none; leave it out, or take sampler sgld");
  settings = by("windowed");
  settings.sampler = "anew";
  settings.warmup.target_acceptance = 0.7;
  EXPECT_SAYS(refusal(model_of<OneNormal>(), settings), "Settings::warmup.target_acceptance: sampler anew has none");
}

}  // namespace
}  // namespace manychain
