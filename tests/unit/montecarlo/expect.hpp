// The shared part of the tests of Monte Carlo estimates.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/random/stream.hpp"

namespace manychain::montecarlo::test {

/// The message of the BadInput that `body` throws, which must be one line.
template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "no error";
}

/// n independent uniforms on (0, 1].
inline std::vector<double> uniform_draws(std::uint64_t seed, int n) {
  std::vector<double> u(static_cast<std::size_t>(n));
  uniforms(Stream<Scalar<double>>(seed, Purpose::transition, 0, 0), Size<>(n),
           [&](int i, Scalar<double> x) { u[static_cast<std::size_t>(i)] = x.v; });
  return u;
}

}  // namespace manychain::montecarlo::test
