// sample_sets(): every data set has the run that it would have alone.
#include "manychain/run/sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/manychain.hpp"
#include "sampling/sets.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/memory_store.hpp"

namespace manychain {
namespace {

const ModelUnit& schools_unit() {
  for (const ModelInfo& info : builtin_models())
    if (info.name == "eight_schools") return *info.unit;
  throw std::logic_error("there is no such model");
}

/// Data of so many schools.
DataSet schools(const std::string& name, std::vector<double> y) {
  DataSet set{name, {}};
  set.data.set("J", y.size());
  set.data.set("sigma", std::vector<double>(y.size(), 10.0));
  set.data.set("y", std::move(y));
  return set;
}
std::vector<DataSet> ragged() {
  return {schools("three", {28, 8, -3}), schools("eight", {28, 8, -3, 7, -1, 1, 18, 12}), schools("two", {5, -5}),
          schools("other three", {1, 2, 3}), schools("one", {4})};
}
/// Which the model refuses.
DataSet negative() {
  DataSet set{"negative", {}};
  set.data.set("J", 1);
  set.data.set("y", std::vector<double>{1});
  set.data.set("sigma", std::vector<double>{-1});
  return set;
}

template <class F>
std::string refused(const F& f) {
  try {
    f();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Sets, HaveTheRunsThatTheyHaveAlone) {
  const std::vector<DataSet> sets = ragged();
  SetsWanted wanted;
  wanted.draw_bytes = std::size_t{1} << 30;
  Settings settings;
  settings.seed = 7;
  settings.threads = 1;
  const SetsResult together = sample_sets(schools_unit(), sets, settings, wanted);
  ASSERT_EQ(together.sets.size(), sets.size());
  EXPECT_EQ(together.model, "eight_schools");
  for (const int threads : {2, 9}) {  // of nine some sets have two
    settings.threads = threads;
    const SetsResult others = sample_sets(schools_unit(), sets, settings, wanted);
    for (std::size_t k = 0; k < sets.size(); ++k) expect_same_draws(together.sets[k].kept, others.sets[k].kept);
  }
  for (std::size_t k = 0; k < sets.size(); ++k) {
    Settings alone = together.settings;
    alone.seed = 7 + k;
    const Result result = sample(Model(schools_unit(), sets[k].data), alone);
    const SetSummary& set = together.sets[k];
    expect_same_draws(result.draws, set.kept);
    EXPECT_EQ(set.name, sets[k].name);
    EXPECT_EQ(set.state, SetState::sampled);
    EXPECT_EQ(set.seed, 7 + k);
    EXPECT_EQ(set.converged, result.converged);
    EXPECT_EQ(set.draws, result.kept);
    EXPECT_EQ(set.warmup, result.warmup.transitions);
    EXPECT_EQ(set.divergences, result.sampling.divergences);
    ASSERT_EQ(set.of->names.size(), result.summary.size());
    double largest = 0;
    for (std::size_t i = 0; i < set.of->names.size(); ++i) {
      const VariableSummary& own = result.summary[i].statistics;
      EXPECT_EQ(set.of->names[i], result.summary[i].name);
      EXPECT_EQ(set.summary[i].mean, own.mean);
      EXPECT_EQ(set.summary[i].q95, own.q95);
      EXPECT_EQ(set.summary[i].ess_bulk, own.ess_bulk);
      EXPECT_EQ(set.summary[i].rhat_nested, own.rhat_nested);
      EXPECT_EQ(set.summary[i].khat, own.khat);
      largest = std::max(largest, own.rhat_nested);
    }
    EXPECT_EQ(set.largest_rhat, largest);
  }
  EXPECT_EQ(together.sets[0].of, together.sets[3].of);  // of one size, which are kept once
  EXPECT_NE(together.sets[0].of, together.sets[1].of);
  EXPECT_EQ(together.converged, sets.size());
}

TEST(Sets, ThatAreRefusedLeaveTheOthersAlone) {
  std::vector<DataSet> sets = ragged();
  sets.insert(sets.begin() + 1, negative());
  std::vector<std::size_t> told;
  SetsWanted wanted;
  wanted.done = [&](std::size_t set, const SetSummary& summary, const Result* result) {
    told.push_back(set);
    EXPECT_EQ(result == nullptr, summary.state == SetState::refused);
  };
  const SetsResult result = sample_sets(schools_unit(), sets, {}, wanted);
  EXPECT_EQ(result.refused, 1u);
  EXPECT_EQ(result.sampled, 5u);
  EXPECT_FALSE(result.cancelled);
  EXPECT_EQ(result.sets[1].state, SetState::refused);
  EXPECT_NE(result.sets[1].said.find("sigma[1] is -1"), std::string::npos) << result.sets[1].said;
  EXPECT_EQ(result.sets[2].seed, 2u);
  EXPECT_EQ(told.size(), 6u);
  EXPECT_EQ(result.worst_first()[0], 1u);
  const std::string table = result.table({.rows = 2, .show = {"theta[1]", "tau"}});
  EXPECT_NE(table.find("5 of 6 data sets have converged"), std::string::npos) << table;
  EXPECT_NE(table.find("negative (refused): variable out of bounds"), std::string::npos) << table;
  EXPECT_NE(table.find("theta[1]"), std::string::npos) << table;
  EXPECT_NE(table.find("... 4 more sets, none of them worse"), std::string::npos) << table;
}

TEST(Sets, HaveCommonData) {
  std::vector<DataSet> sets(3);
  for (std::size_t k = 0; k < sets.size(); ++k) sets[k].data.set("y", std::vector<double>{1.0, double(k)});
  SetsWanted wanted;
  wanted.common.set("J", 2);
  wanted.common.set("sigma", std::vector<double>{10, 10});
  EXPECT_EQ(sample_sets(schools_unit(), sets, {}, wanted).sampled, 3u);
  wanted.common.set("y", std::vector<double>{1, 1});
  EXPECT_NE(refused([&] { sample_sets(schools_unit(), sets, {}, wanted); }).find("y is defined twice"),
            std::string::npos);
}

TEST(Sets, ThatHaveAnAnswerAreKeptWhenARunIsCancelled) {
  const std::vector<DataSet> sets(6, schools("same", {1, 2}));
  std::atomic<bool> cancel{false};
  Settings settings;
  settings.threads = 1;
  settings.cancel = &cancel;
  SetsWanted wanted;
  wanted.done = [&](std::size_t set, const SetSummary&, const Result*) { cancel = set == 1; };
  const SetsResult result = sample_sets(schools_unit(), sets, settings, wanted);
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.sampled, 2u);
  EXPECT_EQ(result.left_out, 4u);
  EXPECT_NE(result.table().find("4 have no answer"), std::string::npos);
}

TEST(Sets, EndWithTheirTime) {
  const std::vector<DataSet> sets(3, schools("same", {1, 2}));
  Settings settings;
  settings.time_limit = 1e-9;
  EXPECT_EQ(sample_sets(schools_unit(), sets, settings).left_out, 3u);
}

TEST(Sets, KeepDrawsAsFarAsTheyFit) {
  const std::vector<DataSet> sets(3, schools("same", {1, 2}));
  SetsWanted wanted;
  wanted.draw_bytes = 100;
  const SetsResult result = sample_sets(schools_unit(), sets, {}, wanted);
  EXPECT_TRUE(result.draws_left_out);
  for (const SetSummary& set : result.sets) EXPECT_TRUE(set.kept.empty());
  EXPECT_FALSE(sample_sets(schools_unit(), sets).draws_left_out);
}

TEST(Sets, HaveTheLogLikelihoodsThatTheyHaveAlone) {
  const std::vector<DataSet> sets = {schools("three", {28, 8, -3}), schools("two", {5, -5})};
  SetsWanted wanted;
  wanted.draw_bytes = std::size_t{1} << 30;
  Settings settings;
  settings.output.log_likelihood = 7;
  const SetsResult together = sample_sets(schools_unit(), sets, settings, wanted);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const SetSummary& set = together.sets[k];
    Settings alone = together.settings;
    alone.seed = set.seed;
    const Result result = sample(Model(schools_unit(), sets[k].data), alone);
    EXPECT_EQ(set.log_likelihood.draws, 7u);
    EXPECT_FALSE(set.log_likelihood.float64.empty());
    EXPECT_EQ(set.log_likelihood.float64, result.output.log_likelihood.float64);
    ASSERT_EQ(set.of->observed.size(), 1u);
    EXPECT_EQ(set.of->observed[0].name, "y");
    EXPECT_EQ(set.of->observed[0].shape, std::vector<std::size_t>{3 - k});
  }
  wanted.draw_bytes = 1000;
  for (const SetSummary& set : sample_sets(schools_unit(), sets, settings, wanted).sets)
    EXPECT_TRUE(set.log_likelihood.empty());
}

TEST(Sets, StartWhereTheyAreTold) {
  const std::vector<DataSet> sets = {schools("three", {28, 8, -3}), schools("two", {5, -5})};
  SetsWanted wanted;
  wanted.draw_bytes = std::size_t{1} << 30;
  wanted.initial_values.resize(2);
  for (const double mu : {0.0, 8.0}) wanted.initial_values[mu > 0].set("mu", mu);
  const SetsResult together = sample_sets(schools_unit(), sets, {}, wanted);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const Model model(schools_unit(), sets[k].data);
    Settings alone = together.settings;
    alone.seed = together.sets[k].seed;
    set_initial_points(model, wanted.initial_values, alone);
    EXPECT_EQ(together.sets[k].kept.float64, sample(model, alone).draws.float64);
  }
  EXPECT_NE(together.sets[0].kept.float64,
            sample_sets(schools_unit(), sets, {}, {.draw_bytes = 1 << 30}).sets[0].kept.float64);

