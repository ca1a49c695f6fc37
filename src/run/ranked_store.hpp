// The store of a run in ranks: the first rank has it, and what is read of it goes to all.
#pragma once

#include <cstddef>
#include <memory>

#include "run/ranks.hpp"
#include "run/run_store.hpp"

namespace manychain {

/// All ranks call all of it alike. The bytes of the store do not depend on the number of ranks.
class RankedStore final : public RunStore {
 public:
  /// `store`: at the first rank, which it must outlive; null at the others.
  RankedStore(Ranks& ranks, RunStore* store);

  void begin(const Result& facts) override;
  std::size_t block_draws() const override { return block_draws_; }
  /// `draws` are those of all chains.
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
  Ranks& ranks_;
  RunStore* const store_;
  std::size_t block_draws_ = 1;
  bool needs_draws_ = true, can_be_read_ = false, takes_warmup_ = false;
};

/// Gives all ranks the run that the first one has read. The draws of `stored` are read from there, by all ranks alike.
StoredRun of_first_rank(Ranks& ranks, StoredRun stored);

}  // namespace manychain
