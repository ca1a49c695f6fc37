// A sampler and an adaptation of one's own, on a posterior whose moments are known.
#include "08_own_sampler.hpp"

#include <cmath>
#include <cstdio>

#include "manychain/manychain.hpp"

int main() {
  const std::vector<double> failures = {5, 1, 5, 14, 3, 19, 1, 1, 4, 22};
  const std::vector<double> hours = {94.3, 15.7, 62.9, 126, 5.24, 31.4, 1.05, 1.05, 2.1, 10.5};  // thousands
  manychain::Data data;
  data.set("K", 10);
  data.set("y", failures);
  data.set("t", hours);
  const manychain::Model model = manychain::model<PumpFailures>(data);

  manychain::Settings settings;
  settings.sampler = "barker";  // the model brings it
  settings.sampling.thin = 5;
  settings.seed = 1;
  double largest = 0;  // difference from the exact moments, in standard errors
  for (const char* adaptation : {"windowed", "robbins_monro"}) {  // the sampler brings both
    settings.warmup.adaptation = adaptation;
    const manychain::Result result = manychain::sample(model, settings);
    std::printf("%s: step size %.2f, acceptance rate %.2f, %s\n", adaptation, result.warmup.tuning[0].step_size,
                result.sampling.acceptance_rate, result.converged ? "converged" : "not converged");
    for (std::size_t k = 0; k < failures.size(); ++k) {
      const manychain::VariableSummary& found = result.summary[k].statistics;
      const double shape = 1.8 + failures[k], rate = 0.9 + hours[k];  // of the gamma posterior
      const double mean = shape / rate, sd = std::sqrt(shape) / rate;
      std::printf("%-8s  mean %.4f (exact %.4f)  sd %.4f (exact %.4f)\n", result.summary[k].name.c_str(), found.mean,
                  mean, found.sd, sd);
      largest = std::fmax(largest, std::fabs(found.mean - mean) / found.mcse_mean);
      largest = std::fmax(largest, std::fabs(found.sd - sd) / found.mcse_sd);
    }
  }
  std::printf("\nlargest difference: %.1f standard errors\n", largest);
  return largest < 4.5 ? 0 : 1;  // of 40 differences: a false alarm in 4000 seeds
}
