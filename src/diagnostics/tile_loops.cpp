// No template of the standard library, whose body the linker might take for other units, too.
#include "diagnostics/tile_loops.hpp"

#include "diagnostics/indicator_loops.hpp"
#include "diagnostics/sequence_loops.hpp"

namespace manychain::diagnostics {
namespace {

constexpr std::size_t lanes = tile_lanes;

SequenceLayout layout_of(const TileShape& shape) {
  return {shape.chains, shape.draws, static_cast<Parts>(shape.parts), lanes, true};
}
std::size_t tiles_in(const SequenceLayout& layout) { return layout.padded / lanes; }

/// Chains that are read side by side: their tiles are written one after the other, and lie in the cache.
constexpr std::size_t chains_abreast = 512;

template <class Number>
std::size_t load(const Number* source, std::size_t draw_stride, std::size_t chain_stride, const TileShape& shape,
                 Number* tiles, Number* middle) {
  const SequenceLayout layout = layout_of(shape);
  const std::size_t sequences = layout.parts * layout.chains;
  std::size_t bad = 0;
  std::size_t s = layout.length > 0 ? 0 : layout.padded;  // no address is computed in sequences without draws
  if (chain_stride == 1 && layout.chains % lanes == 0) {
    for (; s < sequences;) {
      const std::size_t end_of_part = s < layout.chains ? layout.chains : sequences;
      const std::size_t end = s + chains_abreast < end_of_part ? s + chains_abreast : end_of_part;
      const Number* from = source + layout.first_draw(s, draw_stride, chain_stride);
      std::int32_t not_finite[lanes] = {};
      for (std::size_t t = 0; t < layout.length; ++t, from += draw_stride) {
        Number* to = tiles + s * layout.length + t * lanes;
        for (std::size_t c = 0; c < end - s; c += lanes, to += lanes * layout.length) {
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            const Number x = from[c + lane];
            to[lane] = x;
            not_finite[lane] += x - x == 0 ? 0 : 1;
          }
        }
      }
      for (const std::int32_t count : not_finite) bad += static_cast<std::size_t>(count);
      s = end;
    }
  }
  for (; s < layout.padded; ++s) {
    Number* to = tiles + layout.place(s);
    if (s >= sequences) {
      for (std::size_t t = 0; t < layout.length; ++t) to[t * lanes] = 0;
      continue;
    }
    const Number* const from = source + layout.first_draw(s, draw_stride, chain_stride);
    for (std::size_t t = 0; t < layout.length; ++t) {
      const Number x = from[t * draw_stride];
      to[t * lanes] = x;
      bad += x - x == 0 ? 0 : 1;
    }
  }
  if (layout.draws % layout.parts == 1 && layout.parts == 2) {
    for (std::size_t c = 0; c < layout.chains; ++c) {
      const Number x = source[c * chain_stride + layout.length * draw_stride];
      middle[c] = x;
      bad += x - x == 0 ? 0 : 1;
    }
  }
  return bad;
}

/// A tile by itself.
SequenceLayout one_tile(const SequenceLayout& layout) { return {lanes, layout.length, Parts::whole, lanes, true}; }

void centre_tile(const SequenceLayout& one, std::size_t tile, const TileRows& rows) {
  CentreSequences<tile_lanes>{rows.tile, rows.mean + tile * lanes, rows.squares + tile * lanes, one}(0);
}
void multiply_tile(const SequenceLayout& one, std::size_t padded, std::size_t tile, const TileRows& rows) {
  if (!rows.products) return;
  double sums[tile_lags * lanes];
  LagProducts<tile_lags, tile_lanes>{rows.tile, sums, 1, one}(0);
  for (std::size_t k = 0; k < tile_lags; ++k) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      rows.products[k * padded + tile * lanes + lane] = sums[k * lanes + lane];
  }
}

template <class Number>
void moments_of_draws(const Number* tiles, const TileShape& shape, double origin, const TileRows& rows) {
  const SequenceLayout layout = layout_of(shape), one = one_tile(layout);
  const std::size_t in_tile = lanes * layout.length;
  for (std::size_t tile = 0; tile < tiles_in(layout); ++tile) {
    const Number* const from = tiles + tile * in_tile;
    for (std::size_t i = 0; i < in_tile; ++i) rows.tile[i] = static_cast<double>(from[i]) - origin;
    centre_tile(one, tile, rows);
    multiply_tile(one, layout.padded, tile, rows);
  }
}

