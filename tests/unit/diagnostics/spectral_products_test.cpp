// The Fourier transform against sums of products, and the ESS that comes out of either.
#include "diagnostics/spectral_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "diagnostics/host_backend.hpp"
#include "diagnostics/rank_statistics.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using namespace manychain::diagnostics;

TEST(SpectralProducts, are_sums_of_products) {
  std::mt19937_64 random(41);
  std::normal_distribution<double> normal;
  for (std::size_t length : {1, 2, 3, 7, 64, 121, 500, 1009}) {
    for (std::size_t sequences : {1, 2, 5}) {
      std::vector<double> x(length * sequences);
      for (double& v : x) v = normal(random);
      const auto products = spectral_products(sequences, length, [&](std::size_t s, double* to) {
        for (std::size_t t = 0; t < length; ++t) to[2 * t] = x[s * length + t];
      });
      ASSERT_EQ(products.size(), length);
      for (std::size_t lag = 0; lag < length; ++lag) {
        double sum = 0;
        for (std::size_t s = 0; s < sequences; ++s) {
          for (std::size_t t = 0; t + lag < length; ++t) sum += x[s * length + t] * x[s * length + t + lag];
        }
        // Rounding: a few parts in 1e16 of the norms, which are `length` each.
        EXPECT_NEAR(products[lag], sum, 1e-14 * static_cast<double>(length * sequences)) << length << " " << lag;
      }
    }
  }
}

TEST(SpectralProducts, direct_lags_stay_below_the_length_of_long_chains_only) {
  EXPECT_GE(direct_lags(10, price_of_product), 10u);  // never worth it
  EXPECT_LT(direct_lags(10000, price_of_product), 300u);
  EXPECT_GT(direct_lags(10000, price_of_indicator_product), direct_lags(10000, price_of_product));
}

struct DirectBackend : HostBackend {
  static constexpr bool spectral = false;
};

TEST(SpectralProducts, give_the_same_ess) {
  for (double grid : {0.0, 0.1}) {
    for (double phi : {0.99, 0.999, 0.9999}) {
      const auto draws = test_draws::autoregressions<float>(12000, 1, 3, phi, 42, grid);
      RankStatisticsOf<HostBackend, float, std::uint32_t> fast(draws.view());
      RankStatisticsOf<DirectBackend, float, std::uint32_t> plain(draws.view());
      fast.load(0);
      plain.load(0);
      EXPECT_NEAR(fast.ess_mean() / plain.ess_mean(), 1, 1e-12) << phi;
      EXPECT_NEAR(fast.ess_sd() / plain.ess_sd(), 1, 1e-12) << phi;
      EXPECT_NEAR(fast.ess_bulk() / plain.ess_bulk(), 1, 1e-12) << phi;
      for (double p : {0.05, 0.5, 0.95}) {
        EXPECT_NEAR(fast.ess_quantile(p) / plain.ess_quantile(p), 1, 1e-12) << phi << " " << p;
      }
    }
  }
}

}  // namespace
