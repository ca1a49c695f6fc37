// A store of a run in memory, whose process dies; and the comparison of results, bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "sampling/run_state.hpp"
#include "sampling/stored.hpp"

namespace manychain {

/// Thrown by a store whose process dies.
struct Died {};

class MemoryStore : public RunStore {
 public:
  static constexpr int never = std::numeric_limits<int>::max();
  explicit MemoryStore(std::size_t block, int appends = never) : block_(block), left_(appends) {}

  StoredRun run;
  Draws warmup, warmup_stats;
  int begun = 0, appended = 0, finished = 0;
  bool readable = false;      ///< a run with too many draws may keep them here alone
  bool states_alone = false;  ///< of a run that keeps no draws

  void begin(const Result& facts) override {
    ++begun;
    EXPECT_FALSE(facts.model.empty());
    EXPECT_GT(facts.layout.outputs, 0u);
    EXPECT_TRUE(facts.settings.sampling.draws && facts.settings.warmup.transitions && facts.settings.superchains);
    EXPECT_NE(facts.settings.precision, Precision::automatic);
    if (warmup.draws == warmup_of_state_) return;
    warmup = part_of(warmup, {0, warmup_of_state_}, {0, warmup.variables});
    warmup_stats = part_of(warmup_stats, {0, warmup_of_state_}, {0, warmup_stats.variables});
  }
  std::size_t block_draws() const override { return block_; }
  void append(std::size_t first, Draws&& draws, Draws&& stats, RunState state) override {
    if (left_-- == 0) throw Died();
    ++appended;
    EXPECT_EQ(first, run.draws.draws);
    EXPECT_LE(first % block_ + draws.draws, block_) << "an append holds draws of one block";
    if (draws.draws > 0) {
      append_to(run.draws, draws);
      append_to(run.sample_stats, stats);
    }
    run.state = state;
  }
  bool takes_warmup() const override { return !states_alone; }
  void append_warmup(std::size_t first, Draws&& draws, Draws&& stats, RunState state) override {
    if (!state.empty() && left_-- == 0) throw Died();
    ++appended;
    EXPECT_EQ(first, warmup.draws);
    EXPECT_LE(first % block_ + draws.draws, block_) << "an append holds draws of one block";
    EXPECT_EQ(run.draws.draws, 0u);
    append_to(warmup, draws);
    append_to(warmup_stats, stats);
    run.warmup = std::make_shared<DrawsInMemory>(warmup, warmup_stats);
    if (state.empty()) return;
    run.state = state;
    warmup_of_state_ = warmup.draws;
  }
  void finish(const Result& result) override {
    ++finished;
    if (states_alone) return;
    EXPECT_EQ(result.kept, run.draws.draws);
    if (result.output.draws_in_store) {
      EXPECT_TRUE(kept_);
      EXPECT_TRUE(result.draws.empty());
      EXPECT_TRUE(result.sample_stats.empty());
      return;
    }
    EXPECT_TRUE(result.draws.float32 == run.draws.float32);
    EXPECT_TRUE(result.draws.float64 == run.draws.float64);
  }
  bool needs_draws() const override { return !states_alone; }
  bool can_be_read() const override { return readable; }
  void keep_for_run() override { kept_ = true; }
  std::unique_ptr<DrawsSource> open() override { return std::make_unique<DrawsInMemory>(run.draws, run.sample_stats); }
  /// The process that goes on has so many appends to live.
  void live(int appends) { left_ = appends; }

