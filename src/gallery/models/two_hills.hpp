// A density with two modes below a wide normal one.
#pragma once

#include "manychain/model/distributions/sampled_distributions.hpp"
#include "manychain/model/language/data_reader.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// p(x) = 0.2 exp(-(x + 1)^2 / 2) + 0.1 exp(-(x - 3)^2 / 2), not normalised, under the envelope M q, q the normal
/// density with mean 1 and variance 9. Data: M.
template <class Number>
struct TwoHills {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  using samplers = SamplerList<Rejection>;
  Scalar<Number> M;

  void data(DataReader& in) { in("M", M, lower(0)); }

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    // The log of the sum, measured from the larger term: far out both underflow.
    const R left = R(std::log(0.2)) - R(0.5) * square(q[0] + R(1)),
            right = R(std::log(0.1)) - R(0.5) * square(q[0] - R(3));
    return max(left, right) + log1p(exp(-abs(left - right)));
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(1, 3); });
  }
  MANYCHAIN_HD double log_envelope() const { return std::log(static_cast<double>(M.v)); }
};

}  // namespace manychain::gallery::models
