// Samplers put together: what the whole tells of its parts, and that its state is whole afterwards.
#include "manychain/samplers/sequence.hpp"

#include <gtest/gtest.h>

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
template <class Sampler>
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

}  // namespace
}  // namespace manychain
