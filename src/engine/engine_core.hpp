// The shared part of the engines of all backends: everything but the loops over chains. It has three layers: the memory
// of the chains (ChainMemory), what tunes them (TuningMemory), and what is kept of them (EngineCore).
#pragma once

#include <functional>

#include "diagnostics/cancelled.hpp"
#include "diagnostics/segments.hpp"
#include "diagnostics/streaming_summary.hpp"
#include "diagnostics/view_of.hpp"
#include "engine/tuning_memory.hpp"

namespace manychain {

/// Calls f with the program of the settings. Throws BadInput if the model was not compiled for it.
template <class F>
auto with_program(const Model& model, const Settings& settings, const ProgramChoice& choice, const F& f) {
  const auto with = [&](auto program) {
    if (program) return f(std::move(program));
    throw BadInput("model " + model.name() + " was not compiled for " +
                   (settings.scalar ? "one chain per lane with sampler " : "sampler ") + settings.sampler);
  };
  if (settings.precision == Precision::single_precision)
    return with(model.bound().single_program(settings.sampler, choice));
  return with(model.bound().double_program(settings.sampler, choice));
}

/// Number: the precision of the run. A backend gives memory, copies and loops; it never sees a model.
template <class Number>
class EngineCore : public TuningMemory<Number> {
  using Tuned = TuningMemory<Number>;

 public:
  Draws draws(std::size_t first, std::size_t count) const final {
    return copy(stored_draws(), first, count, static_cast<std::size_t>(a_.outputs));
  }
  Draws sample_stats(std::size_t first, std::size_t count) const final {
    return copy(stored_stats(), first, count, sample_stat_count);
  }
  Draws draws_at(DrawsAt ranks, std::size_t first, std::size_t count) const final {
    return copy(stored_draws(), first, count, static_cast<std::size_t>(a_.outputs), ranks);
  }
  Draws stats_at(DrawsAt ranks, std::size_t first, std::size_t count) const final {
    return copy(stored_stats(), first, count, sample_stat_count, ranks);
  }
  void restore_draws(std::size_t first, const Draws& draws, const Draws& sample_stats) final {
    put(first, draws, a_.draws, static_cast<std::size_t>(a_.outputs));
    if (!sample_stats.empty()) put(first, sample_stats, a_.stats, sample_stat_count);
  }
  Draws take_draws(std::size_t kept) final { return take(stored_draws(), kept, static_cast<std::size_t>(a_.outputs)); }
  Draws take_sample_stats(std::size_t kept) final { return take(stored_stats(), kept, sample_stat_count); }

  std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) final {
    if (share_.whole()) return keeps_draws_ ? summarise_draws(kept, cancel) : summarise_streamed(kept, cancel);
    return summarise_in_ranks(kept, cancel);
  }

  std::vector<VariableSummary> summarise_given(const Draws& draws, int threads,
                                               const std::atomic<bool>* cancel) const final {
    return summarise_view(view_of<Number>(draws), threads, cancel);
  }

  std::vector<double> streamed_ebfmi(std::size_t kept) const final {
    std::vector<double> row[diagnostics::energy_rows], ebfmi;
    for (int r = 0; r < diagnostics::energy_rows; ++r) row[r] = per_chain(streaming_.energy + r * streaming_.stride);
    for (std::size_t c = 0; c < row[0].size(); ++c)
      ebfmi.push_back(diagnostics::streamed_ebfmi(row[diagnostics::energy_steps][c], row[diagnostics::energy_sum][c],
                                                  row[diagnostics::energy_squares][c], kept));
    return ebfmi;
  }

