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

#include "diagnostics/content.hpp"
#include "diagnostics/indicator_loops.hpp"
#include "diagnostics/normal_scores.hpp"
#include "diagnostics/sequence_loops.hpp"
#include "diagnostics/sequence_pool.hpp"
#include "diagnostics/sort_draws.hpp"
#include "diagnostics/sorted_draws.hpp"
#include "diagnostics/tile_loops.hpp"
#include "manychain/diagnostics/draws.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

template <class Index>
struct PlaceOf {
  SequenceLayout layout;

  MANYCHAIN_HD Index operator()(std::size_t i) const { return static_cast<Index>(layout.place_of(i)); }
};

/// The draws of sequences and, apart from them, the middle ones that are in none. `Index` numbers the places.
template <class Backend, class Number, class Index>
class OrderedDraws {
 public:
  /// True if draws are in a CPU's tiles and their loops are those of tile_loops.hpp. Ranks then lie at the places of
  /// draws, and scores are looked up.
  static constexpr bool in_tiles = Backend::tiled && std::is_same_v<Index, std::uint32_t>;

  explicit OrderedDraws(const SequenceLayout& layout) : layout_(layout) {
    sorted_.resize(layout_.sequence_draws());
    place_.resize(layout_.sequence_draws());
    middle_.resize(layout_.middle());
    facts_.resize(1);
  }

  /// Reads a variable and sorts it if all its draws are finite. Then facts() are known.
  void load(const DrawsView<Number>& draws, std::size_t variable, SequencePool<Backend>& pool) {
    if constexpr (in_tiles) {
      tiles_.resize(layout_.tiles_size());
      known_.not_finite =
          static_cast<double>(load_tiles(draws.data + variable * draws.variable_stride, draws.draw_stride,
                                         draws.chain_stride, shape(), tiles_.data(), middle_.data()));
    } else {
      OrderFacts* const facts = raw<Backend, OrderFacts>(facts_);
      for_each_index<Backend>(layout_.padded / Backend::lanes,
                              LoadSequences<Number, Backend::lanes>{
                                  draws.data + variable * draws.variable_stride, draws.draw_stride, draws.chain_stride,
                                  raw<Backend, Number>(sorted_), raw<Backend, Number>(middle_), pool.mean(), layout_});
      pool.write_sums(OfChain{pool.mean(), layout_}, 1, &facts->not_finite);
      known_.not_finite = facts->not_finite;
    }
    if (known_.not_finite > 0) return;
    sort();
    find_facts();
  }
  const OrderFacts& facts() const { return known_; }

  /// In the backend's memory.
  SortedDraws<Number> in_order() { return {sorted(), size(), middle(), middle_.size()}; }

  // The members up to the next heading read the backend's memory on the host.

  double order_statistic(std::size_t k) { return here().order_statistic(k); }
  double quantile(double p) { return here().quantile(p); }
  std::size_t count_up_to(double value) { return here().count_up_to(value); }
  /// Median distance from the median.
  double median_distance() {
    const SortedDraws<Number> draws = here();
    const SortedDraws<Number> middle{draws.middle, draws.middle_size, nullptr, 0};
    const double median = known_.median();
    return quantile_of(draws.all(), 0.5, [&](std::size_t k) {
      // The order of doubles that are not negative is that of their bits.
      const double farthest = std::max(median - known_.least, known_.greatest - median);
      const auto bits = partition_point(0, std::bit_cast<std::uint64_t>(farthest), [&](std::uint64_t probe) {
        const Folded fold{median};
        const auto distance = std::bit_cast<double>(probe);
        return within(draws, fold, distance) + within(middle, fold, distance) > k;
      });
      return std::bit_cast<double>(bits);
    });
  }

  std::size_t size() const { return sorted_.size(); }
  const Number* middle() { return raw<Backend, Number>(middle_); }

  // Draws in tiles.

  TileShape shape() const { return {layout_.chains, layout_.draws, layout_.parts}; }
  const Number* tiles() const { return tiles_.data(); }
  /// The scores of ranks, until the next are asked for.
  RankScores scores(ScoreTable table) {
    return scored(table, [this] { return write_ranks(sorted(), place(), size(), ranks(), between()); });
  }
  /// Like scores(), for the distances from the median; there must be two different ones.
  RankScores folded_scores(ScoreTable table) {
    return scored(table, [this] {
      return write_folded_ranks(sorted(), place(), size(), known_.below_median, known_.median(), ranks(), between());
    });
  }

  // Each of the next members writes one number to the place of each draw of a sequence.

  void write_scores(double* values, ScoreTable table) {
    for_each_index<Backend>(size(), WriteNormalScore<Number, Index>{sorted(), place(), values, size(), table});
  }
  /// Normal scores of the distances from the median; there must be two different ones.
  void write_folded_scores(double* values) {
    const FoldedOrder<Number> order{sorted(), size(), known_.below_median, Folded{known_.median()}};
    for_each_index<Backend>((size() + Backend::merged - 1) / Backend::merged,
                            WriteFoldedScores<Number, Index>{order, place(), values, Backend::merged});
  }

  /// False if all distances from the median are one.
  bool folds() const { return folds_in(known_, size()); }

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

  void sort() {
    if (!middle_.empty()) thrust::sort(Backend::policy(), middle_.begin(), middle_.end(), thrust::less<Number>());
    if constexpr (in_tiles) {
      cells_.resize(sort_cells_for(size()));
      scaled_.resize(sort_scaled_for(size()));
      entries_.resize(std::max(size(), layout_.tiles_size() * sizeof(RankCode) / sizeof(Entry) + 1));
      scratch_.resize(std::max(size(), most_between(size()) * sizeof(double) / sizeof(Entry) + 1));
      const std::size_t full = layout_.sequences() / layout_.width * layout_.width * layout_.length;
      sort_draws(tiles_.data(), {full, layout_.length, layout_.sequences() % layout_.width, layout_.width},
                 {entries_.data(), scratch_.data(), cells_.data(), scaled_.data()}, sorted_.data(), place_.data());
      return;
    }
    thrust::tabulate(Backend::policy(), place_.begin(), place_.end(), PlaceOf<Index>{layout_});
    // Keys of a built-in type under thrust::less: this is a radix sort everywhere.
    thrust::sort_by_key(Backend::policy(), sorted_.begin(), sorted_.end(), place_.begin(), thrust::less<Number>());
  }
  void find_facts() {
    OrderFacts* const facts = raw<Backend, OrderFacts>(facts_);
    if constexpr (in_tiles) facts->not_finite = known_.not_finite;
    for_each_index<Backend>(FindOrderFacts<Number>::calls, FindOrderFacts<Number>{in_order(), facts});
    known_ = *facts;
  }
  SortedDraws<Number> here() { return in_order(); }

  // Ranks take the memory that the sort leaves behind.
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

  static std::size_t within(const SortedDraws<Number>& draws, const Folded& fold, double distance) {
    const std::size_t middle = draws.count_below(fold.median);
    const auto near = [&](std::size_t i) { return fold(draws.at(i)) <= distance; };
    return partition_point(middle, draws.size, [&](std::size_t i) { return !near(i); }) -
           partition_point(0, middle, near);
  }

  SequenceLayout layout_;
  Vector<Number> sorted_, middle_;
  Vector<Index> place_;
  Vector<OrderFacts> facts_;
  OrderFacts known_ = {};
  DrawValues<Number> tiles_;
  DrawValues<Entry> entries_, scratch_;
  DrawValues<std::uint32_t> cells_;
  DrawValues<std::uint64_t> scaled_;
};

}  // namespace manychain::diagnostics
