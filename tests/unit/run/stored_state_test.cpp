// A run that cannot go on is refused: states that are damaged or of other runs, and draws that do not fit.
#include <gtest/gtest.h>

#include <random>

#include "manychain/manychain.hpp"
#include "sampling/run_state.hpp"
#include "unit/run/memory_store.hpp"

namespace manychain {
namespace {

Settings few() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.warmup.transitions = 30;
  s.sampling.draws = 5;
  return s;
}

StoredRun stored(const Model& model, const Settings& settings = few()) {
  MemoryStore store(10);
  sample(model, settings, store);
  return store.run;
}

std::string refusal(const Model& model, const StoredRun& run, const Resumed& resumed = {}) {
  MemoryStore store(10);
  try {
    resume(model, run, resumed, store);
  } catch (const BadInput& error) {
    EXPECT_EQ(store.appended, 0);
    return error.what();
  }
  return "nothing was thrown";
}
#define EXPECT_REFUSAL(words, ...) \
  EXPECT_NE(refusal(__VA_ARGS__).find(words), std::string::npos) << refusal(__VA_ARGS__)

TEST(StoredState, of_another_model_or_data) {
  const Model model = builtin_model("linear_regression");
  const StoredRun run = stored(model);
  EXPECT_REFUSAL("is of model linear_regression, this is normal", builtin_model("normal"), run);
  Data data;
  for (const std::string& name : model.data()->names()) {
    const Data::Variable& v = *model.data()->find(name);
    std::vector<double> values = v.values;
    if (name == "y") values[0] += 1e-9;
    if (v.shape.empty() && v.integer)
      data.set(name, static_cast<int>(values[0]));
    else if (v.shape.empty())
      data.set(name, values[0]);
    else
      data.set(name, values, v.shape);
  }
  EXPECT_REFUSAL("data of model linear_regression are not those", builtin_model("linear_regression", data), run);
  Data more;
  more.set("J", 2);
  more.set("y", std::vector<double>{1, 2});
  more.set("sigma", std::vector<double>{1, 2});
  EXPECT_REFUSAL("has other parameters, sizes or outputs", builtin_model("eight_schools", more),
                 stored(builtin_model("eight_schools")));
}

TEST(StoredState, of_another_place) {
  const RunIdentity here{"m", "l", "d", "cpu", "16 lanes"}, there{"m", "l", "d", "cpu", "8 lanes"};
  EXPECT_NO_THROW(require_same_place(here, here));
  EXPECT_THROW(require_same_place(here, there), BadInput);
  EXPECT_THROW(require_same_place(here, {"m", "l", "d", "cuda", "16 lanes"}), BadInput);
}

TEST(StoredState, with_draws_that_do_not_fit) {
  const Model model = builtin_model("normal");
  StoredRun run = stored(model);
  const char* const words = "do not fit to the state";
  StoredRun other = run;
  other.draws.draws = 4;
  EXPECT_REFUSAL(words, model, other);
  other = run;
  other.draws.float32.resize(7);
  EXPECT_REFUSAL(words, model, other);
  other = run;
  other.sample_stats = {};
  EXPECT_REFUSAL(words, model, other);
  other = run;
  other.draws.float64.assign(other.draws.float32.begin(), other.draws.float32.end());
  other.draws.float32.clear();
  EXPECT_REFUSAL(words, model, other);
}

TEST(StoredState, for_settings_that_cannot_be) {
  const Model model = builtin_model("normal");
  const StoredRun run = stored(model);
  EXPECT_REFUSAL("Settings::sampling.draws: 4 are fewer than the 5", model, run, {.draws = 4});
  EXPECT_REFUSAL("not both", model, run, {.draws = 9, .more = 4});
  EXPECT_REFUSAL("Settings::sampling.target_ess", model, run, {.target_ess = -1});
  Settings streaming = few();
  streaming.output.keep_draws = false;
  MemoryStore store(10);
  try {
    sample(model, streaming, store);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("Settings::output.keep_draws"), std::string::npos);
  }
}

TEST(StoredState, of_another_version) {
  const Model model = builtin_model("normal");
  StoredRun run = stored(model);
  const std::size_t version_begin = run.state.find('\n') + 1, version_end = run.state.find('\n', version_begin);
  run.state.replace(version_begin, version_end - version_begin, "99.1");
  EXPECT_REFUSAL("is of manychain 99.1", model, run);
  run.state.replace(run.state.find("format "), 8, "format 1");
  EXPECT_REFUSAL("of another version of manychain", model, run);
  run.state.clear();
  EXPECT_REFUSAL("has no state", model, run);
}

TEST(StoredState, that_is_damaged) {
  const Model model = builtin_model("eight_schools_centered");
  const StoredRun run = stored(model);
  std::mt19937 random(7);
  for (int k = 0; k < 200; ++k) {
    StoredRun mutated = run;
    const std::size_t at = random() % (k % 3 == 0 ? 120 : run.state.size());
    if (k % 4 == 3)
      mutated.state.resize(at);
    else
      mutated.state[at] = static_cast<char>(mutated.state[at] ^ (1 << random() % 8));
    EXPECT_NE(refusal(model, mutated), "nothing was thrown") << k;
  }
}

TEST(StoredState, says_what_a_run_was) {
  const StoredFacts facts = stored_facts(stored(builtin_model("normal")).state);
  EXPECT_EQ(facts.model, "normal");
  EXPECT_EQ(facts.backend, "cpu");
  EXPECT_EQ(facts.draws, 5u);
  EXPECT_TRUE(facts.sampling);
  EXPECT_EQ(facts.settings.chains, 64u);
  EXPECT_EQ(facts.settings.sampling.draws, 5u);
}

}  // namespace
}  // namespace manychain
