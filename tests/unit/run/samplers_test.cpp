// The messages of the host on samplers: what is missing is named before a run, a violated envelope after it, and what
// fits runs.
#include <gtest/gtest.h>

#include <cmath>

#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

Settings with(const std::string& sampler) {
  Settings settings;
  settings.sampler = sampler;
  settings.backend = Backend::cpu;
  settings.chains = 256;
  settings.warmup.transitions = 50;
  settings.sampling.draws = 50;
  settings.seed = 1;
  return settings;
}

/// That of validate().
std::string refusal(const Settings& settings) {
  try {
    settings.validate();
  } catch (const BadInput& e) {
    return e.what();
  }
  return "nothing was thrown";
}

/// Three labels of a line of spins, and a height that depends on their sum.
template <class Number, bool all>
struct LabelsOf {
  static constexpr int dimension = 4;
  using samplers = SamplerList<Gibbs<>, ParallelGibbs, HmcThenGibbs, SingleComponent<>, Hmc<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto k = target.integers("k", Size<3>{}, 0, 1);
    auto height = target.real("height");
    target += normal(height, k[0] + k[1] + k[2], 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    // exp(-(h - s)^2 / 2) for k_i = 1 over that for 0, with the other two of sum r: h - r - 1/2.
    visitor.components(0, Size<3>{}, [](int i, const auto& q) {
      return bernoulli_logit_distribution(q[3] - q[(i + 1) % 3] - q[(i + 2) % 3] - 0.5);
    });
    if constexpr (all) visitor.component(3, [](const auto& q) { return normal_distribution(q[0] + q[1] + q[2], 1); });
  }
};
template <class Number>
struct Labels : LabelsOf<Number, true> {};
template <class Number>
struct LabelsAlone : LabelsOf<Number, false> {};

/// Labels without a conditional.
template <class Number>
struct HeightAlone {
  static constexpr int dimension = 4;
  using samplers = SamplerList<Gibbs<>, HmcThenGibbs>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    Labels<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(3, [](const auto& q) { return normal_distribution(q[0] + q[1] + q[2], 1); });
  }
};

/// An independent proposal of one of two real numbers.
template <class Number>
struct HalfProposal {
  static constexpr int dimension = 2;
  static constexpr bool independent_proposal = true;
  using samplers = SamplerList<Independence, Importance>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += normal(x, 0, 1);
    target += normal(y, 0.5 * x, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(0, 2); });
  }
};

/// Conditionals of one of two real numbers.
template <class Number>
struct HalfConditional {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Gibbs<>, Gibbs<RandomScan>, ParallelGibbs, SingleComponent<>, HmcThenGibbs>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += normal(x, 0, 1);
    target += normal(y, 0.5 * x, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(1, [](const auto& q) { return normal_distribution(0.5 * q[0], 1); });
  }
};

/// The conditional of x leads where the density is not.
template <class Number>
struct Disagreeing {
  static constexpr int dimension = 1;
  using samplers = SamplerList<SingleComponent<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += log(-x);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(5, 1); });
  }
};

/// Labels in normals that correlate, beside one component for HMC.
template <class Number>
struct CorrelatedConditionals {
  static constexpr int dimension = 3;
  using samplers = SamplerList<HmcThenGibbs>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    auto z = target.real("z");
    target += normal(x, 0, 1);
    target += normal(y, 0, 1);
    target += normal(z, y, 0.1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(1, [](const auto& q) { return normal_distribution(q[2] / 1.01, 0.0995037190); });
    visitor.component(2, [](const auto& q) { return normal_distribution(q[1], 0.1); });
  }
};

template <class Number>
struct ScoreAlone {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Ula>;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", Size<2>{});
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD void score(const Q& q, G& g) const {
    for (int i = 0; i < 2; ++i) g[i] = -q[i];
  }
};

/// x^2 exp(-x), from an exponential of rate 1/3: the ratio is largest at 3, log(27) - 2.
template <class Number>
struct Enveloped {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  using samplers = SamplerList<Rejection, Importance, Independence>;
  double log_m = 0;
  void data(DataReader& in) {
    View<const Number> read;
    in("log_m", read, Size<1>{});
    log_m = static_cast<double>(read[0].v);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += 2 * log(x) - x;
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return exponential_distribution(1.0 / 3); });
  }
  double log_envelope() const { return log_m; }
};
Model enveloped(double log_m) {
  Data data;
  data.set("log_m", std::vector<double>{log_m});
  return model_of<Enveloped>(data);
}

