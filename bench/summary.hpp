// The summary of a run's draws: how long users wait for it after the last transition, and the memory it takes.
#pragma once

#include <cstddef>
#include <functional>

#include "cases.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::bench {

/// Superchains of the summarised draws, so that nested R-hat is among what is computed.
inline constexpr std::size_t summary_superchains = 16;

Figure summary(const Case& what, const Options& options);

/// Runs `work` once, `beside` between its start and its end in another thread, again and again.
void run_beside(const std::function<void()>& work, const std::function<void()>& beside);

struct SummaryCost {
  double seconds = 0;  ///< median of three, after one that is not counted
  double memory = 0;   ///< bytes beside the draws, at the peak; NaN where the system does not say
};

// With the draws copied to the device before the clock starts. In a build without CUDA these throw BadInput.
SummaryCost summary_on_device(const DrawsView<float>& host_draws, std::size_t count);
SummaryCost summary_on_device(const DrawsView<double>& host_draws, std::size_t count);

}  // namespace manychain::bench
