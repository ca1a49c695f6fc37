// A result as a run would leave it, with draws whose values say where they belong.
#pragma once

#include <cmath>

#include "manychain/run/result.hpp"

namespace manychain::testing_io {

inline double draw_value(std::size_t draw, std::size_t variable, std::size_t chain) {
  return double(draw) + 1000.0 * double(variable) + double(chain) / 1024.0;
}

/// mu, theta[3], m[2,2] and a derived scalar.
inline Layout hand_made_layout() {
  Layout layout;
  layout.dimension = 8;
  layout.outputs = 9;
  layout.quantities = {{"mu", {}, 0, false}, {"theta", {3}, 1, false}, {"m", {2, 2}, 4, false}, {"total", {}, 8, true}};
  return layout;
}

inline Result hand_made_result(std::size_t chains, std::size_t draws, Precision precision) {
  Result result;
  result.model = "hand_made";
  result.backend = "cpu";
  result.device = "2 threads, avx2 (8 lanes)";
  result.layout = hand_made_layout();
  result.settings.chains = chains;
  result.settings.sampling.draws = draws;
  result.settings.seed = 18446744073709551615u;
  result.settings.precision = precision;
  result.warmup.tuning[0].step_size = 0.25;
  result.warmup.tuning[0].trajectory = 1.5;
  result.sampling.acceptance_rate = 0.8125;
  result.converged = true;
  result.kept = draws;

  const auto fill = [&](Draws& to, std::size_t variables, auto value) {
    to.draws = draws;
    to.variables = variables;
    to.chains = chains;
    for (std::size_t d = 0; d < draws; ++d) {
      for (std::size_t v = 0; v < variables; ++v) {
        for (std::size_t c = 0; c < chains; ++c) {
          if (precision == Precision::single_precision) {
            to.float32.push_back(float(value(d, v, c)));
          } else {
            to.float64.push_back(value(d, v, c));
          }
        }
      }
    }
  };
  fill(result.draws, result.layout.outputs, draw_value);
  fill(result.sample_stats, sample_stat_count, [](std::size_t d, std::size_t v, std::size_t c) {
    return v == 3 ? double((d + c) % 7 == 0) : draw_value(d, v, c);
  });
  for (std::size_t d = 0; d < draws; ++d) result.sampling.leapfrogs.push_back(std::uint32_t(d % 10 + 1));
  for (const std::string& name : result.layout.output_names()) {
    result.summary.push_back({name, {1.234567, 1.0, -0.5, 1.25, 2.75, 1.0012, 54321.0, 0.0043, 43210.0, 0.0031}});
  }
  return result;
}

}  // namespace manychain::testing_io
