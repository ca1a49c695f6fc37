#include "summary.hpp"

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace manychain::bench {
namespace {

/// Stationary autoregressions with coefficient 1/2, [draw][variable][chain] as a run holds them. The noise, a sum of
/// four uniforms, is normal enough to be sorted.
template <class Number>
std::vector<Number> autoregressions(std::size_t draws, std::size_t sequences) {
  constexpr double coefficient = 0.5;
  const double scale = std::sqrt(3 * (1 - coefficient * coefficient)) / 65536;
  std::vector<Number> values(draws * sequences);
  std::vector<double> state(sequences);
  std::uint64_t bits = 88172645463325252u;
  for (std::size_t t = 0; t < draws; ++t) {
    for (std::size_t i = 0; i < sequences; ++i) {
      bits ^= bits << 13;
      bits ^= bits >> 7;
      bits ^= bits << 17;
      const std::uint64_t word = bits * 0x2545F4914F6CDD1Du;
      const std::uint64_t sum = (word & 65535) + (word >> 16 & 65535) + (word >> 32 & 65535) + (word >> 48);
      state[i] = coefficient * state[i] + scale * (static_cast<double>(sum) - 2 * 65535);
      values[t * sequences + i] = static_cast<Number>(state[i]);
    }
  }
  return values;
}

/// A line of /proc/self/status in bytes; NaN where there is none.
double status(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  return std::numeric_limits<double>::quiet_NaN();
}

/// Bytes that `work` makes resident at its peak, beyond those that are when it begins.
template <class Work>
double peak_memory(const Work& work) {
  malloc_trim(0);
  const bool restarted = bool(std::ofstream("/proc/self/clear_refs") << "5" << std::flush);  // the peak begins anew
  const double before = status("VmRSS");
  work();
  return restarted ? status("VmHWM") - before : std::numeric_limits<double>::quiet_NaN();
}

template <class Number>
SummaryCost on_host(const DrawsView<Number>& draws, int threads) {
  using Clock = std::chrono::steady_clock;
  SummaryCost cost;
  cost.memory = peak_memory([&] { summarise(draws, threads, summary_superchains); });
  std::vector<double> seconds;
  for (int k = 0; k < 3; ++k) {
    const Clock::time_point start = Clock::now();
    summarise(draws, threads, summary_superchains);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  cost.seconds = median(seconds);
  return cost;
}

template <class Number>
Figure measure(const Case& what, const Options& options) {
  const std::vector<Number> values = autoregressions<Number>(what.draws, what.dimensions * what.chains);
  DrawsView<Number> draws;
  draws.data = values.data();
  draws.draws = what.draws;
  draws.variables = what.dimensions;
  draws.chains = what.chains;
  draws.draw_stride = what.dimensions * what.chains;
  draws.variable_stride = what.chains;
  const SummaryCost cost =
      options.backend == Backend::cuda ? summary_on_device(draws, values.size()) : on_host(draws, options.threads);
  const auto bytes = static_cast<double>(values.size() * sizeof(Number));
  Figure figure;
  figure.what = what;
  figure.seconds = {{"summary", cost.seconds}};
  figure.bytes_per_second = bytes / cost.seconds;
  figure.memory_share = (bytes + cost.memory) / bytes;
  return figure;
}

}  // namespace

Figure summary(const Case& what, const Options& options) {
  return options.precision == Precision::single_precision ? measure<float>(what, options)
                                                          : measure<double>(what, options);
}

void run_beside(const std::function<void()>& work, const std::function<void()>& beside) {
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) beside();
  });
  work();
  done = true;
  other.join();
}

}  // namespace manychain::bench
