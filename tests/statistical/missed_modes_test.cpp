// Posteriors with several modes that lie apart: how many of ten runs say so. A run that has no draws in a mode, or
// draws with other weights, must not be converged where the look for modes can reach it. docs/diagnostics.md has the
// table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "manychain/manychain.hpp"
#include "unit/run/mixtures_of_normals.hpp"

namespace manychain::test {
namespace {

constexpr std::uint64_t seeds = 10;

struct Apart {
  const char* name;
  std::vector<NormalComponent> components;
  int least;  ///< of ten runs that are not converged
};

std::vector<double> along_one(std::size_t dimension, double x) {
  std::vector<double> mean(dimension);
  mean[0] = x;
  return mean;
}

/// The normals at all orders of these means: labels that may be exchanged.
std::vector<NormalComponent> exchangeable(std::vector<double> means) {
  std::vector<NormalComponent> all;
  std::sort(means.begin(), means.end());
  do all.push_back({1, 0.5, means});
  while (std::next_permutation(means.begin(), means.end()));
  return all;
}

const std::vector<Apart>& targets() {
  static const std::vector<Apart> all = {
      {"1 dimension, widths 1 and 0.1, 20 sds apart", {{0.5, 1, {0}}, {0.5, 0.1, {20}}}, 10},
      {"2, widths 1 and 0.1, 14 sds", {{0.5, 1, {-5, -5}}, {0.5, 0.1, {5, 5}}}, 10},
      {"2, widths 1 and 0.1, 15 sds", {{0.5, 1, {-6, 3}}, {0.5, 0.1, {5, -7}}}, 10},
      {"2, a mode of 5 %, 10 sds", {{0.95, 1, {0, 0}}, {0.05, 1, {7, 7}}}, 10},
      {"2, width 0.3, 10 %, 12 sds", {{0.9, 1, {-3, 4}}, {0.1, 0.3, {6, -4}}}, 10},
      {"3, three modes", {{0.4, 1, {0, 0, 0}}, {0.3, 1, {12, 0, -3}}, {0.3, 0.5, {-4, 14, 6}}}, 10},
      {"3, labels of three components exchanged", exchangeable({-6, 0, 7}), 10},
      {"5, 100 sds", {{0.5, 1, alternating(5, 0, 0)}, {0.5, 1, alternating(5, -50, 40)}}, 10},
      {"10, a mode of 5 %, 10 sds", {{0.95, 1, along_one(10, 0)}, {0.05, 1, along_one(10, 10)}}, 10},
      {"20, width 3, 22 sds", {{0.5, 1, alternating(20, 0, 0)}, {0.5, 3, alternating(20, 4, -6)}}, 10},
      {"50, a mode of 5 %, 8 sds", {{0.95, 1, alternating(50, 0, 0)}, {0.05, 1, alternating(50, -1.4, 0.8)}}, 10},
      {"50, width 5, 36 sds", {{0.5, 1, alternating(50, 0, 0)}, {0.5, 5, alternating(50, 4, -6)}}, 10},
      {"10, widths 1 and 0.5, 15 sds along one", {{0.5, 1, along_one(10, 0)}, {0.5, 0.5, along_one(10, 15)}}, 6},
      {"50, widths 1 and 0.5, 12 sds along one", {{0.5, 1, along_one(50, 0)}, {0.5, 0.5, along_one(50, 12)}}, 2},
      // Out of reach, and here to say so: narrower in many directions.
      {"5, widths 1 and 0.1, 9 sds", {{0.5, 1, alternating(5, 0, 0)}, {0.5, 0.1, alternating(5, -4, 4)}}, 0},
      {"20, widths 1 and 0.7, 15 sds", {{0.7, 1, alternating(20, -1, 0.3)}, {0.3, 0.7, alternating(20, 3.1, -2.4)}}, 0},
  };
  return all;
}

TEST(MissedModes, are_named_by_runs_that_lack_them) {
  for (const Apart& target : targets()) {
    int named = 0;
    double shares = 0;
    int of_shares = 0;
    const Model model = mixture_of(target.components);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      Settings settings;
      settings.backend = Backend::cpu;
      settings.seed = seed;
      const Result r = sample(model, settings);
      named += !r.converged;
      for (const MissedMode& mode : r.posterior.modes.missed) shares += mode.share, ++of_shares;
    }
    std::printf("%-50s not converged %2d of %d, mean share %.3f\n", target.name, named, int(seeds), shares / of_shares);
    EXPECT_GE(named, target.least) << target.name;
  }
}

}  // namespace
}  // namespace manychain::test