 private:
  std::size_t block_, warmup_of_state_ = 0;
  int left_;
  bool kept_ = false;
};

inline bool same_bits(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

inline void expect_same_draws(const Draws& a, const Draws& b) {
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.variables, b.variables);
  EXPECT_EQ(a.chains, b.chains);
  ASSERT_EQ(a.float32.size(), b.float32.size());
  ASSERT_EQ(a.float64.size(), b.float64.size());
  for (std::size_t i = 0; i < a.float32.size(); ++i) ASSERT_TRUE(same_bits(a.float32[i], b.float32[i])) << i;
  for (std::size_t i = 0; i < a.float64.size(); ++i) ASSERT_TRUE(same_bits(a.float64[i], b.float64[i])) << i;
}

/// A result with the draws that are in its store alone.
inline Result with_draws(Result result, const MemoryStore& store) {
  if (!result.output.draws_in_store) return result;
  result.draws = store.run.draws;
  if (result.settings.output.keep_sample_stats) result.sample_stats = store.run.sample_stats;
  return result;
}

/// All but seconds, and the threads in settings and in the words about the device.
inline void expect_same_run(const Result& a, const Result& b) {
  expect_same_draws(a.draws, b.draws);
  expect_same_draws(a.sample_stats, b.sample_stats);
  expect_same_draws(a.output.log_likelihood, b.output.log_likelihood);
  ASSERT_EQ(a.summary.size(), b.summary.size());
  for (std::size_t i = 0; i < a.summary.size(); ++i) {
    constexpr std::size_t numbers = sizeof(VariableSummary) / sizeof(double);
    const double* const x = &a.summary[i].statistics.mean;
    const double* const y = &b.summary[i].statistics.mean;
    for (std::size_t k = 0; k < numbers; ++k) EXPECT_TRUE(same_bits(x[k], y[k])) << a.summary[i].name << " " << k;
  }
  EXPECT_EQ(a.verdict().headline, b.verdict().headline);
  for (const diagnostics::Severity severity :
       {diagnostics::Severity::failure, diagnostics::Severity::warning, diagnostics::Severity::note})
    EXPECT_EQ(a.verdict().texts(severity), b.verdict().texts(severity));
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.cancelled, b.cancelled);
  EXPECT_EQ(a.kept, b.kept);
  EXPECT_EQ(a.warmup.transitions, b.warmup.transitions);
  EXPECT_EQ(a.sampling.reached_target, b.sampling.reached_target);
  EXPECT_EQ(a.gradients, b.gradients);
  EXPECT_EQ(a.sampling.divergences, b.sampling.divergences);
  EXPECT_EQ(a.sampling.leapfrogs, b.sampling.leapfrogs);
  EXPECT_EQ(a.sampling.acceptance_rate, b.sampling.acceptance_rate);
  EXPECT_EQ(a.warmup.tuning[0].step_size, b.warmup.tuning[0].step_size);
  EXPECT_EQ(a.warmup.tuning[0].trajectory, b.warmup.tuning[0].trajectory);
  EXPECT_EQ(a.sampling.tempering.log_z, b.sampling.tempering.log_z);
  EXPECT_EQ(a.sampling.tempering.restarts, b.sampling.tempering.restarts);
  ASSERT_EQ(a.warmup.tuning.size(), b.warmup.tuning.size());
  for (std::size_t g = 0; g < a.warmup.tuning.size(); ++g) {
    EXPECT_EQ(a.warmup.tuning[g].step_size, b.warmup.tuning[g].step_size);
    EXPECT_EQ(a.warmup.tuning[g].trajectory, b.warmup.tuning[g].trajectory);
    EXPECT_EQ(a.warmup.tuning[g].inverse_metric, b.warmup.tuning[g].inverse_metric);
    EXPECT_EQ(a.warmup.tuning[g].metric_rank, b.warmup.tuning[g].metric_rank);
    EXPECT_EQ(a.warmup.tuning[g].leaves, b.warmup.tuning[g].leaves);
    EXPECT_EQ(a.warmup.tuning[g].integrator, b.warmup.tuning[g].integrator);
    EXPECT_EQ(a.warmup.tuning[g].learnt_trajectory, b.warmup.tuning[g].learnt_trajectory);
  }
  EXPECT_EQ(a.sampling.divergent_chains, b.sampling.divergent_chains);
  EXPECT_EQ(a.sampling.stuck_chains, b.sampling.stuck_chains);
  EXPECT_EQ(a.sampling.nonfinite_chains, b.sampling.nonfinite_chains);
  EXPECT_EQ(a.sampling.outlying_chains, b.sampling.outlying_chains);
  EXPECT_EQ(a.posterior.places, b.posterior.places);
  EXPECT_EQ(a.posterior.edges, b.posterior.edges);
  EXPECT_EQ(a.posterior.jumps, b.posterior.jumps);
  EXPECT_EQ(a.posterior.missed_necks, b.posterior.missed_necks);
  EXPECT_EQ(a.posterior.drifts, b.posterior.drifts);
  EXPECT_EQ(a.warmup.starts.evaluations, b.warmup.starts.evaluations);
  EXPECT_EQ(a.warmup.restarted.chains, b.warmup.restarted.chains);
  EXPECT_EQ(a.posterior.modes.points, b.posterior.modes.points);
  EXPECT_EQ(a.posterior.modes.tried, b.posterior.modes.tried);
  EXPECT_EQ(a.posterior.modes.evaluations, b.posterior.modes.evaluations);
  ASSERT_EQ(a.posterior.modes.missed.size(), b.posterior.modes.missed.size());
  for (std::size_t k = 0; k < a.posterior.modes.missed.size(); ++k) {
    EXPECT_EQ(a.posterior.modes.missed[k].share, b.posterior.modes.missed[k].share);
    EXPECT_EQ(a.posterior.modes.missed[k].means, b.posterior.modes.missed[k].means);
  }
  EXPECT_EQ(a.precision.chosen, b.precision.chosen);
  EXPECT_EQ(a.precision.check.looked, b.precision.check.looked);
  EXPECT_TRUE(same_bits(a.precision.check.decisions_changed, b.precision.check.decisions_changed));
  EXPECT_TRUE(same_bits(a.precision.error, b.precision.error));
  EXPECT_EQ(a.precision.unknown, b.precision.unknown);
  EXPECT_EQ(a.precision.beyond, b.precision.beyond);
  EXPECT_EQ(a.posterior.without_leaves, b.posterior.without_leaves);
  EXPECT_EQ(a.sampling.rejected.evaluations, b.sampling.rejected.evaluations);
  EXPECT_EQ(a.sampling.rejected.message, b.sampling.rejected.message);
  EXPECT_EQ(a.warmup.rejected.evaluations, b.warmup.rejected.evaluations);
  EXPECT_EQ(a.settings.sampling.draws, b.settings.sampling.draws);
  EXPECT_EQ(a.settings.sampling.target_ess, b.settings.sampling.target_ess);
  EXPECT_EQ(a.settings.sampling.trajectory, b.settings.sampling.trajectory);
  EXPECT_EQ(a.settings.warmup.target_acceptance, b.settings.warmup.target_acceptance);
  EXPECT_EQ(a.settings.backend, b.settings.backend);
  EXPECT_EQ(a.settings.precision, b.settings.precision);
  EXPECT_EQ(a.no_gpu, b.no_gpu);
  for (std::size_t c = 0; c < a.sampling.ebfmi.size(); ++c)
    EXPECT_TRUE(same_bits(a.sampling.ebfmi[c], b.sampling.ebfmi.at(c)));
}

