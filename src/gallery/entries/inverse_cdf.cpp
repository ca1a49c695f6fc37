// Independent draws by inverting a distribution function, each chain a row of them.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/inverse_transform.hpp"
#include "gallery/models/outcomes.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

Settings direct(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "direct";
  settings.chains = 4096;
  settings.warmup.transitions = 0;
  settings.sampling.draws = options.quick ? 10 : 100;
  return settings;
}

}  // namespace

Report outcomes(const GalleryOptions& options) {
  const Result result = sample(model<models::Outcomes>(), direct(options));
  const Draws& x = result.draws;
  Report report;
  report.lines = {
      "Outcomes 1, 2, 3 with probabilities 0.6, 0.1, 0.3: the first k with u <= p_1 + ... + p_k, u uniform.",
      ran(result)};
  const double p[3] = {0.6, 0.1, 0.3};
  double same_twice = 0;
  for (int k = 0; k < 3; ++k) {
    report.checks.push_back(check_of(fmt::format("P(outcome {})", k + 1), p[k],
                                     expectation_of(x, [&](auto d, auto c) { return x(d, 0, c) == k; })));
    same_twice += p[k] * p[k];
  }
  const auto repeated =
      chain_means(1, x.draws, x.chains, [&](auto d, auto c) { return double(x(d, 0, c) == x(d - 1, 0, c)); });
  report.checks.push_back(check_of("P(the same twice), independent draws", same_twice, mean_of(repeated)));
  return report;
}

Report inverse_transform(const GalleryOptions& options) {
  const Result result = sample(model<models::InverseTransform>(), direct(options));
  const Draws& x = result.draws;
  Report report;
  report.lines = {"x = F^-1(u) of a uniform u has the distribution function F. Exponential of rate 2: -log(u) / 2;",
                  "Cauchy, which has no mean: tan(pi (u - 1/2)).", ran(result)};
  for (double at : {0.005, 0.05, 0.15, 0.3466, 0.6, 1.2, 2.3}) {
    report.checks.push_back(check_of(fmt::format("exponential: P(x <= {})", at), -std::expm1(-2 * at),
                                     expectation_of(x, [&](auto d, auto c) { return x(d, 0, c) <= at; })));
  }
  for (double at : {-30.0, -3.0, -1.0, 0.0, 0.5, 3.0, 100.0}) {
    report.checks.push_back(check_of(fmt::format("Cauchy: P(x <= {})", at), 0.5 + std::atan(at) / std::numbers::pi,
                                     expectation_of(x, [&](auto d, auto c) { return x(d, 1, c) <= at; })));
  }
  return report;
}

}  // namespace manychain::gallery
