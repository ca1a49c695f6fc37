// mesquite-logmesquite: the weight of mesquite bushes on their measures, from Gelman and Hill (2007).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// log(weight) ~ N(X beta, sigma): X has a column of ones, the logarithms of five measures, and the group. Flat priors.
template <class Number>
struct Logmesquite {
  static constexpr int dimension = 8;
  Size<> N;
  View<const Number> log_weight;
  Matrix<const Number, 7> X;

  void data(DataReader& in) {
    in("N", N, lower(1));
    const std::size_t rows = static_cast<std::size_t>(N.value());
    const auto column = [&](const char* name, bool logarithm) {
      std::vector<double> x = in.values(name, std::vector<std::size_t>{rows});
      for (double& element : x) element = logarithm ? std::log(element) : element;
      return x;
    };
    const std::vector<double> columns[] = {column("diam1", true),         column("diam2", true),
                                           column("canopy_height", true), column("total_height", true),
                                           column("density", true),       column("group", false)};
    std::vector<double> x;
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(1);
      for (const std::vector<double>& c : columns) x.push_back(c[i]);
    }
    X = in.keep_matrix<Number, 7>(x, N.value(), 7);
    log_weight = in.keep<Number>(column("weight", true), N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", Size<7>{});
    auto sigma = target.real("sigma", lower(0));
    target.observe("log_weight", N, [&](auto i, auto& term) { term += normal(log_weight[i], dot(X[i], beta), sigma); });
  }
};

}  // namespace manychain::posteriors
