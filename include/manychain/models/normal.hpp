// Independent standard normals.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// x ~ N(0, 1) in D dimensions; data: D (10 when none are given).
template <class Number, int D = dynamic>
struct Normal {
  static constexpr int dimension = D;
  Size<D> n;

  void data(DataReader& in) { in("D", n, lower(1)); }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", n);
    target += normal(x, 0, 1);
  }
};

}  // namespace manychain::models
