// The evidence: the integral of a model's density, by which models of the same data are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// The logarithm of an integral, from weights.
struct LogIntegral {
  double log_z = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();  ///< standard error of log_z
  double ess = 0;                                           ///< of the weights
  /// Shape of their upper tail (Vehtari and others 2024): above 0.7 the error is not to be trusted. NaN: no tail.
  double khat = std::numeric_limits<double>::quiet_NaN();
};

/// The result of evidence(). Z is the integral of the density that the model writes, over its parameters.
struct Evidence {
  std::string model;
  /// By annealed importance sampling (Neal 2001), from a mixture of normals to the posterior. exp(log_z) is unbiased.
  LogIntegral forwards;
  /// Back, from draws of the posterior by chains: exp(-log_z) is unbiased, as far as the chains are in the posterior.
  /// The two tend to differ where particles or chains have missed a part of it.
  LogIntegral backwards;
  bool agree = false;  ///< within four standard errors
  /// Likewise the integral of the prior, which are the terms that are not observe(), where the model is written in
  /// terms and its prior is proper; else NaN. It is 0 unless the prior is cut off by bounds, or lacks a constant.
  LogIntegral prior;
  bool prior_counts = false;      ///< `prior` is not 0, as far as its error tells: it is subtracted
  std::vector<std::string> flat;  ///< parameters without a proper prior: Z has no meaning beside that of another model
  bool as_written = false;        ///< the density is not made of the distributions of the language: its constants count
                                  ///< as far as it has them

  std::uint64_t seed = 0;
  std::size_t particles = 0, temperatures = 0, chains = 0;
  double barrier = 0;                       ///< between reference and posterior
  std::size_t evaluations = 0;              ///< of the model in double, without those of the chains
  std::vector<WeighedMode> modes;           ///< that lie apart, the largest first; none: too many are to be weighed
  std::vector<std::string> modes_in_words;  ///< if there are several
  std::vector<std::string> warnings;        ///< reasons to distrust what was found
  double seconds = 0;

  /// log Z by `forwards`, of the normalised prior if prior_counts.
  double log_evidence() const { return forwards.log_z - (prior_counts ? prior.log_z : 0); }
  double error() const;
  /// For a terminal.
  std::string table() const;
};

/// log Z of a model, on the CPU in double, by two ways. Settings: `chains` (particles as well; a multiple of 16,
/// default 1024, of an expensive gradient 256), `seed`, `threads`, `cancel`, and those of the run of the chains. A
/// function of the model, its data and these; threads change nothing. Throws BadInput for a model without gradient,
/// with whole numbers among its parameters, or of Stan, whose density lacks constants; SamplingFailed where no particle
/// has a finite density.
Evidence evidence(const Model& model, const Settings& settings = {});

/// Compares two models of the same data: "log Bayes factor ...", and what speaks against it.
std::string bayes_factor_in_words(const Evidence& a, const Evidence& b);

}  // namespace manychain
