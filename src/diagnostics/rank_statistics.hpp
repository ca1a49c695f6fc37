// Summary of one variable over all chains, on the host or on a device: one implementation over Thrust algorithms.
// Definitions: Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), as the R package posterior computes them.
//
// Private: Thrust must not reach a public header. A backend is a type with
//   static auto policy();                     Thrust's execution policy
//   template <class T> using Vector = ...;    memory that this policy can reach
//   static constexpr int lanes;               half chains that one call handles side by side
//   static constexpr bool tiled;              whether these lie together in memory (a CPU's vectors and cache), or all
//                                             half chains side by side (a device's coalesced access)
#pragma once

#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/memory.h>
#include <thrust/merge.h>
#include <thrust/remove.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/effective_sample_size.hpp"
#include "diagnostics/half_chains.hpp"
#include "diagnostics/normal_scores.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// The public summary, and the statistics it was made of.
struct RankStatistics {
  VariableSummary summary;
  double rhat_bulk = std::numeric_limits<double>::quiet_NaN();    ///< of the split, rank-normalised draws
  double rhat_folded = std::numeric_limits<double>::quiet_NaN();  ///< of their folded form
  double rhat_split = std::numeric_limits<double>::quiet_NaN();   ///< of the split draws as they are
  double ess_mean = std::numeric_limits<double>::quiet_NaN();     ///< of the split draws as they are
};

/// Tells the middle draws from the others by their places, which come last.
template <class Index>
struct IsMiddle {
  Index first;

  MANYCHAIN_HD bool operator()(Index place) const { return place >= first; }
};

/// Computes the statistics of one variable after the other; keeps its memory in between. `Index` numbers the places of
/// all draws of a variable: 32 bits while they suffice.
template <class Backend, class Number, class Index>
class RankStatisticsOf {
 public:
  explicit RankStatisticsOf(const DrawsView<Number>& draws, std::size_t superchains = 0)
      : draws_(draws), superchains_(superchains), layout_(draws.chains, draws.draws, Backend::lanes, Backend::tiled) {}

  /// True if `Index` can number every place.
  static bool fits(const DrawsView<Number>& draws) {
    const HalfChainLayout layout(draws.chains, draws.draws, Backend::lanes, Backend::tiled);
    return layout.tiles_size() + layout.middle() < std::numeric_limits<Index>::max();
  }

  RankStatistics operator()(std::size_t variable) {
    RankStatistics result;
    VariableSummary& out = result.summary;
    out.mean = out.sd = out.q5 = out.q50 = out.q95 = out.rhat = out.ess_bulk = out.mcse_mean = nan;
    const std::size_t all = layout_.all_draws();
    if (all == 0) return result;
    allocate();
    load(variable);
    if (sum_over_chains(BothHalves{raw(mean_), layout_}) > 0) return result;  // a NaN or an infinity

    thrust::copy(Backend::policy(), x_.begin(), x_.end(), sorted_.begin());
    thrust::sequence(Backend::policy(), place_.begin(), place_.end());
    // Keys of a built-in type under thrust::less: this is a radix sort everywhere.
    thrust::sort_by_key(Backend::policy(), sorted_.begin(), sorted_.end(), place_.begin(), thrust::less<Number>());
    out.q5 = quantile(0.05);
    out.q50 = quantile(0.5);
    out.q95 = quantile(0.95);
    const bool constant = sorted_[0] == sorted_[all - 1];
    ArrayMoments plain;
    if (constant) {
      out.mean = out.q50;
      if (all > 1) out.sd = 0;
    } else {
      plain = whole_moments(out);
    }
    if (constant || layout_.half < 3) return result;

    result.rhat_split = potential_scale_reduction(plain);
    result.ess_mean = ess(plain);
    out.mcse_mean = out.sd / std::sqrt(result.ess_mean);

    drop_middle();
    write_scores(sorted_, place_, Unfolded{});
    const ArrayMoments bulk = centre(raw(work_), 0);
    result.rhat_bulk = potential_scale_reduction(bulk);
    out.ess_bulk = ess(bulk);

    const Folded fold{out.q50};
    sort_folded(fold);
    out.rhat = result.rhat_bulk;
    // Two values at equal distance from the median leave nothing folded to compare: the draws themselves decide.
    if (fold(Number(other_sorted_[0])) != fold(Number(other_sorted_[layout_.split_draws() - 1]))) {
      write_scores(other_sorted_, other_place_, fold);
      result.rhat_folded = potential_scale_reduction(centre(raw(work_), 0));
      out.rhat = result.rhat_folded > out.rhat || std::isnan(result.rhat_folded) ? result.rhat_folded : out.rhat;
    }
    return result;
  }

