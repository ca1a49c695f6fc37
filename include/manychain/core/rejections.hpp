// The evaluations that were refused by a density that this library did not compile.
#pragma once

#include <cstdint>
#include <string>

namespace manychain {

/// Errors that a foreign density returned: a Stan model, or a function of C. Each rejects the proposal it was for.
struct Rejections {
  std::uint64_t evaluations = 0;  ///< of the log density and its gradient, that ended in an error
  std::uint64_t outputs = 0;      ///< draws whose outputs, or some of them, could not be computed: these are NaN
  std::string message;            ///< what was said; of several messages the first by the alphabet
};

}  // namespace manychain
