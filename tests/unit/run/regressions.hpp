// Regressions on data as they are, or standardised by the model.
#pragma once

#include <cmath>
#include <vector>

#include "manychain/model.hpp"

namespace manychain::test {

/// y ~ N(alpha + beta x, sigma), flat alpha, beta and sigma. `standardise` 1: x and y are standardised in data().
template <class Number>
struct FlatRegression {
  using samplers = SamplerList<Hmc<>, Metropolis<>>;
  static constexpr int dimension = 3;
  Size<> N, standardise;
  View<const Number> x, y;

  void data(DataReader& in) {
    in("N", N);
    in("standardise", standardise);
    in("x", x, N);
    in("y", y, N);
    if (standardise.value() == 0) return;
    x = in.keep<Number>(standardised(in.values("x", {extent()})), N);
    y = in.keep<Number>(standardised(in.values("y", {extent()})), N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.real("beta");
    auto sigma = target.real("sigma", lower(0));
    target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], alpha + beta * x[j], sigma); });
  }

 private:
  std::size_t extent() const { return static_cast<std::size_t>(N.value()); }
  static std::vector<double> standardised(std::vector<double> v) {
    double mean = 0, squares = 0;
    for (double u : v) mean += u / static_cast<double>(v.size());
    for (double u : v) squares += (u - mean) * (u - mean) / static_cast<double>(v.size());
    for (double& u : v) u = (u - mean) / std::sqrt(squares);
    return v;
  }
};

}  // namespace manychain::test
