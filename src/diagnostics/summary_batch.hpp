// Several variables read, sorted and summed up together, where a loop costs its start and a copy its wait: on a device.
// The number of loops does not depend on the number of variables of a batch. Sums of all of them lie in one piece,
// which the host reads by one copy and finishes variable by variable (gathered_variable.hpp). Private: Thrust must not
// reach a public header.
#pragma once

#include <thrust/fill.h>
#include <thrust/sequence.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "diagnostics/batch_loops.hpp"
#include "diagnostics/cancelled.hpp"
#include "diagnostics/gathered_variable.hpp"

namespace manychain::diagnostics {

/// Sums of each variable are those of any other batch: of a variable alone, or among others.
template <class Backend, class Number>
class SummaryBatch {
 public:
  /// `nested`: moments of each sequence are wanted, too, of both kinds of scores.
  SummaryBatch(const DrawsView<Number>& draws, bool nested)
      : draws_(draws),
        layout_(draws.chains, draws.draws, Parts::halves, 1, false),
        nested_(nested),
        blocks_((layout_.chains + chains_per_partial - 1) / chains_per_partial) {
    std::fill(next_lags_, next_lags_ + gathered_contents, fitting(lags));
  }

  /// A batch has fewer places: BatchPlace numbers each of them, and every rank that ties may have.
  static constexpr std::size_t most_places = std::numeric_limits<BatchPlace>::max() / 2;

  /// Variables of the next batch, for which there should be so much memory.
  std::size_t fitting_variables(double bytes) const {
    const double most = std::min(bytes, largest_batch) / bytes_of_variable();
    const double by_places =
        static_cast<double>(most_places) / static_cast<double>(std::max<std::size_t>(layout_.all_draws(), 1));
    return static_cast<std::size_t>(std::clamp(std::min(most, by_places), 1.0, static_cast<double>(most_in_batch)));
  }

  /// Reads the variables [first, first + count). Empty once `cancel` (or null) is true. What the variables point to
  /// stays until the next call.
  std::vector<GatheredVariable> read(std::size_t first, std::size_t count, const std::atomic<bool>* cancel) {
    variables_ = count;
    make_room(first);
    if (layout_.all_draws() == 0) return std::vector<GatheredVariable>(count, GatheredVariable(layout_, OrderFacts{}));
    load_and_sort();
    std::vector<OrderFacts> facts(count);
    Backend::fetch(facts.data(), a_.facts, count);
    std::vector<GatheredVariable> read;
    for (const OrderFacts& of_variable : facts) read.emplace_back(layout_, of_variable);
    if (cancelled(cancel)) return {};
    gather(read);
    if (cancelled(cancel)) return {};
    for (const Content content :
         {Content::low_tail, Content::high_tail, Content::draws, Content::squares, Content::scores}) {
      find_ess(read, content);
      if (cancelled(cancel)) return {};
    }
    return read;
  }

 private:
  template <class T>
  using Vector = typename Backend::template Vector<T>;
  using Arrays = BatchArrays<Number>;

  static constexpr int lags = 16;  // that one pass over the draws does
  static constexpr std::size_t most_lags = 1024, most_passes = 32;
  static constexpr std::size_t about_numbers = (sizeof(AboutMean) + sizeof(double) - 1) / sizeof(double);
  static constexpr double largest_batch = 64 << 20;  // bytes; loops over so many draws outlast their start by far

  double bytes_of_variable() const {
    // Draws, places and values; two sorts' own copies. Of each sequence moments, squares, products, and what is read.
    return static_cast<double>(layout_.all_draws()) * (3 * sizeof(Number) + 4 * sizeof(BatchPlace) + 8 + 3) +
           static_cast<double>(layout_.padded) * sizeof(double) * (3 + lags + 4) + 1024 * sizeof(double);
  }

  /// Whole passes over the draws, and none behind the last lag there is. Sequences of fewer than three draws have no
  /// ESS.
  std::size_t fitting(std::size_t wanted) const {
    if (layout_.length < 3) return 0;
    wanted = std::clamp<std::size_t>(wanted, 1, std::min(most_lags, layout_.length));
    return (wanted + lags - 1) / lags * lags;
  }
  std::size_t place(Content of) const { return about_numbers + static_cast<std::size_t>(of) * content_stride_; }
  std::size_t rows_place(Content of) const {
    return about_numbers + gathered_contents * content_stride_ +
           (of == Content::folded_scores ? 2 * layout_.padded : 0);
  }
  std::size_t& lags_of(Content of) { return lags_[static_cast<int>(of)]; }