template <class Number>
struct Observed {
  static constexpr int dimension = 1;
  static constexpr bool minibatches = true;
  using samplers = SamplerList<Sgld, Hmc<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += normal(mu, 0, 1);
  }
};

TEST(Samplers, AreFoundByName) {
  [&]<class... Samplers>(SamplerList<Samplers...>) {
    for (const char* name : {Samplers::info.name...}) EXPECT_NE(find_sampler(name), nullptr) << name;
    EXPECT_EQ(all_samplers().size(), sizeof...(Samplers));
  }(AllSamplers{});
  EXPECT_EQ(find_sampler("nuts"), nullptr);
}

// The host says that something is missing where, and only where, the sampler is not compiled.
template <template <class> class ModelClass>
void expect_agreement(const Model& model) {
  using M = ModelClass<double>;
  const Capabilities& gives = model.bound().gives;
  [&]<class... Samplers>(SamplerList<Samplers...>) {
    const auto one = [&]<class Sampler>(std::type_identity<Sampler>) {
      EXPECT_EQ(missing_for(*find_sampler(Sampler::info.name), gives).empty(), (fits<Sampler, M>))
          << Sampler::info.name << ": " << missing_for(*find_sampler(Sampler::info.name), gives);
    };
    (one(std::type_identity<Samplers>{}), ...);
  }(AllSamplers{});
}
TEST(Samplers, WhatIsMissingAgreesWithWhatIsCompiled) {
  expect_agreement<Labels>(model_of<Labels>());
  expect_agreement<HalfConditional>(model_of<HalfConditional>());
  expect_agreement<ScoreAlone>(model_of<ScoreAlone>());
  expect_agreement<Enveloped>(enveloped(2));
  expect_agreement<Observed>(model_of<Observed>());
}

TEST(Samplers, MissingCapabilitiesAreNamed) {
  const Model normal = builtin_model("normal");
  const std::string gibbs = refusal(normal, with("gibbs"));
  EXPECT_SAYS(gibbs, "sampler gibbs needs full conditionals (a member conditionals()), which model normal does not");
  EXPECT_SAYS(gibbs, "take Settings::sampler hmc, mala, metropolis, single_component");
  EXPECT_SAYS(refusal(normal, with("metropolis_hastings")), "a proposal (a member proposal())");
  EXPECT_SAYS(refusal(normal, with("independence")), "independent_proposal = true");
  EXPECT_SAYS(refusal(normal, with("importance")), "independent_proposal = true");
  EXPECT_SAYS(refusal(normal, with("direct")), "a member draw()");
  EXPECT_SAYS(refusal(normal, with("sgld")), "data terms that may be subsampled (minibatches = true)");
  EXPECT_SAYS(refusal(model_of<ScoreAlone>(), with("hmc")), "needs a log density");
  EXPECT_SAYS(refusal(normal, with("nuts")), "nuts");
}

TEST(Samplers, WholeNumbersAreNotMovedByRealOnes) {
  const Model labels = model_of<Labels>();
  for (const char* sampler : {"hmc", "mala", "metropolis", "single_component", "ula"}) {
    const std::string message = refusal(labels, with(sampler));
    EXPECT_SAYS(message,
                std::string("sampler ") + sampler + " moves by real numbers, but model under_test has integers");
    EXPECT_TRUE(message.ends_with("take Settings::sampler gibbs, random_scan_gibbs, parallel_gibbs")) << message;
  }
}

// A sampler that moves one component after another evaluates the density for each.
TEST(Samplers, CountWhatTheyEvaluate) {
  const Model normal = builtin_model("normal", Data::from_json(R"({"D": 3})"));
  for (const auto& [sampler, each] : {std::pair("metropolis", 1u), std::pair("single_component", 3u)}) {
    Settings settings = with(sampler);
    settings.backend = Backend::cpu;
    settings.sampling.step_size = 1;
    settings.warmup.transitions = 5;
    settings.sampling.draws = 10;
    settings.chains = 32;
    EXPECT_EQ(sample(normal, settings).gradients, 15u * 32u * each) << sampler;
  }
}

