// Modes that are so narrow in many directions that no search by values of the density finds them: a model says that
// they are parts of a mixture.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "../bench/modes/models.hpp"
#include "manychain/manychain.hpp"
#include "unit/tempering/mixture_prior.hpp"

namespace manychain::test {
namespace {

/// Looks take points on diagonals: no mode that is to be found by its part alone may lie there. 1 of the first.
double in_no_plain_direction(std::size_t i) { return (i % 2 == 0 ? 1 : -1) * (1 - 0.25 * static_cast<double>(i % 3)); }

/// A share of 0.6 of width 1 around 0, and one of 0.4 and `width` whose first mean is `at`.
struct Narrow {
  int dimension;
  double width, at;

  Model model() const {
    Data data;
    data.set("K", 2);
    data.set("D", dimension);
    data.set("log_w", {std::log(0.6), std::log(0.4) - dimension * std::log(width)});
    data.set("sd", {1, width});
    const auto d = static_cast<std::size_t>(dimension);
    std::vector<double> mean(2 * d);
    for (std::size_t i = 0; i < d; ++i) mean[d + i] = at * in_no_plain_direction(i);
    data.set("mean", mean, {2, d});
    return manychain::model<Normals>(data);
  }
  double log_z() const { return 0.5 * dimension * std::log(2 * M_PI); }
};
void PrintTo(const Narrow& of, std::ostream* to) {
  *to << of.dimension << " dimensions, " << of.width << " at " << of.at;
}
// The last two lie within the wide part: on its shoulder, and at its centre.
constexpr Narrow targets[] = {{2, 0.001, 9}, {5, 0.1, -9}, {10, 0.01, 9}, {30, 0.2, 9}, {10, 0.1, 0.5}, {10, 0.2, 0}};

Settings usual(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.seed = seed;
  return s;
}

class NarrowParts : public testing::TestWithParam<Narrow> {};
INSTANTIATE_TEST_SUITE_P(Parts, NarrowParts, testing::ValuesIn(targets),
                         [](const auto& of) { return "case_" + std::to_string(of.index + 1); });

TEST_P(NarrowParts, are_named_by_runs_at_the_defaults) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Result r = sample(GetParam().model(), usual(seed));
    EXPECT_FALSE(r.converged) << seed;
    ASSERT_EQ(r.posterior.modes.missed.size(), 1u) << seed;
  }
}

// Errors of means are those of the shares: within four of them, but by a chance of one in 16 000.
TEST_P(NarrowParts, have_their_share_by_tempering) {
  Settings settings = usual(1);
  settings.sampler = "tempering";
  const Result r = sample(GetParam().model(), settings);
  EXPECT_TRUE(r.converged) << r.verdict().text();
  const VariableSummary& x = r.summary[0].statistics;
  const double at = GetParam().at, width = GetParam().width;
  EXPECT_NEAR(x.mean, 0.4 * at, 4 * x.mcse_mean);
  EXPECT_NEAR(x.sd, std::sqrt(0.6 + 0.4 * width * width + 0.24 * at * at), 4 * x.mcse_sd);
  EXPECT_NEAR(r.sampling.tempering.log_z, GetParam().log_z(), 4 * r.sampling.tempering.error);
}

// The integral of a density without data terms is that of all of it: nothing is a prior that is to be subtracted.
TEST_P(NarrowParts, have_their_part_of_the_evidence) {
  const Evidence found = evidence(GetParam().model(), usual(1));
  EXPECT_NEAR(found.log_evidence(), GetParam().log_z(), 4 * found.error());
  EXPECT_LT(found.error(), 0.1);
  EXPECT_FALSE(found.prior_counts);
}

// A prior is annealed by itself, and has parts as the posterior does.
TEST(NarrowParts, of_a_prior_belong_to_its_integral) {
  Data data;
  data.set("y", 0.5);
  std::vector<double> narrow_means(10);
  for (std::size_t i = 0; i < narrow_means.size(); ++i) narrow_means[i] = 4 * in_no_plain_direction(i);
  data.set("narrow", narrow_means);
  const Evidence found = evidence(manychain::model<MixturePrior>(data), usual(1));
  const auto normal = [](double z, double sd) { return std::exp(-0.5 * z * z / (sd * sd)) / sd / std::sqrt(2 * M_PI); };
  EXPECT_NEAR(found.prior.log_z, 0, 4 * found.prior.error);
  EXPECT_FALSE(found.prior_counts);
  const double exact = std::log(0.5 * normal(4.5, std::sqrt(2.0)) + 0.5 * normal(3.5, std::sqrt(1.0001)));
  EXPECT_NEAR(found.log_evidence(), exact, 4 * found.error());
  EXPECT_LT(found.error(), 0.1);
}

}  // namespace
}  // namespace manychain::test