  template <class T>
  T* memory(Vector<T>& of, std::size_t of_variable) {
    of.resize(variables_ * of_variable);
    return raw<Backend, T>(of);
  }

  void make_room(std::size_t first) {
    std::copy(next_lags_, next_lags_ + gathered_contents, lags_);
    std::fill(next_lags_, next_lags_ + gathered_contents, std::size_t{0});
    content_stride_ = moment_sums + *std::max_element(lags_, lags_ + gathered_contents);
    a_.view = draws_;
    a_.view.data += first * draws_.variable_stride;
    a_.layout = layout_;
    a_.size = layout_.sequence_draws();
    a_.sorted = memory(sorted_, a_.size);
    a_.place = memory(place_, a_.size);
    a_.middle = memory(middle_, layout_.middle());
    a_.facts = memory(facts_, 1);
    a_.words = memory(words_, IndicatorBits::words_of(layout_.length) * layout_.sequences());
    a_.moments = memory(moments_, 2 * layout_.padded);
    a_.fourth = memory(fourth_, layout_.padded);
    a_.products = memory(products_, lags * layout_.padded);
    memory(partials_, (2 + lags) * blocks_);
    a_.stride = about_numbers + gathered_contents * content_stride_ + (nested_ ? 4 * layout_.padded : 0);
    a_.sums = memory(sums_, a_.stride);
    all_ = {};
    for (std::size_t v = 0; v < variables_; ++v) all_.add(v);
    Vector<double>().swap(values_);  // while the draws are sorted their copies lie there
  }

  template <class Step>
  void each(std::size_t count, const ChosenVariables& chosen, const Step& step) {
    for_each_of<Backend>(variables_, count, chosen, step);
  }

  void load_and_sort() {
    each(layout_.sequences(), all_, LoadBatch<Number>{a_});
    double* const not_finite = reinterpret_cast<double*>(a_.facts);
    write_sums(rows(a_.moments, 2), 1, all_, not_finite, sizeof(OrderFacts) / sizeof(double));
    const auto policy = Backend::policy();
    thrust::sequence(policy, place_.begin(), place_.end(), BatchPlace{0});
    Backend::sort_by_key(sorted_, place_);
    if (variables_ > 1) {
      part(place_, a_.size);
      each(a_.size, all_, GatherSorted<Number>{a_});
    }
    if (layout_.middle() > 0) {
      Vector<BatchPlace> chain;
      chain.resize(variables_ * layout_.chains);
      thrust::sequence(policy, chain.begin(), chain.end(), BatchPlace{0});
      Backend::sort_by_key(middle_, chain);
      if (variables_ > 1) {
        part(chain, layout_.chains);
        each(layout_.chains, all_, GatherMiddle<Number>{a_, raw<Backend, BatchPlace>(chain)});
      }
    }
    each(FindOrderFacts<Number>::calls, all_, FactsOfBatch<Number>{a_});
  }
  /// Brings places of one variable, `of_variable` of each, together in their order: a second sort parts the variables.
  void part(Vector<BatchPlace>& places, std::size_t of_variable) {
    Vector<std::uint8_t> variable;
    variable.resize(places.size());
    for_each_index<Backend>(places.size(), VariableOfPlace{raw<Backend, BatchPlace>(places), of_variable,
                                                           raw<Backend, std::uint8_t>(variable)});
    Backend::sort_by_key(variable, places);
  }

  RowsOfVariable rows(const double* values, std::size_t count = 1) const {
    return {values, count * layout_.padded, layout_};
  }

  /// Sums of rows over all chains: a partial for each block of consecutive chains, added in order. Those of variable v
  /// go to `to` + v * `apart`.
  template <class TermOf>
  void write_sums(const TermOf& term_of, std::size_t rows, const ChosenVariables& chosen, double* to,
                  std::size_t apart) {
    const bool one = blocks_ == 1;  // then the partial sums are the sums
    double* const partials = one ? to : raw<Backend, double>(partials_);
    each(rows * blocks_, chosen,
         PutPartialsOfBatch<TermOf>{term_of, layout_.chains, blocks_, partials, one ? apart : rows * blocks_});
    if (!one) each(rows, chosen, AddPartialsOfBatch{partials, blocks_, rows, to, apart});
  }