// A component that the proposal does not name would never be drawn.
TEST(Samplers, IndependentProposalsNameEveryComponent) {
  for (const char* sampler : {"independence", "importance"})
    EXPECT_SAYS(refusal(model_of<HalfProposal>(), with(sampler)),
                "draws everything anew, but the proposal of model under_test does not name y");
}

// A component without a full conditional would never move.
TEST(Samplers, WhatIsLeftToConditionalsMustHaveThem) {
  for (const char* sampler : {"gibbs", "random_scan_gibbs", "parallel_gibbs", "single_component"}) {
    const std::string message = refusal(model_of<HalfConditional>(), with(sampler));
    EXPECT_SAYS(message,
                "moves x by its full conditional, which model under_test does not give: take Settings::sampler hmc, ");
    EXPECT_TRUE(message.ends_with(", hmc+gibbs, tempering, ula")) << message;
  }
  EXPECT_SAYS(refusal(model_of<HeightAlone>(), with("hmc+gibbs")), "moves k[1] by its full conditional");
  EXPECT_SAYS(refusal(model_of<HeightAlone>(), with("gibbs")), "none: it gives nothing to sample by");
  EXPECT_SAYS(refusal(model_of<Labels>(), with("hmc+gibbs")), "finds nothing for HMC");
}

TEST(Samplers, ScoreAndSchedule) {
  const Model score = model_of<ScoreAlone>();
  EXPECT_SAYS(refusal(score, with("ula")), "give Settings::sampling.step_size");
  Settings ula = with("ula");
  ula.sampling.step_size = 0.1;
  ula.warmup.transitions = 200;
  const Result result = sample(score, ula);
  EXPECT_NEAR(result.summary[0].statistics.sd, std::sqrt(1 / (1 - 0.1 / 4)), 0.05);
  EXPECT_SAYS(refusal(model_of<Observed>(), with("sgld")), "by Settings::sampling.schedule (a, b, gamma)");
}

TEST(Samplers, SchedulesThatDoNotConvergeAreRefused) {
  Settings settings = with("sgld");
  const auto at = [&](double a, double b, double gamma) {
    settings.sampling.schedule = StepSchedule{a, b, gamma};
    return refusal(settings);
  };
  EXPECT_SAYS(at(0.1, 1, 0.5), "up to 1/2 the sum of the squared steps is infinite");
  EXPECT_SAYS(at(0.1, 1, 0.3), "take more than 0.5, or 0 for a constant step");
  EXPECT_SAYS(at(0.1, 1, -1), "schedule gamma: -1");
  EXPECT_SAYS(at(0.1, 1, 1.01), "above 1 the sum of all steps is finite");
  EXPECT_SAYS(at(0.1, 1, std::nan("")), "schedule gamma: nan");
  EXPECT_SAYS(at(0, 1, 0.6), "schedule a: 0");
  EXPECT_SAYS(at(0.1, -2, 0.6), "schedule b: -2");
  for (const double gamma : {0.0, 0.51, 0.75, 1.0}) EXPECT_EQ(at(0.1, 1, gamma), "nothing was thrown") << gamma;
  settings.sampling.step_size = 0.1;
  EXPECT_SAYS(refusal(settings), "give one of them");
}

// A setting that a sampler would ignore is not what was meant.
TEST(Samplers, SchedulesAndMinibatchesAreOfSgld) {
  Settings settings = with("hmc");
  settings.sampling.minibatch = 5;
  EXPECT_SAYS(refusal(settings), "minibatch: sampler hmc has none; leave it out, or take sampler sgld");
  settings.sampling.schedule = StepSchedule{0.1, 1, 0.6};
  EXPECT_SAYS(refusal(settings), "schedule: sampler hmc has none");
  for (const char* sampler : {"sgld", "one_of_the_model"}) {
    settings.sampler = sampler;
    EXPECT_EQ(refusal(settings), "nothing was thrown") << sampler;
  }
}

