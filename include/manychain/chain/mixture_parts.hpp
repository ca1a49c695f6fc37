// Densities of a model in which one part stands for each of its mixtures.
#pragma once

#include <cstddef>

namespace manychain {

/// A mode of a mixture may be so narrow that no search by values of the density finds it. The part of the mixture that
/// is this mode has a gradient everywhere, which leads there. In extended precision on the host. ModelTerms may
/// implement this, too (ModelBinding::mixture_parts()). For calls of one thread.
class MixtureParts {
 public:
  virtual ~MixtureParts() = default;
  /// The number of ways to choose a part of each log_sum_exp() and log_mix(), as checks::Mixtures has it, in an
  /// evaluation at q (dimension, unconstrained). 0: there is nothing to choose.
  virtual std::size_t mixture_choices(const double* q) = 0;
  /// The log density at q with the parts of that choice alone, their weights included; its gradient into `gradient`
  /// (dimension). Behind mixture_choices().
  virtual double mixture_part(std::size_t choice, const double* q, double* gradient) = 0;
  /// From now on terms of observe() are skipped: the density is that of the prior.
  virtual void leave_out_observed() = 0;
};

}  // namespace manychain
