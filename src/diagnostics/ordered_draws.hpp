// The draws of one variable in ascending order, each with its place: where quantiles, ranks and indicators come from.
#pragma once

#include <thrust/functional.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "diagnostics/indicator_loops.hpp"
#include "diagnostics/normal_scores.hpp"
#include "diagnostics/sequence_loops.hpp"
#include "diagnostics/sequence_pool.hpp"
#include "diagnostics/sort_draws.hpp"
#include "diagnostics/tile_loops.hpp"
#include "manychain/diagnostics/draws.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

template <class Index>
struct PlaceOf {
  SequenceLayout layout;

  MANYCHAIN_HD Index operator()(std::size_t i) const { return static_cast<Index>(layout.place_of(i)); }
};

/// Quantile of type 7 (Hyndman and Fan 1996) of `count` numbers; `at(k)` is the k-th smallest, from zero.
template <class At>
double quantile_of(std::size_t count, double p, const At& at) {
  const double position = static_cast<double>(count - 1) * p;
  const auto below = std::min(static_cast<std::size_t>(position), count - 1);
  const double weight = position - static_cast<double>(below);
  const double low = at(below);
  if (!(weight > 0)) return low;
  const double high = at(std::min(below + 1, count - 1));
  return high != low ? (1 - weight) * low + weight * high : low;
}

/// The least index in [begin, end) for which `is_behind` holds, or `end`; it must hold for all behind that one.
template <class Predicate>
std::size_t partition_point(std::size_t begin, std::size_t end, const Predicate& is_behind) {
  while (begin < end) {
    const std::size_t probe = begin + (end - begin) / 2;
    if (is_behind(probe)) {
      end = probe;
    } else {
      begin = probe + 1;
    }
  }
  return begin;
}

/// The draws of sequences and, apart from them, the middle ones that are in none. `Index` numbers the places.
template <class Backend, class Number, class Index>
class OrderedDraws {
 public:
  /// Whether draws are in a CPU's tiles and their loops are those of tile_loops.hpp. Ranks then lie at the places of
  /// draws, and scores are looked up.
  static constexpr bool in_tiles = Backend::tiled && std::is_same_v<Index, std::uint32_t>;

  explicit OrderedDraws(const SequenceLayout& layout) : layout_(layout) {}

  /// Reads a variable; returns how many of its draws are not finite. Only if there are none may it be sorted.
  std::size_t load(const DrawsView<Number>& draws, std::size_t variable, SequencePool<Backend>& pool) {
    sorted_.resize(layout_.sequence_draws());
    place_.resize(layout_.sequence_draws());
    middle_.resize(layout_.middle());
    if constexpr (in_tiles) {
      tiles_.resize(layout_.tiles_size());
      return load_tiles(draws.data + variable * draws.variable_stride, draws.draw_stride, draws.chain_stride, shape(),
                        tiles_.data(), middle_.data());
    }
    for_each_index<Backend>(layout_.padded / Backend::lanes,
                            LoadSequences<Number, Backend::lanes>{
                                draws.data + variable * draws.variable_stride, draws.draw_stride, draws.chain_stride,
                                raw<Backend, Number>(sorted_), raw<Backend, Number>(middle_), pool.mean(), layout_});
    return static_cast<std::size_t>(pool.sum(OfChain{pool.mean(), layout_}));
  }

  void sort() {
    thrust::sort(Backend::policy(), middle_.begin(), middle_.end(), thrust::less<Number>());
    if constexpr (in_tiles) {
      cells_.resize(sort_cells);
      entries_.resize(std::max(size(), layout_.tiles_size() * sizeof(RankCode) / sizeof(Entry) + 1));
      scratch_.resize(std::max(size(), most_between(size()) * sizeof(double) / sizeof(Entry) + 1));
      const std::size_t full = layout_.sequences() / layout_.width * layout_.width * layout_.length;
      sort_draws(tiles_.data(), {full, layout_.length, layout_.sequences() % layout_.width, layout_.width},
                 {entries_.data(), scratch_.data(), cells_.data()}, sorted_.data(), place_.data());
      return;
    }
    thrust::tabulate(Backend::policy(), place_.begin(), place_.end(), PlaceOf<Index>{layout_});
    // Keys of a built-in type under thrust::less: this is a radix sort everywhere.
    thrust::sort_by_key(Backend::policy(), sorted_.begin(), sorted_.end(), place_.begin(), thrust::less<Number>());
  }

  /// The k-th smallest of all draws, from zero.
  double order_statistic(std::size_t k) const {
    const std::size_t n = sorted_.size(), m = middle_.size();
    // That many of the k smaller ones are in a sequence.
    const std::size_t i = partition_point(k > m ? k - m : 0, std::min(k, n), [&](std::size_t probe) {
      return !(Number(middle_[k - probe - 1]) > Number(sorted_[probe]));
    });
    if (i == n) return Number(middle_[k - i]);
    if (k - i == m) return Number(sorted_[i]);
    return std::min(Number(sorted_[i]), Number(middle_[k - i]));
  }
  double quantile(double p) const {
    return quantile_of(layout_.all_draws(), p, [&](std::size_t k) { return order_statistic(k); });
  }

