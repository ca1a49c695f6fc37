// The prior of a model: its density without observe().
#pragma once

#include <string>
#include <vector>

namespace manychain {

/// The terms of a model that are not observe(), with the Jacobians of all constraints, in extended precision on the
/// host. For calls of one thread.
class PriorDensity {
 public:
  virtual ~PriorDensity() = default;
  /// The log density at q (dimension, unconstrained); its gradient into `gradient` (dimension).
  virtual double prior(const double* q, double* gradient) = 0;
  /// The names of all observe(), in their order; evaluated at q, on which no name should depend. Layout::observed lacks
  /// those of distributions that are several terms (multi_normal).
  virtual std::vector<std::string> observed(const double* q) = 0;
};

}  // namespace manychain
