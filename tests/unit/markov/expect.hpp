// Comparisons for the tests of finite chains.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/markov/transition_matrix.hpp"

namespace manychain::markov::test {

using Rows = std::vector<std::vector<double>>;

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

inline void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "entry " << i;
}

inline void expect_near(const Matrix& got, const Rows& expected, double tolerance) {
  ASSERT_EQ(got.rows(), expected.size());
  for (std::size_t i = 0; i < got.rows(); ++i) {
    expect_near({got.row(i), got.row(i) + got.columns()}, expected[i], tolerance);
  }
}

/// The largest |got / expected - 1|.
inline double relative_error(const std::vector<double>& got, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::fmax(worst, std::fabs(got[i] / expected[i] - 1));
  return worst;
}

/// Two states: a leads from the first to the second, b back. Known in closed form: pi = (b, a) / (a + b), and
/// P^n = 1 pi + (1 - a - b)^n (I - 1 pi).
inline TransitionMatrix two_states(double a, double b) { return TransitionMatrix(Rows{{1 - a, a}, {b, 1 - b}}); }

/// From k to k + 1 with probability `up` and to k - 1 with probability `down`, else staying, on a ring of n.
inline TransitionMatrix ring(std::size_t n, double up, double down) {
  Rows rows(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    rows[i][i] += std::fmax(1 - up - down, 0);
    rows[i][(i + 1) % n] += up;
    rows[i][(i + n - 1) % n] += down;
  }
  return TransitionMatrix(rows);
}

/// Transient {1, 2}, closed {3}, closed {4, 5}; states counted from 1.
inline TransitionMatrix two_ends() {
  return TransitionMatrix(Rows{
      {0.2, 0.3, 0.1, 0.4, 0}, {0.5, 0, 0.25, 0, 0.25}, {0, 0, 1, 0, 0}, {0, 0, 0, 0.7, 0.3}, {0, 0, 0, 0.6, 0.4}});
}

}  // namespace manychain::markov::test
