// Superchains: have chains forgotten where they started? (adaptation/estimate_metric.hpp, starts_forgotten())
#pragma once

#include <cstddef>
#include <vector>

#include "warmup/estimator.hpp"

namespace manychain {

class ForgottenStarts final : public Estimator {
 public:
  using Estimator::Estimator;

  bool settled() override {
    if (settings.warmup.end != WarmupEnd::settled) return false;  // no other warm-up settles
    const std::vector<double> positions = engine.points(settings.chains).positions;
    const auto of_group = static_cast<std::ptrdiff_t>(groups_.chains_of_group() * layout.dimension);
    for (auto first = positions.begin(); first != positions.end(); first += of_group)
      if (!starts_forgotten({first, first + of_group}, layout.dimension, *settings.superchains)) return false;
    return true;
  }
};

}  // namespace manychain
