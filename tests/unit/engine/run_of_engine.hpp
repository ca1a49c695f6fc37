// A run by hand: every call of an engine that chains answer, and all that they say, bit by bit.
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "manychain/run/engine.hpp"
#include "run/draws_source.hpp"

namespace manychain {

class SaidByEngine {
 public:
  std::string bytes;
  void add(std::initializer_list<double> values) { add(std::vector<double>(values)); }
  void add(const std::vector<double>& values) { add_bytes(values.data(), values.size() * sizeof(double)); }
  void add(const Draws& draws) {
    add({static_cast<double>(draws.draws), static_cast<double>(draws.variables), static_cast<double>(draws.chains)});
    add_bytes(draws.float32.data(), draws.float32.size() * sizeof(float));
    add_bytes(draws.float64.data(), draws.float64.size() * sizeof(double));
  }
  template <class T>
  void add_all(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_bytes(values.data(), values.size() * sizeof(T));
  }

 private:
  void add_bytes(const void* begin, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char*>(begin), size);
  }
};

/// Starts, adapts, samples, stores and restores, and summarises. `settings`: 12 draws are kept, or accumulated.
inline std::string run_of_engine(Engine& engine, const Settings& settings) {
  SaidByEngine said;
  engine.initialise({}, 100);
  const AdaptationPlan plan{100, 50, 0.8, true};
  const WarmupPhase phase{.transitions = 12, .harmonic = true, .update_metric = true, .leapfrog_limit = 50};
  for (int g = 0; g < engine.groups(); ++g) {
    GroupTuning tuning{.step_size = 0.1, .trajectory = 2, .leapfrog_limit = 50};
    engine.adapter()->begin(phase, plan, g, tuning);
    engine.set_tuning(g, tuning);
  }
  engine.send_adaptation();
  engine.reset_window();
  engine.reset_counters();
  Block block;
  block.accumulate_window = true;
  block.count = 12;
  said.add({static_cast<double>(engine.advance(block, 1))});
  engine.collect_adaptation();
  for (int g = 0; g < engine.groups(); ++g) {
    said.add_all(engine.window_moments(g, 12));
    GroupTuning tuning = engine.tuning(g);
    engine.adapter()->end(phase, g, tuning);
    said.add({tuning.step_size, tuning.trajectory});
    engine.set_tuning(g, tuning);
  }
  const Snapshot here = engine.snapshot();
  const ChainImage image = engine.image();
  said.add(here.values);
  said.bytes += image.memory;

  Block kept;
  kept.first_transition = kept.sampling_begin = 12;
  kept.count = 12;
  kept.keep = true;
  const std::uint64_t evaluations = engine.advance(kept, 0);
  const Draws draws = engine.draws(0, 12);
  said.add(draws);
  said.add(engine.sample_stats(2, 5));
  said.add_all(engine.summarise(12, nullptr));
  const ChainPoints points = engine.points(settings.chains / 2 + 1);
  said.add(points.positions);
  said.add(points.log_densities);
  if (settings.sampler == "hmc") said.add(engine.gradients(settings.chains));
  for (const std::size_t chain : {std::size_t{0}, settings.chains / 2, settings.chains - 1})
    said.add(engine.position(chain));
  const ChainStatistics statistics = engine.statistics();
  said.add(statistics.since_move), said.add(statistics.acceptance_sum), said.add(statistics.largest_log_density);
  if (!settings.output.keep_draws) {
    said.add(engine.streamed_ebfmi(12));
    // Its sums over draws, put back behind others.
    const StreamedDraws streamed = engine.streamed(12);
    for (const std::vector<double>& map : streamed.maps) said.add(map);
    said.add_all(streamed.histogram);
    said.bytes += streamed.rows;
    engine.restore_image(image);
    engine.advance(kept, 0);
    engine.restore_streamed(streamed, 12);
    said.add_all(engine.summarise(12, nullptr));
    return said.bytes;
  }
  // These transitions again, from either kind of copy.
  for (const bool as_image : {false, true}) {
    if (as_image)
      engine.restore_image(image);
    else
      engine.restore(here);
    said.add({static_cast<double>(evaluations), static_cast<double>(engine.advance(kept, 0))});
    said.add(engine.draws(0, 12));
  }
  engine.restore_draws(5, part_of(draws, {5, 7}, {0, draws.variables}), {});
  engine.restore_draws(0, part_of(draws, {0, 5}, {0, draws.variables}), {});
  const Draws taken = engine.take_draws(12);  // the summary reads them
  said.add(taken);
  said.add(engine.take_sample_stats(12));
  said.add_all(engine.summarise(12, nullptr));
  return said.bytes;
}

}  // namespace manychain
