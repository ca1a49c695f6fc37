// nes1972-nes: party identification in the national election study of 1972, from Gelman and Hill (2007).
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// partyid7 ~ N(X beta, sigma): X has a column of ones, real_ideo, race_adj, indicators of the age groups 2, 3 and 4,
/// educ1, gender and income. Flat priors.
template <class Number>
struct Nes {
  static constexpr int dimension = 10;
  Size<> N;
  View<const Number> partyid7;
  Matrix<const Number, 9> X;

  void data(DataReader& in) {
    in("N", N, lower(1));
    const std::size_t rows = static_cast<std::size_t>(N.value());
    const auto column = [&](const char* name) { return in.values(name, std::vector<std::size_t>{rows}); };
    const std::vector<double> ideo = column("real_ideo"), race = column("race_adj"), age = column("age_discrete"),
                              education = column("educ1"), gender = column("gender"), income = column("income");
    std::vector<double> x;
    for (std::size_t i = 0; i < rows; ++i)
      for (double element : {1.0, ideo[i], race[i], double(age[i] == 2), double(age[i] == 3), double(age[i] == 4),
                             education[i], gender[i], income[i]})
        x.push_back(element);
    X = in.keep_matrix<Number, 9>(x, N.value(), 9);
    in("partyid7", partyid7, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", Size<9>{});
    auto sigma = target.real("sigma", lower(0));
    target.observe("partyid7", N, [&](auto i, auto& term) { term += normal(partyid7[i], dot(X[i], beta), sigma); });
  }
};

}  // namespace manychain::posteriors
