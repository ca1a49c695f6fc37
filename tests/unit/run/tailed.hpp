// Posteriors with a tail along a curve, which steps that suit the rest refuse.
#pragma once

#include <vector>

#include "../bench/tails/models.hpp"
#include "unit/run/model_of.hpp"

namespace manychain::test {

using bench::Decay;

/// By quadrature over log_k, given which the rest is normal: h has the mean 1.4814 and the standard deviation 0.2457.
inline Data few_rows_of_decay() {
  Data data;
  data.set("N", 6);
  data.set("x", std::vector<double>{0.3, 2.24, 4.18, 6.12, 8.06, 10});
  data.set("y", std::vector<double>{1.82, 1.04, 0.69, 0.54, 0.63, 0.74});
  data.set("s", 0.1);
  return data;
}

/// x ~ (1 - far) N(0, 1) + far N(0, 15^2), y given x ~ N(0, s^2), where s is 1 at the chains and `narrow` far out.
template <class Number>
struct Horn {
  Scalar<Number> far, narrow;
  void data(DataReader& in) {
    in("far", far);
    in("narrow", narrow);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += log_mix(1 - far, normal(x, 0, 1), normal(x, 0, 15));
    auto log_s = target.let(log(narrow) * inv_logit(0.4 * (square(x) - 20)));
    target += -0.5 * square(y * exp(-log_s)) - log_s;
  }
};

/// A tail that has no variance, and nothing narrow.
template <class Number>
struct HeavyTail {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += cauchy(target.real("x"), 0, 1) + normal(target.real("y"), 0, 1);
  }
};

inline Data horn(double far, double narrow) {
  Data data;
  data.set("far", far);
  data.set("narrow", narrow);
  return data;
}

}  // namespace manychain::test
