// Samplers put together: what the whole tells of its parts, and that its state is whole afterwards.
#include "manychain/samplers/sequence.hpp"

#include <gtest/gtest.h>

#include "manychain/samplers/langevin.hpp"

namespace manychain {
namespace {

using R = Scalar<double>;

struct NeverMoves {
  static constexpr SamplerInfo info{.name = "never_moves"};
  using Fields = GradientFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 0;
  template <class Model, class N, class... F>
  static TransitionInfo<R> transition(const Model&, Chain<R, N, F...>&, const Tuning<double>&, const Stream<R>&,
                                      std::uint64_t) {
    return {false, false, R(0), R(0)};
  }
};

/// Moves to (1, 2), and leaves a log density that is none.
struct LeavesNoDensity : NeverMoves {
  using Fields = DensityFields;
  static constexpr bool leaves_no_density = true;
  template <class Model, class N, class... F>
  static TransitionInfo<R> transition(const Model&, Chain<R, N, F...>& chain, const Tuning<double>&, const Stream<R>&,
                                      std::uint64_t) {
    for (int i = 0; i < 2; ++i) chain.position[i] = R(i + 1);
    chain.log_density = Compensated<R>();
    return {true, false, R(1), R(0)};
  }
};

struct Proposes : NeverMoves {
  static constexpr SamplerInfo info{.name = "proposes", .draws_from = DrawsFrom::proposal};
};

/// Independent normals; counts how often its density is asked for.
struct Pair {
  static constexpr int dimension = 2;
  int* evaluations;
  template <class Target>
  void log_density(Target& to) const {
    ++*evaluations;
    to += normal(to.vector("x", Size<2>{}), 0, 1);
  }
  template <class Visitor>
  void conditionals(Visitor& visitor) const {
    visitor.components(0, Size<2>{}, [](int, const auto&) { return normal_distribution(0, 1); });
  }
};

struct Outcome {
  TransitionInfo<R> info;
  Chain<R, Size<2>, Position, LogDensity, Gradient> chain;
  int evaluations = 0;
};
template <class Sampler, class Outcome = Outcome>
Outcome run() {
  Outcome o{};
  o.info = Sampler::transition(Pair{&o.evaluations}, o.chain, typename Sampler::template Tuning<double>{},
                               Stream<R>(1, Purpose::transition, 0, 0), 0);
  return o;
}

// Gibbs always accepts: a chain whose other block is stuck is stuck.
TEST(Sequence, one_part_that_stays_is_seen_beside_one_that_always_moves) {
  EXPECT_FALSE((run<Sequence<NeverMoves, Gibbs<>>>().info.accepted));
  EXPECT_FALSE((run<Sequence<Gibbs<>, NeverMoves>>().info.accepted));
  EXPECT_TRUE((run<Sequence<Gibbs<>, Gibbs<RandomScan>>>().info.accepted));
}

// One evaluation after Gibbs, and it leaves the density and the gradient of the state behind.
TEST(Sequence, gibbs_leaves_the_gradient_for_the_other_part) {
  const Outcome o = run<Sequence<NeverMoves, Gibbs<>>>();
  EXPECT_EQ(o.evaluations, 1);
  double squares = 0;
  for (int i = 0; i < 2; ++i) {
    const double x = o.chain.position[i].v;
    EXPECT_NE(x, 0);
    EXPECT_DOUBLE_EQ(o.chain.gradient[i].v, -x);
    squares += x * x;
  }
  EXPECT_NEAR(o.chain.log_density.value().v, -0.5 * squares - std::log(2 * std::acos(-1.0)), 1e-14);
}

// The next part would compare its proposals with a density of zero.
TEST(Sequence, a_part_that_leaves_no_log_density_is_followed_by_an_evaluation) {
  struct OfDensity {
    TransitionInfo<R> info;
    Chain<R, Size<2>, Position, LogDensity> chain;
    int evaluations = 0;
  };
  static_assert(detail::leaves_no_density<Sgld> && !detail::leaves_no_density<Gibbs<>>);
  const double expected = -2.5 - std::log(2 * std::acos(-1.0));
  const auto o = run<Sequence<LeavesNoDensity, LeavesNoDensity>, OfDensity>();
  EXPECT_EQ(o.evaluations, 2);
  EXPECT_NEAR(o.chain.log_density.value().v, expected, 1e-14);
  const Outcome with_gradient = run<Sequence<LeavesNoDensity, NeverMoves>>();
  EXPECT_EQ(with_gradient.evaluations, 1);
  EXPECT_NEAR(with_gradient.chain.log_density.value().v, expected, 1e-14);
  EXPECT_EQ(with_gradient.chain.gradient[1].v, -2);
}

// Random words are counted for each of them.
TEST(Sequence, has_the_sources_of_all_of_its_parts) {
  constexpr SamplerInfo three = Sequence<Sequence<NeverMoves, Gibbs<>>, Mixture<Proposes, Gibbs<RandomScan>>>::info;
  static_assert(three.draws_variates_from(DrawsFrom::conditionals));
  static_assert(three.draws_variates_from(DrawsFrom::conditionals_at_random));
  static_assert(three.draws_variates_from(DrawsFrom::proposal));
  static_assert(!three.draws_variates_from(DrawsFrom::model));
  static_assert(!moves_by_density(three, false));
  static_assert(moves_by_density(Sequence<NeverMoves, Proposes>::info, false));
}

}  // namespace
}  // namespace manychain
