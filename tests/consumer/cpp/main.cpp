// Samples the user's own model and compares the posterior mean with quadrature: with the data that the model carries
// (of the size that CMakeLists.txt names), and with a data set of another size.
#include <cmath>
#include <cstdio>

#include "manychain/manychain.hpp"
#include "pendulum.hpp"

namespace {

using Numbers = std::vector<double>;

double mean_by_quadrature(const Numbers& length, const Numbers& period) {
  double mass = 0, moment = 0;
  for (double g = 0.001; g < 40; g += 0.001) {
    double lp = -0.5 * std::pow((g - 10) / 5, 2);
    for (std::size_t n = 0; n < length.size(); ++n)
      lp -= 0.5 * std::pow((period[n] - 2 * std::acos(-1.0) * std::sqrt(length[n] / g)) / 0.1, 2);
    mass += std::exp(lp);
    moment += g * std::exp(lp);
  }
  return moment / mass;
}

bool agrees(const manychain::Model& model, const Numbers& length, const Numbers& period) {
  manychain::Settings settings;
  settings.seed = 1;
  const manychain::Result result = manychain::sample(model, settings);
  std::fputs(result.table().c_str(), stdout);

  const auto& g = result.summary.at(0);
  const double reference = mean_by_quadrature(length, period);
  const double z = std::abs(g.statistics.mean - reference) / g.statistics.mcse_mean;
  std::printf("%s: %g, by quadrature %g, z = %.2f, backend %s\n\n", g.name.c_str(), g.statistics.mean, reference, z,
              result.backend.c_str());
  return result.converged && z < 5;
}

}  // namespace

int main() {
  const bool carried =
      agrees(manychain::model<Pendulum>(), {0.5, 0.75, 1.0, 1.25, 1.5}, {1.31, 1.85, 2.03, 2.15, 2.44});

  const Numbers length = {0.3, 0.9, 1.7}, period = {1.05, 1.96, 2.59};
  manychain::Data data;
  data.set("N", 3);
  data.set("length", length);
  data.set("period", period);
  const bool given = agrees(manychain::model<Pendulum>(data), length, period);

  bool refused = false;
  data.set("length", Numbers{0.3, -0.9, 1.7});
  try {
    manychain::model<Pendulum>(data);
  } catch (const manychain::BadInput& error) {
    refused = true;
    std::printf("refused: %s\n", error.what());
  }
  return carried && given && refused ? 0 : 1;
}
