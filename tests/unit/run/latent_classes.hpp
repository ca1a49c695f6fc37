// Two classes of persons who answer questions with yes or no, each class with probabilities of its own.
#pragma once

#include <random>
#include <vector>

#include "unit/run/model_with_terms.hpp"

namespace manychain::test {

/// The labels of the classes may be exchanged, and no parameter is a vector that could be put in order.
template <class Number>
struct LatentClasses {
  Size<> N, J;
  Matrix<const int> y;
  void data(DataReader& in) {
    in("N", N);
    in("J", J);
    in("y", y, N, J);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    const Size<2> K{};
    auto w = target.simplex("w", K);
    auto theta = target.matrix("theta", K, J, interval(0, 1));
    target += dirichlet(w, 2);
    target.observe("y", N, [&](int i, auto& term) {
      term += log_sum_exp(vector_of(K, [&](int k) {
        return log(w[k]) + sum(vector_of(J, [&, k](int j) { return bernoulli(y[i][j], theta[k][j]); }));
      }));
    });
  }
};

/// Prior and likelihood are those of LatentClasses. The class that agrees with the first question more often is the
/// second.
template <class Number>
struct LatentClassesInOrder {
  Size<> N, J, others;
  Matrix<const int> y;
  void data(DataReader& in) {
    in("N", N);
    in("J", J);
    in("others", others);
    in("y", y, N, J);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    const Size<2> K{};
    auto w = target.simplex("w", K);
    auto first = target.ordered("first", K);
    auto theta = target.matrix("theta", K, others, interval(0, 1));
    target += dirichlet(w, 2) + logistic(first, 0, 1);
    target.observe("y", N, [&](int i, auto& term) {
      term += log_sum_exp(vector_of(K, [&](int k) {
        return log(w[k]) + bernoulli_logit(y[i][0], first[k]) +
               sum(vector_of(others, [&, k](int j) { return bernoulli(y[i][j + 1], theta[k][j]); }));
      }));
    });
  }
};

/// Answers of 100 persons to four questions.
inline Data answers() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  const double agree[2][4] = {{0.15, 0.3, 0.2, 0.25}, {0.9, 0.8, 0.85, 0.7}};
  std::vector<double> y;
  for (int i = 0; i < 100; ++i) {
    const bool second = uniform(random) < 0.4;
    for (const double p : agree[second]) y.push_back(uniform(random) < p);
  }
  Data data;
  data.set("N", 100);
  data.set("J", 4);
  data.set("others", 3);
  data.set("y", y, {100, 4});
  return data;
}

}  // namespace manychain::test
