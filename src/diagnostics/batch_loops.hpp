// Loops over a batch of variables, in one call for all of them: the loops of one variable, at the place of
// that variable in the arrays of all. For a backend that starts a loop at a price.
#pragma once

#include <cstddef>
#include <cstdint>

#include "diagnostics/about_mean.hpp"
#include "diagnostics/indicator_loops.hpp"
#include "diagnostics/normal_scores.hpp"
#include "diagnostics/sequence_loops.hpp"
#include "diagnostics/sequence_pool.hpp"
#include "diagnostics/sorted_draws.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {  // units of either instruction set include it

/// Variables of one batch: a byte numbers them.
inline constexpr std::size_t most_in_batch = 256;

/// Numbers the draws of a batch. Device code is compiled for this type alone: a second one would double all loops.
using BatchPlace = std::uint32_t;

/// Some variables of a batch.
struct ChosenVariables {
  std::uint64_t bits[4] = {};
  static_assert(sizeof bits * 8 == most_in_batch);

  /// Words have constant indices: nvcc copies a parameter of a kernel that is indexed by a variable to local memory.
  MANYCHAIN_HD bool operator()(std::size_t v) const {
    const std::uint64_t low = v < 64 ? bits[0] : bits[1], high = v < 192 ? bits[2] : bits[3];
    return (v < 128 ? low : high) >> v % 64 & 1;
  }
  void add(std::size_t v) { bits[v / 64] |= std::uint64_t{1} << v % 64; }
  bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : bits) all |= word;
    return all != 0;
  }
};

/// `step(v, i)` for each i below `count` of each chosen variable.
template <class Step>
struct OfEachVariable {
  Step step;
  std::size_t count;
  ChosenVariables chosen;

  MANYCHAIN_HD void operator()(std::size_t index) const {
    const std::size_t v = index / count;
    if (chosen(v)) step(v, index % count);
  }
};
template <class Backend, class Step>
void for_each_of(std::size_t variables, std::size_t count, const ChosenVariables& chosen, const Step& step) {
  if (count > 0 && chosen.any()) for_each_index<Backend>(variables * count, OfEachVariable<Step>{step, count, chosen});
}

/// The arrays of a batch, variable after variable, in the backend's memory. Sequences have no padding there, so that
/// the i-th draw in the order of places lies at place i.
template <class Number>
struct BatchArrays {
  DrawsView<Number> view;  ///< begins with the first variable of the batch
  SequenceLayout layout;
  std::size_t size = 0;  ///< draws of the sequences of a variable
  Number* sorted = nullptr;
  BatchPlace* place = nullptr;  ///< in its variable
  Number* middle = nullptr;
  OrderFacts* facts = nullptr;
  double* values = nullptr;
  BitWord* words = nullptr;
  double* moments = nullptr;   ///< two rows: means, squares
  double* fourth = nullptr;    ///< a row
  double* products = nullptr;  ///< a row for each lag of a pass
  double* sums = nullptr;      ///< what the host reads, `stride` of each variable
  std::size_t stride = 0;

  MANYCHAIN_HD const Number* source(std::size_t v) const { return view.data + v * view.variable_stride; }
  MANYCHAIN_HD SortedDraws<Number> in_order(std::size_t v) const {
    return {sorted + v * size, size, middle + v * layout.middle(), layout.middle()};
  }
  MANYCHAIN_HD AboutMean* about(std::size_t v) const { return reinterpret_cast<AboutMean*>(sums + v * stride); }
  MANYCHAIN_HD double* mean(std::size_t v) const { return moments + v * 2 * layout.padded; }
  MANYCHAIN_HD double origin(std::size_t v) const { return facts[v].median(); }
  MANYCHAIN_HD IndicatorBits bits(std::size_t v) const {
    const std::size_t sequences = layout.sequences(), of_sequence = (layout.length + word_bits - 1) / word_bits;
    return {words + v * of_sequence * sequences, layout.length, 1, sequences};
  }
  /// Means and squares may lie elsewhere than in the rows above: one row behind the other, among the sums.
  MANYCHAIN_HD CentreSequences<1> centring(std::size_t v, std::size_t rows_at) const {
    double* const rows = rows_at ? sums + v * stride + rows_at : mean(v);
    return {values + v * size, rows, rows + layout.padded, layout};
  }
};

// Loops. `a` has the arrays.

template <class Number>
struct LoadBatch {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    LoadSequences<Number, 1>{a.source(v),
                             a.view.draw_stride,
                             a.view.chain_stride,
                             a.sorted + v * a.size,
                             a.middle + v * a.layout.middle(),
                             a.mean(v),
                             a.layout}(i);
  }
};

/// The number of the variable that a place in the batch is of.
struct VariableOfPlace {
  const BatchPlace* place;
  std::size_t size;
  std::uint8_t* variable;
  MANYCHAIN_HD void operator()(std::size_t i) const { variable[i] = static_cast<std::uint8_t>(place[i] / size); }
};
/// Turns places in the batch into places in the variable, and fetches the draws there.
template <class Number>
struct GatherSorted {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    BatchPlace& place = a.place[v * a.size + i];
    place -= static_cast<BatchPlace>(v * a.size);
    const SequenceLayout::Position at = a.layout.position(place);
    a.sorted[v * a.size + i] = a.source(
        v)[a.layout.first_draw(at.sequence, a.view.draw_stride, a.view.chain_stride) + at.draw * a.view.draw_stride];
  }
};
/// The pass over the middle draws.
template <class Number>
struct GatherMiddle {
  BatchArrays<Number> a;
  const BatchPlace* chain;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    const std::size_t at = v * a.layout.chains + i, c = chain[at] - v * a.layout.chains;
    a.middle[at] = a.source(v)[c * a.view.chain_stride + a.layout.length * a.view.draw_stride];
  }
};

