// Chains on clocks of their own (samplers/clock.hpp), by a sampler that needs them: slice sampling, one density a step.
#include "statistical/slice.hpp"

#include "backends/bare_chains.hpp"
#include "manychain/manychain.hpp"
#include "manychain/models/normal.hpp"
#include "run/defaults.hpp"
#include "statistical/constrained_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace manychain;
using namespace statistical;

constexpr std::size_t lanes_at_most = 64;

/// A run of some chains without an engine.
template <class R>
struct BareRun {
  using Number = number_of<R>;
  static constexpr std::int64_t chains = 128;
  static constexpr std::uint64_t transitions = 60;
  std::vector<std::vector<Number>> memory;
  ChainArrays<Number> arrays;
  std::size_t outputs, draws;

  /// Chains are numbered from `first` on; `blocks`: transitions of each, `transitions` together.
  BareRun(const std::vector<std::uint32_t>& blocks, std::uint64_t first = 1000, std::uint64_t thin = 1) {
    const Model model = model_under_test<BoundedScalars, Slice<>>();
    const Layout& layout = model.layout();
    outputs = layout.outputs, draws = transitions / thin;
    const CpuProgram<BoundedScalars<Number>, Slice<>, R> program(Data{}, layout);
    const auto allocate = [&](std::size_t n) {
      memory.emplace_back(n + lanes_at_most, Number(0));
      void* at = memory.back().data();
      std::size_t bytes = memory.back().size() * sizeof(Number);
      return static_cast<Number*>(std::align(lanes_at_most, n * sizeof(Number), at, bytes));
    };
    memory.reserve(64);
    arrays = bare::arrays<Number>(layout, chains, draws, allocate);
    arrays.first_chain = first;
    const NoTuning<Number> tuning;
    arrays.tuning = &tuning;
    Number* const workspace = allocate((program.workspace_reals() + 1) * lanes_at_most);
    program.initialise(arrays, 100, 0, chains, workspace);
    std::uint64_t done = 0;
    for (const std::uint32_t count : blocks) {
      Block block = bare::block(done, count, draws);
      block.thin = thin;
      program.advance(arrays, block, 0, chains, workspace);
      done += count;
    }
    EXPECT_EQ(done, transitions);
    arrays.tuning = nullptr;
  }
  /// All that is known of a chain: its draws with their statistics, and how it ended.
  std::vector<Number> of(std::uint64_t chain) const {
    const std::size_t n = chains, c = chain - arrays.first_chain;
    std::vector<Number> values;
    for (std::size_t k = 0; k < draws * outputs; ++k) values.push_back(arrays.draws[k * n + c]);
    for (std::size_t k = 0; k < draws * sample_stat_count; ++k) values.push_back(arrays.stats[k * n + c]);
    for (std::size_t k = 0; k < 3; ++k)
      for (const Number* row : {arrays.state[0], arrays.moments[0], arrays.moments[1]})
        values.push_back(row[k * n + c]);
    values.push_back(arrays.state[1][c]);
    for (int k : {0, 1, 2, 3, 4}) values.push_back(arrays.counters[k][c]);
    return values;
  }
  Number evaluations(std::uint64_t chain) const { return arrays.counters[4][chain - arrays.first_chain]; }
};

TEST(ChainsOnClocks, leave_their_target_invariant) {
  static const double hardly_ever_stays[] = {0.99, 1};
  for (const ExactTarget& target : {bounded_target<Slice<>>(), vector_target<Slice<>>()})
    expect_invariant(target, {.sampler = "slice", .chains = chains}, hardly_ever_stays);
}

/// The first bracket begins at the chain.
struct BeginsAtTheChain : SliceRule {
  template <class R>
  MANYCHAIN_HD static R place(R) {
    return R(0);
  }
};
/// Each step draws a level of its own.
struct NewLevels : SliceRule {
  template <class R>
  MANYCHAIN_HD static R height(R, R of_step) {
    return of_step;
  }
};
template <class Rule>
void expect_caught() {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Invariance found = test_invariance(bounded_target<Slice<Rule>>(),
                                             {.sampler = "slice", .precision = precision, .chains = chains / 8});
    EXPECT_GT(found.largest(), threshold + power_margin);
    std::printf("largest |z| %.2f, acceptance %.3f\n", found.largest(), found.acceptance_rate);
  }
}
TEST(ChainsOnClocks, with_a_bracket_that_begins_at_the_chain_are_caught) { expect_caught<BeginsAtTheChain>(); }
TEST(ChainsOnClocks, with_a_level_for_each_step_are_caught) { expect_caught<NewLevels>(); }

/// Blocks of one transition keep all lanes at the same one, in a long block each goes its own way.
template <class R>
void expect_same_chains() {
  const BareRun<R> reference({60});
  std::vector<std::uint32_t> ones(60, 1);
  for (const auto& blocks : {ones, {1, 7, 2, 50}}) {
    const BareRun<R> other(blocks);
    for (std::uint64_t c = 1000; c < 1128; ++c) ASSERT_EQ(other.of(c), reference.of(c)) << "blocks, chain " << c;
  }
  for (const std::uint64_t first : {1001, 1005, 1015}) {
    const BareRun<R> other({60}, first);
    for (std::uint64_t c = first; c < 1128; ++c) ASSERT_EQ(other.of(c), reference.of(c)) << "lanes, chain " << c;
  }
  std::uint64_t differ = 0;
  for (std::uint64_t c = 1001; c < 1128; ++c) differ += reference.evaluations(c) != reference.evaluations(c - 1);
  EXPECT_GT(differ, 100) << "neighbours are not at different places";
}
TEST(ChainsOnClocks, depend_neither_on_blocks_nor_on_their_neighbours) {
  expect_same_chains<Pack<float>>();
  expect_same_chains<Pack<double>>();
}

