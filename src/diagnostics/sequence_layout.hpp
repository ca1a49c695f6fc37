// Positions of the draws of sequences in memory: of half chains, or of whole ones; and how what is known of each
// sequence is summed up. Everything runs in index order within a sequence, and sequences meet only in sums of 256
// consecutive chains: the result depends neither on threads nor on how many sequences one call handles.
#pragma once

#include <cstddef>

#include "manychain/core/macros.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {  // units of either instruction set include it

/// The parts that a chain is cut into. Of an odd number of draws the middle one is in neither half.
enum class Parts { whole = 1, halves = 2 };

/// Tiles of `width` sequences, in a tile [draw][sequence]. Sequence s < chains is the first part of chain s, the others
/// are the second parts. The number of sequences is padded to a multiple of the lanes.
struct SequenceLayout {
  std::size_t chains = 0;
  std::size_t draws = 0;
  std::size_t parts = 0;
  std::size_t length = 0;  ///< draws of a sequence
  std::size_t padded = 0;  ///< sequences, with padding
  std::size_t width = 0;

  SequenceLayout(std::size_t chains_, std::size_t draws_, Parts parts_, std::size_t lanes, bool tiled)
      : chains(chains_),
        draws(draws_),
        parts(static_cast<std::size_t>(parts_)),
        length(draws_ / parts),
        padded((parts * chains_ + lanes - 1) / lanes * lanes),
        width(tiled ? lanes : padded) {}

  MANYCHAIN_HD std::size_t sequences() const { return parts * chains; }
  std::size_t tiles_size() const { return padded * length; }
  /// Draws in no sequence: the middle ones.
  MANYCHAIN_HD std::size_t middle() const { return draws % parts == 1 ? chains : 0; }
  MANYCHAIN_HD std::size_t all_draws() const { return draws * chains; }
  std::size_t sequence_draws() const { return sequences() * length; }

  /// Position of a sequence in the caller's draws.
  MANYCHAIN_HD std::size_t first_draw(std::size_t sequence, std::size_t draw_stride, std::size_t chain_stride) const {
    return sequence < chains ? sequence * chain_stride
                             : (sequence - chains) * chain_stride + (draws - length) * draw_stride;
  }

  /// The place of a sequence's first draw; 0 where sequences have none, and perhaps no memory.
  MANYCHAIN_HD std::size_t place(std::size_t sequence) const {
    return length > 0 ? sequence / width * width * length + sequence % width : 0;
  }

  /// The place of the i-th draw in the order of places, padding left out: only the last tile has any.
  MANYCHAIN_HD std::size_t place_of(std::size_t i) const {
    const std::size_t full = parts * chains / width * width * length;
    const std::size_t rest = parts * chains % width;
    return i < full ? i : full + (i - full) / rest * width + (i - full) % rest;
  }

  struct Position {
    std::size_t sequence, draw;
  };
  /// The sequence and the draw at a place.
  MANYCHAIN_HD Position position(std::size_t place) const {
    const std::size_t in_tile = place % (width * length);
    return {place / (width * length) * width + in_tile % width, in_tile / width};
  }
};

/// Chains in one partial sum. Part of the definition of every pooled number: never change it with the machine.
inline constexpr std::size_t chains_per_partial = 256;

/// The sum of `term(row, chain)` over the chains of one block; `index` runs over rows and blocks.
template <class Term>
struct PartialSum {
  Term term;
  std::size_t chains;
  std::size_t blocks;

  MANYCHAIN_HD double operator()(std::size_t index) const {
    const std::size_t row = index / blocks;
    const std::size_t begin = index % blocks * chains_per_partial;
    const std::size_t end = begin + chains_per_partial < chains ? begin + chains_per_partial : chains;
    double sum = 0;
    for (std::size_t chain = begin; chain < end; ++chain) sum += term(row, chain);
    return sum;
  }
};

template <class Term>
struct PutPartialSum {
  PartialSum<Term> partial;
  double* to;

  MANYCHAIN_HD void operator()(std::size_t index) const { to[index] = partial(index); }
};

/// Adds up what PartialSum found, in order. A call does a row.
struct AddPartials {
  const double* partials;
  std::size_t blocks;
  double* sums;

  MANYCHAIN_HD void operator()(std::size_t row) const {
    double sum = 0;
    for (std::size_t b = 0; b < blocks; ++b) sum += partials[row * blocks + b];
    sums[row] = sum;
  }
};

/// The sum over the parts of a chain in a row of numbers, one per sequence.
struct OfChain {
  const double* values;
  SequenceLayout layout;

  MANYCHAIN_HD double operator()(std::size_t row, std::size_t chain) const {
    const double* of_row = values + row * layout.padded;
    return layout.parts == 1 ? of_row[chain] : of_row[chain] + of_row[layout.chains + chain];
  }
};

/// Rows of two arrays behind each other, the first of which has `before` of them.
struct OfChainInTwo {
  OfChain first, second;
  std::size_t before;

  MANYCHAIN_HD double operator()(std::size_t row, std::size_t chain) const {
    return row < before ? first(row, chain) : second(row - before, chain);
  }
};

/// Squared distance of the parts' numbers from `total` / `count`. The total may be a sum that the host does not know
/// yet.
struct OfChainSquared {
  const double* values;
  const double* total;
  double count;
  SequenceLayout layout;

  MANYCHAIN_HD double operator()(std::size_t, std::size_t chain) const {
    const double centre = *total / count;
    const double a = values[chain] - centre;
    if (layout.parts == 1) return a * a;
    const double b = values[layout.chains + chain] - centre;
    return a * a + b * b;
  }
};

/// The middle draw of a chain, less `origin` (row 0), and its distance from `centre` to the powers two and four (rows 1
/// and 2), for which the centre must be known.
template <class Number>
struct MiddleDraw {
  const Number* values;
  double origin;
  const double* centre;

  MANYCHAIN_HD double operator()(std::size_t row, std::size_t chain) const {
    const double d = static_cast<double>(values[chain]) - origin;
    if (row == 0) return d;
    const double square = (d - *centre) * (d - *centre);
    return row == 1 ? square : square * square;
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
