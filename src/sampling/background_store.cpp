#include "sampling/background_store.hpp"

#include <memory>
#include <system_error>
#include <utility>

namespace manychain {

void BackgroundStore::wait() {
  if (before_.valid()) before_.get();
  block_ = {};
}

void BackgroundStore::begin(const Result& facts) {
  wait();
  store_.begin(facts);
  block_draws_ = store_.block_draws();
}

void BackgroundStore::append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  append_by(&RunStore::begin_append, first, std::move(draws), std::move(sample_stats), std::move(state));
}

void BackgroundStore::append_warmup(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  append_by(&RunStore::append_warmup, first, std::move(draws), std::move(sample_stats), std::move(state));
}

void BackgroundStore::append_by(Append append, std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  wait();
  block_ = {std::move(draws), std::move(sample_stats), std::move(state)};
  const auto store = [this, append, first] {
    (store_.*append)(first, std::move(block_.draws), std::move(block_.sample_stats), std::move(block_.state));
  };
  try {
    before_ = std::async(std::launch::async, store);
  } catch (const std::system_error&) {  // no thread more can be started
    store();
  }
}

void BackgroundStore::finish(const Result& result) {
  wait();
  block_ = {};
  store_.finish(result);
}

void BackgroundStore::keep_for_run() {
  wait();
  store_.keep_for_run();
}

void BackgroundStore::flush() {
  wait();
  store_.flush();
}

std::unique_ptr<DrawsSource> BackgroundStore::open() {
  wait();
  return store_.open();
}

}  // namespace manychain
