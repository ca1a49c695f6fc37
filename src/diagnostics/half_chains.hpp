// Half chains in memory, and what is computed on each of them apart. Everything here runs in index order within a half
// chain, and half chains meet only in sums of 256 consecutive chains: the result depends neither on threads nor on how
// many half chains one call handles.
#pragma once

#include <cstddef>

#include "manychain/core/macros.hpp"

namespace manychain::diagnostics {

/// Where the draws of the half chains lie: tiles of `width` half chains, in a tile [draw][half chain]. Half chain
/// h < chains is the first half of chain h, the others are the second halves. With an odd number of draws the middle
/// ones come after all tiles. The number of half chains is padded to a multiple of the lanes.
struct HalfChainLayout {
  std::size_t chains = 0;
  std::size_t draws = 0;
  std::size_t half = 0;    ///< draws of a half chain
  std::size_t padded = 0;  ///< half chains, with padding
  std::size_t width = 0;

  HalfChainLayout(std::size_t chains_, std::size_t draws_, std::size_t lanes, bool tiled)
      : chains(chains_),
        draws(draws_),
        half(draws_ / 2),
        padded((2 * chains_ + lanes - 1) / lanes * lanes),
        width(tiled ? lanes : padded) {}

  std::size_t tiles_size() const { return padded * half; }
  std::size_t middle() const { return draws % 2 == 1 ? chains : 0; }
  std::size_t all_draws() const { return draws * chains; }
  std::size_t split_draws() const { return 2 * half * chains; }

  MANYCHAIN_HD std::size_t place(std::size_t half_chain) const {
    return half_chain / width * width * half + half_chain % width;
  }
};

/// Copies `Lanes` half chains out of the caller's draws and counts what is not finite. Padding becomes infinity, which
/// sorts behind every finite draw.
template <class Number, int Lanes>
struct LoadHalfChains {
  const Number* source;
  std::size_t draw_stride;
  std::size_t chain_stride;
  Number* target;
  double* not_finite;
  HalfChainLayout layout;
  Number infinity;

  MANYCHAIN_HD void operator()(std::size_t unit) const {
    const std::size_t first = unit * Lanes;
    Number* to = target + layout.place(first);
    const Number* from[Lanes];
    double bad[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) {
      const std::size_t h = first + lane;
      const bool second = h >= layout.chains;
      const std::size_t chain = second ? h - layout.chains : h;
      bad[lane] = 0;
      from[lane] = nullptr;
      if (chain >= layout.chains) continue;
      from[lane] = source + chain * chain_stride;
      if (!second) continue;
      from[lane] += (layout.draws - layout.half) * draw_stride;
      if (layout.draws % 2 == 1) {
        const Number x = source[chain * chain_stride + layout.half * draw_stride];
        target[layout.padded * layout.half + chain] = x;
        bad[lane] += x - x == 0 ? 0 : 1;
      }
    }
    for (std::size_t t = 0; t < layout.half; ++t, to += layout.width) {
      for (int lane = 0; lane < Lanes; ++lane) {
        const Number x = from[lane] ? from[lane][t * draw_stride] : infinity;
        to[lane] = x;
        if (from[lane]) bad[lane] += x - x == 0 ? 0 : 1;
      }
    }
    for (int lane = 0; lane < Lanes; ++lane) not_finite[first + lane] = bad[lane];
  }
};

/// Mean of each half chain and its sum of squares about it; leaves the centred draws. `source` may be `centred`.
template <class Source, int Lanes>
struct CentreHalfChains {
  const Source* source;
  double* centred;
  double* mean;
  double* squares;
  double origin;  ///< subtracted first, so that a distant mean costs no digits
  HalfChainLayout layout;

