#pragma once

#include <cstddef>

namespace manychain {

/// The statistics kept of every draw, in this order, as variables of Result::sample_stats.
inline constexpr const char* sample_stat_names[] = {"lp", "acceptance_rate", "energy", "diverging"};
inline constexpr std::size_t sample_stat_count = 4;
inline constexpr int energy_row = 2;

}  // namespace manychain
