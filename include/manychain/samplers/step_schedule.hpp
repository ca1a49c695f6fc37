#pragma once

namespace manychain {

/// Steps a (b + t)^-gamma of stochastic gradient Langevin dynamics, t the transition's number.
struct StepSchedule {
  double a = 0, b = 1, gamma = 0;
};

}  // namespace manychain
