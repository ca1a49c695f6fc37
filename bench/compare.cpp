#include "compare.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "throughput.hpp"

namespace manychain::bench {
namespace {

/// Made when it is first run: not every pair is asked for.
Contender engine_contender(const std::string& name, const std::string& sampler, const std::string& model,
                           const Options& options, const Mode& mode = {}) {
  const auto chains = std::make_shared<std::unique_ptr<Throughput>>();
  return {name,
          [=](double seconds) {
            for (const Case& what : all_cases(options.backend == Backend::cuda)) {
              if (what.kind != Kind::throughput || what.sampler != sampler || what.model != model) continue;
              *chains =
                  std::make_unique<Throughput>(benchmark_model(model), what, options, mode);  // the last: most chains
            }
            (*chains)->calibrate(seconds);
          },
          [=] { return (*chains)->run(); }};
}

}  // namespace

Comparison compare(const Pair& pair, double seconds) {
  constexpr int rounds = 11;
  pair.a.calibrate(seconds / (2 * rounds));
  pair.b.calibrate(seconds / (2 * rounds));
  std::vector<double> a, b, ratios;
  for (int k = 0; k < rounds; ++k) {
    a.push_back(pair.a.rate());
    b.push_back(pair.b.rate());
    ratios.push_back(a.back() / b.back());
  }
  std::sort(ratios.begin(), ratios.end());
  return {pair.name, pair.a.name,    pair.b.name, pair.unit,          median(a),
          median(b), median(ratios), pair.target, ratios[rounds / 4], ratios[rounds - 1 - rounds / 4]};
}

std::vector<Pair> engine_pairs(const Options& options) {
  Options one = options, scalar = options, two = options;
  one.backend = scalar.backend = two.backend = Backend::cpu;
  one.threads = scalar.threads = 1;
  two.threads = 2;
  one.scalar = two.scalar = false;
  scalar.scalar = true;
  // The gain that is asked of packs is set for single precision: sixteen lanes on AVX-512, eight on AVX2.
  const int lanes = chain_lanes(Precision::single_precision);
  const bool single = options.precision == Precision::single_precision;
  const double gain = !single ? 0 : lanes == 16 ? 7 : lanes == 8 ? 3.5 : 0;
  std::vector<Pair> pairs;
  for (const std::string sampler : {"metropolis", "hmc"})
    pairs.push_back({"packs_to_scalar/" + sampler + "/normal_10", engine_contender("packs", sampler, "normal_10", one),
                     engine_contender("scalar", sampler, "normal_10", scalar), gain, "transitions/s"});
  if (std::thread::hardware_concurrency() < 2) return pairs;
  for (const std::string sampler : {"metropolis", "hmc"})
    pairs.push_back({"two_threads_to_one/" + sampler + "/normal_10",
                     engine_contender("two threads", sampler, "normal_10", two),
                     engine_contender("one thread", sampler, "normal_10", one), 1.8, "transitions/s"});
  return pairs;
}

std::vector<Pair> streaming_pairs(const Options& options) {
  constexpr double trajectory = 2.8, step = 0.7;  // what a run takes, and what its warm-up finds
  constexpr double target = 1 / 1.1;              // a tenth of the time
  return {{"streaming_to_bare/hmc/normal_10",
           engine_contender("streaming", "hmc", "normal_10", options, {true, trajectory, step}),
           engine_contender("bare", "hmc", "normal_10", options, {false, trajectory, step}), target, "transitions/s"}};
}

}  // namespace manychain::bench
