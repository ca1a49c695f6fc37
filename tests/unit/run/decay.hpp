// A decay to a plateau, y = a exp(-k x) + c, of which few rows are known.
#pragma once

#include <vector>

#include "unit/run/model_with_terms.hpp"

namespace manychain::test {

/// Large a go with large k: the earliest rows tell no more than a exp(-k x).
template <class Number>
struct Decay {
  Size<> N;
  View<const Number> x, y;
  void data(DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto log_k = target.real("log_k");
    auto a = target.real("a");
    auto c = target.real("c");
    target += normal(log_k, 0, 3) + normal(a, 0, 3) + normal(c, 0, 1);
    auto k = target.let(exp(log_k));
    target.observe("y", normal(y, a * exp(-k * x) + c, 0.1));
  }
};

/// By quadrature over log_k, given which the rest is normal: a has the mean 1.4838 and the standard deviation 0.2457.
inline Data few_rows_of_decay() {
  Data data;
  data.set("N", 6);
  data.set("x", std::vector<double>{0.3, 2.24, 4.18, 6.12, 8.06, 10});
  data.set("y", std::vector<double>{1.82, 1.04, 0.69, 0.54, 0.63, 0.74});
  return data;
}

}  // namespace manychain::test
