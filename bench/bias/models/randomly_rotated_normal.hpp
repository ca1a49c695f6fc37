// Normal distributions in axes of any direction.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::bench {

/// R x ~ N(0, diag(sd)^2) in D dimensions, R orthogonal: rows of `R` are the principal axes. A gradient costs 2 D^2
/// multiply-adds.
template <class Number>
struct RandomlyRotatedNormal {
  static constexpr int dimension = dynamic;
  Size<> D;
  Matrix<const Number> R;
  View<const Number> sd;

  void data(DataReader& in) {
    in("D", D, lower(2));
    in("R", R, D, D);
    in("sd", sd, D, lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D);
    target.sum_over(D, [&](auto j, auto& term) { term += normal(dot(R[j], x), 0, sd[j]); });
  }
};

}  // namespace manychain::bench
