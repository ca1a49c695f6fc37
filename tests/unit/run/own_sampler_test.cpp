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

template <class Number>
struct OneNormal {
  static constexpr int dimension = 1;
  using samplers = SamplerList<Walk>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("x"), 0, 1);
  }
};

Settings by(const std::string& adaptation) {
  Settings settings;
  settings.sampler = "walk";
  settings.adaptation = adaptation;
  settings.backend = Backend::cpu;
  settings.chains = 256;
  settings.warmup = 200;
  settings.draws = 100;
  settings.seed = 1;
  return settings;
}

TEST(OwnSampler, IsTunedByTheAdaptationThatItBrings) {
  const Result result = sample(model_of<OneNormal>(), by("mine"));
  EXPECT_EQ(result.settings.target_acceptance, 0.6);
  EXPECT_NEAR(result.acceptance_rate, 0.6, 0.03);
  Settings settings = by("mine");
  settings.target_acceptance = 0.4;
  EXPECT_NEAR(sample(model_of<OneNormal>(), settings).acceptance_rate, 0.4, 0.03);
}

TEST(OwnSampler, RefusesAdaptationsThatItDoesNotBring) {
  for (const char* adaptation : {"windowed", "misspelt"})
    EXPECT_SAYS(refusal(model_of<OneNormal>(), by(adaptation)),
                "Settings::adaptation: sampler walk is not tuned by " + std::string(adaptation));
}

TEST(OwnSampler, RefusesAnAdaptationThatLooksAtProposalsItDoesNotShow) {
  EXPECT_SAYS(refusal(model_of<OneNormal>(), by("observing")), "looks at proposals, which sampler walk does not show");
}

}  // namespace
}  // namespace manychain
