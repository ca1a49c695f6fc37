// One case: throughput, a whole run, or a cold start.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "manychain/samplers/info.hpp"
#include "summary.hpp"
#include "throughput.hpp"
#include "work.hpp"

extern char** environ;

namespace manychain::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void set_bound(Figure& figure, const Shape& shape, const Peak& peak) {
  const Work work = work_of_transition(shape);
  const double by_operations = peak.multiply_adds / work.operations, by_bytes = peak.bytes / work.bytes;
  figure.bound = std::min(by_operations, by_bytes);
  figure.bound_by = by_operations < by_bytes ? "multiply-adds" : "bytes";
}

Figure throughput(const Case& what, const Options& options, const Peak& peak) {
  constexpr int repetitions = 7;
  Throughput chains(benchmark_model(what.model), what, options);
  chains.calibrate(options.seconds / repetitions);
  std::vector<double> rates;
  for (int k = 0; k < repetitions; ++k) rates.push_back(chains.run());

  Figure figure;
  figure.what = what;
  const bool hmc = find_sampler(what.sampler)->trajectory;
  figure.transitions_per_second = median(rates);
  if (hmc)
    figure.gradients_per_second = figure.transitions_per_second * static_cast<double>(chains.gradients_of_transition());
  figure.acceptance_rate = chains.acceptance_rate();
  set_bound(
      figure,
      {what.sampler, what.model, hmc ? double(throughput_leapfrogs) : 0, double(chains.block()), 0, options.precision},
      peak);
  return figure;
}

Figure end_to_end(const Case& what, const Options& options, const Peak& peak) {
  const Model model = benchmark_model(what.model);
  Settings settings = settings_of(what, options);
  settings.warmup.transitions = what.warmup;
  settings.sampling.draws = what.draws;
  // One run that is not counted where it is cheap; then the median of three, of fewer when they take long.
  std::vector<Result> results;
  std::vector<double> rates;
  const Clock::time_point start = Clock::now();
  do {
    Result result = sample(model, settings);
    result.draws = {};
    result.sample_stats = {};
    const bool warm = result.seconds.total < 2 && results.empty() && settings.seed == 1;
    ++settings.seed;
    if (warm) continue;
    double ess = INFINITY;
    for (const SummaryRow& row : result.summary) ess = std::min(ess, row.statistics.ess_bulk);
    rates.push_back(ess / result.seconds.total);
    results.push_back(std::move(result));
  } while (results.size() < 3 && seconds_since(start) < 20 * options.seconds);

  // The run whose rate is the median stands for all: its seconds belong together.
  std::size_t middle = 0;
  std::vector<double> sorted = rates;
  std::sort(sorted.begin(), sorted.end());
  while (rates[middle] != sorted[(sorted.size() - 1) / 2] && middle + 1 < rates.size()) ++middle;
  const Result& r = results[middle];
  const double transitions = static_cast<double>(what.chains * (what.warmup + what.draws));
  Figure figure;
  figure.what = what;
  figure.transitions_per_second = transitions / r.seconds.total;
  figure.gradients_per_second = static_cast<double>(r.gradients) / r.seconds.total;
  figure.min_ess_bulk_per_second = rates[middle];
  figure.seconds = {{"total", r.seconds.total},
                    {"warmup", r.seconds.warmup},
                    {"sampling", r.seconds.sampling},
                    {"diagnostics", r.seconds.diagnostics}};
  figure.acceptance_rate = r.sampling.acceptance_rate;
  figure.converged = r.converged;
  // Warm-up visits memory at every transition, because its step size is updated there.
  set_bound(figure,
            {what.sampler, what.model, static_cast<double>(r.gradients) / transitions, 1,
             static_cast<double>(what.draws) / static_cast<double>(what.warmup + what.draws), options.precision},
            peak);
  return figure;
}

/// Seconds from the start of a new process of this program to the byte that it writes after its first draw.
double cold_start_once(const Case& what, const Options& options) {
  std::vector<std::string> words = {"manychain_bench",
                                    "--first-draw",
                                    what.name(),
                                    "--backend",
                                    options.backend == Backend::cuda ? "cuda" : "cpu",
                                    "--threads",
                                    std::to_string(options.threads),
                                    "--precision",
                                    options.precision == Precision::single_precision ? "single" : "double"};
  if (options.scalar) words.push_back("--scalar");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw SamplingFailed(std::string("cold start: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
  const Clock::time_point start = Clock::now();
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  char byte = 0;
  const bool drawn = !failed && read(pipe_ends[0], &byte, 1) == 1;
  const double seconds = seconds_since(start);
  close(pipe_ends[0]);
  if (!failed) waitpid(child, nullptr, 0);
  if (!drawn) throw SamplingFailed("cold start: the new process ended before its first draw");
  return seconds;
}

Figure cold_start(const Case& what, const Options& options) {
  std::vector<double> seconds;
  for (int k = 0; k < 5; ++k) seconds.push_back(cold_start_once(what, options));
  Figure figure;
  figure.what = what;
  figure.seconds = {{"first_draw", median(seconds)}};
  return figure;
}

}  // namespace

Figure run_case(const Case& what, const Options& options, const Peak& peak) {
  if (what.kind == Kind::throughput) return throughput(what, options, peak);
  if (what.kind == Kind::summary) return summary(what, options);
  return what.kind == Kind::end_to_end ? end_to_end(what, options, peak) : cold_start(what, options);
}

int first_draw(const Case& what, const Options& options) {
  Settings settings = settings_of(what, options);
  settings.warmup.transitions = 0;
  settings.sampling.draws = 1;
  settings.sampling.step_size = 0.01;
  settings.progress = [](const Progress& progress) {
    if (progress.transitions < 1) return;
    const char byte = 1;
    _exit(write(1, &byte, 1) == 1 ? 0 : 1);  // what comes after the first draw is not asked for
  };
  sample(benchmark_model(what.model), settings);
  return 1;
}

}  // namespace manychain::bench
