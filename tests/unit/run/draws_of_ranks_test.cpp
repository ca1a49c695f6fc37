// The draws of a run in ranks at its end: at all of them, at the first one, or at each those of its own chains.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "manychain/core/sample_stats.hpp"
#include "manychain/io/output.hpp"
#include "manychain/run/model.hpp"
#include "run/draws_in_ranks.hpp"
#include "run/ended_early.hpp"
#include "sampling/ranked.hpp"
#include "unit/run/curved_valleys.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/memory_store.hpp"

namespace {

using namespace manychain;

Settings usual() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 300;
  s.superchains = 12;
  s.warmup.transitions = 60;
  s.sampling.draws = 12;
  s.output.log_likelihood = 5;
  s.seed = 4;
  s.threads = 1;
  return s;
}

struct InRanks {
  std::vector<Result> results;
  std::vector<Ranks::Traffic> traffic;
  std::vector<Share> shares;
};

InRanks sample_at(DrawsAt draws, int size, const Model& model, const Settings& settings) {
  const auto ranks_of_run = static_cast<std::size_t>(size);
  InRanks run{std::vector<Result>(ranks_of_run), std::vector<Ranks::Traffic>(ranks_of_run), {}};
  const std::vector<std::unique_ptr<Ranks>> shapes = thread_ranks(size);
  for (const std::exception_ptr& thrown : in_ranks(size, [&](Ranks& ranks) {
         const auto r = static_cast<std::size_t>(ranks.rank());
         Settings mine = settings;
         mine.threads = 1 + ranks.rank() % 2;
         run.results[r] = sample_in_ranks(model, mine, ranks, draws);
         run.traffic[r] = ranks.traffic();
       }))
    EXPECT_EQ(what(thrown), "");
  for (const std::unique_ptr<Ranks>& ranks : shapes) {
    run.shares.emplace_back(run.results[0].settings, *ranks);
    EXPECT_TRUE(run.shares.back().count() > 0);
  }
  return run;
}

/// All but the draws.
void expect_same_words(const Result& a, const Result& b) {
  ASSERT_EQ(a.summary.size(), b.summary.size());
  for (std::size_t i = 0; i < a.summary.size(); ++i)
    EXPECT_EQ(std::memcmp(&a.summary[i].statistics, &b.summary[i].statistics, sizeof(VariableSummary)), 0) << i;
  EXPECT_EQ(a.sampling.ebfmi, b.sampling.ebfmi);
  EXPECT_EQ(a.posterior.places, b.posterior.places);
  EXPECT_EQ(a.posterior.edges, b.posterior.edges);
  EXPECT_EQ(a.posterior.jumps, b.posterior.jumps);
  EXPECT_EQ(a.problems(), b.problems());
  EXPECT_EQ(a.output.log_likelihood_draws, b.output.log_likelihood_draws);
}

// The centered schools have divergences and do not converge in so few draws: places and edges are looked for.
TEST(DrawsOfRanks, are_where_they_were_asked_for) {
  for (const char* name : {"eight_schools", "eight_schools_centered"}) {
    const Model model = builtin_model(name);
    Settings s = usual();
    if (model.layout().observed.empty()) s.output.log_likelihood = 0;
    const Result one = sample(model, s);
    for (const int size : {1, 2, 3, 7}) {
      SCOPED_TRACE(std::string(name) + " in " + std::to_string(size));
      const InRanks at_all = sample_at(DrawsAt::all_ranks, size, model, s);
      for (const Result& result : at_all.results) {
        expect_same_run(one, result);
        EXPECT_FALSE(result.output.held);
      }
      const InRanks at_first = sample_at(DrawsAt::first_rank, size, model, s);
      expect_same_run(one, at_first.results[0]);
      EXPECT_FALSE(at_first.results[0].output.held);
      for (std::size_t r = 1; r < at_first.results.size(); ++r) {
        const Result& result = at_first.results[r];
        expect_same_words(one, result);
        EXPECT_TRUE(result.draws.empty() && result.sample_stats.empty() && result.output.log_likelihood.empty());
        ASSERT_TRUE(result.output.held);
        EXPECT_EQ(result.output.held->count, 0u);
      }
      const InRanks at_own = sample_at(DrawsAt::own_rank, size, model, s);
      for (std::size_t r = 0; r < at_own.results.size(); ++r) {
        const Result& result = at_own.results[r];
        const Share& share = at_own.shares[r];
        expect_same_words(one, result);
        expect_same_draws(chains_of_rank(share, one.draws), result.draws);
        expect_same_draws(chains_of_rank(share, one.sample_stats), result.sample_stats);
        expect_same_draws(chains_of_rank(share, one.output.log_likelihood), result.output.log_likelihood);
        ASSERT_EQ(result.output.held.has_value(), size > 1);
        if (size == 1) continue;
        EXPECT_EQ(result.output.held->first, static_cast<std::size_t>(share.first()));
        EXPECT_EQ(result.output.held->count, static_cast<std::size_t>(share.count()));
      }
    }
  }
}