/// Positions are made of random words by exact functions: chains are the same to the bit until a density, which rounds
/// otherwise in a pack, lies at a level.
template <class Number>
std::size_t alone_as_in_packs() {
  const BareRun<Scalar<Number>> alone({60});
  const BareRun<Pack<Number>> packs({60});
  std::size_t same = 0;
  for (std::uint64_t c = 1000; c < 1128; ++c) {
    const std::size_t n = alone.chains;
    bool equal = alone.evaluations(c) == packs.evaluations(c);
    for (std::size_t k = 0; k < 3; ++k)
      equal = equal && alone.arrays.state[0][k * n + c - 1000] == packs.arrays.state[0][k * n + c - 1000];
    same += equal;
  }
  return same;
}
TEST(ChainsOnClocks, are_alone_what_they_are_in_packs) {
  EXPECT_GE(alone_as_in_packs<float>(), 120);
  EXPECT_EQ(alone_as_in_packs<double>(), 128);
}

TEST(ChainsOnClocks, keep_every_seventh_transition) {
  using Run = BareRun<Pack<float>>;
  const Run all({60}), thinned({60}, 1000, 7), in_blocks({5, 9, 1, 20, 25}, 1000, 7);
  for (std::uint64_t c = 0; c < 128; ++c)
    for (std::size_t d = 0; d < thinned.draws; ++d)
      for (std::size_t o = 0; o < all.outputs; ++o) {
        const float expected = all.arrays.draws[((7 * d + 6) * all.outputs + o) * 128 + c];
        ASSERT_EQ(thinned.arrays.draws[(d * all.outputs + o) * 128 + c], expected);
        ASSERT_EQ(in_blocks.arrays.draws[(d * all.outputs + o) * 128 + c], expected);
      }
}

TEST(ChainsOnClocks, depend_on_no_threads) {
  const ExactTarget target = bounded_target<Slice<>>();
  std::vector<double> first;
  for (const std::size_t threads : {1, 3}) {
    Settings settings;
    settings.sampler = "slice";
    settings.chains = 200;
    settings.threads = threads;
    settings.sampling.draws = 40;
    settings.seed = 7;
    settings.precision = Precision::single_precision;
    const auto engine = make_cpu_engine(target.model, settings);
    engine->initialise({}, 100);
    engine->set_metric(0, Metric{std::vector<double>(3, 1.0), {}, {}});
    engine->set_tuning(0, GroupTuning{});
    std::vector<double> values;
    for (std::uint64_t begin = 0, count = 40 / threads; begin < 40; begin += count) {
      Block block = bare::block(begin, static_cast<std::uint32_t>(std::min(count, 40 - begin)), 1);
      engine->advance(block, 0);
    }
    const Draws draws = engine->draws(0, 40);
    for (std::size_t d = 0; d < 40; ++d)
      for (std::size_t o = 0; o < 3; ++o)
        for (std::size_t c = 0; c < 200; ++c) values.push_back(draws(d, o, c));
    if (threads == 1) first = values;
    EXPECT_EQ(values, first) << threads << " threads";
  }
}

/// A transition has 70 steps for each parameter.
struct BoundNormal final : BoundUnderTest<models::Normal, Slice<>> {
  explicit BoundNormal(const Data& d) : BoundUnderTest(d) { gives.density = true; }
  const SamplerInfo* sampler(const std::string&) const override { return &Slice<>::info; }
};
Model normal_by_slices(std::size_t dimension) {
  static const ModelUnit unit{
      "normal", "", [] { return ""; },
      [](const Data& d) -> std::shared_ptr<const Model::Bound> { return std::make_shared<BoundNormal>(d); }};
  Data data;
  data.set("D", static_cast<int>(dimension));
  return Model(unit, data);
}

TEST(ChainsOnClocks, make_a_run) {
  std::vector<double> means;
  for (const std::size_t threads : {1, 2}) {
    Settings settings;
    settings.sampler = "slice";
    settings.chains = 256;
    settings.warmup.transitions = 60;
    settings.sampling.draws = 200;
    settings.seed = 3;
    settings.precision = Precision::single_precision;
    settings.threads = threads;
    settings.blocks_per_second = threads == 1 ? 5 : 500;
    const Result result = sample(normal_by_slices(4), settings);
    EXPECT_TRUE(result.verdict().converged);
    std::vector<double> found;
    for (const SummaryRow& row : result.summary) {
      const VariableSummary& x = row.statistics;
      EXPECT_LT(std::fabs(x.mean), threshold * x.mcse_mean) << row.name;
      EXPECT_LT(std::fabs(x.sd - 1), threshold * x.mcse_sd) << row.name;
      found.push_back(x.mean);
    }
    if (threads == 1) means = found;
    EXPECT_EQ(found, means) << threads << " threads";
  }
}

TEST(ChainsOnClocks, are_refused_where_a_transition_has_too_few_words) {
  Settings settings;
  settings.sampler = "slice";
  fill_in_defaults(normal_by_slices(10), settings);
  try {
    fill_in_defaults(normal_by_slices(22000), settings);
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("takes up to 1540000 steps of 8 random words"), std::string::npos)
        << error.what();
  }
}

}  // namespace
