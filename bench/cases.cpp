#include "cases.hpp"

#include <algorithm>

namespace manychain::bench {
namespace {

struct Tuned {
  const char* model;
  double metropolis, hmc;  // scale of the proposal, step size
};

// About half and a quarter of the posterior's smallest scale, so that chains move; what is measured hardly depends on
// it.
constexpr Tuned tuned[] = {
    {"normal_10", 0.75, 0.5},
    {"banana", 1.0, 0.3},
    {"funnel", 0.5, 0.2},
    {"eight_schools", 0.5, 0.2},
    {"linear_regression", 3e-4, 3e-4},
    {"logistic_regression", 0.03, 0.03},
    {"ill_conditioned_normal", 0.005, 0.008},
};

}  // namespace

std::string Case::name() const {
  if (kind == Kind::summary)
    return "summary/" + std::to_string(chains) + "x" + std::to_string(draws) + "x" + std::to_string(dimensions);
  const std::string base = sampler + "/" + model + "/" + std::to_string(chains);
  if (kind == Kind::end_to_end)
    return "end_to_end/" + base + "x(" + std::to_string(warmup) + "+" + std::to_string(draws) + ")";
  return kind == Kind::cold_start ? "cold_start/" + base : base;
}

std::vector<Case> all_cases(bool cuda) {
  std::vector<Case> cases;
  std::vector<std::size_t> chains = {64, 4096};
  if (cuda) chains.insert(chains.end(), {65536, 524288});
  for (const auto& [sampler, step] : {std::pair("metropolis", &Tuned::metropolis), std::pair("hmc", &Tuned::hmc)})
    for (const Tuned& t : tuned)
      for (std::size_t c : chains) cases.push_back({Kind::throughput, sampler, t.model, c, t.*step});
  cases.push_back({Kind::end_to_end, "hmc", "normal_10", 1024, 0, 500, 1000});
  cases.push_back({Kind::end_to_end, "hmc", "eight_schools", 1024, 0, 500, 1000});
  cases.push_back({Kind::end_to_end, "hmc", "logistic_regression", 256, 0, 500, 500});
  if (cuda) {
    // As others have published them (bench/README.md).
    for (const char* model : {"normal_10", "eight_schools", "logistic_regression"})
      cases.push_back({Kind::end_to_end, "hmc", model, 4096, 0, 500, 1000});
    cases.push_back({Kind::end_to_end, "hmc", "normal_10", 65536, 0, 500, 100});
    cases.push_back({Kind::end_to_end, "hmc", "eight_schools", 65536, 0, 500, 100});
    cases.push_back({Kind::end_to_end, "hmc", "logistic_regression", 16384, 0, 500, 100});
  }
  for (const char* model : {"normal_10", "eight_schools", "logistic_regression"})
    cases.push_back({Kind::cold_start, "hmc", model, 1024});
  cases.push_back({Kind::summary, "", "", 10000, 0, 0, 1000, 10});
  return cases;
}

bool has_scalar(const Case& what) { return what.model == "normal_10" || what.model == "eight_schools"; }

Model benchmark_model(const std::string& name) {
  return builtin_model(name == "normal_10" ? "normal" : name);  // ten dimensions are its default
}

Settings settings_of(const Case& what, const Options& options) {
  Settings settings;
  settings.sampler = what.sampler;
  settings.chains = what.chains;
  settings.backend = options.backend;
  settings.precision = options.precision;
  settings.threads = options.threads;
  settings.scalar = options.scalar;
  settings.seed = 1;
  return settings;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace manychain::bench
