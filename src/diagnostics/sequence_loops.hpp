// Computations on each sequence apart, `Lanes` of them in one call.
#pragma once

#include <cmath>
#include <cstddef>

#include "diagnostics/sequence_layout.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {  // units of either instruction set include it

/// Copies sequences out of the caller's draws, in the order of their places and without padding, and counts what is not
/// finite.
template <class Number, int Lanes>
struct LoadSequences {
  const Number* source;
  std::size_t draw_stride;
  std::size_t chain_stride;
  Number* target;
  Number* middle;
  double* not_finite;
  SequenceLayout layout;

  MANYCHAIN_HD void operator()(std::size_t item) const {
    const std::size_t first = item * Lanes;
    const std::size_t left = layout.parts * layout.chains - first;
    const int used = left < Lanes ? static_cast<int>(left) : Lanes;
    const std::size_t stride = layout.width == Lanes ? used : layout.width;
    Number* to = target + layout.place(first);
    const Number* from[Lanes];
    double bad[Lanes];
    for (int lane = 0; lane < used; ++lane) {
      const std::size_t s = first + lane;
      bad[lane] = 0;
      from[lane] = source + layout.first_draw(s, draw_stride, chain_stride);
      if (s >= layout.chains && layout.draws % 2 == 1) {
        const std::size_t chain = s - layout.chains;
        const Number x = source[chain * chain_stride + layout.length * draw_stride];
        middle[chain] = x;
        bad[lane] += x - x == 0 ? 0 : 1;
      }
    }
    for (std::size_t t = 0; t < layout.length; ++t, to += stride) {
      for (int lane = 0; lane < used; ++lane) {
        const Number x = from[lane][t * draw_stride];
        to[lane] = x;
        bad[lane] += x - x == 0 ? 0 : 1;
      }
    }
    for (int lane = 0; lane < used; ++lane) not_finite[first + lane] = bad[lane];
  }
};

/// Copies sequences out of the caller's draws again, each draw to its place, less `origin`; padding is zero.
template <class Number, int Lanes>
struct PutDraws {
  const Number* source;
  std::size_t draw_stride;
  std::size_t chain_stride;
  double* values;
  double origin;
  SequenceLayout layout;

  MANYCHAIN_HD void operator()(std::size_t item) const {
    const std::size_t first = item * Lanes;
    const Number* from[Lanes];
    bool used[Lanes];
    bool all_used = true;
    for (int lane = 0; lane < Lanes; ++lane) {
      const std::size_t s = first + lane;
      used[lane] = s < layout.parts * layout.chains;
      all_used = all_used && used[lane];
      from[lane] = used[lane] ? source + layout.first_draw(s, draw_stride, chain_stride) : source;
    }
    double* to = values + layout.place(first);
    for (std::size_t t = 0; t < layout.length; ++t, to += layout.width) {
      const std::size_t at = t * draw_stride;
      if (all_used) {
        for (int lane = 0; lane < Lanes; ++lane) to[lane] = static_cast<double>(from[lane][at]) - origin;
      } else {
        for (int lane = 0; lane < Lanes; ++lane)
          to[lane] = used[lane] ? static_cast<double>(from[lane][at]) - origin : 0;
      }
    }
  }
};

/// Mean of each sequence and its sum of squares about it; leaves the centred values.
template <int Lanes>
struct CentreSequences {
  double* values;
  double* mean;
  double* squares;
  SequenceLayout layout;

  MANYCHAIN_HD void operator()(std::size_t item) const {
    double sum[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) sum[lane] = 0;
    const double* from = values + layout.place(item * Lanes);
    for (std::size_t t = 0; t < layout.length; ++t, from += layout.width) {
      for (int lane = 0; lane < Lanes; ++lane) sum[lane] += from[lane];
    }
    subtract(item, sum);
  }

  /// The second half of it, with the sums known.
  MANYCHAIN_HD void subtract(std::size_t item, double (&sum)[Lanes]) const {
    double sum_squares[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) {
      sum_squares[lane] = 0;
      sum[lane] = layout.length > 0 ? sum[lane] / static_cast<double>(layout.length) : 0;
    }
    double* at = values + layout.place(item * Lanes);
    for (std::size_t t = 0; t < layout.length; ++t, at += layout.width) {
      for (int lane = 0; lane < Lanes; ++lane) {
        const double d = at[lane] - sum[lane];
        at[lane] = d;
        sum_squares[lane] += d * d;
      }
    }
    for (int lane = 0; lane < Lanes; ++lane) {
      mean[item * Lanes + lane] = sum[lane];
      squares[item * Lanes + lane] = sum_squares[lane];
    }
  }
};

/// Turns centred draws into their squared distances from `*centre`, and these are centred in turn. `mean` has the
/// sequences' means of the draws before and of the squares after. `fourth`: sums of the fourth powers of the distances.
template <int Lanes>
struct SquareSequences {
  CentreSequences<Lanes> centring;
  double* fourth;
  const double* centre;

  MANYCHAIN_HD void operator()(std::size_t item) const {
    const SequenceLayout& layout = centring.layout;
    const double from = *centre;
    double shift[Lanes], sum[Lanes], sum_fourth[Lanes];
    for (int lane = 0; lane < Lanes; ++lane) {
      shift[lane] = centring.mean[item * Lanes + lane] - from;
      sum[lane] = sum_fourth[lane] = 0;
    }
    double* at = centring.values + layout.place(item * Lanes);
    for (std::size_t t = 0; t < layout.length; ++t, at += layout.width) {
      for (int lane = 0; lane < Lanes; ++lane) {
        const double d = at[lane] + shift[lane];
        at[lane] = d * d;
        sum[lane] += d * d;
        sum_fourth[lane] += d * d * (d * d);
      }
    }
    for (int lane = 0; lane < Lanes; ++lane) fourth[item * Lanes + lane] = sum_fourth[lane];
    centring.subtract(item, sum);
  }
};

