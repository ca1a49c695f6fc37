// Sampling from a score: the gradient of a log density that nobody has written down.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/normal_score.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {

Report score_alone(const GalleryOptions& options) {
  Report report;
  report.lines = {
      "A normal distribution in two dimensions, known by its score alone, -(2 1; 1 2) (x - m), m = (1, -2). The",
      "unadjusted Langevin algorithm, x + eps/2 score + sqrt(eps) z, needs no density, and cannot be corrected",
      "without one. Along a direction of precision l it is an autoregression with coefficient 1 - eps l / 2: its",
      "variance is 1 / (l (1 - eps l / 4)), where that of the target is 1 / l; the mean is right."};
  Table table{{"eps", "precision", "variance", "known", "of the target"}, {}};
  double excess[2] = {0, 0};
  int run = 0;
  for (const double eps : {0.4, 0.1}) {
    Settings settings = settings_for(options);
    settings.sampler = "ula";
    settings.sampling.step_size = eps;
    settings.chains = 2048;
    settings.warmup.transitions = 600;  // what is left of the start is at most 0.95^600 = 4e-14
    settings.sampling.thin = 10;
    settings.sampling.draws = options.quick ? 20 : 100;
    settings.output.keep_sample_stats = false;
    const Result result = sample(model<models::NormalScore>(), settings);
    if (run == 0) report.lines.push_back(ran(result));
    const Draws& x = result.draws;
    report.checks.push_back(
        check_of(fmt::format("eps = {}: E x1", eps), 1, expectation_of(x, [&](auto d, auto c) { return x(d, 0, c); })));
    report.checks.push_back(check_of(fmt::format("eps = {}: E x2", eps), -2,
                                     expectation_of(x, [&](auto d, auto c) { return x(d, 1, c); })));
    for (const int sign : {1, -1}) {  // along (1, 1), of precision 3, and along (1, -1), of precision 1
      const double precision = sign > 0 ? 3 : 1, known = 1 / (precision * (1 - eps * precision / 4));
      const ChainMean variance = expectation_of(
          x, [&](auto d, auto c) { return std::pow((x(d, 0, c) - 1) + sign * (x(d, 1, c) + 2), 2) / 2; });
      report.checks.push_back(
          check_of(fmt::format("eps = {}: variance, precision {}", eps, precision), known, variance));
      if (eps == 0.4) {  // where the bias is 30 errors and more
        report.checks.push_back(less(fmt::format("eps = {}: 5 errors, bias along precision {}", eps, precision),
                                     5 * variance.standard_error, variance.value - 1 / precision));
      }
      table.rows.push_back({fmt::format("{}", eps), fmt::format("{}", precision), fmt::format("{:.5f}", variance.value),
                            fmt::format("{:.5f}", known), fmt::format("{:.5f}", 1 / precision)});
      if (sign > 0) excess[run] = known - 1 / precision;
    }
    ++run;
  }
  report.tables.push_back(table);
  report.lines.push_back(
      fmt::format("A quarter of the step leaves {:.2g} of the bias along precision 3: the bias falls, the cost rises.",
                  excess[1] / excess[0]));
  return report;
}

}  // namespace manychain::gallery
