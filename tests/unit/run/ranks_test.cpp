// Ranks of one run: whatever their number, the bytes are those of a run without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "run/share.hpp"
#include "sampling/ranked.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/mixtures_of_normals.hpp"
#include "unit/run/model_with_terms.hpp"

namespace {

using namespace manychain;

std::vector<Result> sample_in(int size, const Model& model, const Settings& settings) {
  std::vector<Result> results(static_cast<std::size_t>(size));
  for (const std::exception_ptr& thrown : in_ranks(size, [&](Ranks& ranks) {
         results[static_cast<std::size_t>(ranks.rank())] = sample_in_ranks(model, settings, ranks);
       }))
    EXPECT_EQ(what(thrown), "");
  return results;
}

void expect_same(const Draws& a, const Draws& b) {
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.chains, b.chains);
  EXPECT_TRUE(a.float32 == b.float32);
  EXPECT_TRUE(a.float64 == b.float64);
}

/// NaN equals NaN.
std::string bytes_of(const VariableSummary& summary) {
  return std::string(reinterpret_cast<const char*>(&summary), sizeof summary);
}

void expect_same(const Result& a, const Result& b) {
  EXPECT_EQ(a.warmup.tuning[0].step_size, b.warmup.tuning[0].step_size);
  EXPECT_EQ(a.warmup.tuning[0].trajectory, b.warmup.tuning[0].trajectory);
  EXPECT_EQ(a.warmup.tuning[0].inverse_metric, b.warmup.tuning[0].inverse_metric);
  EXPECT_EQ(a.gradients, b.gradients);
  EXPECT_EQ(a.warmup.transitions, b.warmup.transitions);
  EXPECT_EQ(a.kept, b.kept);
  EXPECT_EQ(a.sampling.acceptance_rate, b.sampling.acceptance_rate);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.sampling.ebfmi, b.sampling.ebfmi);
  EXPECT_EQ(a.posterior.modes.elsewhere, b.posterior.modes.elsewhere);
  EXPECT_EQ(a.sampling.tempering.inverse, b.sampling.tempering.inverse);
  EXPECT_EQ(a.sampling.tempering.log_z, b.sampling.tempering.log_z);
  expect_same(a.draws, b.draws);
  expect_same(a.sample_stats, b.sample_stats);
  ASSERT_EQ(a.summary.size(), b.summary.size());
  for (std::size_t i = 0; i < a.summary.size(); ++i)
    EXPECT_EQ(bytes_of(a.summary[i].statistics), bytes_of(b.summary[i].statistics)) << a.summary[i].name;
}

struct Kind {
  const char* name;
  const char* model;
  void (*change)(Settings& settings);
};
void PrintTo(const Kind& kind, std::ostream* to) { *to << kind.name; }

class OneRunInRanks : public testing::TestWithParam<Kind> {
 protected:
  Settings settings() const {
    Settings s;
    s.backend = Backend::cpu;
    s.chains = 256;
    s.warmup.transitions = 80;
    s.sampling.draws = 20;
    s.seed = 8;
    s.threads = 1;
    GetParam().change(s);
    return s;
  }
};