std::string refused(const Result& result) {
  try {
    write_netcdf("never.nc", result);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(DrawsOfRanks, that_are_not_here_are_a_sentence) {
  const Model model = builtin_model("normal");
  Settings s = usual();
  s.output.log_likelihood = 0;
  EXPECT_EQ(refused(sample_at(DrawsAt::first_rank, 2, model, s).results[1]),
            "never.nc: there are no draws to write here: the first rank has them");
  EXPECT_NE(refused(sample_at(DrawsAt::own_rank, 2, model, s).results[1])
                .find(": the draws of chains 128 to 299 are at this rank, not those of all 300"),
            std::string::npos);
}

TEST(DrawsOfRanks, must_be_asked_for_alike) {
  const Model model = builtin_model("normal");
  Settings s = usual();
  s.output.log_likelihood = 0;
  const auto thrown = in_ranks(3, [&](Ranks& ranks) {
    sample_in_ranks(model, s, ranks, ranks.rank() == 1 ? DrawsAt::own_rank : DrawsAt::first_rank);
  });
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(what(one).find("rank 1 of the run has other places for the draws (DrawsAt) than rank 0"),
              std::string::npos)
        << what(one);
}

TEST(RanksThatStore, must_hold_as_much) {
  const Model model = builtin_model("eight_schools");
  MemoryStore store(4);
  store.readable = true;
  const auto thrown = in_ranks(2, [&](Ranks& ranks) {
    sample_in_ranks(model, usual(), ranks, ranks.rank() == 0 ? &store : nullptr,
                    {.seconds = 1e9, .memory = ranks.rank() == 0 ? 1e4 : 1e9});
  });
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(what(one).find("rank 1 of the run has other memory for draws (Storing)"), std::string::npos) << what(one);
}

/// A store that keeps what it is given at the end.
class StoreOfEnd : public MemoryStore {
 public:
  using MemoryStore::MemoryStore;
  void finish(const Result& result) override { log_likelihood = result.output.log_likelihood; }
  Draws log_likelihood;
};

TEST(DrawsOfRanks, reach_a_store_of_the_first_rank) {
  const Model model = builtin_model("eight_schools");
  const Result one = sample(model, usual());
  for (const double memory : {1e4, 1e9}) {
    StoreOfEnd store(4);
    store.readable = true;
    in_ranks(3, [&](Ranks& ranks) {
      const Result result = sample_in_ranks(model, usual(), ranks, ranks.rank() == 0 ? &store : nullptr,
                                            {.seconds = 1e9, .memory = memory}, DrawsAt::own_rank);
      EXPECT_EQ(result.output.draws_in_store, memory < 1e9);
      EXPECT_NE(refused(result).find(memory < 1e9 ? "the store of the run has them" : "are at this rank"),
                std::string::npos);
      expect_same_words(one, result);
      expect_same_draws(chains_of_rank(Share(result.settings, ranks), one.output.log_likelihood),
                        result.output.log_likelihood);
    });
    expect_same_draws(one.output.log_likelihood, store.log_likelihood);
    expect_same_draws(one.draws, store.run.draws);
  }
}

// docs/machines.md, without what a rank has itself.
TEST(DrawsOfRanks, cost_as_much_as_the_documentation_says) {
  const Model model = builtin_model("eight_schools");
  Settings s = usual();
  s.output.log_likelihood = 0;
  const std::uint64_t ranks = 4, head = 128, outputs = model.layout().outputs, stats = sample_stat_count;
  const InRanks own = sample_at(DrawsAt::own_rank, 4, model, s), first = sample_at(DrawsAt::first_rank, 4, model, s),
                all = sample_at(DrawsAt::all_ranks, 4, model, s);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::uint64_t others = s.chains - static_cast<std::uint64_t>(own.shares[r].count());
    const std::uint64_t draws = 4 * *s.sampling.draws * others * (outputs + stats);
    // An exchange has a head and a message; so has a gather of large pieces.
    EXPECT_EQ(all.traffic[r].calls - own.traffic[r].calls, 4u);
    EXPECT_EQ(all.traffic[r].received - own.traffic[r].received, 2 * (ranks - 1) * head + draws);
    EXPECT_EQ(first.traffic[r].calls - own.traffic[r].calls, 4u);
    EXPECT_EQ(first.traffic[r].received - own.traffic[r].received, 2 * (ranks - 1) * head + (r == 0 ? draws : 0));
  }
}

std::atomic<std::size_t> evaluations{0};
std::atomic<bool> enough{false};            ///< for a flag
thread_local std::size_t of_this_rank = 0;  ///< evaluations
thread_local bool waits = false;            ///< this rank: a flag is looked at now and then

int counted(std::size_t n, const double* q, double* gradient, double* log_density, void*) {
  ++of_this_rank;
  if (++evaluations == 2000) enough = true;
  if (waits && enough) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  curved_valleys(n, q, gradient, log_density);
  return 0;
}

TEST(DrawsOfRanks, are_dealt_by_outputs) {
  Draws all;
  all.draws = 3, all.variables = 5, all.chains = 70;
  all.float64.resize(all.draws * all.variables * all.chains);
  std::iota(all.float64.begin(), all.float64.end(), 0.5);
  Settings s;
  s.chains = all.chains;
  const std::vector<Stretch> dealt = {{0, 2}, {2, 2}, {4, 0}, {4, 1}};
  const auto thrown = in_ranks(4, [&](Ranks& ranks) {
    const Share share(s, ranks);
    const Draws own = chains_of_rank(share, all), none;
    const DrawsInRanks source(share, own, none);
    const Ranks::Traffic before = ranks.traffic();
    const Draws mine = source.dealt({1, 2}, dealt);
    const Stretch here = dealt[share.here()];
    expect_same_draws(mine, part_of(all, {1, 2}, here));
    // docs/machines.md, without what a rank has itself.
    EXPECT_EQ(ranks.traffic().calls - before.calls, 2u);
    EXPECT_EQ(ranks.traffic().received - before.received, 3 * 128 + 8 * 2 * here.count * (70 - own.chains));
    expect_same_draws(source.draws({0, 2}, {1, 3}), part_of(all, {0, 2}, {1, 3}));
    EXPECT_TRUE(source.sample_stats({0, 2}, {0, 1}).empty());
    EXPECT_EQ(source.shape().chains, 70u);
  });
  for (const std::exception_ptr& one : thrown) EXPECT_EQ(what(one), "");
}

/// A search that the time, or a flag, of one rank alone ends.
class RanksThatEnd : public testing::Test {
 protected:
  RanksThatEnd() {
    CallbackDensity density;
    density.dimension = 10;
    density.function = counted;
    model = Model(density);
    s = usual();
    s.output.log_likelihood = 0;
    s.warmup.starts = Starts::pathfinder;
    s.precision = Precision::double_precision;
  }
  Model model = builtin_model("normal");
  Settings s;
};

TEST_F(RanksThatEnd, their_search_by_a_limit_of_time) {
  s.time_limit = 1e-9;
  evaluations = 0;
  const auto thrown = in_ranks(3, [&](Ranks& ranks) { sample_in_ranks(model, s, ranks); });
  for (const std::exception_ptr& one : thrown) {
    EXPECT_THROW(std::rethrow_exception(one), EndedEarly);
    EXPECT_EQ(what(one), "Settings::time_limit: 1e-09 seconds were over before the first draw");
  }
  EXPECT_LT(evaluations, 900u) << "chains are put at points, and no path is followed";
}

TEST_F(RanksThatEnd, their_search_by_the_flag_of_one) {
  evaluations = 0;
  enough = false;
  std::vector<std::size_t> done(3);
  const auto thrown = in_ranks(3, [&](Ranks& ranks) {
    Settings mine = s;
    waits = ranks.rank() == 1;
    if (waits) mine.cancel = &enough;
    try {
      sample_in_ranks(model, mine, ranks);
    } catch (...) {
      done[static_cast<std::size_t>(ranks.rank())] = of_this_rank;
      throw;
    }
  });
  EXPECT_LT(done[1], done[0] / 2) << "the others search on until they ask for it";
  for (const std::exception_ptr& one : thrown) {
    EXPECT_THROW(std::rethrow_exception(one), EndedEarly);
    EXPECT_EQ(what(one), "cancelled before the first draw");
  }
}

/// Runs in 3 ranks, of which those in `when` say when their flag is set: while the run samples or in the diagnostics.
/// It is set back at the beginning of the diagnostics by those in `back`. Returns the variables that are not
/// summarised.
std::vector<std::size_t> not_summarised(const std::vector<std::string>& when, int back) {
  const Model model = builtin_model("eight_schools");
  std::vector<std::size_t> left(3);
  const auto thrown = in_ranks(3, [&](Ranks& ranks) {
    Settings mine = usual();
    mine.output.log_likelihood = 0;
    mine.sampling.draws = 4000;
    mine.chains = 36;
    std::atomic<bool> cancelled{false};
    mine.cancel = &cancelled;
    const std::string phase = when[static_cast<std::size_t>(ranks.rank())];
    mine.progress = [&](const Progress& p) {
      const bool at_end = std::string(p.phase) == "diagnostics";
      if (at_end && ranks.rank() == back) cancelled = false;
      if (at_end ? phase == "diagnostics" : phase == p.phase && p.draws > 0) cancelled = true;
    };
    const Result result = sample_in_ranks(model, mine, ranks, DrawsAt::own_rank);
    left[static_cast<std::size_t>(ranks.rank())] = result.not_summarised;
    EXPECT_TRUE(result.cancelled);
  });
  for (const std::exception_ptr& one : thrown) EXPECT_EQ(what(one), "");
  return left;
}

TEST(RanksThatAreCancelled, in_the_diagnostics_leave_them) {
  for (const std::size_t left : not_summarised({"", "diagnostics", ""}, -1)) EXPECT_GT(left, 0u);
}

// One signal reaches the ranks at different moments.
TEST(RanksThatAreCancelled, while_they_sample_have_their_diagnostics) {
  EXPECT_EQ(not_summarised({"sampling", "diagnostics", "sampling"}, -1), (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(not_summarised({"sampling", "", "diagnostics"}, 0), (std::vector<std::size_t>{0, 0, 0}));
}

}  // namespace
