// New data predicted from a posterior: a normal mean with known noise, where both are normal.
#include <fmt/format.h>

#include <cmath>

#include "gallery/entries.hpp"
#include "gallery/models/known_normal.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

/// The mean over chains of f(draw of that output), and its standard error from the chains' own means.
template <class F>
Check of_chains(const std::string& what, double known, const Draws& draws, std::size_t output, F f) {
  double mean = 0, squares = 0;
  for (std::size_t c = 0; c < draws.chains; ++c) {
    double own = 0;
    for (std::size_t d = 0; d < draws.draws; ++d) own += f(draws(d, output, c)) / double(draws.draws);
    const double delta = own - mean;
    mean += delta / double(c + 1);
    squares += delta * (own - mean);
  }
  const double chains = double(draws.chains);
  return monte_carlo(what, known, mean, std::sqrt(squares / (chains - 1) / chains), chains - 1);
}

}  // namespace

Report posterior_predictive(const GalleryOptions& options) {
  const double y[] = {1.2, -0.3, 2.1, 0.7, 1.6}, sigma = 1.5, tau = 2;
  double sum = 0;
  for (double v : y) sum += v;
  const double precision = 5 / (sigma * sigma) + 1 / (tau * tau);
  const double mean = sum / (sigma * sigma) / precision, variance = 1 / precision;
  const double predictive = variance + sigma * sigma;

  Settings settings = settings_for(options);
  settings.chains = 1024;
  settings.sampling.draws = options.quick ? 100 : 400;
  const Result result = sample(model<models::KnownNormal>(Data::from_json(
                                   R"({"N": 5, "y": [1.2, -0.3, 2.1, 0.7, 1.6], "sigma": 1.5, "tau": 2})")),
                               settings);

  Report report;
  report.lines = {
      "y_j ~ N(mu, 1.5), mu ~ N(0, 2): the posterior of mu is normal, and a new observation is normal with the same",
      "mean and the variance of mu plus that of the noise. target.predict() draws one beside every draw of mu.",
      fmt::format("{} chains of {} draws, on {}, {}.", settings.chains, *settings.sampling.draws, result.backend,
                  result.device)};
  enum : std::size_t { mu, y_new, y_rep };
  const auto square_about = [mean](double x) { return (x - mean) * (x - mean); };
  const auto below = [mean, predictive](double x) { return x < mean + std::sqrt(predictive) ? 1.0 : 0.0; };
  report.checks = {
      of_chains("E mu", mean, result.draws, mu, [](double x) { return x; }),
      of_chains("var mu", variance, result.draws, mu, square_about),
      of_chains("E y_new", mean, result.draws, y_new, [](double x) { return x; }),
      of_chains("var y_new", predictive, result.draws, y_new, square_about),
      of_chains("P(y_new < mean + sd)", 0.8413447460685429, result.draws, y_new, below),
      of_chains("var y_rep[3]", predictive, result.draws, y_rep + 2, square_about),
  };
  // The replicates of one draw share its mu and nothing else.
  double covariance = 0, squares = 0;
  const Draws& draws = result.draws;
  for (std::size_t c = 0; c < draws.chains; ++c) {
    double own = 0;
    for (std::size_t d = 0; d < draws.draws; ++d)
      own += (draws(d, y_rep, c) - mean) * (draws(d, y_rep + 1, c) - mean) / double(draws.draws);
    const double delta = own - covariance;
    covariance += delta / double(c + 1);
    squares += delta * (own - covariance);
  }
  const double chains = double(draws.chains);
  report.checks.push_back(monte_carlo("cov(y_rep[1], y_rep[2])", variance, covariance,
                                      std::sqrt(squares / (chains - 1) / chains), chains - 1));
  return report;
}

}  // namespace manychain::gallery
