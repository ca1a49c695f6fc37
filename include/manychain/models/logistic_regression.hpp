// Logistic regression.
#pragma once

#include <cmath>
#include <string>

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// y ~ Bernoulli(inv_logit(Z beta)), beta ~ N(0, 1), as inference_gym's german_credit_numeric. Z is X with every column
/// standardised (population standard deviation) and a column of ones added last: the last beta is the intercept.
/// Columns: that of Z, one more than X has.
template <class Number, int Columns = dynamic>
struct LogisticRegression {
  static constexpr int dimension = Columns;
  static constexpr bool minibatches = true;
  Size<dynamic> N;
  Size<Columns> columns;
  Matrix<const Number, Columns> Z;
  View<const Number> y;

  void data(DataReader& in) {
    Size<dynamic> D;
    in("N", N, lower(1));
    in("D", D, lower(1));
    in("y", y, N, integer(0, 1));
    const std::size_t rows = static_cast<std::size_t>(N.value()), old = static_cast<std::size_t>(D.value());
    const std::vector<double> X = in.values("X", {rows, old});
    std::vector<double> standardised(rows * (old + 1), 1.0);
    for (std::size_t j = 0; j < old; ++j) {
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < rows; ++i) mean += X[i * old + j] / static_cast<double>(rows);
      for (std::size_t i = 0; i < rows; ++i)
        variance += (X[i * old + j] - mean) * (X[i * old + j] - mean) / static_cast<double>(rows);
      if (!(variance > 0))
        throw BadInput("column " + std::to_string(j + 1) + " of X is constant: leave it out, an intercept is added");
      for (std::size_t i = 0; i < rows; ++i)
        standardised[i * (old + 1) + j] = (X[i * old + j] - mean) / std::sqrt(variance);
    }
    Z = in.keep_matrix<Number, Columns>(standardised, N.value(), D.value() + 1);
    columns = Z.columns();
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", columns);
    target += normal(beta, 0, 1);
    target.observe("y", N, [&](auto i, auto& term) { term += bernoulli_logit(y[i], dot(Z[i], beta)); });
  }
};

}  // namespace manychain::models
