// The store of a run in ranks: the first rank has it, and what is read of it goes to all. Its chunks are written by the
// ranks that hold their chains, where these see the store.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "run/ranks.hpp"
#include "run/run_store.hpp"
#include "run/share.hpp"

namespace manychain {

/// All ranks call all of it alike. The numbers in the store do not depend on the number of ranks.
class RankedStore final : public RunStore {
 public:
  /// `store`: at the first rank that of the run; at the others one that may join it (SharedChunks), or null. It must
  /// outlive this.
  RankedStore(Ranks& ranks, RunStore* store);

  void begin(const Result& facts) override;
  std::size_t block_draws() const override { return block_draws_; }
  /// `draws` are those of the chains of this rank.
  void append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override;
  bool takes_warmup() const override { return takes_warmup_; }
  void append_warmup(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override;
  void flush() override;
  void finish(const Result& result) override;
  bool needs_draws() const override { return needs_draws_; }
  bool can_be_read() const override { return can_be_read_; }
  void keep_for_run() override;
  /// All ranks read the source alike.
  std::unique_ptr<DrawsSource> open() override;

 private:
  bool is_first() const { return ranks_.rank() == 0; }
  void deal_chunks();
  bool settle();
  using Append = void (RunStore::*)(std::size_t, Draws&&, Draws&&, RunState);
  void append_by(Append append, std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state);

  Ranks& ranks_;
  RunStore* const store_;  ///< that of the first rank, or one that has joined it; may be null
  std::optional<Share> share_;
  std::vector<std::size_t> ends_;  ///< of the chains whose chunks each rank writes
  bool writes_ = false, failed_ = false;
  std::size_t block_draws_ = 1;
  bool needs_draws_ = true, can_be_read_ = false, takes_warmup_ = false;
};

/// Gives all ranks the draws of the run that the first one has read, which all read alike. It alone has the state.
StoredRun of_first_rank(Ranks& ranks, StoredRun stored);

}  // namespace manychain
