// Gibbs samplers, and samplers put together of others, leave their targets invariant. False alarms: z_test.hpp. Power:
// wrong_proposals_test.cpp.
#include <gtest/gtest.h>

#include "manychain/random/philox_pack.hpp"
#include "statistical/sampler_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;
using namespace manychain;

/// Every target of full conditionals.
template <class Sampler>
void expect_gibbs_invariant(const char* sampler, const double (&rate)[2]) {
  const Experiment experiment{.sampler = sampler, .chains = chains};
  expect_invariant(bivariate_target<BivariateNormal, Sampler>(), experiment, rate);
  expect_invariant(normal_gamma_target<NormalGamma, Sampler>(), experiment, rate);
  expect_invariant(spins_target<Spins, Sampler>(), experiment, rate);
  expect_invariant(mixture_target<LabelledMixture, Sampler>(), experiment, rate);
  expect_invariant(block_target<Sampler>(), experiment, rate);
}

TEST(Gibbs, systematic_scan) { expect_gibbs_invariant<Gibbs<>>("gibbs", always_accepted); }
TEST(Gibbs, random_scan) { expect_gibbs_invariant<Gibbs<RandomScan>>("random_scan_gibbs", always_accepted); }
TEST(Gibbs, parallel) { expect_gibbs_invariant<ParallelGibbs>("parallel_gibbs", moving); }

TEST(HmcThenGibbs, leaves_targets_invariant) {
  const Experiment experiment{.sampler = "hmc+gibbs", .chains = chains};
  expect_invariant(mixture_target<LabelConditional, HmcThenGibbs>(), experiment);
  expect_invariant(spins_in_field_target<HmcThenGibbs>(), experiment);
  expect_invariant(normal_gamma_target<PrecisionConditional, HmcThenGibbs>(), experiment);
}

// One after the other, also three, with and without a gradient among them.
TEST(Sequence, leaves_targets_invariant) {
  const Experiment experiment{.sampler = "sequence", .chains = chains};
  expect_invariant(bivariate_target<BivariateNormal, Sequence<Metropolis<>, Gibbs<>>>(), experiment);
  expect_invariant(spins_target<Spins, Sequence<MetropolisHastings<>, Gibbs<RandomScan>>>(), experiment);
  expect_invariant(normal_gamma_target<NormalGamma, Sequence<Hmc<>, Sequence<SingleComponent<>, Metropolis<>>>>(),
                   experiment);
}
TEST(Mixture, leaves_targets_invariant) {
  const Experiment experiment{.sampler = "mixture", .chains = chains};
  const double often[] = {0.2, 1};
  expect_invariant(bivariate_target<BivariateNormal, Mixture<Metropolis<>, Gibbs<>>>(), experiment, often);
  expect_invariant(spins_target<Spins, Mixture<MetropolisHastings<>, ParallelGibbs>>(), experiment, often);
  expect_invariant(normal_gamma_target<NormalGamma, Mixture<Gibbs<RandomScan>, Mixture<Hmc<>, SingleComponent<>>>>(),
                   experiment, often);
}

/// Leaves a mark instead of drawing: which parts of a mixture run, and with which numbers.
template <int mark>
struct Marking {
  static constexpr SamplerInfo info{.name = "marking"};
  using Fields = DensityFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 0;
  static inline int runs = 0;
  static inline std::uint32_t word = 0, shared_word = 0;
  template <class Model, class R, class N, class... F>
  static TransitionInfo<R> transition(const Model&, Chain<R, N, F...>&, const Tuning<number_of<R>>&,
                                      const Stream<R>& stream, std::uint64_t) {
    ++runs;
    Bits<R> words[4];
    stream.words(0, words);
    word = words[0].lane(0);
    Bits<Scalar<number_of<R>>> shared[4];
    stream.shared(Purpose::scan).words(0, shared);
    shared_word = shared[0].lane(0);
    return {};
  }
};

template <class Sampler>
void run_marking(int transitions) {
  using R = Scalar<double>;
  Chain<R, Size<2>, Position, LogDensity> chain{};
  const typename Sampler::template Tuning<double> tuning{};
  for (int t = 0; t < transitions; ++t)
    Sampler::transition(BivariateNormal<double>(), chain, tuning,
                        Stream<R>(4, Purpose::transition, 7, static_cast<std::uint64_t>(t)),
                        static_cast<std::uint64_t>(t));
}

// Half, a quarter, a quarter; the choice of an inner mixture does not repeat that of the outer one.
TEST(Mixture, chooses_each_part_as_often_as_it_says) {
  const int n = 40000;
  run_marking<Mixture<Marking<0>, Mixture<Marking<1>, Marking<2>>>>(n);
  const auto score = [&](int runs, double p) { return (runs - n * p) / std::sqrt(n * p * (1 - p)); };
  EXPECT_LT(std::fabs(score(Marking<0>::runs, 0.5)), threshold);
  EXPECT_LT(std::fabs(score(Marking<1>::runs, 0.25)), threshold);
  EXPECT_LT(std::fabs(score(Marking<2>::runs, 0.25)), threshold);
}

TEST(Sequence, gives_each_part_numbers_of_its_own) {
  run_marking<Sequence<Marking<3>, Sequence<Marking<4>, Sequence<Marking<5>, Marking<6>>>>>(1);
  run_marking<Sequence<Sequence<Sequence<Marking<7>, Marking<8>>, Marking<9>>, Marking<10>>>(1);
  const auto differ = [](std::vector<std::uint32_t> words) {
    std::sort(words.begin(), words.end());
    return std::adjacent_find(words.begin(), words.end()) == words.end();
  };
  EXPECT_TRUE(differ({Marking<3>::word, Marking<4>::word, Marking<5>::word, Marking<6>::word}));
  EXPECT_TRUE(
      differ({Marking<3>::shared_word, Marking<4>::shared_word, Marking<5>::shared_word, Marking<6>::shared_word}));
  EXPECT_TRUE(differ({Marking<7>::word, Marking<8>::word, Marking<9>::word, Marking<10>::word}));
}

}  // namespace
