// Normal distributions whose principal axes are no coordinate axes.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::posteriors {

/// x ~ N(0, H S^2 H) in D dimensions: H = I - 2 v v' mirrors along v, v_i proportional to sin(i), and the standard
/// deviations in S go from condition^(-1/4) to condition^(1/4), evenly in the logarithm.
template <class Number>
struct RotatedNormal {
  static constexpr int dimension = dynamic;
  Size<> D;
  View<const Number> v, sd;

  void data(DataReader& in) {
    in("D", D, lower(2));
    const std::size_t d = static_cast<std::size_t>(D.value());
    const double condition = in.values("condition", std::vector<std::size_t>{})[0];
    std::vector<double> mirror(d), scale(d);
    double squares = 0;
    for (std::size_t i = 0; i < d; ++i) {
      mirror[i] = std::sin(static_cast<double>(i + 1));
      squares += mirror[i] * mirror[i];
      scale[i] = std::pow(condition, 0.5 * static_cast<double>(i) / static_cast<double>(d - 1) - 0.25);
    }
    for (double& x : mirror) x /= std::sqrt(squares);
    v = in.keep<Number>(mirror, D);
    sd = in.keep<Number>(scale, D);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D);
    auto along = let(2 * dot(v, x));
    target.sum_over(D, [&](auto j, auto& term) { term += normal(x[j] - along * v[j], 0, sd[j]); });
  }
};

}  // namespace manychain::posteriors
