// MALA is Hamiltonian Monte Carlo with one leapfrog step: momenta z, the step sqrt(eps), and the same ratio (Neal 2011,
// section 5.2). Both take the same words of a stream, so that they can be held together step by step: each transition
// from the same state, on a target that is no normal, once where nearly all is accepted and once where half is not.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manychain/core/pack.hpp"
#include "manychain/models/banana.hpp"
#include "manychain/random/philox_pack.hpp"
#include "manychain/samplers/hmc.hpp"
#include "manychain/samplers/langevin.hpp"

namespace manychain {
namespace {

template <class R>
class MalaIsHmc : public testing::Test {};
using Reals = testing::Types<Scalar<float>, Scalar<double>, Pack<float>, Pack<double>>;
TYPED_TEST_SUITE(MalaIsHmc, Reals);

template <class R>
struct Lanes {
  alignas(64) number_of<R> at[R::lanes];
  explicit Lanes(R x) {
    if constexpr (R::lanes == 1)
      at[0] = x.v;
    else
      store(x, at);
  }
};

TYPED_TEST(MalaIsHmc, StepByStep) {
  using R = TypeParam;
  using Number = number_of<R>;
  // The gradient is some hundreds times the steepness of the ridge, 6: its rounding, and that of a difference of log
  // densities of the same size.
  const double tolerance = 3000 * double(std::numeric_limits<Number>::epsilon());
  const models::Banana<Number> model;
  const Arena<R> no_memory;
  for (const Number eps : {Number(0.04), Number(3)}) {
    const Number root = std::sqrt(eps), scale[2] = {Number(3), Number(0.7)};
    const Number mala_step[2] = {eps * scale[0], eps * scale[1]}, hmc_step[2] = {root * scale[0], root * scale[1]};
    const StepTuning<Number> mala{eps, mala_step};
    const TrajectoryTuning<Number> hmc{root, hmc_step, root, 1};

    Chain<R, Size<2>, Position, LogDensity, Gradient> state{};
    state.position[0] = R(Number(8)), state.position[1] = R(Number(-1));
    state.log_density =
        evaluate<Request::value_and_gradient, R>(model, Size<2>{}, state.position, state.gradient, no_memory);
    double accepted = 0;
    int compared = 0;
    for (std::uint64_t t = 0; t < 500; ++t) {
      const Stream<R> stream(7, Purpose::transition, 0, t);
      auto a = state, b = state;
      const TransitionInfo<R> one = Mala<>::transition(model, a, mala, stream, t);
      const TransitionInfo<R> other = Hmc<>::transition(model, b, hmc, stream, t);
      ASSERT_EQ(Lanes<R>(other.evaluations).at[0], Number(1)) << "one leapfrog step";
      const Lanes<R> p(one.acceptance_probability), q(other.acceptance_probability);
      const Lanes<R> a_moved(select(one.accepted, R(1), R(0))), b_moved(select(other.accepted, R(1), R(0)));
      const Lanes<R> a_density(a.log_density.value()), b_density(b.log_density.value());
      for (int lane = 0; lane < R::lanes; ++lane) {
        const double size = 1 + std::fabs(double(a_density.at[lane]));
        EXPECT_NEAR(p.at[lane], q.at[lane], tolerance * size) << t;
        EXPECT_EQ(a_moved.at[lane], b_moved.at[lane]) << t;
        EXPECT_NEAR(a_density.at[lane], b_density.at[lane], tolerance * size) << t;
        for (int i = 0; i < 2; ++i) {
          const Lanes<R> x(a.position[i]), y(b.position[i]), g(a.gradient[i]), h(b.gradient[i]);
          EXPECT_NEAR(x.at[lane], y.at[lane], tolerance * (1 + std::fabs(double(x.at[lane])))) << t;
          EXPECT_NEAR(g.at[lane], h.at[lane], tolerance * (1 + std::fabs(double(g.at[lane])))) << t;
        }
        accepted += double(a_moved.at[lane]);
        ++compared;
      }
      state = a;
    }
    if (eps < 1)
      EXPECT_GT(accepted / compared, 0.8);
    else
      EXPECT_LT(accepted / compared, 0.7);
    EXPECT_GT(accepted / compared, 0.1);
  }
}

// The proposals are not always the same: two leapfrog steps, or another step, are another proposal.
TEST(MalaAndHmc, AnotherStepIsSeen) {
  using R = Scalar<double>;
  const models::Banana<double> model;
  const Arena<R> no_memory;
  const double eps = 0.04, mala_step[2] = {eps, eps}, hmc_step[2] = {eps, eps};  // not sqrt(eps)
  const StepTuning<double> mala{eps, mala_step};
  const TrajectoryTuning<double> hmc{eps, hmc_step, eps, 1};
  Chain<R, Size<2>, Position, LogDensity, Gradient> a{};
  a.position[0] = R(8), a.position[1] = R(-1);
  a.log_density = evaluate<Request::value_and_gradient, R>(model, Size<2>{}, a.position, a.gradient, no_memory);
  auto b = a;
  const Stream<R> stream(7, Purpose::transition, 0, 0);
  Mala<>::transition(model, a, mala, stream, 0);
  Hmc<>::transition(model, b, hmc, stream, 0);
  EXPECT_GT(std::fabs(a.position[0].v - b.position[0].v), 0.01);
}

}  // namespace
}  // namespace manychain
