#include "run/ranked_store.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/draws_in_ranks.hpp"

namespace manychain {
namespace {

/// Draws that the first rank reads, and the others get. Calls of all ranks, from one thread of each.
class RankedSource final : public DrawsSource {
 public:
  RankedSource(Ranks& ranks, std::shared_ptr<const DrawsSource> own)
      : ranks_(ranks), own_(std::move(own)), shape_(ranks.each(own_ ? own_->shape() : Shape())[0]) {}
  Shape shape() const override { return shape_; }
  Draws draws(Stretch draws, Stretch variables) const override {
    return of_all(own_ ? own_->draws(draws, variables) : Draws(), draws, variables);
  }
  Draws sample_stats(Stretch draws, Stretch variables) const override {
    return of_all(own_ ? own_->sample_stats(draws, variables) : Draws(), draws, variables);
  }

  /// A piece at a time, so that the first rank has no more of them than the others.
  Draws dealt(Stretch draws, const std::vector<Stretch>& variables) const override {
    Draws mine;
    for (std::size_t r = variables.size(); r-- > 0;) {
      if (variables[r].count == 0) continue;
      Draws piece = own_ ? own_->draws(draws, variables[r]) : Draws();
      const bool is_mine = r == static_cast<std::size_t>(ranks_.rank());
      if (r > 0) send_to(r, is_mine, draws.count * variables[r].count * shape_.chains, piece);
      if (!is_mine) continue;
      mine = std::move(piece);
      mine.draws = draws.count;
      mine.variables = variables[r].count;
      mine.chains = shape_.chains;
    }
    return mine;
  }

  Draws draws_of_rank(const Share& share, Stretch draws, Stretch variables) const override {
    return own_chains(share, own_ ? own_->draws(draws, variables) : Draws(), draws.count, variables.count);
  }
  Draws stats_of_rank(const Share& share, Stretch draws, Stretch variables) const override {
    return own_chains(share, own_ ? own_->sample_stats(draws, variables) : Draws(), draws.count, variables.count);
  }

 private:
  /// Each rank gets its chains of `all`, which the first one has.
  Draws own_chains(const Share& share, Draws all, std::size_t draws, std::size_t variables) const {
    Draws mine;
    mine.draws = draws;
    mine.variables = variables;
    mine.chains = share.size_of_range(share.here());
    const auto deal = [&](auto values) {
      auto& got = mine.*values;
      std::remove_reference_t<decltype(got)> to;
      const std::size_t number = sizeof got[0];
      std::vector<std::size_t> sent(share.ranges(), 0), received(share.ranges(), 0);
      for (std::size_t r = 0; r < share.ranges() && own_; ++r) {
        const Draws piece = chains_of_rank(share, r, all);
        to.insert(to.end(), (piece.*values).begin(), (piece.*values).end());
        sent[r] = (piece.*values).size() * number;
      }
      all = {};
      got.resize(draws * variables * mine.chains);
      received[0] = got.size() * number;
      ranks_.exchange(to.data(), sent, got.data(), received);
    };
    shape_.single ? deal(&Draws::float32) : deal(&Draws::float64);
    return mine;
  }
  void send_to(std::size_t rank, bool is_mine, std::size_t count, Draws& piece) const {
    const auto send = [&](auto& values) {
      const auto ranks = static_cast<std::size_t>(ranks_.size());
      const std::size_t bytes = count * sizeof values[0];
      std::vector<std::size_t> sent(ranks, 0), received(ranks, 0);
      if (own_) sent[rank] = bytes;
      std::remove_reference_t<decltype(values)> got(is_mine ? count : 0);
      if (is_mine) received[0] = bytes;
      ranks_.exchange(values.data(), sent, got.data(), received);
      values = std::move(got);
    };
    if (shape_.single)
      send(piece.float32);
    else
      send(piece.float64);
  }
  Draws of_all(Draws draws, Stretch of, Stretch variables) const {
    draws.draws = of.count;
    draws.variables = variables.count;
    draws.chains = shape_.chains;
    const std::size_t count = of.count * variables.count * shape_.chains;
    if (shape_.single)
      send(draws.float32, count);
    else
      send(draws.float64, count);
    return draws;
  }
  template <class Number>
  void send(DrawValues<Number>& values, std::size_t count) const {
    std::vector<std::size_t> bytes(static_cast<std::size_t>(ranks_.size()), 0);
    bytes[0] = count * sizeof(Number);
    DrawValues<Number> all(count);
    ranks_.gather(values.data(), all.data(), bytes);
    values = std::move(all);
  }

