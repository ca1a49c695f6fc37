// nes1972-nes, and likewise of 1976, 1984, 1992 and 1996: party identification in the national election studies (Gelman
// and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// partyid7 ~ N(X beta, sigma): X has a column of ones, real_ideo, race_adj, indicators of the age groups 2, 3 and 4,
/// educ1, gender and income. Flat priors.
template <class Number>
struct Nes {
  static constexpr int dimension = 10;
  manychain::Size<> N;
  manychain::View<const Number> partyid7;
  manychain::Matrix<const Number, 9> X;

  void data(manychain::DataReader& in) {
    using manychain::Column;
    in("N", N, manychain::lower(1));
    in("partyid7", partyid7, N);
    X = in.design<Number, 9>(
        N, {Column::ones(), Column::of("real_ideo"), Column::of("race_adj"), Column::equal("age_discrete", 2),
            Column::equal("age_discrete", 3), Column::equal("age_discrete", 4), Column::of("educ1"),
            Column::of("gender"), Column::of("income")});
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<9>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("partyid7", normal(partyid7, X * beta, sigma));
  }
};
