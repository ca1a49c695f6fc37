// 100 normals whose scales span three decades.
#pragma once

#include <cmath>
#include <vector>

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// x_i ~ N(0, s_i), s_i = 10^(3 (i - 1) / 99 - 2): from 0.01 to 10, a condition number of 10^6.
template <class Number>
struct IllConditionedNormal {
  static constexpr int dimension = 100;
  View<const Number, 100> scale;

  void data(DataReader& in) {
    std::vector<double> s(dimension);
    for (int i = 0; i < dimension; ++i) s[static_cast<std::size_t>(i)] = std::pow(10, 3.0 * i / (dimension - 1) - 2);
    scale = in.keep<Number, 100>(s, Size<100>{});
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<100>{});
    target += normal(x, 0, scale);
  }
};

}  // namespace manychain::models
