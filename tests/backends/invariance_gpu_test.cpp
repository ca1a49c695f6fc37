// Every sampler leaves its target invariant on a GPU, too: the tests of tests/statistical, with their thresholds,
// number of chains and power. The state lies in registers (normal, banana, funnel) or in memory (a normal of no fixed
// size).
#include "backends/gpu.hpp"
#include "statistical/exact_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;

class InvarianceOnGpu : public GpuTest {
 protected:
  static void expect_invariant(const ExactTarget& target) {
    for (const char* sampler : {"metropolis", "hmc"})
      for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
        const Invariance found =
            test_invariance(target, {.sampler = sampler, .precision = precision, .chains = chains, .cuda = true});
        EXPECT_LT(found.largest(), threshold) << target.name << ", " << sampler;
        EXPECT_GT(found.acceptance_rate, 0.2);
        EXPECT_LT(found.acceptance_rate, 0.995);
      }
  }
};

TEST_F(InvarianceOnGpu, normal) { expect_invariant(normal_target()); }
TEST_F(InvarianceOnGpu, banana) { expect_invariant(banana_target()); }
TEST_F(InvarianceOnGpu, funnel) { expect_invariant(funnel_target()); }

TEST_F(InvarianceOnGpu, normal_in_memory) {
  constexpr std::size_t n = 12;  // no size of its own: the variant for any
  manychain::Data data;
  data.set("D", n);
  ExactTarget target = normal_target();
  target.model = manychain::builtin_model("normal", data);
  target.draw = [](Random& random, double* q, double* x) {
    standard_normals(random, q, n);
    std::copy_n(q, n, x);
  };
  target.functions = [](const double* x, std::vector<double>& values) { normal_functions(x, n, values); };
  expect_invariant(target);
}

}  // namespace
