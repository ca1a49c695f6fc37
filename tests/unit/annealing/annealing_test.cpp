// Evidences by annealing against integrals that are known, over seeds: errors are as large as they are said to be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"
#include "annealing/look_again.hpp"
#include "manychain/core/error.hpp"
#include "unit/annealing/targets.hpp"

namespace manychain::test {
namespace {

/// In 40 seeds an rms of 1 exceeds 1.3 once in 240, one of 1.1 once in 20, and one of 1.7 falls below it once in 60
/// (chi-squared). The first 40 seeds of the normals in 40 dimensions have 1.32 and 200 seeds 1.09; in 100 seeds an rms
/// of 1.09 exceeds 1.3 once in 300.
std::uint64_t seeds_of(const KnownIntegral& known) { return known.name == "normals, 40" ? 100 : 40; }

AnnealingWanted wanted_for(std::uint64_t seed) {
  AnnealingWanted wanted;
  wanted.seed = seed;
  wanted.threads = 2;
  return wanted;
}

ReferenceWanted paths_for(const Model& model, std::uint64_t seed) {
  ReferenceWanted wanted;
  const std::size_t d = model.layout().dimension;
  for (std::size_t p = 0; p < 16; ++p) {
    wanted.from.emplace_back(d);
    for (std::size_t i = 0; i < d; ++i)
      wanted.from[p][i] = 2 * std::sin(static_cast<double>(1 + p + 17 * i + 101 * seed));
  }
  wanted.seed = seed;
  wanted.threads = 2;
  return wanted;
}
Reference reference_of(const Model& model, std::uint64_t seed) {
  return find_reference(model, paths_for(model, seed)).reference;
}

// A mode of half of the mass, a quarter as wide, 8 apart in five dimensions. find_reference() misses it from 26 seeds
// of 60 and the look from the particles finds it then from 15 of these (measured). Of 40 seeds 43 % are fewer than 8
// once in 600 times, and 25 % fewer than 3 once in 500; without that look none are found.
TEST(LookAgain, finds_what_the_first_looks_have_missed) {
  std::vector<double> away(5);
  for (std::size_t i = 0; i < 5; ++i)
    away[i] = (i % 2 ? -1 : 1) * std::sqrt(20.0) * (0.6 + 0.1 * static_cast<double>(i));
  const Model model = mixture_of({{0.5, 1, std::vector<double>(5, 0.3)}, {0.5, 0.25, away}});
  std::size_t missed = 0, found_then = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ReferenceWanted paths = paths_for(model, seed);
    const AnnealedWay way = anneal_behind_looks(model, paths, wanted_for(seed));
    const bool lacks = find_reference(model, paths).modes == 1;
    missed += lacks;
    found_then += lacks && way.found.modes == 2;
    EXPECT_LE(way.found.modes, 2u);
    EXPECT_GT(way.evaluations, way.found.evaluations + way.schedule.evaluations + way.annealed.evaluations);
  }
  RecordProperty("missed", std::to_string(missed));
  RecordProperty("found_then", std::to_string(found_then));
  EXPECT_GE(missed, 8u) << "the first looks suffice, and this test says nothing";
  EXPECT_GE(found_then, 3u);
}

// 25 modes on a grid, of which no list of parts has all: one normal goes around them, and particles weigh them.
TEST(LookAgain, goes_around_more_modes_than_there_are_parts) {
  std::vector<NormalComponent> modes;
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) modes.push_back({0.04, 0.1, {4.0 * i, 4.0 * j}});
  const Model model = mixture_of(modes);
  const AnnealedWay way = anneal_behind_looks(model, paths_for(model, 1), wanted_for(1));
  EXPECT_TRUE(way.found.around_many);
  EXPECT_EQ(way.found.modes, 1u);
  EXPECT_GT(way.found.centres.size(), 14u);
  const double log_z = std::log(2 * std::acos(-1.0));
  EXPECT_NEAR(way.annealed.log_z, log_z, 4 * way.annealed.error);
  EXPECT_LT(way.annealed.error, 0.1);
}

class Integrals : public testing::TestWithParam<KnownIntegral> {};

TEST_P(Integrals, are_found_with_the_error_that_is_said) {
  const KnownIntegral& known = GetParam();
  const std::uint64_t seeds = seeds_of(known);
  double squares = 0, ratio = 0, largest = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const AnnealingWanted wanted = wanted_for(seed);
    const Reference reference = reference_of(known.model, seed);
    const AnnealingSchedule schedule = find_schedule(known.model, reference, wanted);
    const Annealed annealed = anneal(known.model, reference, schedule, wanted);
    const double z = (annealed.log_z - known.log_z) / annealed.error;
    squares += z * z / static_cast<double>(seeds);
    ratio += std::exp(annealed.log_z - known.log_z) / static_cast<double>(seeds);
    largest = std::max(largest, annealed.error);
  }
  RecordProperty("rms_z", std::to_string(std::sqrt(squares)));
  RecordProperty("largest_error", std::to_string(largest));
  EXPECT_LT(std::sqrt(squares), 1.3);
  EXPECT_LT(largest, 0.2);
  EXPECT_NEAR(ratio, 1, 4 * largest / std::sqrt(static_cast<double>(seeds))) << "the mean of Z is the integral";
}

std::string name_of(const testing::TestParamInfo<KnownIntegral>& info) {
  std::string name = info.param.name;
  std::erase(name, ',');
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Integrals,
                         testing::Values(chain_of_normals(1), chain_of_normals(10), chain_of_normals(40),
                                         half_normals(3), funnel(5), wide_and_narrow(), small_in_50_dimensions(),
                                         three_modes()),
                         name_of);

TEST(Annealing, that_goes_back_finds_the_same_integral) {
  // Exact draws of a normal, of which the reference knows the place and half of the width.
  const KnownIntegral known = chain_of_normals(1);
  const Reference reference({diagonal_part(1, {3}, {0.005})});
  const AnnealingWanted wanted = wanted_for(1);
  const std::vector<double> draws = Reference({diagonal_part(1, {3}, {0.01})}).draw(77, 0, 1024);
  const AnnealingSchedule schedule = find_schedule(known.model, reference, wanted);
  const Annealed back = anneal_back(known.model, reference, schedule, draws, wanted);
  EXPECT_NEAR(back.log_z, known.log_z, 4 * back.error);
  EXPECT_LT(back.error, 0.1);
}

TEST(Annealing, outside_of_the_support_fails_in_words) {
  const Reference reference({diagonal_part(1, {-1000}, {0.01})});
  EXPECT_THROW(find_schedule(half_normals(1).model, reference, wanted_for(1)), SamplingFailed);
}

TEST(Annealing, takes_islands_of_one_particle_or_more) {
  AnnealingWanted wanted = wanted_for(1);
  wanted.particles = 8;
  EXPECT_THROW(find_schedule(half_normals(1).model, Reference({diagonal_part(1, {1}, {1})}), wanted), BadInput);
}

TEST(Annealing, resamples_by_weights) {
  Annealed some;
  some.points = {1, 2, 3, 4};
  for (const double weight : {0.1, 0.2, 0.3, 0.4}) some.log_weights.push_back(std::log(weight));
  std::vector<double> points = resampled_points(some, 100, 3);
  for (const double x : {1.0, 2.0, 3.0, 4.0}) EXPECT_NEAR(std::count(points.begin(), points.end(), x), 10 * x, 1);
}

}  // namespace
}  // namespace manychain::test