  StreamedDraws streamed(std::size_t kept) const final {
    StreamedDraws streamed;
    for (const diagnostics::FrozenMap& map : maps_) streamed.maps.push_back(map.numbers());
    if (!maps_.empty()) streamed.histogram = histogram_of_all();
    for (const auto& [begin, rows, stride] : streamed_rows(kept)) this->append_rows(begin, rows, stride, streamed.rows);
    return streamed;
  }
  void restore_streamed(const StreamedDraws& streamed, std::size_t kept) final {
    const auto outputs = static_cast<std::size_t>(a_.outputs);
    const bool frozen = !streamed.maps.empty();
    const auto refuse = [] { throw BadInput("sums over draws of another run cannot be restored"); };
    if (keeps_draws_ || (frozen && streamed.maps.size() != outputs) || (!frozen && kept > segments_.calibration()) ||
        streamed.histogram.size() != (frozen ? outputs * diagnostics::bin_count : 0))
      refuse();
    if (frozen) freeze(std::vector<diagnostics::FrozenMap>(streamed.maps.begin(), streamed.maps.end()));
    std::size_t bytes = 0;
    for (const auto& [begin, rows, stride] : streamed_rows(kept)) bytes += this->bytes_of_rows(rows);
    if (share_.here() == 0 && streamed.rows.size() != bytes) refuse();
    const char* from = streamed.rows.data();
    for (const auto& [begin, rows, stride] : streamed_rows(kept)) this->copy_rows_back(from, begin, rows, stride);
    // The first rank has counted for all until here.
    if (frozen && share_.here() == 0) restore_histogram(streamed.histogram);
    if (frozen && share_.here() != 0) restore_histogram(std::vector<std::uint64_t>(streamed.histogram.size(), 0));
  }

 protected:
  using Tuned::a_;
  using Tuned::per_chain;
  using Tuned::program_;
  using Tuned::share_;
  using Tuned::superchains_;
  using Tuned::to_backend;
  using Tuned::to_host;
  using typename Tuned::Piece;

  EngineCore(const Model& model, const Settings& settings, const Share& share, std::unique_ptr<Program<Number>> program)
      : Tuned(model, settings, share, std::move(program)),
        keeps_draws_(settings.output.keep_draws),
        room_(*settings.sampling.draws),
        segments_(settings.chains, *settings.sampling.draws) {
    streaming_.outputs = a_.outputs;
    streaming_.segments = static_cast<int>(segments_.capacity());
    streaming_.chains = a_.chains;
    // A cache line more than the chains: rows a power of two apart would all fall into a few sets of the cache.
    streaming_.stride = a_.stride + static_cast<std::int64_t>(64 / sizeof(Number));
    streaming_.histogram_every = static_cast<std::uint32_t>(std::clamp<std::int64_t>(share_.all() / 64, 1, 16));
  }

  /// Allocates everything; called by the constructor of a backend. `workspaces`: how many chains work at once; `held`:
  /// for how many draws of all chains a streaming run has room.
  void allocate_arrays(const Settings& settings, std::size_t workspaces, std::size_t held) {
    const std::size_t n = static_cast<std::size_t>(a_.stride), o = static_cast<std::size_t>(a_.outputs);
    const std::size_t row = static_cast<std::size_t>(streaming_.stride);
    const std::size_t draws_held = settings.output.keep_draws ? *settings.sampling.draws : held;
    const bool stats = !settings.output.keep_draws || settings.output.keep_sample_stats;
    constexpr std::size_t map_size = sizeof(diagnostics::ScoreMap<Number>) / sizeof(Number);
    std::vector<Piece> pieces = {
        {&a_.draws, draws_held * o * n},
        {&a_.stats, stats ? draws_held * sample_stat_count * n : 0},
        {&streaming_.sums,
         settings.output.keep_draws ? 0 : o * (segments_.capacity() + 1) * diagnostics::sums_kept * row},
        {&streaming_.energy, settings.output.keep_draws ? 0 : diagnostics::energy_rows * row},
        {&map_memory_, settings.output.keep_draws ? 0 : o * map_size},
        {&workspace_, std::max<std::size_t>(program_->workspace_reals(), 1) * workspaces}};
    this->list_chain_memory(pieces);
    this->list_tuning_memory(pieces);
    double bytes = 0;
    for (const auto& piece : pieces) bytes += static_cast<double>(piece.size) * sizeof(Number);
    if (settings.output.keep_on_device)
      bytes += static_cast<double>(draws_held * o * n) * sizeof(Number);  // at the end
    if (bytes > always_there() && bytes > available_bytes())
      throw OutOfMemory(
          "this run needs " + gigabytes(bytes) + ", there are " + gigabytes(available_bytes()) + " on " +
          this->device() +
          ": take fewer Settings::chains or Settings::sampling.draws, or keep no draws (Settings::output.keep_draws)");
    for (const auto& piece : pieces)
      if (piece.size) {
        const bool recorded = piece.pointer == &a_.draws || piece.pointer == &a_.stats;
        *piece.pointer = recorded ? allocate_draws(piece.size) : this->allocate(piece.size);
      }
    this->place_chains();
    this->place_tuning();
    streaming_.map = reinterpret_cast<const diagnostics::ScoreMap<Number>*>(map_memory_);
  }