TEST(Samplers, AViolatedEnvelopeIsNamedWithItsPoint) {
  const double exact = std::log(27.0) - 2;
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    Settings settings = with("rejection");
    settings.precision = precision;
    settings.chains = 1024;
    const std::string message = refusal<SamplingFailed>(enveloped(exact - 0.05), settings);
    EXPECT_SAYS(message, "the envelope is violated: the density exceeds M times the proposal's at x = ");
    EXPECT_SAYS(message, "make log_envelope() larger");
    // The point is one.
    const double x = std::stod(message.substr(message.find("x = ") + 4));
    EXPECT_GT(2 * std::log(x) - x - (std::log(1.0 / 3) - x / 3), exact - 0.05 - 1e-3) << message;

    const Result result = sample(enveloped(exact), settings);
    EXPECT_EQ(result.sampling.divergences, 0u);
    const VariableSummary& s = result.summary[0].statistics;  // gamma(3, 1)
    EXPECT_LT(std::fabs(s.mean - 3), 6.22 * std::sqrt(3.0 / (1024 * 50)));
    EXPECT_TRUE(result.converged);
    // Z / M, Z = 2: not the mean of one over the number of trials, which is 0.73.
    const double rate = 2 / std::exp(exact);
    EXPECT_LT(std::fabs(result.sampling.acceptance_rate - rate), 6.22 * std::sqrt(rate * (1 - rate) / (1024 * 50)));
  }
}

// No diagnostic shows that a sampler is biased, or that its draws must be weighed: the table says so.
TEST(Samplers, BiasedAndWeightedDrawsAreCalledThat) {
  Result result;
  result.converged = true;
  for (const SamplerInfo& sampler : all_samplers()) {
    result.settings.sampler = sampler.name;
    result.sampler = sampler;
    const std::string table = result.table();
    const std::string& name = result.settings.sampler;
    EXPECT_EQ(table.find("note: Biased: steps of " + name) != table.npos, name == "ula" || name == "sgld");
    EXPECT_EQ(table.find("note: Weighted: these are draws of the proposal") != table.npos, name == "importance");
  }
}

// From uniform starting points to the posterior, whole numbers throughout.
TEST(Samplers, SamplesDiscreteAndContinuousTogether) {
  // Three fair coins in sum, and a normal about it: the mean of the height is 3/2, its variance 3/4 + 1.
  for (const char* sampler : {"gibbs", "parallel_gibbs"}) {
    Settings settings = with(sampler);
    settings.warmup.transitions = 200;
    settings.sampling.draws = 2000;
    const Result result = sample(model_of<Labels>(), settings);
    EXPECT_LT(result.summary[3].statistics.rhat, 1.01) << sampler;
    EXPECT_LT(std::fabs(result.summary[3].statistics.mean - 1.5), 6.22 * result.summary[3].statistics.mcse_mean);
    EXPECT_NEAR(result.summary[3].statistics.sd, std::sqrt(1.75), 0.05) << sampler;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT(std::fabs(result.summary[i].statistics.mean - 0.5), 6.22 * result.summary[i].statistics.mcse_mean);
      for (std::size_t c = 0; c < settings.chains; ++c) {
        const double k = result.draws(0, i, c);
        EXPECT_TRUE(k == 0 || k == 1) << k;
      }
    }
  }
}

// There is no chain where a stray one could be put, and none of them is called converged.
TEST(Samplers, ConditionalsThatLeadNowhereAreNoPosterior) {
  Settings settings = with("single_component");
  settings.chains = 16;
  settings.warmup.transitions = 300;
  settings.sampling.draws = 20;
  EXPECT_FALSE(sample(model_of<Disagreeing>(), settings).converged);
}

// HMC moves one component of unit scale: correlations among the others do not make its trajectories longer.
TEST(Samplers, TrajectoriesAreThoseOfWhatHmcMoves) {
  Settings settings = with("hmc+gibbs");
  settings.warmup.transitions = 300;
  settings.sampling.draws = 50;
  settings.sampling.metric = MetricKind::diagonal;
  EXPECT_NEAR(sample(model_of<CorrelatedConditionals>(), settings).warmup.tuning[0].trajectory, 2.8, 0.3);
}

TEST(Samplers, SamplesWhatHasConditionalsAndWhatHasNone) {
  for (const bool labels : {true, false}) {
    Settings settings = with("hmc+gibbs");
    settings.warmup.transitions = 300;
    settings.sampling.draws = 200;
    const Result result = sample(labels ? model_of<LabelsAlone>() : model_of<HalfConditional>(), settings);
    const VariableSummary& s = result.summary.back().statistics;
    EXPECT_LT(s.rhat, 1.01);
    EXPECT_LT(std::fabs(s.mean - (labels ? 1.5 : 0)), 6.22 * s.mcse_mean);
    EXPECT_NEAR(s.sd, std::sqrt(labels ? 1.75 : 1.25), 0.05);
  }
}

}  // namespace
}  // namespace manychain