/// Both states are of the same moment: also what a result does not show. The mean acceptance of the last block is of no
/// use behind warm-up.
inline void expect_same_state(const RunState& one, const RunState& other) {
  const StateOfRun a = state_from(one), b = state_from(other);
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.transition, b.transition);
  EXPECT_EQ(a.sampling_begin, b.sampling_begin);
  ASSERT_EQ(a.chains.values.size(), b.chains.values.size());
  std::size_t i = 0;
  for (const FieldInfo& field : a.chains.fields)
    for (const std::size_t end = i + static_cast<std::size_t>(field.rows) * a.settings.chains; i < end; ++i)
      ASSERT_TRUE(field.name == "acceptance" || same_bits(a.chains.values[i], b.chains.values[i])) << field.name;
  EXPECT_EQ(a.necks.looks.last, b.necks.looks.last);
  EXPECT_EQ(a.necks.looks.sums.draws, b.necks.looks.sums.draws);
  EXPECT_EQ(a.necks.looks.sums.high, b.necks.looks.sums.high);
  EXPECT_EQ(a.necks.looks.sums.terms, b.necks.looks.sums.terms);
  EXPECT_EQ(a.streamed.maps, b.streamed.maps);
  EXPECT_EQ(a.streamed.histogram, b.streamed.histogram);
  EXPECT_TRUE(a.streamed.rows == b.streamed.rows);
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (std::size_t g = 0; g < a.groups.size(); ++g) {
    EXPECT_EQ(a.groups[g].metric.directions, b.groups[g].metric.directions);
    EXPECT_EQ(a.groups[g].metric.leaves.exponent, b.groups[g].metric.leaves.exponent);
  }
}

/// Runs with a store whose process dies after every `appends` appends, and goes on until it ends. `resumes`: how often.
inline Result run_that_dies(const Model& model, const Settings& settings, int appends, const Storing& storing,
                            MemoryStore& store, int* resumes = nullptr) {
  store.live(appends);
  try {
    return sample(model, settings, store, storing);
  } catch (const Died&) {
  }
  Resumed resumed;
  for (int k = 1;; ++k) {
    if (resumes) *resumes = k;
    store.live(appends);
    resumed.threads = settings.threads == 1 ? 1 : 1 + k % 2;
    try {
      return resume(model, store.run, resumed, store, storing);
    } catch (const Died&) {
    }
    EXPECT_LT(k, 1000);
  }
}

inline Result run_that_dies(const Model& model, const Settings& settings, int appends, double seconds,
                            MemoryStore& store, int* resumes = nullptr) {
  return run_that_dies(model, settings, appends, Storing{seconds}, store, resumes);
}

/// The parts of a run that is stored at the end of its warm-up, in the order of their ends: the last one first. Each
/// dies twice at least, before its first draw and behind a block, if it has so many.
struct Cut {
  std::size_t parts;
  int threads = 2;
};
inline std::vector<StoredRun> parts_of(const Model& model, const StoredRun& warm, const Cut& cut) {
  std::vector<StoredRun> parts;
  for (std::size_t k = cut.parts; k >= 1; --k) {
    MemoryStore store(5, 1);
    Resumed resumed;
    resumed.part = RunPart{k, cut.parts};
    resumed.threads = cut.threads;
    try {
      resume(model, warm, resumed, store);
      ADD_FAILURE() << "a part with one append to live has ended";
    } catch (const Died&) {
    }
    EXPECT_EQ(stored_facts(store.run.state).part->number, k);
    resumed.part.reset();
    store.live(2);
    try {
      resume(model, store.run, resumed, store);
    } catch (const Died&) {
      store.live(MemoryStore::never);
      const Result result = resume(model, store.run, resumed, store);
      EXPECT_EQ(result.part->number, k);
      EXPECT_TRUE(result.summary.empty());
      EXPECT_FALSE(result.converged);
    }
    parts.push_back(store.run);
  }
  return parts;
}

/// Bytes of the draws of a run and of their statistics.
inline double bytes_of(const Result& result) {
  const auto bytes = [](const Draws& draws) { return 4 * draws.float32.size() + 8 * draws.float64.size(); };
  return static_cast<double>(bytes(result.draws) + bytes(result.sample_stats));
}

}  // namespace manychain