/// Sums of products of centred values that are `first_lag`, first_lag + 1, ... apart, for `Lags` lags. Row k of
/// `products` is the lag first_lag + k.
template <int Lags, int Lanes>
struct LagProducts {
  const double* centred;
  double* products;
  std::size_t first_lag;
  SequenceLayout layout;

  // Lags and sequences that share one pass. A CPU's tile stays in its first cache, and these sums in its registers.
#if defined(__AVX512F__)
  static constexpr int together = Lags;
  static constexpr int abreast = Lanes;
#else
  static constexpr int together = 4;
  static constexpr int abreast = 4;
#endif
  static_assert(Lags % together == 0 && Lanes % abreast == 0);

  MANYCHAIN_HD void operator()(std::size_t item) const {
    for (int k = 0; k < Lags; k += together) {
      for (int lane = 0; lane < Lanes; lane += abreast) pass(item * Lanes, lane, k);
    }
  }

 private:
  MANYCHAIN_HD void pass(std::size_t first, int from_lane, int row) const {
    const std::size_t lag = first_lag + row;
    const bool any = lag < layout.length;  // of none there may be no memory
    const double* now = any ? centred + layout.place(first) + from_lane : nullptr;
    const double* later = any ? now + lag * layout.width : nullptr;
    double sum[together][abreast];
    for (int k = 0; k < together; ++k) {
      for (int lane = 0; lane < abreast; ++lane) sum[k][lane] = 0;
    }
    std::size_t t = 0;
    for (; t + lag + together <= layout.length; ++t, now += layout.width, later += layout.width) {
      for (int k = 0; k < together; ++k) {
        const double* at_lag = later + k * layout.width;
        for (int lane = 0; lane < abreast; ++lane) sum[k][lane] += now[lane] * at_lag[lane];
      }
    }
    for (; t + lag < layout.length; ++t, now += layout.width, later += layout.width) {
      for (int k = 0; k < together; ++k) {
        if (t + lag + k >= layout.length) continue;
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

/// Lag products of one sequence, on a device: draws move through registers, from lag to lag, so that a pass reads two
/// numbers a draw for all its lags, one of them a number that it has read before.
///
/// There is no Fourier transform on a device. By the data sheet of an H200 (4.8 TB/s, 34 TFLOPS in double) the 8 bytes
/// that a draw brings take as long as 28 multiply-adds: 28 for a pass of 16 lags. A transform reads and writes 9
/// numbers a draw (the draw; twice as many padded ones; as many of the spectrum; each but the first written and read):
/// 252, as many as 144 lags. If autocorrelations fall by a factor f a draw, Geyer's sequence ends where they are below
/// their noise, f^t = sqrt(tau / S) with S draws in all. For 4096 chains of 1000 draws that is at lag 58 for f = 0.9
/// and at 139 for 0.96, where 49 draws make an effective one. All lags of such halves of chains are 1e9 multiply-adds,
/// 0.1 ms at those rates. Few long chains that mix slowly would gain; a CPU has the transform for them.
template <std::size_t Lags>
struct LagProductsInRegisters {
  const double* centred;
  double* products;
  std::size_t first_lag;
  SequenceLayout layout;

  MANYCHAIN_HD void operator()(std::size_t sequence) const {
    const std::size_t pairs = first_lag < layout.length ? layout.length - first_lag : 0, step = Lags * layout.width;
    const double* now = centred + layout.place(sequence);
    const double* later = now + first_lag * layout.width;
    double sum[Lags], window[Lags];  // window[(t + k) % Lags]: the draw at t + first_lag + k
    MANYCHAIN_UNROLL
    for (std::size_t k = 0; k < Lags; ++k) {
      sum[k] = 0;
      window[k] = k < pairs ? later[k * layout.width] : 0;
    }
    std::size_t t = 0;
    for (; t + 2 * Lags <= pairs; t += Lags, now += step, later += step)
      round(now, later, window, sum, [](std::size_t) { return true; });
    // Behind the last draw lie zeros, which change no sum.
    for (; t < pairs; t += Lags, now += step, later += step)
      round(now, later, window, sum, [&](std::size_t j) { return t + j < pairs; });
    MANYCHAIN_UNROLL
    for (std::size_t k = 0; k < Lags; ++k) products[k * layout.padded + sequence] = sum[k];
  }

 private:
  /// Rounded once on a device, where that is half the instructions; on a host twice, as in the loops of its tiles.
  MANYCHAIN_HD static double times_plus(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
  }
  /// `Lags` draws of those that are there. Once a draw has met its earlier ones, another moves in at its place.
  template <class There>
  MANYCHAIN_HD void round(const double* now, const double* later, double (&window)[Lags], double (&sum)[Lags],
                          const There& there) const {
    MANYCHAIN_UNROLL
    for (std::size_t j = 0; j < Lags; ++j) {
      const double x = there(j) ? now[j * layout.width] : 0;
      MANYCHAIN_UNROLL
      for (std::size_t k = 0; k < Lags; ++k) sum[k] = times_plus(x, window[(j + k) % Lags], sum[k]);
      window[j] = there(Lags + j) ? later[(Lags + j) * layout.width] : 0;
    }
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