  wanted.initial_values[0].set("theta_trans", std::vector<double>{0, 0, 0});
  const SetsResult some = sample_sets(schools_unit(), sets, {}, wanted);
  EXPECT_EQ(some.sets[0].state, SetState::sampled);
  EXPECT_EQ(some.sets[1].state, SetState::refused);
  EXPECT_NE(some.sets[1].said.find("theta_trans"), std::string::npos) << some.sets[1].said;
  wanted.initial_values[0].set("nu", 1.0);
  EXPECT_EQ(refused([&] { sample_sets(schools_unit(), sets, {}, wanted); }),
            "initial values: the model has no parameter nu");
}

TEST(Sets, ThatCannotBeAreRefused) {
  EXPECT_EQ(refused([] { sample_sets(schools_unit(), {}); }), "there are no data sets");
  const std::string none = refused([] { sample_sets(schools_unit(), {negative(), negative()}); });
  EXPECT_NE(none.find("the model takes none of 2 data sets; the first, set negative: "), std::string::npos) << none;
  const auto with = [](const auto& set) {
    return refused([&] {
      Settings settings;
      set(settings);
      sample_sets(schools_unit(), {schools("one", {1})}, settings);
    });
  };
  EXPECT_NE(with([](Settings& s) { s.backend = Backend::cuda; }).find("on the CPU"), std::string::npos);
  EXPECT_NE(with([](Settings& s) { s.output.keep_draws = false; }).find("Settings::output.keep_draws"),
            std::string::npos);
  EXPECT_NE(with([](Settings& s) { s.warmup.initial_points = {1}; }).find("Settings::warmup.initial_points"),
            std::string::npos);
  EXPECT_NE(with([](Settings& s) { s.sampler = "none"; }).find("sampler none"), std::string::npos)
      << with([](Settings& s) { s.sampler = "none"; });
}