 private:
  template <class T>
  using Vector = typename Backend::template Vector<T>;
  static constexpr int lags = 8;
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  template <class T>
  static T* raw(Vector<T>& v) {
    return thrust::raw_pointer_cast(v.data());
  }
  template <class Function>
  static void for_each_index(std::size_t count, const Function& function) {
    const thrust::counting_iterator<std::size_t> begin(0);
    thrust::for_each(Backend::policy(), begin, begin + static_cast<std::ptrdiff_t>(count), function);
  }
  std::size_t units() const { return layout_.padded / Backend::lanes; }
  std::size_t blocks() const { return (layout_.chains + chains_per_partial - 1) / chains_per_partial; }

  void allocate() {
    const std::size_t places = layout_.tiles_size() + layout_.middle();
    x_.resize(places);
    sorted_.resize(places);
    place_.resize(places);
    other_sorted_.resize(layout_.split_draws());
    other_place_.resize(layout_.split_draws());
    work_.resize(layout_.tiles_size());
    mean_.resize(layout_.padded);
    squares_.resize(layout_.padded);
    products_.resize(lags * layout_.padded);
    partials_.resize(lags * blocks());
    host_partials_.resize(lags * blocks());
  }

  void load(std::size_t variable) {
    for_each_index(units(),
                   LoadHalfChains<Number, Backend::lanes>{draws_.data + variable * draws_.variable_stride,
                                                          draws_.draw_stride, draws_.chain_stride, raw(x_), raw(mean_),
                                                          layout_, std::numeric_limits<Number>::infinity()});
  }

  /// Sums of `rows` rows over all chains: a partial for each block of consecutive chains, folded in order.
  template <class Term>
  void sum_over_chains(const Term& term, std::size_t rows, double* sums) {
    const std::size_t count = rows * blocks();
    const thrust::counting_iterator<std::size_t> begin(0);
    thrust::transform(Backend::policy(), begin, begin + static_cast<std::ptrdiff_t>(count), partials_.begin(),
                      PartialSum<Term>{term, layout_.chains, blocks()});
    thrust::copy(partials_.begin(), partials_.begin() + static_cast<std::ptrdiff_t>(count), host_partials_.begin());
    for (std::size_t row = 0; row < rows; ++row) {
      sums[row] = 0;
      for (std::size_t b = 0; b < blocks(); ++b) sums[row] += host_partials_[row * blocks() + b];
    }
  }
  template <class Term>
  double sum_over_chains(const Term& term) {
    double sum = 0;
    sum_over_chains(term, 1, &sum);
    return sum;
  }

  /// Quantile of type 7 of all draws, from the sorted ones.
  double quantile(double probability) const {
    const std::size_t last = layout_.all_draws() - 1;
    const double position = static_cast<double>(last) * probability;
    const auto below = std::min(static_cast<std::size_t>(position), last);
    const double weight = position - static_cast<double>(below);
    const double low = Number(sorted_[below]);
    const double high = Number(sorted_[std::min(below + 1, last)]);
    return weight > 0 && high != low ? (1 - weight) * low + weight * high : low;
  }

  /// Centres the half chains of `source` into work_ and pools their moments.
  template <class Source>
  ArrayMoments centre(const Source* source, double origin) {
    for_each_index(units(), CentreHalfChains<Source, Backend::lanes>{source, raw(work_), raw(mean_), raw(squares_),
                                                                     origin, layout_});
    ArrayMoments m;
    m.chains = 2 * static_cast<double>(layout_.chains);
    m.draws = layout_.half;
    grand_mean_ = sum_over_chains(BothHalves{raw(mean_), layout_}) / m.chains;
    m.variance_of_means = sum_over_chains(BothHalvesSquared{raw(mean_), grand_mean_, layout_}) / (m.chains - 1);
    sum_of_squares_ = sum_over_chains(BothHalves{raw(squares_), layout_});
    m.autocovariance_0 = sum_of_squares_ / m.chains / static_cast<double>(m.draws);
    return m;
  }

