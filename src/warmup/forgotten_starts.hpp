// Superchains: have chains forgotten where they started?
#pragma once

#include "warmup/estimator.hpp"

namespace manychain {

/// Settled once superchains agree (adaptation/estimate_metric.hpp, starts_forgotten()), and the chains of all of them
/// together have not moved elsewhere in the last window (diagnostics/drift.hpp).
class ForgottenStarts final : public Estimator {
 public:
  using Estimator::Estimator;
  bool settled() override;

 private:
  bool drifts() const;
};

}  // namespace manychain
