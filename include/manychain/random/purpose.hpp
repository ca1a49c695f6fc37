// Every purpose that random numbers are drawn for. A purpose is a set of streams of its own: two purposes never share a
// number, whatever the chain, transition or seed.
#pragma once

#include <cstdint>

namespace manychain {

/// Written into bits 48 to 55 of cuRAND's subsequence, below the part of a composed sampler (Stream::part). Numbers are
/// never reused: old runs stay reproducible.
enum class Purpose : std::uint16_t {
  transition = 0,
  initial_point = 1,
  gradient_check = 2,
  language_model = 3,
  scan = 4,        ///< which component a random scan updates, the same in all chains
  minibatch = 6,   ///< which terms a stochastic gradient takes, each chain its own
  prediction = 7,  ///< predictive draws, beside the draw they belong to
  pathfinder = 8,  ///< normal approximations along a path to a mode, and draws from them (starts/pathfinder.hpp)
  annealing = 9,   ///< particles between a reference and the posterior (annealing/annealing.hpp)
};

/// Chains are numbered below this (48 bits of the subsequence).
inline constexpr std::uint64_t max_chains = std::uint64_t{1} << 48;
/// Transitions of a chain are numbered below this (40 bits of the offset).
inline constexpr std::uint64_t max_transitions = std::uint64_t{1} << 40;
/// Random words of one transition are numbered below this (24 bits of the offset).
inline constexpr std::uint64_t max_words = std::uint64_t{1} << 24;

}  // namespace manychain
