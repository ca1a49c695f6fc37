// The sampler of examples/08_own_sampler.cpp leaves its target invariant, and its likeliest mistakes are caught.
#include "../../examples/08_own_sampler.hpp"
#include "statistical/invariance.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;

/// No correction for the proposal, which is not symmetric.
struct WithoutCorrection : BarkerMove {
  template <class R>
  MANYCHAIN_HD static R backward_minus_forward(R, R, R) {
    return R(0);
  }
};
/// The way back with the gradient of the point that is left.
struct GradientOfOnePoint : BarkerMove {
  template <class R>
  MANYCHAIN_HD static R backward_minus_forward(R w, R gradient, R) {
    return BarkerMove::backward_minus_forward(w, gradient, gradient);
  }
};

template <class Number>
using FourPumps = PumpFailures<Number, 4>;

/// Skew, and of unlike scales: rates are Gamma(1.8 + y, 0.9 + t), and log(rate) is the position.
template <class Move>
ExactTarget pumps_with() {
  const std::vector<double> y = {0, 1, 5, 22}, t = {15.7, 1.05, 94.3, 10.5};
  manychain::Data data;
  data.set("K", 4);
  data.set("y", y);
  data.set("t", t);
  ExactTarget target{"pumps", model_under_test<FourPumps, Barker<Move>>(data), {}, {}};
  target.draw = [=](Random& random, double* q, double* x) {
    for (std::size_t k = 0; k < y.size(); ++k) {
      x[k] = std::gamma_distribution<double>(1.8 + y[k], 1 / (0.9 + t[k]))(random);
      q[k] = std::log(x[k]);
    }
  };
  target.functions = [=](const double* x, std::vector<double>& values) {
    for (std::size_t k = 0; k < y.size(); ++k) {
      const double mean = (1.8 + y[k]) / (0.9 + t[k]), z = std::log(x[k] / mean);
      for (const double f : {x[k] / mean, z, z * z, std::cos(3 * z)}) values.push_back(f);
      if (k > 0) values.push_back(x[k] / mean * x[k - 1]);
    }
  };
  target.proposal_scale = 0.6;
  return target;
}

TEST(Barker, leaves_its_target_invariant) {
  expect_invariant(pumps_with<BarkerMove>(), {.sampler = "barker", .chains = chains});
}

template <class Move>
void expect_caught() {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Invariance found =
        test_invariance(pumps_with<Move>(), {.sampler = "barker", .precision = precision, .chains = chains});
    EXPECT_GT(found.largest(), threshold + power_margin);
    std::printf("largest |z| %.2f, acceptance %.3f\n", found.largest(), found.acceptance_rate);
  }
}
TEST(Barker, without_its_correction_is_caught) { expect_caught<WithoutCorrection>(); }
TEST(Barker, with_the_gradient_of_one_point_is_caught) { expect_caught<GradientOfOnePoint>(); }

}  // namespace
