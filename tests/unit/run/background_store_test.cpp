// A store behind the back of the thread that samples has what it would have had in front of it.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "core/reuse_large_memory.hpp"
#include "manychain/manychain.hpp"
#include "sampling/background_store.hpp"
#include "unit/run/memory_store.hpp"

namespace manychain {
namespace {

Settings usual() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.warmup.transitions = 50;
  s.sampling.draws = 40;
  s.seed = 2;
  s.threads = 2;
  return s;
}

/// Takes its time, and sees whether calls overlap.
class SlowStore : public RunStore {
 public:
  explicit SlowStore(RunStore& store) : store_(store) {}
  int overlaps = 0;

  void begin(const Result& facts) override { store_.begin(facts); }
  std::size_t block_draws() const override { return store_.block_draws(); }
  void append(std::size_t first, Draws&& draws, Draws&& stats, RunState state) override {
    overlaps += inside_++ > 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    store_.append(first, std::move(draws), std::move(stats), std::move(state));
    --inside_;
  }
  void finish(const Result& result) override {
    overlaps += inside_ > 0;
    store_.finish(result);
  }

 private:
  RunStore& store_;
  std::atomic<int> inside_{0};
};

TEST(BackgroundStore, has_the_same_run) {
  const Model model = builtin_model("eight_schools");
  MemoryStore front(7), behind(7);
  const Result whole = sample(model, usual(), front);
  SlowStore slow(behind);
  BackgroundStore background(slow);
  expect_same_run(sample(model, usual(), background), whole);
  expect_same_draws(behind.run.draws, front.run.draws);
  expect_same_draws(behind.run.sample_stats, front.run.sample_stats);
  expect_same_state(behind.run.state, front.run.state);
  EXPECT_EQ(behind.appended, front.appended);
  EXPECT_EQ(behind.finished, 1);
  EXPECT_EQ(slow.overlaps, 0);
}

/// Waits in append() until it may go on.
class HeldStore : public RunStore {
 public:
  std::promise<void> may_go_on;
  std::atomic<int> appended{0};

  void begin(const Result&) override {}
  std::size_t block_draws() const override { return 5; }
  void append(std::size_t, Draws&&, Draws&&, RunState) override {
    if (appended == 0) may_go_on.get_future().wait();
    ++appended;
  }
  void finish(const Result&) override {}
};

TEST(BackgroundStore, does_not_hold_the_one_that_appends) {
  HeldStore held;
  BackgroundStore background(held);
  background.begin({});
  std::atomic<bool> returned{false};
  std::thread ender([&] {  // whatever becomes of append()
    for (int k = 0; k < 1000 && !returned; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    held.may_go_on.set_value();
  });
  background.append(0, {}, {}, "state");
  EXPECT_EQ(held.appended, 0) << "append() has waited";
  returned = true;
  ender.join();
  background.append(0, {}, {}, "state");
  background.finish({});
  EXPECT_EQ(held.appended, 2);
}

#ifdef __linux__
TEST(BackgroundStore, gives_memory_back_to_the_one_that_appends) {
  HeldStore store;
  store.may_go_on.set_value();
  BackgroundStore background(store);
  background.begin({});
  Draws first;
  first.float32.resize(std::size_t(1) << 20);
  const float* const there = first.float32.data();
  {
    const ReuseLargeMemory reuse;
    background.append(0, std::move(first), {}, "state");
    background.flush();
    EXPECT_EQ(DrawValues<float>(std::size_t(1) << 20).data(), there);
  }
  free_kept_memory();
}
#endif

TEST(BackgroundStore, throws_what_an_append_threw) {
  const Model model = builtin_model("normal");
  const Result whole = sample(model, usual());
  for (const int appends : {0, 1, 4, 9}) {
    MemoryStore store(5, appends);
    BackgroundStore background(store);
    EXPECT_THROW(sample(model, usual(), background), Died) << appends;
    EXPECT_EQ(store.finished, 0);
    if (appends == 0) continue;  // nothing to go on from
    store.live(MemoryStore::never);
    BackgroundStore again(store);
    expect_same_run(resume(model, store.run, {}, again), whole);
  }
}

}  // namespace
}  // namespace manychain
