// The share of the memory for diagnostics that draws take, and what the diagnostics themselves take.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace manychain::diagnostics {

struct AtOnce {
  std::size_t variables;
  int threads;
};

/// Variables whose draws are in memory together, and the threads that summarise them: half of `memory` is for draws of
/// `number_bytes` each, half for the sorted copies, places and scores of one variable in each thread. At least one of
/// each, whatever it takes. `draws`: of a variable, in all chains; `threads`: at most (0: all there are).
inline AtOnce at_once(double draws, std::size_t number_bytes, std::size_t variables, double memory, int threads) {
  constexpr double places_and_scores = 28;  // bytes of each draw
  const double number = double(number_bytes), half = memory / 2;
  const double most = threads > 0 ? threads : omp_get_max_threads();
  return {
      static_cast<std::size_t>(std::clamp(half / (draws * number), 1.0, std::max(static_cast<double>(variables), 1.0))),
      static_cast<int>(std::clamp(half / (draws * (places_and_scores + number)), 1.0, most))};
}

}  // namespace manychain::diagnostics
