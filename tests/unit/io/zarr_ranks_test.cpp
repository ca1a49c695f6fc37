// Stores that several ranks write: chunks of some chains each, what readers see of them, and how they go on.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "io/joined_store.hpp"
#include "io/zarr_folder.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/zarr.hpp"
#include "manychain/manychain.hpp"
#include "sampling/ranked.hpp"
#include "unit/run/in_ranks.hpp"
#include "zarr_store_cases.hpp"

namespace {

using namespace manychain;
using namespace manychain::testing_zarr;

Draws some_chains(const Draws& all, Stretch chains) {
  Draws some;
  some.draws = all.draws, some.variables = all.variables, some.chains = chains.count;
  const auto cut = [&](const auto& from, auto& to) {
    for (auto row = from.begin(); row != from.end(); row += long(all.chains))
      to.insert(to.end(), row + long(chains.first), row + long(chains.first + chains.count));
  };
  cut(all.float32, some.float32);
  cut(all.float64, some.float64);
  return some;
}

class ZarrRanksTest : public ZarrStoreTest {
 protected:
  using Traffic = std::vector<Ranks::Traffic>;

  static Settings usual(std::size_t draws) {
    Settings s = short_run(draws);
    s.chains = 300;
    s.superchains = 12;
    s.threads = 1;
    return s;
  }
  /// The store of a rank: `path` may be another one than that of the first.
  struct StoreOfRank {
    StoreOfRank(bool first, const std::string& path, bool reopened) {
      if (!first)
        joined.emplace(path);
      else if (reopened)
        begun.emplace(path, io::ZarrStore::Reopened{});
      else
        begun.emplace(path);
      if (begun) behind.emplace(*begun);
    }
    RunStore* get() { return joined ? joined->get() : &*behind; }
    std::optional<io::ZarrStore> begun;
    std::optional<BackgroundStore> behind;
    std::optional<io::JoinedStore> joined;
  };
  /// Samples in ranks that see the store, or goes on with it; returns what each has sent and received.
  Traffic sample_by(int size, const Settings& settings, const Storing& storing = {}) const {
    Traffic traffic(static_cast<std::size_t>(size));
    for (const std::exception_ptr& thrown : in_ranks(size, [&](Ranks& ranks) {
           StoreOfRank store(ranks.rank() == 0, path_, false);
           sample_in_ranks(model_, settings, ranks, store.get(), storing, DrawsAt::own_rank);
           traffic[std::size_t(ranks.rank())] = ranks.traffic();
         }))
      EXPECT_EQ(what(thrown), "");
    return traffic;
  }
  std::vector<std::exception_ptr> go_on_by(int size, std::size_t draws) const {
    return in_ranks(size, [&](Ranks& ranks) {
      const bool first = ranks.rank() == 0;
      StoreOfRank store(first, path_, true);
      resume_in_ranks(
          model_, first ? io::open_stored_run(path_) : StoredRun(), {.draws = draws}, ranks,
          [](const Model&, Settings& mine) { mine.threads = 1; }, store.get(), {}, DrawsAt::own_rank);
    });
  }
  void expect_draws_of(const Result& whole) const {
    const StoredRun run = io::read_stored_run(path_);
    EXPECT_TRUE(run.draws.float32 == whole.draws.float32);
    EXPECT_TRUE(run.sample_stats.float32 == whole.sample_stats.float32);
  }
  std::size_t chains_of_chunk() const { return io::ZarrFolder(path_).column(); }

