// Which samplers a model is compiled for: those that manychain_add_model() names, those that its class names, or the
// default; and what is said of one that it is not compiled for.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

template <class Number>
struct Density {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += normal(x, 0, 1);
  }
};

template <class Number>
struct WithConditionals : Density<Number> {
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(0, 1); });
  }
};

template <class Number>
struct OwnList : Density<Number> {
  using samplers = SamplerList<Mala<>, Metropolis<>>;
};

template <class Number>
struct Score {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD void score(const Q& q, G& g) const {
    g[0] = -q[0];
  }
};

template <class Chosen, class... Samplers>
constexpr bool are = std::is_same_v<Chosen, SamplerList<Samplers...>>;

static_assert(are<ChosenSamplers<Density<float>>, Hmc<>, Metropolis<>>);
static_assert(are<ChosenSamplers<WithConditionals<float>>, Hmc<>, Metropolis<>, Gibbs<>>);
static_assert(are<ChosenSamplers<OwnList<float>>, Mala<>, Metropolis<>>, "the class's own, in its order");
static_assert(are<ChosenSamplers<Score<float>>, Ula>, "nothing usual fits: all that do");
static_assert(are<ChosenSamplers<Density<float>, "mala", "single_component">, Mala<>, SingleComponent<>>);
static_assert(are<ChosenSamplers<OwnList<float>, "metropolis">, Metropolis<>>);
static_assert(has_sampler<Density<float>, "mala">);
static_assert(!has_sampler<Density<float>, "gibbs">, "it has no conditionals");
static_assert(!has_sampler<Density<float>, "nuts">);
static_assert(!has_sampler<OwnList<float>, "hmc">, "not of the class's list");
static_assert(are<ScalarAmong<SamplerList<Mala<>, Metropolis<>>>, Metropolis<>>);

Settings with(const std::string& sampler, bool scalar = false) {
  Settings settings;
  settings.sampler = sampler;
  settings.backend = Backend::cpu;
  settings.scalar = scalar;
  settings.chains = 64;
  settings.warmup.transitions = 20;
  settings.sampling.draws = 10;
  settings.threads = 1;
  return settings;
}

TEST(ChosenSamplers, RunAndNoOthers) {
  EXPECT_EQ(refusal(model_of<Density>(), with("hmc")), "nothing was thrown");
  EXPECT_EQ(refusal(model_of<WithConditionals>(), with("gibbs")), "nothing was thrown");
  EXPECT_EQ(refusal(model_of<Density, "mala">(), with("mala")), "nothing was thrown");
  EXPECT_SAYS(refusal(model_of<Density, "mala">(), with("hmc")),
              "model under_test was not compiled for sampler hmc: say SAMPLERS hmc in its manychain_add_model(), "
              "--sampler hmc to manychain build, or samplers of CompileSettings to compile_model()");
  EXPECT_SAYS(
      refusal(model_of<Density>(), with("metropolis", true)),
      "was not compiled for one chain per lane with sampler metropolis: say SCALAR in its manychain_add_model()");
}

// Nothing of a unit that is compiled for an instruction set runs on a CPU without it.
TEST(ChosenSamplers, AnInstructionSetThatIsNotThereIsSaidFirst) {
  using Single = VariantList<Density<float>>;
  using Double = VariantList<Density<double>>;
  ModelFunctions functions = model_functions<Single, Double>(nullptr, nullptr);
  functions.require_instruction_set = [] { throw BadInput("this CPU does not have it"); };
  functions.check = [](const Data&) -> std::vector<DependentScale> {
    ADD_FAILURE() << "the data are looked at";
    return {};
  };
  functions.facts = [](const Data&) -> UnitFacts {
    ADD_FAILURE() << "the model is looked at";
    return {};
  };
  try {
    bind_generated("old", Data(), {}, functions);
    FAIL() << "nothing was thrown";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "this CPU does not have it");
  }
}

}  // namespace
}  // namespace manychain
