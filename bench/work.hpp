// The least work of a transition, from which the bounds follow.
#pragma once

#include <cstddef>
#include <string>

#include "manychain/run/settings.hpp"

namespace manychain::bench {

struct Work {
  double operations = 0;  ///< each as long as a multiply-add
  double bytes = 0;       ///< to and from memory
};

struct Shape {
  std::string sampler, model;
  double leapfrogs = 0;       ///< of one transition, on average; 0 for Metropolis
  double block = 1;           ///< transitions between two visits to the memory of the chains
  double draws_recorded = 0;  ///< of one transition, on average
  Precision precision = Precision::single_precision;
};

Work work_of_transition(const Shape& shape);

}  // namespace manychain::bench
