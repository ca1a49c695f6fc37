// Exact starting points, a given tuning, a report of the progress, an end when it takes too long, draws in a file.
#include <atomic>
#include <iostream>
#include <random>

#include "manychain/manychain.hpp"

int main() {
  const manychain::Model model = manychain::builtin_model("normal");
  manychain::Settings settings;
  settings.chains = 2048;
  settings.sampling.draws = 100;
  settings.sampling.thin = 4;
  settings.seed = 20;
  settings.backend = manychain::Backend::cpu;
  settings.precision = manychain::Precision::double_precision;

  // Starting points on the unconstrained scale, [dimension][chain]: exact draws, so that no warm-up is needed.
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < model.layout().dimension * settings.chains; ++i)
    settings.warmup.initial_points.push_back(normal(generator));
  settings.warmup.transitions = 0;
  settings.sampling.step_size = 0.5;  // given, not adapted: chain c is the same whatever the number of chains
  settings.sampling.trajectory = 3.0;

  std::atomic<bool> cancel{false};  // any thread may set it; the run ends at its next block and keeps its draws
  settings.cancel = &cancel;
  settings.progress = [&](const manychain::Progress& progress) {
    std::cerr << progress.phase << ": " << progress.transitions << " of " << progress.total << " transitions\n";
    if (progress.seconds > 60) cancel = true;
  };

  try {
    const manychain::Result result = manychain::sample(model, settings);
    manychain::write_netcdf("normal.nc", result);
    std::cout << result.table() << "\nfirst draw of chain 7, x[1]: " << result.draws(0, 0, 7) << "\n";
    std::cout << result.gradients << " gradients, " << result.sampling.divergences << " divergences, step size "
              << result.warmup.tuning[0].step_size << "\n";
  } catch (const manychain::Error& error) {  // BadInput before the first draw, SamplingFailed after it
    std::cerr << error.what() << "\n";
    return 1;
  }
}
