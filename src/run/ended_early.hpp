#pragma once

#include "manychain/core/error.hpp"

namespace manychain {

/// A run that ended before its first draw, as it was cancelled or its time was over. What is stored goes on.
class EndedEarly : public SamplingFailed {
 public:
  using SamplingFailed::SamplingFailed;
};

}  // namespace manychain