TEST_P(OneRunInRanks, same_bytes_for_any_number_of_ranks) {
  const Model model = builtin_model(GetParam().model);
  const Result one = sample(model, settings());
  for (const int size : {1, 2, 3, 4, 7}) {
    SCOPED_TRACE(size);
    for (const Result& result : sample_in(size, model, settings())) expect_same(one, result);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, OneRunInRanks,
    testing::Values(Kind{"hmc", "eight_schools", [](Settings&) {}},
                    Kind{"annealed", "eight_schools_centered", [](Settings& s) { s.warmup.starts = Starts::annealed; }},
                    Kind{"uneven", "eight_schools",
                         [](Settings& s) {
                           s.chains = 301;
                           s.superchains = 0;
                         }},
                    Kind{"superchains", "eight_schools",
                         [](Settings& s) {
                           s.chains = 120;
                           s.superchains = 40;
                         }},
                    Kind{"whole_sums", "normal", [](Settings& s) { s.chains = 256 * 29; }},
                    Kind{"in_double", "eight_schools", [](Settings& s) { s.precision = Precision::double_precision; }},
                    Kind{"until_settled", "eight_schools",
                         [](Settings& s) {
                           s.warmup.transitions.reset();
                           s.sampling.draws.reset();
                         }},
                    Kind{"chees", "correlated_normal", [](Settings& s) { s.warmup.adaptation = "chees"; }},
                    Kind{"snaper", "correlated_normal",
                         [](Settings& s) {
                           s.warmup.adaptation = "snaper";
                           s.warmup.adaptation_interval = 3;
                         }},
                    Kind{"snaper_of_whole_sums", "normal",
                         [](Settings& s) {
                           s.warmup.adaptation = "snaper";
                           s.chains = 256 * 28;
                           s.warmup.transitions = 60;
                           s.sampling.draws = 4;
                         }},
                    Kind{"metropolis", "normal", [](Settings& s) { s.sampler = "metropolis"; }},
                    Kind{"tempering", "banana",
                         [](Settings& s) {
                           s.sampler = "tempering";
                           s.chains = 96;
                         }},
                    Kind{"mala", "normal", [](Settings& s) { s.sampler = "mala"; }},
                    Kind{"groups", "eight_schools",
                         [](Settings& s) {
                           s.chains = 384;
                           s.groups = 3;
                         }},
                    Kind{"groups_of_sums", "normal",
                         [](Settings& s) {
                           s.chains = 4096;
                           s.groups = 2;
                         }},
                    Kind{"streaming", "eight_schools",
                         [](Settings& s) {
                           s.output.keep_draws = false;
                           s.sampling.draws = 300;
                         }},
                    Kind{"funnel", "funnel", [](Settings& s) { s.sampling.draws = 40; }}),
    [](const testing::TestParamInfo<Kind>& kind) { return std::string(kind.param.name); });

TEST(Ranks, same_bytes_for_any_split) {
  const Model model = builtin_model("eight_schools");
  std::mt19937 random(1);
  for (int k = 0; k < 20; ++k) {
    Settings s;
    s.backend = Backend::cpu;
    s.chains = 20 + random() % 600;
    s.superchains = 0;
    s.warmup.transitions = 45 + random() % 20;
    s.sampling.draws = 5;
    s.seed = random();
    s.threads = 1;
    if (k % 3 == 0) s.warmup.adaptation = k % 2 ? "chees" : "snaper";
    const int size = 2 + static_cast<int>(random() % 19);
    SCOPED_TRACE(std::to_string(s.chains) + " chains, " + std::to_string(size) + " ranks");
    expect_same(sample(model, s), sample_in(size, model, s).back());
  }
}

// The model has three parameters, so that some of five ranks have none to look at.
TEST(Ranks, end_a_run_whose_chains_stay_apart_at_the_same_draw) {
  const Model model = test::mixture_of({{0.5, 1, {-6, 0, 1}}, {0.5, 1, {6, 0, 1}}});
  Settings s;
  s.backend = Backend::cpu;
  s.seed = 1;
  s.threads = 1;
  const Result whole = sample(model, s);
  EXPECT_TRUE(whole.sampling.stays_apart);
  for (const int size : {2, 5}) {
    const Result last = sample_in(size, model, s).back();
    expect_same(whole, last);
    EXPECT_TRUE(last.sampling.stays_apart);
  }
}

/// Data know the sum of two parameters alone.
template <class Number>
struct SumAlone {
  void data(DataReader&) {}
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("b");
    target += normal(a + b, 0, 1);
  }
};
TEST(Ranks, end_a_run_of_an_improper_posterior_at_the_same_draw) {
  const Model model = model_with_terms<SumAlone, "hmc">();
  Settings s;
  s.backend = Backend::cpu;
  s.seed = 1;
  s.threads = 1;
  const Result whole = sample(model, s);
  EXPECT_LE(whole.kept, 40u);
  for (const int size : {2, 5}) {
    const Result last = sample_in(size, model, s).back();
    expect_same(whole, last);
    EXPECT_EQ(last.posterior.improper, (std::vector<std::string>{"a", "b"}));
  }
}

