// The loops over the draws of one variable that cost a CPU's summary its time, in tiles of eight sequences
// (SequenceLayout). They give what the loops of sequence_loops.hpp and normal_scores.hpp give, to the bit; what lies
// between them stays in the first cache. Compiled for the instruction set of chain code: only numbers pass between.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manychain::diagnostics {

inline constexpr int tile_lanes = 8;
/// Lags whose products are computed with the moments.
inline constexpr int tile_lags = 8;

struct TileShape {
  std::size_t chains;
  std::size_t draws;  ///< of a chain
  std::size_t parts;  ///< that a chain is cut into
};

/// Copies the sequences of a variable into tiles, padding zero, and the middle draws. Returns how many are not finite.
std::size_t load_tiles(const float* source, std::size_t draw_stride, std::size_t chain_stride, const TileShape& shape,
                       float* tiles, float* middle);
std::size_t load_tiles(const double* source, std::size_t draw_stride, std::size_t chain_stride, const TileShape& shape,
                       double* tiles, double* middle);

/// Rows of numbers, one per sequence with padding: means, sums of squares about them, and products at the lags 1 to
/// tile_lags (null: not wanted). `tile` has room for one tile of numbers.
struct TileRows {
  double* mean;
  double* squares;
  double* products;
  double* tile;
};

/// Moments of draws less `origin`.
void draw_moments(const float* tiles, const TileShape& shape, double origin, const TileRows& rows);
void draw_moments(const double* tiles, const TileShape& shape, double origin, const TileRows& rows);
/// Moments of squared distances from origin + centre; rows.mean has the means of the draws less `origin` before.
/// `fourth`: sums of fourth powers.
void square_moments(const float* tiles, const TileShape& shape, double origin, double centre, double* fourth,
                    const TileRows& rows);
void square_moments(const double* tiles, const TileShape& shape, double origin, double centre, double* fourth,
                    const TileRows& rows);

/// Products at the lags from `first_lag` on, of centred values in tiles.
void lag_products(const double* values, const TileShape& shape, std::size_t first_lag, double* products);

/// A rank among `size`, in 32 bits: the number of smaller draws; of a run of equal ones that of their average rank, if
/// it is whole, else size + the number of the run among such.
using RankCode = std::uint32_t;
/// At most so many numbers in `between`, below.
inline std::size_t most_between(std::size_t size) { return size / 2 + size / 1024 + 2; }
/// Writes the rank of each draw to its place. `between` gets twice the average rank of each run that has none of its
/// own; returns how many.
std::size_t write_ranks(const float* sorted, const std::uint32_t* place, std::size_t size, RankCode* rank,
                        double* between);
std::size_t write_ranks(const double* sorted, const std::uint32_t* place, std::size_t size, RankCode* rank,
                        double* between);
/// Like write_ranks(), for distances from the median; `below` draws are below it.
std::size_t write_folded_ranks(const float* sorted, const std::uint32_t* place, std::size_t size, std::size_t below,
                               double median, RankCode* rank, double* between);
std::size_t write_folded_ranks(const double* sorted, const std::uint32_t* place, std::size_t size, std::size_t below,
                               double median, RankCode* rank, double* between);

/// Turns twice the average ranks among `size` into their normal scores: normal_score().
void write_normal_scores(double* twice_rank, std::size_t count, std::size_t size);

/// The part [begin, end) of a ScoreTable of ranks among `size`.
void write_score_table(double* table, std::size_t begin, std::size_t end, std::size_t size);

/// The scores of ranks: `table` has those of whole ranks up to the middle, `between` the others.
struct RankScores {
  const RankCode* rank;
  const double* table;
  const double* between;
  std::size_t size;
};
void score_moments(const RankScores& scores, const TileShape& shape, const TileRows& rows);
/// The scores themselves, at the places of their draws; padding zero.
void write_scores(const RankScores& scores, const TileShape& shape, double* values);

/// Adds the draws of `count` chains, side by side, less an origin, to their sums, and the squares of these.
void add_sums(const float* draws, std::size_t count, double origin, double* sums, double* squares);
void add_sums(const double* draws, std::size_t count, double origin, double* sums, double* squares);

/// MarkIndicator, IndicatorMoments and IndicatorProducts of all sequences; the words of a sequence lie together.
void mark_indicators(const std::uint32_t* place, std::size_t count, std::size_t length, unsigned long long* words);
void indicator_moments(unsigned long long* words, const TileShape& shape, double* mean, double* squares);
void indicator_products(unsigned long long* words, const TileShape& shape, const double* mean, std::size_t first_lag,
                        double* products);

}  // namespace manychain::diagnostics