  /// Leaves the sums of a content whose moments are known, and of products at its lags.
  void write_all_sums(Content content, const ChosenVariables& chosen, std::size_t rows_at = 0) {
    double* const to = a_.sums + place(content);
    const std::size_t known = content == Content::folded_scores ? 0 : lags_of(content);
    RowsOfVariable moments = rows(a_.moments, 2);
    if (rows_at > 0) moments = {a_.sums + rows_at, a_.stride, layout_};
    if (known > 0) write_products(content, 1, chosen);
    write_sums(TwoRowsOfVariable{moments, rows(a_.products, lags), 2}, 2 + (known > 0 ? lags : 0), chosen, to + 1,
               a_.stride);
    write_sums(SquaredOfVariable{moments, to + 1, a_.stride, static_cast<double>(layout_.sequences())}, 1, chosen, to,
               a_.stride);
    for (std::size_t first = 1 + lags; first <= known; first += lags) {
      write_products(content, first, chosen);
      write_sums(rows(a_.products, lags), lags, chosen, to + moment_sums + first - 1, a_.stride);
    }
  }
  void write_products(Content content, std::size_t first, const ChosenVariables& chosen) {
    if (content == Content::low_tail || content == Content::high_tail) {
      each(layout_.sequences(), chosen, IndicatorProductsOfBatch<lags, Number>{a_, first});
    } else {
      each(layout_.sequences(), chosen, ProductsOfBatch<lags, Number>{a_, first});
    }
  }

  /// Makes the values hold `content`, centred, and the rows its moments; of a tail the bits.
  void write_values(Content content, const ChosenVariables& chosen, std::size_t rows_at = 0) {
    const std::size_t sequences = layout_.sequences();
    if (content == Content::low_tail || content == Content::high_tail) {
      thrust::fill(Backend::policy(), words_.begin(), words_.end(), BitWord{0});
      each(a_.size / 2 + 1, chosen, MarkBatch<Number>{a_, content == Content::low_tail ? 0 : 2});
      each(sequences, chosen, IndicatorMomentsOfBatch<Number>{a_});
      return;
    }
    if (content == Content::draws || content == Content::squares) each(sequences, chosen, PutDrawsOfBatch<Number>{a_});
    if (content == Content::scores) each(a_.size, chosen, PutScoresOfBatch<Number>{a_});
    if (content == Content::folded_scores)
      each((a_.size + Backend::merged - 1) / Backend::merged, chosen,
           PutFoldedScoresOfBatch<Number>{a_, Backend::merged});
    each(sequences, chosen, CentreBatch<Number>{a_, rows_at});
    if (content == Content::squares) each(sequences, chosen, SquareBatch<Number>{a_});
  }

  template <class Predicate>
  static ChosenVariables chosen(const std::vector<GatheredVariable>& read, const Predicate& predicate) {
    ChosenVariables chosen;
    for (std::size_t v = 0; v < read.size(); ++v)
      if (predicate(read[v])) chosen.add(v);
    return chosen;
  }

