#include "sampling/background_store.hpp"

#include <memory>
#include <system_error>
#include <utility>

namespace manychain {

void BackgroundStore::wait() {
  if (before_.valid()) before_.get();
}

void BackgroundStore::begin(const Result& facts) {
  wait();
  store_.begin(facts);
  block_draws_ = store_.block_draws();
}

void BackgroundStore::append(std::size_t first, Draws draws, Draws sample_stats, RunState state) {
  wait();
  struct Block {
    Draws draws, sample_stats;
    RunState state;
  };
  // Shared: what could not be started must not have taken it.
  const auto block = std::make_shared<Block>(Block{std::move(draws), std::move(sample_stats), std::move(state)});
  const auto store = [this, first, block] {
    store_.append(first, std::move(block->draws), std::move(block->sample_stats), std::move(block->state));
  };
  try {
    before_ = std::async(std::launch::async, store);
  } catch (const std::system_error&) {  // no thread more can be started
    store();
  }
}

void BackgroundStore::finish(const Result& result) {
  wait();
  store_.finish(result);
}

void BackgroundStore::keep_for_run() {
  wait();
  store_.keep_for_run();
}

std::unique_ptr<DrawsSource> BackgroundStore::open() {
  wait();
  return store_.open();
}

}  // namespace manychain
