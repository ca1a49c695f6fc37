// Samples the user's own model and compares the posterior mean with quadrature.
#include <cmath>
#include <cstdio>

#include "manychain/manychain.hpp"
#include "pendulum.hpp"

namespace {

double mean_by_quadrature() {
  const double length[] = {0.5, 0.75, 1.0, 1.25, 1.5}, period[] = {1.31, 1.85, 2.03, 2.15, 2.44};
  double mass = 0, moment = 0;
  for (double g = 0.001; g < 40; g += 0.001) {
    double lp = -0.5 * std::pow((g - 10) / 5, 2);
    for (int n = 0; n < 5; ++n)
      lp -= 0.5 * std::pow((period[n] - 2 * std::acos(-1.0) * std::sqrt(length[n] / g)) / 0.1, 2);
    mass += std::exp(lp);
    moment += g * std::exp(lp);
  }
  return moment / mass;
}

}  // namespace

int main() {
  manychain::Settings settings;
  settings.seed = 1;
  const manychain::Result result = manychain::sample(manychain::model<Pendulum>(), settings);
  std::fputs(result.table().c_str(), stdout);

  const auto& g = result.summary.at(0);
  const double reference = mean_by_quadrature();
  const double z = std::abs(g.statistics.mean - reference) / g.statistics.mcse_mean;
  std::printf("%s: %g, by quadrature %g, z = %g, backend %s\n", g.name.c_str(), g.statistics.mean, reference, z,
              result.backend.c_str());
  return result.converged && z < 5 ? 0 : 1;
}