  /// Freezes the maps by the first `draws` draws, which are held, and accumulates these.
  void calibrate(std::size_t draws) {
    const std::size_t all = std::min<std::size_t>(static_cast<std::size_t>(share_.all()), most_calibrating);
    const std::size_t chains = share_.among_first(all);
    std::vector<Number> held(draws * chains);  // [chain][draw]
    std::vector<Number> row(chains);
    std::vector<diagnostics::FrozenMap> maps;
    for (int o = 0; o < a_.outputs; ++o) {
      std::vector<double> values;
      for (std::size_t d = 0; d < draws; ++d) {
        to_host(a_.draws + (static_cast<std::int64_t>(d) * a_.outputs + o) * a_.stride, row.data(), chains);
        for (std::size_t c = 0; c < chains; ++c) held[c * draws + d] = row[c];
      }
      const std::vector<Number> of_all = share_.gathered_first(held, all, draws);
      for (std::size_t d = 0; d < draws; ++d)
        for (std::size_t c = 0; c < all; ++c) values.push_back(static_cast<double>(of_all[c * draws + d]));
      maps.emplace_back(values, Number());
    }
    freeze(std::move(maps));
    accumulate_held(static_cast<std::uint32_t>(draws));
  }

  /// The draws of a chunk, from the first one in `a.draws` on.
  static diagnostics::HeldDraws<Number> held(const ChainArrays<Number>& a, const diagnostics::Chunk& chunk) {
    return {a.draws,        a.stats + energy_row * a.draws_stride,
            a.draws_stride, static_cast<std::int64_t>(sample_stat_count) * a.draws_stride,
            chunk.draw,     chunk.draws,
            chunk.segment,  chunk.merge,
            chunk.close};
  }
  static diagnostics::Chunk first_chunk(std::uint32_t draws) {
    diagnostics::Chunk chunk;
    chunk.draws = draws;
    chunk.close = true;
    return chunk;
  }

  // Operations of a backend.
  /// On a CUDA device what is free once the kernels are loaded, those that observe proposals and those that adapt among
  /// them, less cuda_reserve() and the room for diagnostics; on the host available_memory().
  virtual double available_bytes() const = 0;
  /// Bytes of a run that is not refused, whatever is available.
  virtual double always_there() const { return 0; }
  /// `rows` rows of a_.stride become rows of `width`.
  virtual void rows_to_host(const Number* from, Number* to, std::size_t rows, std::size_t width) const = 0;
  /// The reverse.
  virtual void rows_to_backend(const Number* from, Number* to, std::size_t rows, std::size_t width) = 0;
  /// Memory for draws, which need not be zeroed and can be given away.
  virtual Number* allocate_draws(std::size_t count) { return this->allocate(count); }
  /// Gives what was recorded at `begin` to `to`, `rows` rows a draw, if the host has it as it is wanted. Else false.
  virtual bool give_draws(const Number* begin, std::size_t draws, std::size_t rows, DrawValues<Number>& to) = 0;
  virtual std::vector<VariableSummary> summarise_draws(std::size_t kept, const std::atomic<bool>* cancel) const = 0;
  /// A summary of draws on the host.
  virtual std::vector<VariableSummary> summarise_view(const DrawsView<Number>& draws, int threads,
                                                      const std::atomic<bool>* cancel) const = 0;
  /// The summary of one output, whose draws of all chains lie on the host, [draw][chain].
  virtual VariableSummary summarise_output(const std::vector<Number>& draws, std::size_t kept) const = 0;
  /// Accumulates the first `draws` draws of all chains, which lie in a_.draws, into their first segment.
  virtual void accumulate_held(std::uint32_t draws) = 0;
  virtual std::vector<std::uint64_t> histogram() const = 0;  ///< [output][bin_count]
  virtual void restore_histogram(const std::vector<std::uint64_t>& counts) = 0;