  /// Median distance from the median.
  double median_distance(double median) const {
    return quantile_of(layout_.all_draws(), 0.5, [&](std::size_t k) {
      // The order of doubles that are not negative is that of their bits.
      const double farthest = std::max(median - order_statistic(0), order_statistic(layout_.all_draws() - 1) - median);
      const auto bits = partition_point(0, std::bit_cast<std::uint64_t>(farthest), [&](std::uint64_t probe) {
        const Folded fold{median};
        const auto distance = std::bit_cast<double>(probe);
        return within(sorted_, fold, distance) + within(middle_, fold, distance) > k;
      });
      return std::bit_cast<double>(bits);
    });
  }

  /// How many draws of sequences are below `value`.
  std::size_t count_below(double value) const { return below(sorted_, value); }
  std::size_t count_up_to(double value) const {
    return partition_point(0, sorted_.size(), [&](std::size_t i) { return at(i) > value; });
  }
  std::size_t size() const { return sorted_.size(); }
  /// The i-th smallest draw of sequences.
  double at(std::size_t i) const { return Number(sorted_[i]); }
  const Number* middle() { return raw<Backend, Number>(middle_); }

  // Draws in tiles.

  TileShape shape() const { return {layout_.chains, layout_.draws, layout_.parts}; }
  const Number* tiles() const { return tiles_.data(); }
  /// The scores of ranks, until the next are asked for.
  RankScores scores(ScoreTable table) {
    return scored(table, [this] { return write_ranks(sorted(), place(), size(), ranks(), between()); });
  }
  /// Of the distances from the median; there must be two.
  RankScores folded_scores(double median, ScoreTable table) {
    return scored(table, [this, median] {
      return write_folded_ranks(sorted(), place(), size(), count_below(median), median, ranks(), between());
    });
  }

  // What follows writes one number to the place of each draw of a sequence.

  void put_scores(double* values, ScoreTable table) {
    for_each_index<Backend>(size(), WriteNormalScore<Number, Index>{sorted(), place(), values, size(), table});
  }
  /// Normal scores of the distances from the median; there must be two.
  void put_folded_scores(double* values, double median) {
    const FoldedOrder<Number> order{sorted(), size(), count_below(median), Folded{median}};
    for_each_index<Backend>((size() + Backend::merged - 1) / Backend::merged,
                            WriteFoldedScores<Number, Index>{order, place(), values, Backend::merged});
  }

  /// False if all distances from the median are one.
  bool folds(double median) const {
    if (size() == 0) return false;
    const Folded fold{median};
    const std::size_t below = count_below(median);
    const double farthest = std::max(fold(at(0)), fold(at(size() - 1)));
    const double above_nearest = below < size() ? fold(at(below)) : farthest;
    return std::min(above_nearest, below > 0 ? fold(at(below - 1)) : farthest) != farthest;
  }

  /// Marks the draws of sequences in [begin, end) of the order.
  void mark(std::size_t begin, std::size_t end, const IndicatorBits& bits) {
    if constexpr (in_tiles) {
      mark_indicators(place() + begin, end - begin, layout_.length, bits.words);
    } else {
      for_each_index<Backend>(end - begin, MarkIndicator<Index>{place() + begin, bits, layout_});
    }
  }

 private:
  template <class T>
  using Vector = typename Backend::template Vector<T>;
  using Entry = typename SortEntry<Number>::type;

  // What the sort leaves behind is memory for ranks.
  RankCode* ranks() { return reinterpret_cast<RankCode*>(entries_.data()); }
  double* between() { return reinterpret_cast<double*>(scratch_.data()); }
  template <class Write>
  RankScores scored(ScoreTable table, const Write& write) {
    const std::size_t count = write();
    write_normal_scores(between(), count, size());
    return {ranks(), table, between(), size()};
  }

  const Number* sorted() { return raw<Backend, Number>(sorted_); }
  const Index* place() { return raw<Backend, Index>(place_); }

  static std::size_t below(const Vector<Number>& sorted, double value) {
    return partition_point(0, sorted.size(),
                           [&](std::size_t i) { return !(static_cast<double>(Number(sorted[i])) < value); });
  }
  static std::size_t within(const Vector<Number>& sorted, const Folded& fold, double distance) {
    const std::size_t middle = below(sorted, fold.median);
    const auto near = [&](std::size_t i) { return fold(Number(sorted[i])) <= distance; };
    return partition_point(middle, sorted.size(), [&](std::size_t i) { return !near(i); }) -
           partition_point(0, middle, near);
  }

  SequenceLayout layout_;
  Vector<Number> sorted_, middle_;
  Vector<Index> place_;
  DrawValues<Number> tiles_;
  DrawValues<Entry> entries_, scratch_;
  DrawValues<std::uint32_t> cells_;
};

}  // namespace manychain::diagnostics
