// Simulation-based calibration: is a model, together with its sampler, what it says? (Talts and others 2018; Modrak and
// others 2023).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "diagnostics/rank_uniformity.hpp"
#include "manychain/run/check.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// The ranks of one quantity, each that of the value that made the data among those of the posterior's draws.
struct CalibratedQuantity {
  std::string name;  ///< "theta[1]", or "log likelihood"
  std::vector<std::size_t> ranks;
  diagnostics::RankTest test;
  bool wrong = false;

  /// "right", or what is wrong with the posterior: "too narrow (sd x 0.62)".
  std::string in_words() const;
};

struct Calibration {
  std::string model;
  std::size_t simulations = 0;  ///< that were asked for
  std::size_t used = 0;         ///< whose ranks are counted, each of 0 .. chains - 1
  std::size_t chains = 0;
  std::vector<std::string> replaced;  ///< "y by y_rep"
  /// Data that the model refuses to read, and what it said of the first. Left out: that follows from the data alone, so
  /// that the ranks of the others are uniform all the same.
  std::size_t refused = 0;
  std::string refusal;
  /// Numbers of the simulations, from 1, whose runs have not converged, whose ranks are counted, and those that could
  /// not be sampled, which have none; and what the first of these said.
  std::vector<std::size_t> not_converged, failed;
  std::string problem, failure;
  std::size_t divergent = 0;          ///< runs with divergences
  std::size_t prior_divergences = 0;  ///< of the run that gave the parameters
  std::vector<CalibratedQuantity> quantities;
  diagnostics::RankPower power;  ///< of one quantity among all
  bool wrong = false;            ///< a quantity is
  bool passed = false;           ///< none is, and at most one run in twenty has not converged, and none failed
  bool cancelled = false;
  double seconds = 0;

  /// For a terminal: a verdict, the quantities (of more than `rows` those with the smallest p), what cannot be told.
  std::string table(std::size_t rows = 40) const;
};

/// The probability of a false alarm, over all quantities of a model that is right.
inline constexpr double calibration_level = 1e-3;

/// True if gradient and Jacobians are right, which ranks do not tell: prior and posterior have the same ones.
bool ranks_are_enough(const ModelCheck& check);

/// Draws parameters from the prior, data from the model's predictions at these, samples the posterior of each of the
/// data, and tests the ranks of all parameters and of the log likelihood of the data. `settings`: of the posteriors;
/// `chains`, a multiple of 64, are one more than the draws that a rank is among, the last one of each chain but the
/// last. On the CPU, several posteriors at once, one thread each; what comes out depends on model, data, settings and
/// seed alone. `progress` is called with the number of posteriors that are done, from any thread, one at a time.
///
/// Throws BadInput where replacements(), prior_of() or prior_draws() do, where the prior, the predictions or the number
/// of parameters depend on the data that are observed, and where the model refuses more than a tenth of its own data;
/// SamplingFailed where it is cancelled before there is anything to tell.
Calibration calibrate(const Model& model, std::size_t simulations, Settings settings,
                      const std::function<void(std::size_t)>& progress = {});

}  // namespace manychain