// A density that refuses a half space; its gradient is cheap. Below -1.985 a chain finds a point by 100 tries with
// probability 0.31, so that chains try more often.
TEST(Ranks, count_what_a_density_refuses_once) {
  double refused_above = 0;
  CallbackDensity density;
  density.user = &refused_above;
  density.dimension = 2;
  density.gradient_values = 2;
  density.function = [](std::size_t, const double* q, double* gradient, double* log_density, void* above) {
    gradient[0] = -q[0], gradient[1] = -q[1];
    *log_density = -(q[0] * q[0] + q[1] * q[1]) / 2;
    return q[0] > *static_cast<const double*>(above) ? 1 : 0;
  };
  const Model model(density);
  Settings s;
  s.chains = 64;
  s.warmup.transitions = 60;
  s.sampling.draws = 30;
  s.threads = 1;
  for (const auto& [above, starts] :
       {std::pair{1.0, Starts::automatic}, {1.0, Starts::annealed}, {-1.985, Starts::automatic}}) {
    refused_above = above;
    s.warmup.starts = starts;
    const Result one = sample(model, s);
    EXPECT_GT(one.sampling.rejected.evaluations, 0U);
    for (const int size : {2, 5}) {
      // Ranks that are threads of one process have one model each, as processes have.
      std::vector<Result> results(static_cast<std::size_t>(size));
      in_ranks(size, [&](Ranks& ranks) {
        results[static_cast<std::size_t>(ranks.rank())] = sample_in_ranks(Model(density), s, ranks);
      });
      for (const Result& result : results) {
        expect_same(one, result);
        EXPECT_EQ(one.sampling.rejected.evaluations, result.sampling.rejected.evaluations);
        EXPECT_EQ(one.sampling.rejected.message, result.sampling.rejected.message);
        EXPECT_EQ(one.warmup.rejected.evaluations, result.warmup.rejected.evaluations);
      }
    }
  }
}

TEST(RanksThatFail, all_end_with_the_sentence_of_one) {
  for (const int failing : {0, 2}) {
    const auto thrown = in_ranks(3, [&](Ranks& ranks) {
      ranks.sum(1);
      if (ranks.rank() == failing) throw OutOfMemory("there is no more");
      for (int k = 0; k < 3; ++k) ranks.sum(2);
    });
    for (const std::exception_ptr& one : thrown) {
      EXPECT_EQ(what(one), "there is no more");
      EXPECT_THROW(std::rethrow_exception(one), OutOfMemory);
    }
  }
}

TEST(RanksThatFail, at_their_end_too) {
  const auto thrown = in_ranks(4, [&](Ranks& ranks) {
    if (ranks.rank() == 1) throw SamplingFailed("late");
  });
  for (const std::exception_ptr& one : thrown) EXPECT_THROW(std::rethrow_exception(one), SamplingFailed);
}

TEST(RanksThatFail, in_different_ways_name_the_first) {
  const auto thrown = in_ranks(3, [&](Ranks& ranks) {
    if (ranks.rank() > 0) throw BadInput("rank " + std::to_string(ranks.rank()));
    ranks.sum(1);
  });
  for (const std::exception_ptr& one : thrown) EXPECT_EQ(what(one), "rank 1");
}

TEST(RanksThatFail, do_different_things) {
  const auto thrown = in_ranks(3, [&](Ranks& ranks) {
    if (ranks.rank() == 1)
      ranks.each(std::uint32_t{1});
    else
      ranks.sum(1);
  });
  for (const std::exception_ptr& one : thrown) EXPECT_NE(what(one).find("do different things"), std::string::npos);
}

TEST(RanksThatFail, have_other_settings) {
  Settings settings;
  settings.backend = Backend::cpu;
  const Model model = builtin_model("normal");
  const auto thrown = in_ranks(3, [&](Ranks& ranks) {
    Settings mine = settings;
    if (ranks.rank() == 2) mine.seed = 1;
    sample_in_ranks(model, mine, ranks);
  });
  for (const std::exception_ptr& one : thrown) {
    EXPECT_THROW(std::rethrow_exception(one), BadInput);
    EXPECT_NE(what(one).find("rank 2 of the run has other settings"), std::string::npos) << what(one);
  }
}