template <class Number>
struct FactsOfBatch {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t call) const {
    FindOrderFacts<Number>{a.in_order(v), a.facts + v}(call);
  }
};

/// Marks the rarer side of a quantile: at most half of the draws, and one.
template <class Number>
struct MarkBatch {
  BatchArrays<Number> a;
  int quantile;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    const std::size_t up_to = a.facts[v].up_to[quantile];
    const std::size_t begin = up_to <= a.size / 2 ? 0 : up_to, end = up_to <= a.size / 2 ? up_to : a.size;
    if (i < end - begin) MarkIndicator<BatchPlace>{a.place + v * a.size, a.bits(v), a.layout}(begin + i);
  }
};
template <class Number>
struct IndicatorMomentsOfBatch {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t sequence) const {
    IndicatorMoments{a.bits(v), a.mean(v), a.mean(v) + a.layout.padded}(sequence);
  }
};
template <int Lags, class Number>
struct IndicatorProductsOfBatch {
  BatchArrays<Number> a;
  std::size_t first;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t sequence) const {
    IndicatorProducts<Lags>{a.bits(v), a.mean(v), a.products + v * a.layout.padded * Lags, first,
                            a.layout.padded}(sequence);
  }
};

template <class Number>
struct PutDrawsOfBatch {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    PutDraws<Number, 1>{a.source(v),           a.view.draw_stride, a.view.chain_stride,
                        a.values + v * a.size, a.origin(v),        a.layout}(i);
  }
};
template <class Number>
struct PutScoresOfBatch {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    const std::size_t at = v * a.size;
    WriteNormalScore<Number, BatchPlace>{a.sorted + at, a.place + at, a.values + at, a.size}(i);
  }
};
template <class Number>
struct PutFoldedScoresOfBatch {
  BatchArrays<Number> a;
  std::size_t merged;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t item) const {
    const std::size_t at = v * a.size;
    const FoldedOrder<Number> order{a.sorted + at, a.size, a.facts[v].below_median, Folded{a.facts[v].median()}};
    WriteFoldedScores<Number, BatchPlace>{order, a.place + at, a.values + at, merged}(item);
  }
};
template <class Number>
struct CentreBatch {
  BatchArrays<Number> a;
  std::size_t rows_at;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const { a.centring(v, rows_at)(i); }
};
template <class Number>
struct SquareBatch {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    SquareSequences<1>{a.centring(v, 0), a.fourth + v * a.layout.padded, &a.about(v)->centre}(i);
  }
};
template <std::size_t Lags, class Number>
struct ProductsOfBatch {
  BatchArrays<Number> a;
  std::size_t first;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t sequence) const {
    LagProductsInRegisters<Lags>{a.values + v * a.size, a.products + v * a.layout.padded * Lags, first,
                                 a.layout}(sequence);
  }
};

/// `sum_of_means`: where it lies among the sums.
template <class Number>
struct CentresOfBatch {
  BatchArrays<Number> a;
  std::size_t sum_of_means;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    FindCentre{a.sums + v * a.stride + sum_of_means, a.layout, a.about(v)}(i);
  }
};
template <class Number>
struct NearestOfBatch {
  BatchArrays<Number> a;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t i) const {
    FindNearestToMean<Number>{a.in_order(v), a.origin(v), a.about(v)}(i);
  }
};

// Terms of sums over chains.

/// Rows of numbers of sequences, `apart` from variable to variable.
struct RowsOfVariable {
  const double* values;
  std::size_t apart;
  SequenceLayout layout;
  MANYCHAIN_HD OfChain operator()(std::size_t v) const { return {values + v * apart, layout}; }
};
struct TwoRowsOfVariable {
  RowsOfVariable first, second;
  std::size_t before;
  MANYCHAIN_HD OfChainInTwo operator()(std::size_t v) const { return {first(v), second(v), before}; }
};
struct SquaredOfVariable {
  RowsOfVariable values;
  const double* total;
  std::size_t apart;
  double count;
  MANYCHAIN_HD OfChainSquared operator()(std::size_t v) const {
    return {values.values + v * values.apart, total + v * apart, count, values.layout};
  }
};
template <class Number>
struct MiddleOfVariable {
  BatchArrays<Number> a;
  MANYCHAIN_HD MiddleDraw<Number> operator()(std::size_t v) const {
    return {a.middle + v * a.layout.chains, a.origin(v), &a.about(v)->centre};
  }
};

/// As PutPartialSum; `rows` x `blocks` partial sums of a variable lie behind each other, `apart` from the next one's.
template <class TermOf>
struct PutPartialsOfBatch {
  TermOf term_of;
  std::size_t chains, blocks;
  double* partials;
  std::size_t apart;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t index) const {
    using Term = decltype(term_of(v));
    partials[v * apart + index] = PartialSum<Term>{term_of(v), chains, blocks}(index);
  }
};
struct AddPartialsOfBatch {
  const double* partials;
  std::size_t blocks, rows;
  double* sums;
  std::size_t apart;
  MANYCHAIN_HD void operator()(std::size_t v, std::size_t row) const {
    AddPartials{partials + v * rows * blocks, blocks, sums + v * apart}(row);
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
