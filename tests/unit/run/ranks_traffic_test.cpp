// Ranks of a run that is stored, or goes on, get their own part of its draws and of its state.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "manychain/manychain.hpp"
#include "run/draws_in_ranks.hpp"
#include "run/share.hpp"
#include "sampling/ranked.hpp"
#include "sampling/stored.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/memory_store.hpp"

namespace manychain {
namespace {

Settings of_one_thread(std::size_t chains, std::size_t warmup, std::size_t draws) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = chains;
  s.warmup.transitions = warmup;
  s.sampling.draws = draws;
  s.seed = 5;
  s.threads = 1;
  return s;
}

// The first rank alone gets what is to be stored.
TEST(RanksTraffic, outputs_of_a_store_go_where_they_are_summarised) {
  Settings s = of_one_thread(128, 60, 400);
  s.output.keep_sample_stats = false;
  const Model model = builtin_model("eight_schools");
  MemoryStore store(100);
  store.readable = true;
  std::uint64_t received[3] = {};
  in_ranks(3, [&](Ranks& ranks) {
    sample_in_ranks(model, s, ranks, ranks.rank() == 0 ? &store : nullptr, {.seconds = 1e9, .memory = 2e6});
    received[ranks.rank()] = ranks.traffic().received;
  });
  const double draws = 4 * static_cast<double>(store.run.draws.float32.size());
  EXPECT_GT(draws, 2e6);
  EXPECT_LT(received[0], 1.3 * draws);
  for (const int rank : {1, 2}) EXPECT_LT(received[rank], 0.6 * draws);
}

/// Four ranks go on with a run that has ended. `check` gets each of them, and its result.
template <class Check>
void go_on_in_four_ranks(const Model& model, const StoredRun& run, Check check) {
  in_ranks(4, [&](Ranks& ranks) {
    const bool first = ranks.rank() == 0;
    MemoryStore on(100);
    on.run.draws = run.draws;
    on.states_alone = true;  // the draws of all chains are at no rank
    check(ranks,
          resume_in_ranks(
              model, first ? run : StoredRun(), {}, ranks, [](const Model&, Settings& mine) { mine.threads = 1; },
              first ? &on : nullptr, {}, DrawsAt::own_rank));
  });
}

TEST(RanksTraffic, draws_go_to_the_rank_of_their_chains) {
  const Model model = builtin_model("eight_schools");
  MemoryStore store(100);
  const Result whole = sample(model, of_one_thread(128, 60, 400), store, {1e9});
  // A quarter of the draws as its own, and as much again in outputs to summarise; the states beside them.
  const double limit = 0.6 * bytes_of(whole) + 2 * static_cast<double>(store.run.state.size());
  go_on_in_four_ranks(model, store.run, [&](Ranks& ranks, const Result& result) {
    expect_same_draws(result.draws, chains_of_rank(Share(result.settings, ranks), whole.draws));
    EXPECT_LT(ranks.traffic().received, limit);
  });
}

// The state is larger than the draws where these are few and parameters are many.
TEST(RanksTraffic, states_go_to_the_rank_of_their_chains) {
  const Model model = builtin_model("normal", Data::from_json(R"({"D": 100})"));
  MemoryStore store(100);
  const Result whole = sample(model, of_one_thread(1024, 40, 2), store, {1e9});
  const double common = static_cast<double>(without_chains(store.run.state).size());
  const double chains = static_cast<double>(store.run.state.size()) - common;
  ASSERT_GT(chains, 200 * 4 * 1024);  // positions and gradients at least
  go_on_in_four_ranks(model, store.run, [&](Ranks& ranks, const Result&) {
    EXPECT_LT(ranks.traffic().received, 0.6 * bytes_of(whole) + 2 * common + 0.3 * chains + 150 * 1024)
        << bytes_of(whole) << " " << common << " " << chains;
  });
}

TEST(RanksTraffic, states_that_are_stored_go_to_the_first_rank) {
  const Model model = builtin_model("normal", Data::from_json(R"({"D": 100})"));
  const Settings s = of_one_thread(1024, 40, 20);
  const auto received = [&](std::size_t block, std::size_t& state) {
    MemoryStore store(block);
    std::vector<double> bytes(3);
    in_ranks(3, [&](Ranks& ranks) {
      sample_in_ranks(model, s, ranks, ranks.rank() == 0 ? &store : nullptr, {.seconds = 1e9});
      bytes[static_cast<std::size_t>(ranks.rank())] = static_cast<double>(ranks.traffic().received);
    });
    state = store.run.state.size();
    return bytes;
  };
  std::size_t state = 0;
  const std::vector<double> ten = received(2, state), one = received(20, state);
  EXPECT_GT(ten[0] - one[0], 5.0 * double(state));  // in double precision, of the other two thirds of the chains
  for (const std::size_t rank : {1, 2}) EXPECT_LT(ten[rank] - one[rank], 0.2 * double(state));
}

}  // namespace
}  // namespace manychain
