// Properties that statistics owe to the way they are made: ranks know no monotone map, nothing knows an affine map or
// the order of the chains.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/diagnostics/draws.hpp"
#include "unit/diagnostics/statistics.hpp"

namespace {

using namespace manychain::diagnostics;
using test_draws::autoregressions;

struct Shape {
  std::size_t draws, chains;
  double coefficient;
};
class Properties : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Properties,
                         testing::Values(Shape{101, 7, 0.6}, Shape{120, 9, 0.5}, Shape{1000, 1, -0.5},
                                         Shape{4000, 3, 0.999}, Shape{20, 999, 0.3}));

TEST_P(Properties, ranks_survive_a_monotone_map) {
  const Shape p = GetParam();
  const auto draws = autoregressions<double>(p.draws, 1, p.chains, p.coefficient, 31);
  auto rising = draws, falling = draws;
  for (double& x : rising.values) x = std::exp(2 * x);
  for (double& x : falling.values) x = -x * x * x;
  const QuantityView a = quantity(draws.view(), 0), b = quantity(rising.view(), 0), c = quantity(falling.view(), 0);
  EXPECT_EQ(rhat_bulk(a), rhat_bulk(b));
  EXPECT_EQ(ess_bulk(a), ess_bulk(b));
  EXPECT_EQ(ess_tail(a), ess_tail(b));
  EXPECT_EQ(ess_median(a), ess_median(b));
  // Scores change their signs and keep all digits.
  EXPECT_EQ(rhat_bulk(a), rhat_bulk(c));
  EXPECT_EQ(ess_bulk(a), ess_bulk(c));
}

TEST_P(Properties, affine_maps_and_the_order_of_chains) {
  const Shape p = GetParam();
  auto draws = autoregressions<double>(p.draws, 1, p.chains, p.coefficient, 32);
  for (double& x : draws.values) x = std::round(x * 65536) / 65536;  // so that the map is exact
  const auto moved = test_draws::from(1000 + 8 * test_draws::shuffled(draws.of(0), 1));
  const QuantityView a = quantity(draws.view(), 0), b = quantity(moved.view(), 0);
  for (const auto& s : test_draws::dimensionless) {
    if (p.chains == 1 && s.of == rhat_plain) continue;
    EXPECT_NEAR(s.of(b) / s.of(a), 1, 1e-10) << s.name;
  }
  for (const auto& s : test_draws::scaled) EXPECT_NEAR(s.of(b) / s.of(a), 8, 1e-9) << s.name;
}

TEST_P(Properties, superchains_in_any_order) {
  const Shape p = GetParam();
  if (p.chains < 3) return;
  const auto draws = autoregressions<double>(p.draws, 1, p.chains, p.coefficient, 33);
  const QuantityView x = quantity(draws.view(), 0);
  std::vector<std::size_t> label, other;
  for (std::size_t c = 0; c < p.chains; ++c) {
    label.push_back(c % 3);
    other.push_back(17 - c % 3);
  }
  EXPECT_NEAR(rhat_nested(x, label) / rhat_nested(x, other), 1, 1e-13);
}

}  // namespace
