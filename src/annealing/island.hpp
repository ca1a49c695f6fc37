// An island of particles on its way between a reference and a posterior.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "annealing/reference.hpp"
#include "core/eigen.hpp"
#include "manychain/chain/program.hpp"
#include "random/chain_variates.hpp"

namespace manychain {

/// The logarithm of a weight of zero, and of a density outside of its support.
inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// log(exp(a) + exp(b)).
double log_add(double a, double b);
double log_sum(const std::vector<double>& logs);

/// The findings of an island at a temperature.
struct StepFound {
  double log_weight = 0;  ///< log sum of weights before the step
  double log_first = 0;   ///< log sum of weights times exp(change of the log weight)
  double log_second = 0;  ///< likewise, times the square of that
  double log_step = 0;    ///< of HMC; the next round's, where steps are adapted
};

/// Identifies the random numbers of an island.
struct IslandPlace {
  std::uint64_t seed = 0;
  std::size_t first = 0;    ///< number of its first particle
  std::uint64_t round = 0;  ///< below 64
};

class Island {
 public:
  /// `points`: [particle][dimension].
  Island(const DensityEvaluator& density, const Reference& reference, std::vector<double> points, IslandPlace place);

  /// From the present inverse temperature to `inverse`: weights, resampling if they degenerate, a transition of HMC if
  /// `moves`. The acceptance rate is added to what steps are corrected by, if `adapts`.
  StepFound step(double inverse, double log_step, bool moves, bool adapts);
  /// The inverse temperature where it begins, without a step.
  void begin_at(double inverse) { inverse_ = inverse; }

  const Eigen::MatrixXd& points() const { return x_; }
  const std::vector<double>& log_weights() const { return log_weights_; }
  std::size_t resampled() const { return resampled_; }
  std::size_t evaluations() const { return evaluations_; }

 private:
  /// Values and gradients of both densities at points, a column each.
  struct Densities {
    std::vector<double> model, reference;
    Eigen::MatrixXd model_slope, reference_slope;
  };
  Densities evaluate(const Eigen::MatrixXd& x);
  double tempered(const Densities& at, std::size_t k) const;
  Eigen::MatrixXd slope(const Densities& at) const;
  /// Their random numbers of this step: 0 or one of the uses in the place of a transition.
  ChainsOfStream particles(std::uint64_t use) const;
  void resample();
  double move(double log_step);

  const DensityEvaluator& density_;
  const Reference& reference_;
  IslandPlace place_;
  Eigen::MatrixXd x_;
  Densities at_;
  std::vector<double> log_weights_;
  double inverse_ = 0, correction_ = 0;
  std::uint64_t steps_ = 0;
  std::size_t resampled_ = 0, evaluations_ = 0;
};

}  // namespace manychain