  Number* workspace_ = nullptr;
  bool keeps_draws_;
  std::size_t room_;  ///< draws of a run that keeps them
  diagnostics::Segments segments_;
  diagnostics::StreamingArrays<Number> streaming_;
  std::vector<diagnostics::FrozenMap> maps_;  ///< one per output, once they are frozen

 private:
  static constexpr std::size_t most_calibrating = 4096;  // chains
  Number* map_memory_ = nullptr;

  static std::string gigabytes(double bytes) {
    const double tenths = std::ceil(bytes / 1e8);
    return std::to_string(static_cast<long long>(tenths) / 10) + "." +
           std::to_string(static_cast<long long>(tenths) % 10) + " GB";
  }

  const Number* stored_draws() const { return keeps_draws_ ? a_.draws : nullptr; }
  const Number* stored_stats() const { return keeps_draws_ ? a_.stats : nullptr; }

  Draws shape_of(std::size_t kept, std::size_t variables, bool gathered) const {
    Draws d;
    d.draws = kept;
    d.variables = variables;
    d.chains = static_cast<std::size_t>(gathered ? share_.all() : a_.chains);
    return d;
  }
  /// Takes Draws, const or not.
  static auto& values_of(auto& d) {
    if constexpr (sizeof(Number) == 4)
      return d.float32;
    else
      return d.float64;
  }

  /// Drops the left-over lanes, all rows at once, into memory that nothing has written before.
  Draws copy(const Number* begin, std::size_t first, std::size_t count, std::size_t variables,
             DrawsAt at = DrawsAt::all_ranks) const {
    const bool gathers = share_.gathers_draws() && at != DrawsAt::own_rank;
    Draws d = shape_of(count, variables, gathers);
    if (!begin || count == 0) return d;
    DrawValues<Number>& to = values_of(d);
    if (at != DrawsAt::first_rank || share_.here() == 0 || !gathers) to.resize(count * variables * d.chains);
    const Number* const from = begin + static_cast<std::int64_t>(first * variables) * a_.stride;
    if (gathers)
      gather_draws(from, count * variables, to, at);
    else
      rows_to_host(from, to.data(), count * variables, d.chains);
    return d;
  }
  void put(std::size_t first, const Draws& draws, Number* begin, std::size_t variables) {
    const DrawValues<Number>& from = values_of(draws);
    const std::size_t rows = draws.draws * variables, own = static_cast<std::size_t>(a_.chains);
    if (!keeps_draws_ || !begin || first > room_ || draws.draws > room_ - first || draws.variables != variables ||
        (draws.chains != own && draws.chains != static_cast<std::size_t>(share_.all())) ||
        from.size() != rows * draws.chains)
      throw BadInput("draws of another precision, of other sizes, or more than a run keeps cannot be restored");
    if (rows == 0) return;
    Number* const to = begin + static_cast<std::int64_t>(first * variables) * a_.stride;
    if (draws.chains == own) return rows_to_backend(from.data(), to, rows, own);
    const std::vector<Number> mine = share_.own(std::vector<Number>(from.begin(), from.end()));
    rows_to_backend(mine.data(), to, rows, own);
  }
  Draws take(const Number* begin, std::size_t kept, std::size_t variables) {
    Draws d = shape_of(kept, variables, false);
    if (begin && give_draws(begin, kept, variables, values_of(d))) return d;
    return copy(begin, 0, kept, variables, DrawsAt::own_rank);
  }