// An exception of a callback ends the run.
TEST(Sets, PassOnWhatACallbackThrows) {
  SetsWanted wanted;
  const std::vector<DataSet> sets(4, schools("same", {1, 2}));
  wanted.done = [](std::size_t, const SetSummary&, const Result*) { throw std::runtime_error("full"); };
  EXPECT_THROW(sample_sets(schools_unit(), sets, {}, wanted), std::runtime_error);
  wanted.done = [](std::size_t, const SetSummary&, const Result*) { throw BadInput("no"); };  // and it is no refusal
  EXPECT_THROW(sample_sets(schools_unit(), sets, {}, wanted), BadInput);
}

ModelOfSet schools_models() {
  return of_data([](const Data& data) { return Model(schools_unit(), data); });
}

void expect_same_answer(const SetSummary& a, const SetSummary& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.said, b.said);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.worst, b.worst);
  EXPECT_EQ(a.gradients, b.gradients);
  ASSERT_EQ(a.summary.size(), b.summary.size());
  EXPECT_TRUE(a.summary.empty() ||
              std::memcmp(a.summary.data(), b.summary.data(), a.summary.size() * sizeof(VariableSummary)) == 0);
  ASSERT_EQ(a.of == nullptr, b.of == nullptr);
  if (a.of) {
    EXPECT_EQ(a.of->names, b.of->names);
  }
  expect_same_draws(a.kept, b.kept);
  expect_same_draws(a.log_likelihood, b.log_likelihood);
}

std::vector<DataSet> with_a_refused_one() {
  std::vector<DataSet> sets = ragged();
  sets.insert(sets.begin() + 2, negative());
  return sets;
}

Settings of_kept_sets() {
  Settings settings;
  settings.seed = 7;
  settings.threads = 1;
  settings.output.log_likelihood = 3;
  return settings;
}

