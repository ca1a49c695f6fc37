// Tunes the ladders of chains that temper (samplers/tempering.hpp): how many temperatures, which, and the steps of HMC
// at each. All of it lies in the rows of the chains' states, so that a run goes on with them wherever it was stored;
// this class reads them and writes them back, for all chains at once.
//
// The rejection rates of swaps, pooled over chains, add up to the barrier between reference and posterior. Temperatures
// lie in equal steps of it, and are about twice as many, at which replicas travel fastest for their cost (Syed and
// others 2022, section 5).
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/result.hpp"
#include "warmup/estimator.hpp"

namespace manychain {

/// A normal of a reference.
struct LadderPart {
  double share = 1;
  std::vector<double> mean, sd;
};

/// A first ladder.
struct LadderStart {
  std::vector<LadderPart> parts;  ///< of the reference, at most LadderRows::most_parts; shares add up to one
  std::size_t modes = 0;          ///< of these, the first ones; others are wide
  std::vector<double> scale;      ///< of steps
  std::vector<double> inverse;    ///< inverse temperatures, ascending from 0 to 1
  std::vector<double> log_steps;  ///< at each of them, in units of `scale`
};

class LadderTuner final : public Estimator {
 public:
  using Estimator::Estimator;

  /// The number of temperatures for a barrier.
  static std::size_t temperatures_for(double barrier);

  /// Gives each chain a ladder, whose replicas all stand where the chain does.
  void set(const LadderStart& start);
  /// After each round but the last, new temperatures and steps, by what was counted in it.
  void update(const Stage& stage, std::size_t group) override;
  /// Counts anew from here.
  void reset_sums();
  /// Counted since then.
  TemperingFound found() const;

  /// Lengths of the rounds of a warm-up.
  static std::vector<std::size_t> rounds(std::size_t warmup);

 private:
  /// `resizes`: as many temperatures as the barrier wants.
  void end_round(bool resizes);

  std::size_t done_ = 0;  ///< rounds
};

}  // namespace manychain