  Ranks& ranks_;
  std::shared_ptr<const DrawsSource> own_;  ///< null: this is not the first rank
  Shape shape_;
};

/// Chains of a chunk of a new store. Bounds of chunks are bounds of ranges if there are at most two chunks a rank, so
/// that no draw leaves its rank; else there is about one a rank.
std::size_t chains_of_chunk(const Share& share) {
  const auto all = static_cast<std::size_t>(share.all());
  std::size_t common = 0;
  for (std::size_t r = 1; r < share.ranges(); ++r) common = std::gcd(common, share.begin_of_range(r));
  if (share.ranges() == 1) return all;
  return all <= 2 * share.ranges() * common ? common : (all + share.ranges() - 1) / share.ranges();
}

}  // namespace

RankedStore::RankedStore(Ranks& ranks, RunStore* store) : ranks_(ranks), store_(store) {
  const RunStore* const of_run = is_first() ? store : nullptr;
  needs_draws_ = ranks_.any(of_run && of_run->needs_draws());
  can_be_read_ = ranks_.any(of_run && of_run->can_be_read());
  takes_warmup_ = ranks_.any(of_run && of_run->takes_warmup());
}

void RankedStore::begin(const Result& facts) {
  share_.emplace(facts.settings, ranks_);
  writes_ = is_first() && store_;
  if (writes_) {
    if (SharedChunks* const chunks = store_->shared(); chunks && ranks_.size() > 1)
      chunks->share(chains_of_chunk(*share_));
    store_->begin(facts);
  }
  block_draws_ = ranks_.each(writes_ ? store_->block_draws() : 0)[0];
  SharedChunks* const chunks = store_ ? store_->shared() : nullptr;
  const std::string mark = ranks_.texts(writes_ && chunks ? chunks->mark() : "")[0];
  if (!writes_ && chunks && !mark.empty()) writes_ = chunks->join(facts, mark);
  deal_chunks();
  if (!writes_ || !chunks || ranks_.size() == 1) return;
  const auto here = static_cast<std::size_t>(ranks_.rank());
  const std::size_t first = here == 0 ? 0 : ends_[here - 1];
  chunks->write_chains({first, ends_[here] - first});
}

/// A chunk is written by the rank that holds its first chain or, if that does not see the store, by the next one before
/// it that does.
void RankedStore::deal_chunks() {
  SharedChunks* const chunks = writes_ && store_ ? store_->shared() : nullptr;
  const auto all = static_cast<std::size_t>(share_->all());
  const std::vector<char> writes = ranks_.each(static_cast<char>(chunks != nullptr));
  const std::size_t length = ranks_.each(chunks ? chunks->chains_of_chunk() : all)[0];
  ends_.assign(share_->ranges(), 0);
  for (std::size_t first = 0; first < all; first += length) {
    std::size_t rank = share_->holder(static_cast<std::int64_t>(first));
    while (rank > 0 && !writes[rank]) --rank;
    ends_[rank] = std::min(first + length, all);
  }
  for (std::size_t r = 1; r < ends_.size(); ++r) ends_[r] = std::max(ends_[r], ends_[r - 1]);
}

/// Returns once the chunks of the last append are on the disk, at all ranks. False: not all could be written.
bool RankedStore::settle() {
  if (failed_) return false;
  std::string fault;
  try {
    if (writes_) store_->flush();
  } catch (const std::exception& error) {
    if (is_first()) throw;
    fault = error.what();
  }
  if (!ranks_.any(!fault.empty())) return true;
  failed_ = true;
  for (const std::string& one : ranks_.texts(fault))
    if (!one.empty() && is_first()) store_->fail(one);
  return false;
}

void RankedStore::append_by(Append append, std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  Draws some = given_to(*share_, std::move(draws), ends_);
  Draws stats = given_to(*share_, std::move(sample_stats), ends_);
  if (settle() && writes_ && (is_first() || some.draws > 0))
    (store_->*append)(first, std::move(some), std::move(stats), std::move(state));
}

void RankedStore::append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  append_by(&RunStore::append, first, std::move(draws), std::move(sample_stats), std::move(state));
}

void RankedStore::append_warmup(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  append_by(&RunStore::append_warmup, first, std::move(draws), std::move(sample_stats), std::move(state));
}

void RankedStore::flush() {
  if (!settle() || !writes_ || !is_first()) return;
  SharedChunks* const chunks = store_->shared();
  if (!chunks) return;
  try {
    chunks->commit();
  } catch (const std::exception& error) {
    store_->fail(error.what());
  }
}

void RankedStore::finish(const Result& result) {
  flush();
  if (writes_ && is_first()) store_->finish(result);
}

void RankedStore::keep_for_run() {
  if (writes_ && is_first()) store_->keep_for_run();
}

std::unique_ptr<DrawsSource> RankedStore::open() {
  flush();
  return std::make_unique<RankedSource>(ranks_, writes_ && is_first() ? store_->open() : nullptr);
}

StoredRun of_first_rank(Ranks& ranks, StoredRun stored) {
  const bool first = ranks.rank() == 0;
  StoredRun all;
  all.source = std::make_shared<RankedSource>(ranks, first ? source_of(stored) : nullptr);
  if (first) all.state = std::move(stored.state);
  return all;
}

}  // namespace manychain
