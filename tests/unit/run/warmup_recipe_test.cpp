// The contract of estimators: one that the library does not have joins the list, and needs nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "run/defaults.hpp"
#include "warmup/recipe.hpp"

namespace manychain {
namespace {

/// Chains that are warmed up without a run.
struct Warmed {
  explicit Warmed(WarmupEnd end) {
    settings.backend = Backend::cpu;
    settings.chains = 128;
    settings.groups = 2;
    settings.seed = 5;
    settings.warmup.transitions = 300;
    settings.warmup.end = end;
    sampler = fill_in_defaults(model, settings);
    settings.sampling.trajectory = 2.8;
    engine = make_cpu_engine(model, settings);
    engine->initialise({}, 100);
    groups = std::make_unique<TunedGroups>(WarmedRun{model, model.layout(), settings, sampler, *engine}, false);
    settings.warmup.target_acceptance = groups->default_target();
    recipe = adapted_recipe(*groups);
    groups->start();
    engine->reset_counters();
  }
  void follow() { manychain::follow(recipe, *groups, transitions); }

  const Model model = builtin_model("normal");
  Settings settings;
  SamplerInfo sampler;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<TunedGroups> groups;
  Recipe recipe;
  bool goes_on = true;
  Transitions transitions{[this](std::size_t count, Block block, bool adapts) {
    block.first_transition = transitions.done() - count;
    block.count = static_cast<std::uint32_t>(count);
    engine->advance(block, adapts ? 1 : 0);
    return goes_on;
  }};
};

/// Gives one component another scale than the chains say.
class Stretched final : public Estimator {
 public:
  using Estimator::Estimator;
  void update(const Stage&, std::size_t group) override {
    if (groups_[group].next) groups_[group].next->metric.scale[0] = 3 + static_cast<double>(group);
  }
};

/// Notes what it is called for, and takes transitions for itself.
class Noting final : public Estimator {
 public:
  Noting(TunedGroups& groups, std::string name, std::vector<std::string>& notes)
      : Estimator(groups), name_(std::move(name)), notes_(notes) {}
  void prepare(Stage& stage, Transitions& transitions) override {
    note("prepare");
    transitions(2);
    stage.transitions -= 2;
  }
  void begin(const Stage&) override { note("begin"); }
  void observe(std::size_t look, std::size_t looks) override { note(look == looks ? "last look" : "look"); }
  void update(const Stage&, std::size_t group) override { note("update " + std::to_string(group)); }
  bool settled() override { return note("settled"), settles; }
  void finish(Transitions&) override { note("finish"); }
  void report(WarmupFound& found) const override { found.restarted.chains += 7; }

  bool settles = true;

 private:
  void note(const std::string& what) { notes_.push_back(name_ + " " + what); }
  std::string name_;
  std::vector<std::string>& notes_;
};

TEST(Recipe, takes_the_metric_that_an_estimator_proposes) {
  Warmed warmed(WarmupEnd::fixed);
  warmed.recipe.estimators.push_back(std::make_shared<Stretched>(*warmed.groups));
  warmed.follow();
  for (std::size_t g = 0; g < 2; ++g) {
    const std::vector<double>& scale = (*warmed.groups)[g].metric.scale;
    EXPECT_EQ(scale[0], 3 + static_cast<double>(g));
    EXPECT_NEAR(scale[1], 1, 0.2);
  }
  EXPECT_EQ(warmed.transitions.done(), 300u);
}

TEST(Recipe, calls_estimators_in_the_order_of_the_list_and_back) {
  Warmed warmed(WarmupEnd::settled);
  std::vector<std::string> notes;
  warmed.recipe.stages = {{{12, false, true}, warmed.recipe.stages[0].plan}};
  warmed.recipe.estimators = {warmed.recipe.estimators[0], std::make_shared<Noting>(*warmed.groups, "a", notes),
                              std::make_shared<Noting>(*warmed.groups, "b", notes)};
  warmed.follow();
  std::erase_if(notes, [](const std::string& note) { return note.ends_with(" look") && !note.ends_with("last look"); });
  EXPECT_EQ(notes, (std::vector<std::string>{"a prepare", "b prepare", "a begin", "b begin", "a last look",
                                             "b last look", "a update 0", "b update 0", "a update 1", "b update 1",
                                             "b settled", "a settled", "b finish", "a finish"}));
  EXPECT_EQ(warmed.transitions.done(), 12u);
  WarmupFound found;
  for (const auto& estimator : warmed.recipe.estimators) estimator->report(found);
  EXPECT_EQ(found.restarted.chains, 14u);

  notes.clear();
  warmed.goes_on = false;
  EXPECT_THROW(warmed.follow(), CutShort);
  EXPECT_EQ(notes, std::vector<std::string>{"a prepare"});
}

TEST(Recipe, ends_early_once_every_estimator_has_settled) {
  for (const bool settles : {true, false}) {
    Warmed warmed(WarmupEnd::settled);
    std::vector<std::string> notes;
    const auto last = std::make_shared<Noting>(*warmed.groups, "", notes);
    last->settles = settles;
    warmed.recipe.estimators.push_back(last);
    warmed.follow();
    if (settles)
      EXPECT_LT(warmed.transitions.done(), 200u);
    else
      EXPECT_EQ(warmed.transitions.done(), 300u);
  }
}

}  // namespace
}  // namespace manychain