  /// Rows of the draws of all chains, a batch at a time.
  void gather_draws(const Number* from, std::size_t rows, DrawValues<Number>& to, DrawsAt at) const {
    const auto own = static_cast<std::size_t>(a_.chains), all = static_cast<std::size_t>(share_.all());
    const std::size_t at_once = this->rows_at_once();
    std::vector<Number> mine;
    for (std::size_t row = 0; row < rows; row += at_once) {
      const std::size_t count = std::min(at_once, rows - row);
      mine.resize(count * own);
      rows_to_host(from + static_cast<std::int64_t>(row) * a_.stride, mine.data(), count, own);
      const std::vector<Number> got =
          at == DrawsAt::all_ranks ? share_.gathered(mine, count) : share_.gathered_at_first(mine, count);
      std::copy(got.begin(), got.end(), to.begin() + static_cast<std::ptrdiff_t>(row * all));
    }
  }

  void freeze(std::vector<diagnostics::FrozenMap> maps) {
    maps_ = std::move(maps);
    std::vector<diagnostics::ScoreMap<Number>> as_used;
    for (const diagnostics::FrozenMap& map : maps_) as_used.push_back(map.template as<Number>());
    to_backend(reinterpret_cast<const Number*>(as_used.data()), map_memory_,
               as_used.size() * sizeof(as_used[0]) / sizeof(Number));
  }
  struct RowsKept {
    Number* begin;
    std::int64_t rows, stride;
  };
  /// All that there is of `kept` draws that are not kept.
  std::vector<RowsKept> streamed_rows(std::size_t kept) const {
    const auto draws = static_cast<std::int64_t>(kept);
    if (maps_.empty())
      return {{a_.draws, draws * a_.outputs, a_.stride},
              {a_.stats, draws * std::int64_t{sample_stat_count}, a_.stride}};
    const std::int64_t sums = std::int64_t{a_.outputs} * (streaming_.segments + 1) * diagnostics::sums_kept;
    return {{streaming_.sums, sums, streaming_.stride},
            {streaming_.energy, std::int64_t{diagnostics::energy_rows}, streaming_.stride}};
  }
  std::vector<std::uint64_t> histogram_of_all() const {
    const std::vector<std::uint64_t> own = histogram();
    if (share_.whole()) return own;
    const std::size_t bytes = own.size() * sizeof own[0];
    std::vector<std::size_t> sent(share_.ranges(), 0), received(share_.ranges(), share_.here() == 0 ? bytes : 0);
    sent[0] = bytes;
    std::vector<std::uint64_t> got(share_.here() == 0 ? share_.ranges() * own.size() : 0), sum(own.size(), 0);
    share_.ranks().exchange(own.data(), sent, got.data(), received);
    for (std::size_t i = 0; i < got.size(); ++i) sum[i % sum.size()] += got[i];
    return sum;
  }

  std::size_t sums_of_output() const {
    return (segments_.capacity() + 1) * diagnostics::sums_kept * static_cast<std::size_t>(streaming_.stride);
  }
  std::vector<VariableSummary> summarise_streamed(std::size_t kept, const std::atomic<bool>* cancel) {
    if (maps_.empty()) calibrate(kept);  // cancelled before the maps were due
    const std::vector<std::uint64_t> counts = histogram();
    std::vector<Number> sums(sums_of_output());
    std::vector<VariableSummary> summaries;
    for (std::size_t o = 0; o < maps_.size() && !diagnostics::cancelled(cancel); ++o) {
      to_host(streaming_.sums + o * sums.size(), sums.data(), sums.size());
      summaries.push_back(summarise_sums(sums, static_cast<std::size_t>(streaming_.stride), kept, o,
                                         counts.data() + o * diagnostics::bin_count));
    }
    return summaries;
  }
  /// The sums of output `o` of all chains, which lie `stride` apart.
  VariableSummary summarise_sums(std::vector<Number>& sums, std::size_t stride, std::size_t kept, std::size_t o,
                                 const std::uint64_t* counts) const {
    // The chunk that was open when the run ended is the end of its last segment.
    const std::size_t row = stride * diagnostics::sums_kept;
    Number* const last = sums.data() + (segments_.used(kept) - 1) * row;
    const Number* const open = sums.data() + segments_.capacity() * row;
    std::transform(open, open + row, last, last, std::plus<Number>());
    return diagnostics::summarise_streamed(
        diagnostics::StreamedOutput<Number>{sums.data(), stride, static_cast<std::size_t>(share_.all()), kept,
                                            superchains_, static_cast<std::size_t>(this->groups()), &maps_[o], counts},
        segments_);
  }

