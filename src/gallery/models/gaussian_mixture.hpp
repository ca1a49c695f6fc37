// A mixture of three normal distributions in one dimension with the labels of the data, by full conditionals alone.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// y_i ~ N(theta[z_i], 1), P(z_i = k) = alpha[k], alpha ~ Dirichlet(1, 1, 1), theta[k] ~ N(0, sqrt(tau2)),
/// tau2 ~ inverse gamma(a, b).
template <class Number>
struct GaussianMixture {
  using samplers = SamplerList<Gibbs<>>;
  static constexpr int theta = 0, tau2 = 3, alpha = 4, labels = 7;  // where they are in the state
  Size<> N;
  View<const Number> y;
  Scalar<Number> a, b;

  void data(DataReader& in) {
    in("N", N, lower(1));
    in("y", y, N);
    in("a", a, lower(0));
    in("b", b, lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("theta", Size<3>{});
    target.real("tau2");
    target.vector("alpha", Size<3>{});
    target.latent_integers("z", N, 0, 2);
  }

  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.components(labels, N, [&](int i, const auto& q) {
      return categorical_logit_distribution(Size<3>{}, [this, i, &q](int k) {
        const auto d = y[i] - q[theta + k];
        return log(q[alpha + k]) - 0.5 * d * d;
      });
    });
    visitor.block(alpha, Size<3>{}, [&](const auto& q) {
      using R = std::remove_cvref_t<decltype(q[0])>;
      Registers<R, 3> counts;
      for (int k = 0; k < 3; ++k) counts[k] = members(k, q).count;
      return dirichlet_distribution(Size<3>{}, [counts](int k) { return counts[k] + 1.0; });
    });
    for (int k = 0; k < 3; ++k)
      visitor.component(theta + k, [&](const auto& q) {
        const auto of = members(k, q);
        const auto variance = 1.0 / (of.count + 1.0 / q[tau2]);
        return normal_distribution(of.sum * variance, sqrt(variance));
      });
    visitor.component(tau2, [&](const auto& q) {
      const auto squares = q[theta] * q[theta] + q[theta + 1] * q[theta + 1] + q[theta + 2] * q[theta + 2];
      return inverse_gamma_distribution(a + 1.5, b + 0.5 * squares);
    });
  }

 private:
  template <class R>
  struct Members {
    R count, sum;
  };
  /// Number of data with label k, and their sum.
  template <class Q>
  MANYCHAIN_HD auto members(int k, const Q& q) const {
    using R = std::remove_cvref_t<decltype(q[0])>;
    Members<R> of{R(0), R(0)};
    for (int i = 0; i < N.value(); ++i) {
      const auto here = q[labels + i] == R(k);
      of.count += select(here, R(1), R(0));
      of.sum += select(here, R(y[i]), R(0));
    }
    return of;
  }
};

}  // namespace manychain::gallery::models
