#pragma once

#include <cstdint>

namespace manychain {

/// Some consecutive transitions of all chains. How a run is cut into blocks changes no draw.
///
/// The host measures how long a block took and chooses the length of the next one, so that it looks up some
/// Settings::blocks_per_second times a second, for progress and for the cancel token. In warm-up a block holds whole
/// adaptation intervals. A block is short enough for a count of evaluations in single precision to be exact.
struct Block {
  std::uint64_t first_transition = 0;  ///< numbered from the beginning of the run, warm-up included
  std::uint32_t count = 0;
  bool accumulate_window = false;
  std::uint64_t window_begin = 0;    ///< transition that the window began with
  bool keep = false;                 ///< sampling: every thin-th transition is a draw
  std::uint64_t sampling_begin = 0;  ///< first transition of the sampling phase
  std::uint64_t thin = 1;
  std::uint64_t first_draw = 0;  ///< the draw that lies first in ChainArrays::draws
};

}  // namespace manychain