  const Model model_ = builtin_model("eight_schools");
};

TEST_F(ZarrRanksTest, have_the_draws_of_one_for_any_number_of_ranks) {
  const Result whole = sample(model_, usual(30));
  for (const auto& [ranks, chains] : {std::pair(1, 300u), {2, 128u}, {3, 64u}, {4, 64u}, {7, 32u}}) {
    SCOPED_TRACE(ranks);
    sample_by(ranks, usual(30));
    EXPECT_EQ(chains_of_chunk(), chains);
    expect_draws_of(whole);
    EXPECT_EQ(read_draws({path_}).draws, 30u);
    EXPECT_TRUE(fs::exists(file("posterior/mu/c." + std::to_string(299 / chains) + ".0")));
  }
}

// The diagnostics exchange draws, too, whoever writes them.
TEST_F(ZarrRanksTest, keep_their_draws) {
  const Settings s = usual(200);
  const Traffic by_all = sample_by(4, s);
  Traffic by_first(4);
  in_ranks(4, [&](Ranks& ranks) {
    io::ZarrStore store(folder_ + "/" + std::to_string(ranks.rank()) + ".zarr");
    sample_in_ranks(model_, s, ranks, ranks.rank() == 0 ? &store : nullptr, {}, DrawsAt::own_rank);
    by_first[std::size_t(ranks.rank())] = ranks.traffic();
  });
  const std::uint64_t sent = 4 * 200 * (300 - 64) * (model_.layout().outputs + sample_stat_count);
  EXPECT_GT(by_first[0].received, sent);
  EXPECT_LT(by_all[0].received, by_first[0].received - sent + 20000);
}

TEST_F(ZarrRanksTest, go_on_by_other_numbers_of_ranks) {
  const Result whole = sample(model_, usual(30));
  Storing warm;
  warm.warmup_only = true;
  for (const int ranks : {1, 3}) {
    sample_by(ranks, usual(30), warm);
    const std::size_t chains = chains_of_chunk();
    std::size_t draws = 7;
    for (const int more : {2, 7, 1, 4}) {
      for (const std::exception_ptr& thrown : go_on_by(more, draws)) EXPECT_EQ(what(thrown), "");
      draws = std::min<std::size_t>(draws + 9, 30);
    }
    EXPECT_EQ(chains_of_chunk(), chains);
    expect_draws_of(whole);
  }
}

TEST_F(ZarrRanksTest, may_see_another_store) {
  const Result whole = sample(model_, usual(30));
  sample_by(2, usual(30));
  fs::rename(path_, folder_ + "/older.zarr");
  for (const std::exception_ptr& thrown : in_ranks(4, [&](Ranks& ranks) {
         const std::vector<std::string> seen = {path_, path_, folder_ + "/older.zarr", folder_ + "/none.zarr"};
         StoreOfRank store(ranks.rank() == 0, seen[std::size_t(ranks.rank())], false);
         sample_in_ranks(model_, usual(30), ranks, store.get(), {}, DrawsAt::own_rank);
       }))
    EXPECT_EQ(what(thrown), "");
  EXPECT_EQ(chains_of_chunk(), 64u);
  expect_draws_of(whole);
}

TEST_F(ZarrRanksTest, that_cannot_write_end_all_and_lose_nothing) {
  const Result whole = sample(model_, usual(30));
  sample_by(3, usual(10));
  const std::string in_the_way = file("posterior/theta/c.3.1.0.partial");
  fs::create_directories(in_the_way + "/x");
  for (const std::exception_ptr& thrown : go_on_by(3, 30))
    EXPECT_EQ(what(thrown), path_ + ": cannot be written: Is a directory");
  EXPECT_EQ(read_draws({path_}).draws, 10u);
  fs::remove_all(in_the_way);
  for (const std::exception_ptr& thrown : go_on_by(2, 30)) EXPECT_EQ(what(thrown), "");
  expect_draws_of(whole);
}

// A reader finds draws when the chunks of all ranks are there, not sooner.
TEST_F(ZarrRanksTest, show_draws_once_all_have_written_them) {
  const Result whole = hand_made_result(7, 6, Precision::double_precision);
  const Stretch of_first{0, 3}, of_second{3, 4};
  io::ZarrStore first(path_), second(path_, io::ZarrStore::Joined{});
  first.shared()->share(3);
  first.begin(facts_of(whole));
  ASSERT_EQ(first.shared()->chains_of_chunk(), 3u);
  EXPECT_FALSE(second.shared()->join(facts_of(whole), "another store"));
  ASSERT_TRUE(second.shared()->join(facts_of(whole), first.shared()->mark()));
  EXPECT_THROW(io::ZarrStore(path_, io::ZarrStore::Reopened{}), BadInput);
  first.shared()->write_chains(of_first);
  second.shared()->write_chains(of_second);
  const auto append_to = [&](io::ZarrStore& store, Stretch chains, std::size_t begin, std::size_t end) {
    store.append(begin, some_chains(part(whole.draws, begin, end), chains),
                 some_chains(part(whole.sample_stats, begin, end), chains), "state");
  };
  append_to(first, of_first, 0, 4);
  EXPECT_EQ(io::ZarrFolder(path_).about()["draws"], 0);
  append_to(second, of_second, 0, 4);
  EXPECT_EQ(io::ZarrFolder(path_).about()["draws"], 0);
  append_to(first, of_first, 4, 6);
  EXPECT_EQ(io::read_stored_run(path_).draws.draws, 4u);
  append_to(second, of_second, 4, 6);
  first.finish(whole);
  second.finish(whole);
  EXPECT_TRUE(io::read_stored_run(path_).draws.float64 == whole.draws.float64);
  const std::string alone = folder_ + "/alone.zarr";
  write_zarr(alone, whole);
  expect_same_file(read_draws({path_}), read_draws({alone}));

  const std::string chunk = file("posterior/theta/c.2.0.0"), bytes = text(chunk);
  fs::remove(chunk);
  EXPECT_THROW(read_draws({path_}), BadInput);
  write(chunk, bytes.substr(0, bytes.size() - 1) + char(bytes.back() ^ 1));
  EXPECT_THROW(read_draws({path_}), BadInput);
}

}  // namespace