  /// Outputs are dealt to the ranks, one to each at a time. Who summarises one gets what the others have of it, so that
  /// no rank holds the draws of more than an output of all chains.
  std::vector<VariableSummary> summarise_in_ranks(std::size_t kept, const std::atomic<bool>* cancel) {
    if (!keeps_draws_ && maps_.empty()) calibrate(kept);
    const std::size_t outputs = static_cast<std::size_t>(a_.outputs), ranks = share_.ranges();
    const std::size_t own = static_cast<std::size_t>(a_.chains);
    // Numbers of an output and a chain.
    const std::size_t rows = keeps_draws_ ? kept : (segments_.capacity() + 1) * diagnostics::sums_kept;
    const std::vector<std::uint64_t> counts = keeps_draws_ ? std::vector<std::uint64_t>() : histogram();
    std::vector<VariableSummary> summaries;
    for (std::size_t first = 0; first < outputs; first += ranks) {
      if (share_.ranks().any(diagnostics::cancelled(cancel))) break;
      const std::size_t dealt = std::min(ranks, outputs - first), mine = first + share_.here();
      const bool has_one = share_.here() < dealt;
      std::vector<Number> given;
      for (std::size_t o = first; o < first + dealt; ++o) append_own_rows(o, rows, given);
      std::vector<std::size_t> sent(ranks, 0), received(ranks, 0);
      std::fill_n(sent.begin(), dealt, rows * own * sizeof(Number));
      for (std::size_t r = 0; r < ranks && has_one; ++r) received[r] = rows * share_.size_of_range(r) * sizeof(Number);
      std::vector<Number> got(has_one ? rows * static_cast<std::size_t>(share_.all()) : 0);
      share_.ranks().exchange(given.data(), sent, got.data(), received);
      const std::vector<std::uint64_t> bins = counts_of_output(counts, first, dealt);
      VariableSummary summary;
      if (has_one) {
        got = share_.sorted(got, rows);
        summary = keeps_draws_ ? summarise_output(got, kept)
                               : summarise_sums(got, static_cast<std::size_t>(share_.all()), kept, mine, bins.data());
      }
      std::vector<VariableSummary> all = share_.ranks().each(summary);
      summaries.insert(summaries.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(dealt));
    }
    return summaries;
  }
  /// This rank's rows of an output, [row][chain].
  void append_own_rows(std::size_t o, std::size_t rows, std::vector<Number>& to) const {
    const auto own = static_cast<std::size_t>(a_.chains);
    const std::size_t at = to.size();
    to.resize(at + rows * own);
    for (std::size_t row = 0; row < rows; ++row) {
      const Number* const from =
          keeps_draws_
              ? a_.draws + static_cast<std::int64_t>(row * static_cast<std::size_t>(a_.outputs) + o) * a_.stride
              : streaming_.sums + (o * rows + row) * static_cast<std::size_t>(streaming_.stride);
      to_host(from, to.data() + at + row * own, own);
    }
  }
  /// The histogram of the output that this rank summarises, of all chains.
  std::vector<std::uint64_t> counts_of_output(const std::vector<std::uint64_t>& counts, std::size_t first,
                                              std::size_t dealt) const {
    if (keeps_draws_) return {};
    const std::size_t ranks = share_.ranges(), bins = diagnostics::bin_count, bytes = bins * sizeof counts[0];
    std::vector<std::size_t> sent(ranks, 0), received(ranks, share_.here() < dealt ? bytes : 0);
    std::fill_n(sent.begin(), dealt, bytes);
    std::vector<std::uint64_t> got(ranks * bins), sum(bins, 0);
    share_.ranks().exchange(counts.data() + first * bins, sent, got.data(), received);
    for (std::size_t i = 0; i < got.size(); ++i) sum[i % bins] += got[i];
    return sum;
  }
};

}  // namespace manychain
