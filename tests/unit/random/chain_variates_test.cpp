// Random numbers that the host makes in lanes are those of a stream of each chain.
#include "random/chain_variates.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"

namespace manychain::test {
namespace {

constexpr ChainsOfStream chains{0x0123456789abcdef, Purpose::annealing, 0xffff'fffd, 77};
constexpr double rounding = 1e-14;

Stream<Scalar<double>> stream_of(std::size_t chain) {
  return {chains.seed, chains.purpose, chains.first + chain, chains.transition};
}

// Vectors of an odd and an even length, of fewer chains than lanes and of more.
TEST(ChainVariates, are_those_of_streams) {
  for (const std::size_t n : {1u, 2u, 7u, 10u})
    for (const std::size_t count : {1u, 3u, 8u, 21u}) {
      std::vector<double> normals(count * n), beside(count), u(count * n);
      chain_normals(chains, count, n, normals.data(), beside.data());
      chain_uniforms(chains, count, n, u.data());
      for (std::size_t c = 0; c < count; ++c) {
        const Size<dynamic> size(static_cast<int>(n));
        const double of_stream = normals_and_uniform(stream_of(c), size, [&](int i, Scalar<double> z) {
                                   EXPECT_NEAR(normals[c * n + static_cast<std::size_t>(i)], z.v, rounding);
                                 }).v;
        EXPECT_EQ(beside[c], of_stream);
        uniforms(stream_of(c), size,
                 [&](int i, Scalar<double> x) { EXPECT_EQ(u[c * n + static_cast<std::size_t>(i)], x.v); });
      }
    }
}

// A chain's numbers do not depend on the chains beside it.
TEST(ChainVariates, are_the_same_in_any_lane) {
  constexpr std::size_t n = 5, count = 20, from = 3;
  std::vector<double> all(count * n), some((count - from) * n);
  chain_normals(chains, count, n, all.data());
  ChainsOfStream later = chains;
  later.first += from;
  chain_normals(later, count - from, n, some.data());
  EXPECT_EQ(std::vector<double>(all.begin() + from * n, all.end()), some);
}

}  // namespace
}  // namespace manychain::test