TEST(RanksThatFail, are_more_than_chains) {
  Settings settings;
  settings.backend = Backend::cpu;
  settings.chains = 4;
  const Model model = builtin_model("normal");
  for (const std::exception_ptr& one : in_ranks(5, [&](Ranks& ranks) { sample_in_ranks(model, settings, ranks); }))
    EXPECT_NE(what(one).find("5 ranks are more than the 4 chains"), std::string::npos) << what(one);
}

TEST(Ranks, exchange_pieces_and_count_them) {
  in_ranks(3, [](Ranks& ranks) {
    const auto r = static_cast<std::size_t>(ranks.rank());
    // Rank r gives rank q the letters r and q, q + 1 times.
    std::string to;
    std::vector<std::size_t> sent, received;
    for (std::size_t q = 0; q < 3; ++q) {
      for (std::size_t k = 0; k <= q; ++k) to += {static_cast<char>('a' + r), static_cast<char>('A' + q)};
      sent.push_back(2 * (q + 1));
      received.push_back(2 * (r + 1));
    }
    std::string from(6 * (r + 1), ' ');
    ranks.exchange(to.data(), sent, from.data(), received);
    for (std::size_t k = 0; k < from.size() / 2; ++k) {
      EXPECT_EQ(from[2 * k], static_cast<char>('a' + k / (r + 1)));
      EXPECT_EQ(from[2 * k + 1], static_cast<char>('A' + r));
    }
    EXPECT_EQ(ranks.traffic().calls, 2U);
  });
}

TEST(Shares, cover_all_chains_in_order) {
  for (const std::size_t chains : {64, 65, 300, 1024, 100000})
    for (const std::size_t groups : {1, 2, 4})
      for (const int size : {1, 2, 3, 4, 7}) {
        if (groups > 1 && chains % (64 * groups) != 0) continue;
        Settings settings;
        settings.chains = chains;
        settings.groups = groups;
        in_ranks(size, [&](Ranks& ranks) {
          const Share share(settings, ranks);
          EXPECT_GT(share.count(), 0);
          std::vector<std::int64_t> mine;
          for (std::int64_t c = 0; c < share.count(); ++c) mine.push_back(share.first() + c);
          const std::vector<std::int64_t> all = share.gathered(mine, 1);
          ASSERT_EQ(all.size(), chains);
          for (std::size_t c = 0; c < chains; ++c) ASSERT_EQ(all[c], static_cast<std::int64_t>(c));
          // A range lies within a group or has whole ones.
          const std::int64_t end = share.first() + share.count() - 1, of_group = share.chains_per_group();
          EXPECT_TRUE(share.first() % of_group == 0 || share.first() / of_group == end / of_group);
        });
      }
}

/// Calls and bytes of one windowed transition, at each of so many ranks.
std::vector<std::uint64_t> cost_of_a_transition(std::size_t chains, int size) {
  Settings settings;
  settings.backend = Backend::cpu;
  settings.precision = Precision::single_precision;
  settings.chains = chains;
  settings.sampling.draws = 1;
  settings.threads = 1;
  const Model model = builtin_model("normal");
  std::vector<std::uint64_t> costs;
  in_ranks(size, [&](Ranks& ranks) {
    const auto engine = make_cpu_engine(model, settings, Share(settings, ranks));
    engine->initialise({}, 100);
    const auto traffic_of = [&](std::uint32_t transitions) {
      Block block;
      block.count = transitions;
      const Ranks::Traffic before = ranks.traffic();
      engine->advance(block, 1);
      return Ranks::Traffic{ranks.traffic().calls - before.calls, ranks.traffic().received - before.received};
    };
    const Ranks::Traffic one = traffic_of(1), three = traffic_of(3);
    if (ranks.rank() == 0) costs = {(three.calls - one.calls) / 2, (three.received - one.received) / 2};
  });
  return costs;
}

// docs/machines.md, without what a rank has itself.
TEST(Ranks, cost_as_much_as_the_documentation_says) {
  const std::uint64_t head = 128;
  EXPECT_EQ(cost_of_a_transition(1024, 4), (std::vector<std::uint64_t>{1, 3 * head}));
  EXPECT_EQ(cost_of_a_transition(1024, 64), (std::vector<std::uint64_t>{1, 63 * head}));
  EXPECT_EQ(cost_of_a_transition(65536, 4), (std::vector<std::uint64_t>{2, 3 * (head + 64 * 16)}));
}

}  // namespace