template <class Number>
void moments_of_squares(const Number* tiles, const TileShape& shape, double origin, double centre, double* fourth,
                        const TileRows& rows) {
  const SequenceLayout layout = layout_of(shape), one = one_tile(layout);
  const std::size_t in_tile = lanes * layout.length;
  for (std::size_t tile = 0; tile < tiles_in(layout); ++tile) {
    const Number* const from = tiles + tile * in_tile;
    double* const mean = rows.mean + tile * lanes;
    for (std::size_t i = 0; i < in_tile; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane)
        rows.tile[i + lane] = static_cast<double>(from[i + lane]) - origin - mean[lane];
    }
    const CentreSequences<tile_lanes> centring{rows.tile, mean, rows.squares + tile * lanes, one};
    SquareSequences<tile_lanes>{centring, fourth + tile * lanes, &centre}(0);
    multiply_tile(one, layout.padded, tile, rows);
  }
}

template <class Number>
void add_to_sums(const Number* __restrict draws, std::size_t count, double origin, double* __restrict sums,
                 double* __restrict squares) {
  for (std::size_t c = 0; c < count; ++c) {
    const double x = static_cast<double>(draws[c]) - origin;
    sums[c] += x;
    squares[c] += x * x;
  }
}

/// Ranks lie anywhere in the table, and a branch on which side of the middle one is as good as chance.
void read_scores(const RankCode* __restrict ranks, std::size_t count, RankCode size, const double* __restrict table,
                 const double* __restrict between, double* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) {
    const RankCode rank = ranks[i];
    const RankCode other = size - 1 - rank;  // of a code behind the ranks: more than it is
    const RankCode nearer = rank < other ? rank : other;
    const std::uint64_t sign = static_cast<std::uint64_t>(other < rank) << 63;
    const double* const from = rank < size ? table : between - size;
    to[i] = __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, from[nearer]) ^ sign);
  }
}

/// IndicatorProducts of sequences that have a word each, side by side.
void products_of_words(const BitWord* __restrict words, std::size_t sequences, std::size_t length, std::size_t lag,
                       const double* __restrict mean, double* __restrict products) {
  constexpr std::size_t abreast = 64;
  std::int32_t pairs[abreast], ends[abreast];
  const BitWord up_to_last = ~BitWord{0} >> (word_bits - (length - lag));
  const auto places = static_cast<double>(length - lag);
  for (std::size_t begin = 0; begin < sequences; begin += abreast) {
    const std::size_t count = begin + abreast < sequences ? abreast : sequences - begin;
    for (std::size_t i = 0; i < count; ++i) {
      const BitWord word = words[begin + i], later = word >> lag;
      pairs[i] = count_bits(word & later);
      ends[i] = count_bits(word & up_to_last) + count_bits(later);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const double m = mean[begin + i];
      products[begin + i] = static_cast<double>(pairs[i]) - m * static_cast<double>(ends[i]) + places * (m * m);
    }
  }
}

/// Reads the scores of a tile, of which the last has padding.
void read_tile(const RankScores& scores, const SequenceLayout& layout, std::size_t tile, double* to) {
  const std::size_t in_tile = lanes * layout.length, rest = layout.parts * layout.chains - tile * lanes;
  const RankCode* const rank = scores.rank + tile * in_tile;
  const auto size = static_cast<RankCode>(scores.size);
  if (rest >= lanes) return read_scores(rank, in_tile, size, scores.table, scores.between, to);
  for (std::size_t t = 0; t < layout.length; ++t, to += lanes) {
    read_scores(rank + t * lanes, rest, size, scores.table, scores.between, to);
    for (std::size_t lane = rest; lane < lanes; ++lane) to[lane] = 0;
  }
}

}  // namespace

