// Chains that stay in a few places: a posterior of several modes that no chain leaves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "diagnostics/drift.hpp"
#include "manychain/diagnostics/draws.hpp"

namespace manychain::diagnostics {

/// Draws of one chain, summed up.
struct ChainMoments {
  double mean = 0, sd = 0;
  std::size_t start = 0;  ///< chains of a number started at one point
};

/// The moments of `draws` draws, value(k) each, of a chain. `superchains`: fewer than two, and each chain has a start
/// of its own.
template <class Value>
ChainMoments moments_of_chain(std::size_t chain, std::size_t superchains, std::size_t draws, const Value& value) {
  ChainMoments m;
  m.start = superchains > 1 ? chain % superchains : chain;
  const double n = static_cast<double>(draws), origin = value(0);
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < draws; ++k) {
    const double x = value(k) - origin;
    sum += x;
    squares += x * x;
  }
  m.mean = origin + sum / n;
  m.sd = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
  return m;
}

struct Place {
  double centre = 0;  ///< the mean of the chains that stay there
  std::size_t chains = 0;
};

/// Finds the places, from 2 to 8, in which nearly all chains stay, the lowest first. Empty: they cannot be told. The
/// means of chains of two places lie further apart than three standard deviations of a chain, those of one place within
/// one. Each place has two chains and a hundredth of all; the largest has chains of several starts: chains that hardly
/// move stay where they started, and show no modes.
std::vector<Place> places_of(std::vector<ChainMoments> chains);

/// True if most chains move. An indicator that is constant within chains has values, and no places.
bool most_move(const std::vector<ChainMoments>& chains);

/// True if some of the first `variables` has places in early and in late draws, and each chain is at the same one in
/// both. Each element of `early` and `late` is one draw of all chains; chain c belongs to superchain c mod
/// `superchains`, fewer than two: to none.
bool stay_apart(const std::vector<Draws>& early, const std::vector<Draws>& late, std::size_t variables,
                std::size_t superchains);

/// The draws that stay_apart() compares: some of each half.
DrawsToCompare some_of_halves(std::size_t draws);

/// True if chains of which none has changed its place in so many draws cannot do so often enough for `target_ess`
/// effective draws of their places in `most` draws: by the rule of three, at a level of 5 %.
bool changes_too_rarely(std::size_t draws, std::size_t most, double target_ess);

}  // namespace manychain::diagnostics
