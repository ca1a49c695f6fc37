// Every item once, each step after those before it, whatever the threads and whatever else keeps them from running.
#include "engine/team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace manychain {
namespace {

class TeamOf : public testing::TestWithParam<int> {};

TEST_P(TeamOf, DoesEachItemOfEachRoundOnceInTheOrderOfTheSteps) {
  Team team(GetParam());
  for (const std::int64_t items : {0, 1, 2, 7, 16, 1000}) {
    constexpr int rounds = 300;
    // Plain numbers: the thread sanitizer sees it when two threads meet at one.
    std::vector<int> first(static_cast<std::size_t>(items)), second(first);
    std::int64_t sum = 0;
    int round = 0;
    team.run({Team::loop(items, [&](std::int64_t i, int) { first[static_cast<std::size_t>(i)] += round + 1; }),
              Team::loop(
                  items,
                  [&](std::int64_t i, int) {
                    // of the item at the other end, which another thread may have done
                    second[static_cast<std::size_t>(i)] += first[static_cast<std::size_t>(items - 1 - i)];
                  },
                  3),
              Team::single([&] {
                for (int x : second) sum += x;
              }),
              Team::single([&] { ++round; })},
             rounds);
    EXPECT_EQ(round, rounds);
    std::int64_t once = 0, value = 0, all = 0;
    for (int r = 1; r <= rounds; ++r) {
      once += r;
      value += once;
      all += items * value;
    }
    EXPECT_EQ(first, std::vector<int>(first.size(), static_cast<int>(once))) << items;
    EXPECT_EQ(second, std::vector<int>(second.size(), static_cast<int>(value))) << items;
    EXPECT_EQ(sum, all) << items;
  }
}

TEST_P(TeamOf, TellsItemsApartThatRunAtTheSameTime) {
  Team team(GetParam());
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(team.threads()));
  std::atomic<int> shared{0}, outside{0};
  team.run({Team::loop(2000, [&](std::int64_t, int worker) {
    if (worker < 0 || worker >= team.threads()) {
      ++outside;
      return;
    }
    if (busy[static_cast<std::size_t>(worker)].exchange(1)) ++shared;
    busy[static_cast<std::size_t>(worker)] = 0;
  })});
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(outside, 0);
}

TEST_P(TeamOf, UsesNoMoreThreadsThanItMay) {
  Team team(GetParam());
  for (const int most : {1, 2, 3, 100}) {
    std::atomic<int> highest{0}, done{0};
    team.run({Team::loop(500,
                         [&](std::int64_t, int worker) {
                           for (int h = highest; worker > h && !highest.compare_exchange_weak(h, worker);) {
                           }
                           ++done;
                         })},
             4, most);
    EXPECT_LT(highest, std::min(most, team.threads()));
    EXPECT_EQ(done, 2000);
  }
}

TEST_P(TeamOf, ThrowsTheExceptionOfAStepAndGoesOnToBeOfUse) {
  Team team(GetParam());
  for (const int bad : {0, 77, 199}) {
    std::atomic<int> later{0};
    int rounds = 0;
    const auto fail = [&](std::int64_t i, int) {
      if (rounds == 3 && i == bad) throw std::runtime_error("item " + std::to_string(i));
    };
    try {
      team.run({Team::loop(200, fail), Team::loop(200, [&](std::int64_t, int) { ++later; }),
                Team::single([&] { ++rounds; })},
               10);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "item " + std::to_string(bad));
    }
    EXPECT_EQ(rounds, 3);
    EXPECT_EQ(later, 600);
  }
  EXPECT_THROW(team.run({Team::single([] { throw std::logic_error("alone"); })}), std::logic_error);
  int calls = 0;
  team.run({Team::single([&] { ++calls; })}, 5);
  EXPECT_EQ(calls, 5);
}

TEST_P(TeamOf, DoesNothingWhereThereIsNothing) {
  Team team(GetParam());
  team.run({});
  team.run({}, 3);
  team.run({Team::loop(10, [](std::int64_t, int) { FAIL(); })}, 0);
  team.run({Team::loop(0, [](std::int64_t, int) { FAIL(); })}, 3);
}

TEST_P(TeamOf, RunsShortRunsOneAfterAnother) {
  Team team(GetParam());
  std::atomic<std::int64_t> sum{0};
  for (int run = 0; run < 3000; ++run) team.run({Team::loop(9, [&](std::int64_t i, int) { sum += i; })});
  EXPECT_EQ(sum, 3000 * 36);
}

INSTANTIATE_TEST_SUITE_P(Threads, TeamOf, testing::Range(1, 9));

// More threads than most machines have cores.
TEST(Team, TakesTurnsWithTeamsBesideIt) {
  std::vector<std::thread> callers;
  std::atomic<int> done{0};
  for (int k = 0; k < 4; ++k)
    callers.emplace_back([&] {
      Team team(16);
      team.run({Team::loop(64, [&](std::int64_t, int) { ++done; })}, 200);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 4 * 64 * 200);
}

// The first item ends only when all others are done.
TEST(Team, OthersTakeTheItemsOfAThreadThatIsHeldUp) {
  using Clock = std::chrono::steady_clock;
  Team team(2);
  std::atomic<int> done{0};
  int done_before = 0;
  team.run({Team::loop(20, [&](std::int64_t i, int) {
    const Clock::time_point patience = Clock::now() + std::chrono::seconds(60);
    while (i == 0 && done < 19 && Clock::now() < patience) std::this_thread::yield();
    if (i == 0) done_before = done;
    ++done;
  })});
  EXPECT_EQ(done_before, 19);
  EXPECT_EQ(done, 20);
}

// The system gives two threads beside the caller's: the work is done by three, once and again.
TEST(Team, RunsOnWithTheThreadsThatThereAre) {
  int asked = 0;
  Team team(8, [&](std::function<void()> work) {
    if (++asked > 2) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return start_thread(std::move(work));
  });
  for (int run = 0; run < 3; ++run) {
    std::atomic<int> done{0};
    std::atomic<bool> known{true};
    team.run({Team::loop(64, [&](std::int64_t, int worker) { ++done, known = known && worker < 3; })}, 20);
    EXPECT_EQ(done, 64 * 20);
    EXPECT_TRUE(known);
    EXPECT_EQ(team.threads(), 3);
  }
  EXPECT_EQ(asked, 3) << "asked again after it was refused";
  EXPECT_EQ(threads_for_loop(8), 1) << "of OpenMP, which would end the program";
}

}  // namespace
}  // namespace manychain