  MANYCHAIN_HD void operator()(std::size_t unit) const {
    const std::size_t first = unit * Lanes;
    const std::size_t begin = layout.place(first);
    double sum[Lanes];
    double sum_squares[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) sum[lane] = sum_squares[lane] = 0;
    const Source* from = source + begin;
    for (std::size_t t = 0; t < layout.half; ++t, from += layout.width) {
      for (int lane = 0; lane < Lanes; ++lane) sum[lane] += static_cast<double>(from[lane]) - origin;
    }
    for (int lane = 0; lane < Lanes; ++lane) {
      sum[lane] = layout.half > 0 ? sum[lane] / static_cast<double>(layout.half) : 0;
    }
    from = source + begin;
    double* to = centred + begin;
    for (std::size_t t = 0; t < layout.half; ++t, from += layout.width, to += layout.width) {
      for (int lane = 0; lane < Lanes; ++lane) {
        const double d = (static_cast<double>(from[lane]) - origin) - sum[lane];
        to[lane] = d;
        sum_squares[lane] += d * d;
      }
    }
    for (int lane = 0; lane < Lanes; ++lane) {
      mean[first + lane] = sum[lane];
      squares[first + lane] = sum_squares[lane];
    }
  }
};

/// Sums of products of centred draws that are `first_lag`, first_lag + 1, ... apart, for `Lags` lags. Row k of
/// `products` is the lag first_lag + k.
template <int Lags, int Lanes>
struct LagProducts {
  const double* centred;
  double* products;
  std::size_t first_lag;
  HalfChainLayout layout;

  // Lags and half chains that share one pass. A CPU's tile stays in its first cache, and these sums in its registers; a
  // device's thread reads from far away, and has registers.
  static constexpr int together = Lanes == 1 ? Lags : 4;
  static constexpr int abreast = Lanes == 1 ? 1 : 4;
  static_assert(Lags % together == 0 && Lanes % abreast == 0);

  MANYCHAIN_HD void operator()(std::size_t unit) const {
    for (int k = 0; k < Lags; k += together) {
      for (int lane = 0; lane < Lanes; lane += abreast) pass(unit * Lanes, lane, k);
    }
  }

 private:
  MANYCHAIN_HD void pass(std::size_t first, int from_lane, int row) const {
    const std::size_t lag = first_lag + row;
    const double* now = centred + layout.place(first) + from_lane;
    const double* later = now + lag * layout.width;
    double sum[together][abreast];
    for (int k = 0; k < together; ++k) {
      for (int lane = 0; lane < abreast; ++lane) sum[k][lane] = 0;
    }
    std::size_t t = 0;
    for (; t + lag + together <= layout.half; ++t, now += layout.width, later += layout.width) {
      for (int k = 0; k < together; ++k) {
        const double* at_lag = later + k * layout.width;
        for (int lane = 0; lane < abreast; ++lane) sum[k][lane] += now[lane] * at_lag[lane];
      }
    }
    for (; t + lag < layout.half; ++t, now += layout.width, later += layout.width) {
      for (int k = 0; k < together; ++k) {
        if (t + lag + k >= layout.half) continue;
        const double* at_lag = later + k * layout.width;
        for (int lane = 0; lane < abreast; ++lane) sum[k][lane] += now[lane] * at_lag[lane];
      }
    }
    for (int k = 0; k < together; ++k) {
      for (int lane = 0; lane < abreast; ++lane) {
        products[(row + k) * layout.padded + first + from_lane + lane] = sum[k][lane];
      }
    }
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

/// What both halves of a chain hold in a row of numbers, one a half chain.
struct BothHalves {
  const double* values;
  HalfChainLayout layout;

  MANYCHAIN_HD double operator()(std::size_t row, std::size_t chain) const {
    const double* of_row = values + row * layout.padded;
    return of_row[chain] + of_row[layout.chains + chain];
  }
};

/// Squared distance of both halves' numbers from `centre`.
struct BothHalvesSquared {
  const double* values;
  double centre;
  HalfChainLayout layout;

  MANYCHAIN_HD double operator()(std::size_t, std::size_t chain) const {
    const double a = values[chain] - centre;
    const double b = values[layout.chains + chain] - centre;
    return a * a + b * b;
  }
};

/// The middle draw of a chain, less `origin`: to the power one (row 0) and squared about `centre` (row 1).
template <class Number>
struct MiddleDraw {
  const Number* values;
  double origin;
  double centre;

  MANYCHAIN_HD double operator()(std::size_t row, std::size_t chain) const {
    const double d = static_cast<double>(values[chain]) - origin;
    return row == 0 ? d : (d - centre) * (d - centre);
  }
};

}  // namespace manychain::diagnostics