  /// All that summaries need, unless an ESS takes more lags than those of the batch before.
  void gather(std::vector<GatheredVariable>& read) {
    const ChosenVariables moving = chosen(read, [](const auto& v) { return v.moves(); });
    const ChosenVariables folding = chosen(read, [](const auto& v) { return v.moves() && v.folds(); });
    if (!moving.any()) return;
    a_.values = memory(values_, a_.size);
    if (layout_.length > 2)
      for (const Content tail : {Content::low_tail, Content::high_tail}) {
        const ChosenVariables varying = chosen(read, [&](const auto& v) { return v.moves() && v.varies(tail); });
        write_values(tail, varying);
        write_all_sums(tail, varying);
      }
    write_values(Content::draws, moving);
    write_all_sums(Content::draws, moving);
    measure_about_mean(moving);
    if (layout_.length > 2) {
      each(layout_.sequences(), moving, SquareBatch<Number>{a_});
      write_all_sums(Content::squares, moving);
      write_sums(rows(a_.fourth), 1, moving, a_.sums + offsetof(AboutMean, fourth) / sizeof(double), a_.stride);
    }
    if (layout_.length > 0)
      for (const Content scores : {Content::scores, Content::folded_scores}) {
        const ChosenVariables& those = scores == Content::scores ? moving : folding;
        const std::size_t rows_at = nested_ ? rows_place(scores) : 0;
        write_values(scores, those, rows_at);
        write_all_sums(scores, those, rows_at);
      }
    host_.resize(variables_ * a_.stride);
    Backend::fetch(host_.data(), a_.sums, host_.size());
    for (std::size_t v = 0; v < variables_; ++v)
      if (read[v].moves()) set_results(read[v], host_.data() + v * a_.stride);
  }
  void set_results(GatheredVariable& variable, const double* from) {
    for (std::size_t c = 0; c < gathered_contents; ++c) {
      const auto content = static_cast<Content>(c);
      const double* const sums = from + place(content);
      variable.set_sums(content, sums, sums + moment_sums + lags_[c]);
    }
    for (const Content scores : {Content::scores, Content::folded_scores})
      if (nested_) variable.set_rows(scores, from + rows_place(scores));
    AboutMean about;
    std::memcpy(&about, from, sizeof about);
    variable.set_about(about);
  }

  /// All of it but the fourth powers, from the moments of the draws.
  void measure_about_mean(const ChosenVariables& moving) {
    const auto at = [this](std::size_t offset) { return a_.sums + offset / sizeof(double); };
    const MiddleOfVariable<Number> middle{a_};
    if (layout_.middle() > 0) write_sums(middle, 1, moving, at(offsetof(AboutMean, middle)), a_.stride);
    each(1, moving, CentresOfBatch<Number>{a_, place(Content::draws) + 1});
    write_sums(SquaredOfVariable{rows(a_.moments, 2), at(offsetof(AboutMean, centre)), a_.stride, 1}, 1, moving,
               at(offsetof(AboutMean, spread)), a_.stride);
    if (layout_.middle() > 0) write_sums(middle, 3, moving, at(offsetof(AboutMean, middle)), a_.stride);
    each(1, moving, NearestOfBatch<Number>{a_});
  }

  /// Asks for further lags of the variables that lack some, twice as many each time.
  void find_ess(std::vector<GatheredVariable>& read, Content content) {
    std::size_t known = lags_of(content), last = 0;
    ChosenVariables lacking = chosen(read, [&](const auto& v) { return v.has_ess(content); });
    for (bool there = false;;) {
      ChosenVariables still;
      for (std::size_t v = 0; v < variables_; ++v)
        if (lacking(v)) {
          if (read[v].missing_lag(content) > 0) still.add(v);
          last = std::max(last, read[v].last_lag(content));
        }
      lacking = still;
      if (!lacking.any()) break;
      if (!there) write_values(content, lacking);
      there = true;
      const std::size_t passes = std::clamp<std::size_t>(known / lags, 1, most_passes), more = passes * lags;
      double* const to = memory(further_, more);
      for (std::size_t pass = 0; pass < passes; ++pass) {
        write_products(content, known + 1 + pass * lags, lacking);
        write_sums(rows(a_.products, lags), lags, lacking, to + pass * lags, more);
      }
      std::vector<double> sums(variables_ * more);
      Backend::fetch(sums.data(), to, sums.size());
      for (std::size_t v = 0; v < variables_; ++v)
        if (lacking(v)) read[v].add_products(content, sums.data() + v * more, sums.data() + (v + 1) * more);
      known += more;
    }
    next_lags_[static_cast<int>(content)] = fitting(last);
  }

  DrawsView<Number> draws_;
  SequenceLayout layout_;
  bool nested_;
  std::size_t blocks_;
  std::size_t variables_ = 0;
  std::size_t lags_[gathered_contents] = {}, next_lags_[gathered_contents];
  std::size_t content_stride_ = 0;
  Arrays a_{{}, SequenceLayout(0, 0, Parts::halves, 1, false)};
  ChosenVariables all_;
  Vector<Number> sorted_, middle_;
  Vector<BatchPlace> place_;
  Vector<OrderFacts> facts_;
  Vector<BitWord> words_;
  Vector<double> values_, moments_, fourth_, products_, partials_, sums_, further_;
  std::vector<double> host_;
};

}  // namespace manychain::diagnostics
