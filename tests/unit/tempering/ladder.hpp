// A ladder of one chain in memory of its own, between two normals, where the distribution at each temperature is known.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "manychain/random/variates.hpp"
#include "manychain/samplers/tempering.hpp"

namespace manychain::test {

using Real = Scalar<double>;

/// exp(-(x - 1)^2 / (2 0.25^2)) in each of two dimensions.
struct NarrowNormal {
  static constexpr int dimension = 2;
  static constexpr double mean = 1, sd = 0.25;
  static double log_z() { return 2 * (std::log(sd) + 0.5 * std::log(2 * std::numbers::pi)); }
  template <class R, class Q, class G>
  MANYCHAIN_HD R value_and_gradient(const Q& q, G& gradient) const {
    R sum = R(0);
    for (int i = 0; i < 2; ++i) {
      const R z = (q[i] - R(mean)) * R(1 / sd);
      gradient[i] = z * R(-1 / sd);
      sum -= R(0.5) * z * z;
    }
    return sum;
  }
};

class OneLadder {
 public:
  using State = Tempering<>::Fields::State<Real, Size<2>>;
  static constexpr double mean = -0.5, sd = 2;  ///< of the reference
  const std::vector<double> inverse = {0, 0.015, 0.04, 0.09, 0.19, 0.38, 0.65, 1};
  const int levels = static_cast<int>(inverse.size());
  const LadderRows at{2};

  /// The normal at a temperature.
  double variance_at(int k) const {
    return 1 / (beta(k) / square_of(NarrowNormal::sd) + (1 - beta(k)) / square_of(sd));
  }
  double mean_at(int k) const {
    return variance_at(k) *
           (beta(k) * NarrowNormal::mean / square_of(NarrowNormal::sd) + (1 - beta(k)) * mean / square_of(sd));
  }

  OneLadder() : rows_(static_cast<std::size_t>(at.all())) {
    row(at.levels()) = levels;
    row(at.parts()) = row(at.cumulated(0)) = 1;
    row(at.log_constant()) = -2 * (std::log(sd) + 0.5 * std::log(2 * std::numbers::pi));
    for (int k = 0; k < levels; ++k) {
      row(at.beta(k)) = beta(k);
      row(at.step(k)) = 1;
    }
    for (int i = 0; i < 2; ++i) {
      row(at.mean(0) + i) = mean;
      row(at.sd(0) + i) = sd;
      row(at.inverse_sd(0) + i) = 1 / sd;
      for (int k = 0; k < levels; ++k) row(at.steps(k) + i) = std::sqrt(variance_at(k));
    }
    chain_ = State(Size<2>{}, Arena<Real>{});
    chain_.ladder = {rows_.data(), 1};
  }
  double& row(int k) { return rows_[static_cast<std::size_t>(k)]; }
  double position(int k, int i) { return k == levels - 1 ? double(chain_.position[i].v) : row(at.position(k) + i); }

  /// Puts each replica at a draw from the distribution at its temperature.
  void draw_exactly(std::uint64_t chain) {
    const Stream<Real> stream(7, Purpose::initial_point, chain, 0);
    Variates<Real> variates(stream);
    for (int k = 0; k < levels; ++k) {
      Registers<Real, 2> x;
      for (int i = 0; i < 2; ++i) x[i] = Real(mean_at(k) + std::sqrt(variance_at(k)) * variates.normal().v);
      put(NarrowNormal{}, k, x);
    }
  }
  template <class Model>
  void put(const Model& model, int k, const Registers<Real, 2>& x) {
    Registers<Real, 2> gradient;
    const Real log_density = model.template value_and_gradient<Real>(x, gradient);
    if (k == levels - 1) {
      chain_.position = x;
      chain_.gradient = gradient;
      chain_.log_density = {log_density, Real(0)};
      return;
    }
    for (int i = 0; i < 2; ++i) {
      row(at.position(k) + i) = x[i].v;
      row(at.gradient(k) + i) = gradient[i].v;
    }
    row(at.log_density(k)) = log_density.v;
    row(at.log_density(k) + 1) = 0;
  }
  template <class Sampler, class Model = NarrowNormal>
  void move(std::uint64_t chain, std::uint64_t transition, const Model& model = {}) {
    TrajectoryTuning<double> tuning;
    tuning.trajectory = 2.8;
    tuning.leapfrog_limit = 100;
    Sampler::transition(model, chain_, tuning, Stream<Real>(7, Purpose::transition, chain, transition), transition);
  }

 private:
  static double square_of(double x) { return x * x; }
  double beta(int k) const { return inverse[static_cast<std::size_t>(k)]; }
  std::vector<double> rows_;
  State chain_;
};

}  // namespace manychain::test
