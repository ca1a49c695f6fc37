// The distribution that annealing begins with.
#include "annealing/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace manychain::test {
namespace {

constexpr std::size_t d = 3;

std::vector<double> covariance(double times) {
  std::vector<double> c = {4, 1.2, -0.3, 1.2, 1, 0.2, -0.3, 0.2, 0.25};
  for (double& x : c) x *= times;
  return c;
}

double log_density(const Reference& reference, const std::vector<double>& x, double* gradient) {
  double value = 0;
  reference.evaluate(x.data(), 1, &value, gradient);
  return value;
}

// Two parts of one shape, one of that shape elsewhere, one of another shape at that place, a diagonal one.
TEST(Reference, of_parts_alike_is_the_sum_of_its_parts) {
  const std::vector<double> here = {1, -2, 0.5}, there = {3, -2, 0.5};
  std::vector<double> other = covariance(1);
  other[1] = other[3] = -1;
  const std::vector<ReferencePart> parts = {
      normal_part(0.4, here, covariance(1)), normal_part(0.2, here, covariance(9)),
      normal_part(0.15, there, covariance(1)), normal_part(0.15, here, other), diagonal_part(0.1, here, {10, 10, 10})};
  const Reference all(parts);
  for (const std::vector<double>& x : {std::vector<double>{1.5, -2, 0.4}, {5, 0, -1}, {-20, 7, 3}}) {
    double sum = 0, gradient[d], of_part[d];
    std::vector<double> expected(d);
    const double value = log_density(all, x, gradient);
    for (const ReferencePart& part : parts) {
      const double share = part.share * std::exp(log_density(Reference({part}), x, of_part));
      sum += share;
      for (std::size_t i = 0; i < d; ++i) expected[i] += share * of_part[i];
    }
    EXPECT_NEAR(value, std::log(sum), 1e-10);
    for (std::size_t i = 0; i < d; ++i)
      EXPECT_NEAR(gradient[i], expected[i] / sum, 1e-10 * std::abs(expected[i] / sum));
  }
}

TEST(Reference, has_the_gradient_of_its_log_density) {
  const Reference reference(
      {normal_part(0.5, {1, -2, 0.5}, covariance(1)), normal_part(0.5, {1, -2, 0.5}, covariance(4))});
  const std::vector<double> x = {0.2, -1, 0.9};
  double gradient[d], ignored[d];
  log_density(reference, x, gradient);
  for (std::size_t i = 0; i < d; ++i) {
    std::vector<double> up = x, down = x;
    up[i] += 1e-5, down[i] -= 1e-5;
    EXPECT_NEAR((log_density(reference, up, ignored) - log_density(reference, down, ignored)) / 2e-5, gradient[i],
                1e-7);
  }
}

}  // namespace
}  // namespace manychain::test
