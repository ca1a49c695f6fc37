// Evidences by annealing against integrals that are known, over seeds: errors are as large as they are said to be.
#include <gtest/gtest.h>

#include <cmath>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"
#include "manychain/core/error.hpp"
#include "unit/annealing/targets.hpp"

namespace manychain::test {
namespace {

constexpr std::uint64_t seeds = 20;

AnnealingWanted wanted_for(std::uint64_t seed) {
  AnnealingWanted wanted;
  wanted.seed = seed;
  wanted.threads = 2;
  return wanted;
}

Reference reference_of(const Model& model, std::uint64_t seed) {
  ReferenceWanted wanted;
  const std::size_t d = model.layout().dimension;
  for (std::size_t p = 0; p < 16; ++p) {
    wanted.from.emplace_back(d);
    for (std::size_t i = 0; i < d; ++i)
      wanted.from[p][i] = 2 * std::sin(static_cast<double>(1 + p + 17 * i + 101 * seed));
  }
  wanted.seed = seed;
  wanted.threads = 2;
  return find_reference(model, wanted).reference;
}

class Integrals : public testing::TestWithParam<KnownIntegral> {};

TEST_P(Integrals, are_found_with_the_error_that_is_said) {
  const KnownIntegral& known = GetParam();
  double squares = 0, weights = 0, largest = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const AnnealingWanted wanted = wanted_for(seed);
    const Reference reference = reference_of(known.model, seed);
    const AnnealingSchedule schedule = find_schedule(known.model, reference, wanted);
    const Annealed annealed = anneal(known.model, reference, schedule, wanted);
    const double z = (annealed.log_z - known.log_z) / annealed.error;
    squares += z * z / static_cast<double>(seeds);
    weights += std::exp(annealed.log_z - known.log_z) / static_cast<double>(seeds);
    largest = std::max(largest, annealed.error);
    if (seed == 1)
      printf(
          "%s: T %zu barrier %.2f ess %.0f resampled %zu evaluations %zu + %zu parts %zu log z %.3f +- %.3f (%.3f)\n",
          known.name.c_str(), schedule.inverse.size(), schedule.barrier, annealed.ess, annealed.resampled,
          schedule.evaluations, annealed.evaluations, reference.parts().size(), annealed.log_z, annealed.error,
          known.log_z);
  }
  printf("rms z %.2f, mean of ratios %.3f, largest error %.3f\n", std::sqrt(squares), weights, largest);
  EXPECT_LT(std::sqrt(squares), 1.3);
  EXPECT_LT(largest, 0.2);
}

INSTANTIATE_TEST_SUITE_P(All, Integrals,
                         testing::Values(chain_of_normals(1), chain_of_normals(10), chain_of_normals(40),
                                         half_normals(3), funnel(5), wide_and_narrow(), small_in_50_dimensions(),
                                         three_modes()));

}  // namespace
}  // namespace manychain::test