std::size_t load_tiles(const float* source, std::size_t draw_stride, std::size_t chain_stride, const TileShape& shape,
                       float* tiles, float* middle) {
  return load(source, draw_stride, chain_stride, shape, tiles, middle);
}
std::size_t load_tiles(const double* source, std::size_t draw_stride, std::size_t chain_stride, const TileShape& shape,
                       double* tiles, double* middle) {
  return load(source, draw_stride, chain_stride, shape, tiles, middle);
}

void draw_moments(const float* tiles, const TileShape& shape, double origin, const TileRows& rows) {
  moments_of_draws(tiles, shape, origin, rows);
}
void draw_moments(const double* tiles, const TileShape& shape, double origin, const TileRows& rows) {
  moments_of_draws(tiles, shape, origin, rows);
}
void square_moments(const float* tiles, const TileShape& shape, double origin, double centre, double* fourth,
                    const TileRows& rows) {
  moments_of_squares(tiles, shape, origin, centre, fourth, rows);
}
void square_moments(const double* tiles, const TileShape& shape, double origin, double centre, double* fourth,
                    const TileRows& rows) {
  moments_of_squares(tiles, shape, origin, centre, fourth, rows);
}

void add_sums(const float* draws, std::size_t count, double origin, double* sums, double* squares) {
  add_to_sums(draws, count, origin, sums, squares);
}
void add_sums(const double* draws, std::size_t count, double origin, double* sums, double* squares) {
  add_to_sums(draws, count, origin, sums, squares);
}

void lag_products(const double* values, const TileShape& shape, std::size_t first_lag, double* products) {
  const SequenceLayout layout = layout_of(shape);
  const LagProducts<tile_lags, tile_lanes> at_lags{values, products, first_lag, layout};
  for (std::size_t tile = 0; tile < tiles_in(layout); ++tile) at_lags(tile);
}

void score_moments(const RankScores& scores, const TileShape& shape, const TileRows& rows) {
  const SequenceLayout layout = layout_of(shape), one = one_tile(layout);
  for (std::size_t tile = 0; tile < tiles_in(layout); ++tile) {
    read_tile(scores, layout, tile, rows.tile);
    centre_tile(one, tile, rows);
    multiply_tile(one, layout.padded, tile, rows);
  }
}

void write_scores(const RankScores& scores, const TileShape& shape, double* values) {
  const SequenceLayout layout = layout_of(shape);
  for (std::size_t tile = 0; tile < tiles_in(layout); ++tile)
    read_tile(scores, layout, tile, values + tile * lanes * layout.length);
}

void mark_indicators(const std::uint32_t* place, std::size_t count, std::size_t length, unsigned long long* words) {
  const auto in_tile = static_cast<std::uint32_t>(lanes * length);
  const std::size_t of_sequence = IndicatorBits::words_of(length);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t tile = place[i] / in_tile, at = place[i] % in_tile;
    const std::size_t draw = at / lanes, sequence = tile * lanes + at % lanes;
    words[sequence * of_sequence + draw / word_bits] |= BitWord{1} << draw % word_bits;
  }
}

void indicator_moments(unsigned long long* words, const TileShape& shape, double* mean, double* squares) {
  const SequenceLayout layout = layout_of(shape);
  const IndicatorBits bits{words, layout.length, IndicatorBits::words_of(layout.length), 1};
  const IndicatorMoments moments{bits, mean, squares};
  for (std::size_t s = 0; s < layout.parts * layout.chains; ++s) moments(s);
}

void indicator_products(unsigned long long* words, const TileShape& shape, const double* mean, std::size_t first_lag,
                        double* products) {
  const SequenceLayout layout = layout_of(shape);
  const IndicatorBits bits{words, layout.length, IndicatorBits::words_of(layout.length), 1};
  const std::size_t sequences = layout.parts * layout.chains;
  if (layout.length <= word_bits && first_lag + tile_lags <= layout.length) {
    for (std::size_t k = 0; k < tile_lags; ++k)
      products_of_words(words, sequences, layout.length, first_lag + k, mean, products + k * layout.padded);
    return;
  }
  const IndicatorProducts<tile_lags> at_lags{bits, mean, products, first_lag, layout.padded};
  for (std::size_t s = 0; s < sequences; ++s) at_lags(s);
}

}  // namespace manychain::diagnostics
