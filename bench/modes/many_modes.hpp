// Posteriors of more modes than a list holds, for bench/modes/table.py.
#pragma once

#include "manychain/model.hpp"

/// A mixture of products of Student's t with five degrees of freedom.
template <class Number>
struct ManyStudents {
  manychain::Size<> K, D;
  manychain::View<const Number> log_w;
  manychain::Matrix<const Number> mean;
  void data(manychain::DataReader& in) {
    in("K", K);
    in("D", D);
    in("log_w", log_w, K);
    in("mean", mean, K, D);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D);
    target += log_sum_exp(manychain::vector_of(K, [&](int k) { return log_w[k] + sum(student_t(x, 5, mean[k], 1)); }));
  }
};

/// Independent double wells, with a barrier of nine between them.
template <class Number>
struct DoubleWells {
  manychain::Size<> D;
  void data(manychain::DataReader& in) { in("D", D); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D);
    target += sum(6 * square(x) - square(square(x)) + 0.5 * x);
  }
};

/// The function of Rastrigin: in each dimension a mode at each whole number.
template <class Number>
struct Rastrigin {
  manychain::Size<> D;
  void data(manychain::DataReader& in) { in("D", D); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D, manychain::interval(-5.12, 5.12));
    target += 5 * sum(cos(6.283185307179586 * x)) - 0.5 * sum(square(x));
  }
};