// Whatever has its answer already, in whatever parts: answers go through their bytes.
TEST(Sets, AnswersThatAreThereAreNotSampledAgain) {
  const std::vector<DataSet> sets = with_a_refused_one();
  SetsWanted wanted;
  wanted.draw_bytes = std::size_t{1} << 30;
  std::vector<std::string> records(sets.size());
  wanted.done = [&](std::size_t k, const SetSummary& set, const Result*) { records[k] = to_bytes(k, set); };
  const SetsResult whole = sample_sets(schools_models(), sets, of_kept_sets(), wanted);
  for (const std::vector<std::size_t>& there : {std::vector<std::size_t>{}, {0, 2, 5}, {0, 1, 2, 3, 4, 5}}) {
    std::vector<std::string> some;
    for (const std::size_t k : there) some.push_back(records[k]);
    std::size_t sampled = 0;
    wanted.done = [&](std::size_t, const SetSummary&, const Result*) { ++sampled; };
    const SetsResult rest = sample_sets(schools_models(), sets, of_kept_sets(), wanted, {{}, answers_from(some)});
    EXPECT_EQ(sampled, sets.size() - there.size());
    EXPECT_EQ(rest.refused, 1u);
    for (std::size_t k = 0; k < sets.size(); ++k) expect_same_answer(whole.sets[k], rest.sets[k]);
  }
  const SetsResult part = sample_sets(schools_models(), sets, of_kept_sets(), wanted, {Stretch{1, 3}});
  ASSERT_EQ(part.sets.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) expect_same_answer(whole.sets[1 + k], part.sets[k]);
  EXPECT_EQ(part.left_out, 0u);
}

// The draws of all sets, or those of none.
TEST(Sets, AnswersWithoutDrawsLeaveOutAll) {
  const std::vector<DataSet> sets = ragged();
  SetsWanted wanted;
  std::vector<std::string> records;
  wanted.done = [&](std::size_t k, const SetSummary& set, const Result*) {
    if (k == 1) records.push_back(to_bytes(k, set));
  };
  sample_sets(schools_models(), sets, of_kept_sets(), wanted);
  wanted.done = nullptr;
  wanted.draw_bytes = std::size_t{1} << 30;
  const SetsResult rest = sample_sets(schools_models(), sets, of_kept_sets(), wanted, {{}, answers_from(records)});
  EXPECT_TRUE(rest.draws_left_out);
  for (const SetSummary& set : rest.sets) EXPECT_TRUE(set.kept.empty());
}

TEST(Sets, DamagedAnswersAreRefused) {
  SetsWanted wanted;
  wanted.draw_bytes = std::size_t{1} << 30;
  std::string record;
  wanted.done = [&](std::size_t k, const SetSummary& set, const Result*) { record = to_bytes(k, set); };
  sample_sets(schools_models(), {schools("two", {5, -5})}, of_kept_sets(), wanted);
  EXPECT_EQ(answers_from({record}).size(), 1u);
  EXPECT_NE(refused([&] { answers_from({record, record}); }).find("data set 1 has two answers"), std::string::npos);
  EXPECT_NE(refused([&] { answers_from({record + "x"}); }).find("damaged"), std::string::npos);
  for (std::size_t size = 0; size < 4000; ++size)
    ASSERT_NE(refused([&] { answers_from({record.substr(0, size)}); }).find("damaged"), std::string::npos) << size;
}

// More ranks than sets, too.
TEST(Sets, RanksHaveRangesOfThem) {
  const std::vector<DataSet> sets = with_a_refused_one();
  SetsWanted wanted;
  wanted.draw_bytes = std::size_t{1} << 30;
  const SetsResult whole = sample_sets(schools_models(), sets, of_kept_sets(), wanted);
  for (const int size : {1, 2, 3, 7}) {
    std::vector<SetsResult> found(static_cast<std::size_t>(size));
    for (const std::exception_ptr& thrown : in_ranks(size, [&](Ranks& ranks) {
           found[static_cast<std::size_t>(ranks.rank())] =
               sample_sets_in_ranks(schools_models(), sets, of_kept_sets(), wanted, ranks);
         }))
      EXPECT_EQ(what(thrown), "");
    ASSERT_EQ(found[0].sets.size(), sets.size());
    EXPECT_EQ(found[0].refused, 1u);
    EXPECT_FALSE(found[0].cancelled);
    for (std::size_t k = 0; k < sets.size(); ++k) expect_same_answer(whole.sets[k], found[0].sets[k]);
    for (std::size_t r = 1; r < found.size(); ++r)
      EXPECT_EQ(found[r].sets.size(), sets.size() * (r + 1) / found.size() - sets.size() * r / found.size());
  }
}

}  // namespace
}  // namespace manychain