  /// Mean and sd of all draws, the middle ones included, on the way to the moments of the split draws.
  ArrayMoments whole_moments(VariableSummary& out) {
    const double origin = out.q50;
    const ArrayMoments m = centre(raw(x_), origin);
    const auto all = static_cast<double>(layout_.all_draws());
    const auto half = static_cast<double>(layout_.half);
    MiddleDraw<Number> middle{raw(x_) + layout_.tiles_size(), origin, 0};
    double mean = half * m.chains * grand_mean_;
    if (layout_.middle() > 0) mean += sum_over_chains(middle);
    mean /= all;
    double squares = sum_of_squares_ + half * sum_over_chains(BothHalvesSquared{raw(mean_), mean, layout_});
    if (layout_.middle() > 0) {
      middle.centre = mean;
      double rows[2];
      sum_over_chains(middle, 2, rows);
      squares += rows[1];
    }
    out.mean = origin + mean;
    out.sd = std::sqrt(squares / (all - 1));
    return m;
  }

  /// Effective sample size of the centred draws in work_.
  double ess(const ArrayMoments& m) {
    std::size_t first = 1;
    std::size_t known = 0;
    double sums[lags];
    return effective_sample_size(m, [&](std::size_t lag) {
      if (lag >= first + known) {
        first = lag;
        known = lags;
        for_each_index(units(), LagProducts<lags, Backend::lanes>{raw(work_), raw(products_), first, layout_});
        sum_over_chains(BothHalves{raw(products_), layout_}, lags, sums);
      }
      return sums[lag - first] / m.chains / static_cast<double>(m.draws);
    });
  }

  /// Leaves the sorted draws without the middle ones, which no half chain has.
  void drop_middle() {
    if (layout_.middle() == 0) return;
    const auto all = static_cast<std::ptrdiff_t>(layout_.all_draws());
    const IsMiddle<Index> is_middle{static_cast<Index>(layout_.tiles_size())};
    // Padding sorts behind all draws, and its places are below: it must not be looked at here.
    thrust::remove_if(Backend::policy(), sorted_.begin(), sorted_.begin() + all, place_.begin(), is_middle);
    thrust::remove_if(Backend::policy(), place_.begin(), place_.begin() + all, is_middle);
  }

  template <class Key>
  void write_scores(Vector<Number>& sorted, Vector<Index>& place, Key key) {
    for_each_index(layout_.split_draws(), WriteNormalScore<Number, Index, Key>{raw(sorted), raw(place), raw(work_),
                                                                               layout_.split_draws(), key});
  }

  /// The order of the distances from the median: the draws below it, backwards, merged with those above.
  void sort_folded(Folded fold) {
    std::size_t below = 0;
    for (std::size_t end = layout_.split_draws(); below < end;) {
      const std::size_t probe = below + (end - below) / 2;
      if (static_cast<double>(Number(sorted_[probe])) < fold.median) {
        below = probe + 1;
      } else {
        end = probe;
      }
    }
    const auto m = static_cast<std::ptrdiff_t>(below);
    const auto size = static_cast<std::ptrdiff_t>(layout_.split_draws());
    thrust::merge_by_key(Backend::policy(), thrust::make_reverse_iterator(sorted_.begin() + m),
                         thrust::make_reverse_iterator(sorted_.begin()), sorted_.begin() + m, sorted_.begin() + size,
                         thrust::make_reverse_iterator(place_.begin() + m), place_.begin() + m, other_sorted_.begin(),
                         other_place_.begin(), LessFolded{fold});
  }

  DrawsView<Number> draws_;
  std::size_t superchains_;
  HalfChainLayout layout_;
  Vector<Number> x_, sorted_, other_sorted_;
  Vector<Index> place_, other_place_;
  Vector<double> work_;  // normal scores, then centred draws
  Vector<double> mean_, squares_, products_, partials_;
  std::vector<double> host_partials_;
  double grand_mean_ = 0;
  double sum_of_squares_ = 0;
};

}  // namespace manychain::diagnostics
