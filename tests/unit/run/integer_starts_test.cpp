// Whole numbers start anywhere in their range, and nowhere else, whatever the radius of the other parameters is.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "manychain/chain/chain_program.hpp"
#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

template <class Number>
struct Mixed {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto k = target.integers("k", Size<3>{}, 1, 4);
    auto x = target.real("x");
    target += normal(x, k[0], 1);
    target += normal(k[1] + k[2], 0, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.components(0, Size<3>{}, [](int, const auto&) { return discrete_uniform_distribution(1, 4); });
    visitor.component(3, [](const auto&) { return normal_distribution(0, 1); });
  }
};

TEST(IntegerStarts, FillTheirRange) {
  constexpr int chains = 512, dimension = 4;
  const HostModel<Mixed<double>> host(Data{});
  for (const double radius : {0.0, 0.1, 2.0, 3.0, 10.0}) {
    std::vector<double> position(dimension * chains), density(2 * chains), flags(chains);
    ChainArrays<double> a;
    a.seed = 5;
    a.stride = a.chains = a.chains_per_group = chains;
    a.dimension = dimension;
    a.initial_radius = radius;
    a.state[0] = position.data();
    a.state[1] = density.data();
    a.counters[nonfinite_counter] = flags.data();
    std::vector<Scalar<double>> memory(4 * dimension + 64);
    for (int c = 0; c < chains; ++c)
      initialise_chains<false, Scalar<double>>(host.model, a, 100, c, Arena<Scalar<double>>{{memory.data(), 1}, 0});
    for (int i = 0; i < 3; ++i) {
      std::array<int, 5> count{};
      for (int c = 0; c < chains; ++c) {
        const double k = position[static_cast<std::size_t>(i * chains + c)];
        ASSERT_TRUE(k == 1 || k == 2 || k == 3 || k == 4) << k << " at radius " << radius;
        ++count[static_cast<std::size_t>(k)];
      }
      // Binomial of 512 and 1/4: 5 standard deviations are 49.
      for (int k = 1; k <= 4; ++k) EXPECT_NEAR(count[static_cast<std::size_t>(k)], 128, 49) << "radius " << radius;
    }
    EXPECT_LE(*std::max_element(position.end() - chains, position.end()), radius);
  }
}

TEST(IntegerStarts, GivenPointsLieInTheirRange) {
  Settings settings;
  settings.chains = 1;
  settings.sampler = "metropolis_hastings";
  settings.warmup.initial_points = {1, 4, 5, 0.5};
  EXPECT_SAYS(refusal(model_of<Mixed, "metropolis_hastings">(), settings),
              "k[3] is a whole number from 1 to 4; chain 0");
}

}  // namespace
}  // namespace manychain
