// A store that is written to while sampling goes on.
#pragma once

#include <cstddef>
#include <future>
#include <memory>

#include "run/run_store.hpp"

namespace manychain {

/// Hands each call on to another store. append() returns at once, and a thread of its own stores the draws, unless
/// those before are not stored yet: then it waits for them first. What an append throws comes out of the next call. At
/// most three blocks are lost where the process is killed, in place of one.
class BackgroundStore : public RunStore {
 public:
  explicit BackgroundStore(RunStore& store) : store_(store) {}
  /// Waits for the last append. What that throws is lost: finish() would have said it.
  ~BackgroundStore() override = default;

  void begin(const Result& facts) override;
  std::size_t block_draws() const override { return block_draws_; }
  void append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override;
  bool takes_warmup() const override { return store_.takes_warmup(); }
  void append_warmup(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override;
  void flush() override;
  /// Returns once all is stored.
  void finish(const Result& result) override;
  bool needs_draws() const override { return store_.needs_draws(); }
  bool can_be_read() const override { return store_.can_be_read(); }
  SharedChunks* shared() override { return store_.shared(); }
  void fail(const std::string& reason) override { store_.fail(reason); }
  /// Both wait for the last append.
  void keep_for_run() override;
  std::unique_ptr<DrawsSource> open() override;

 private:
  struct Block {
    Draws draws, sample_stats;
    RunState state;
  };
  void wait();
  using Append = void (RunStore::*)(std::size_t, Draws&&, Draws&&, RunState);
  void append_by(Append append, std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state);

  RunStore& store_;
  Block block_;  ///< of the last append: freed by the thread that samples, which can fill its memory again
  std::size_t block_draws_ = 1;
  std::future<void> before_;
};

}  // namespace manychain
