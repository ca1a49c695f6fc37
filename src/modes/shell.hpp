// Mass all around the place of the chains, beyond a valley: chains in a narrow mode at the centre of a wide one climb
// back from everywhere, and no peak tells of what is outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "manychain/chain/program.hpp"
#include "modes/found_mode.hpp"

namespace manychain {

/// Along 16 directions, log p + d log r at 32 distances r. A shell counts if most directions have a second maximum
/// beyond a valley, and all together have more than `least_share` there. Adds its evaluations to `evaluations`.
std::optional<FoundMode> find_shell(const DensityEvaluator& density, const Place& place, std::uint64_t seed,
                                    std::size_t& evaluations);

}  // namespace manychain
