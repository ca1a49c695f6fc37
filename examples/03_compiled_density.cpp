// A log density that the program already has, as a function of doubles. No header for a model, no line in
// CMakeLists.txt.
#include <iostream>

#include "manychain/manychain.hpp"

int main() {
  // A spring between two masses, each tied to its place; q = (x, y).
  const double stiffness = 2;
  manychain::CompiledDensity density;
  density.dimension = 2;
  density.parameters = {"x", "y"};
  density.gradient_values = 2;  // it is cheap: 256 chains; of a density that does not say it 32
  density.value_and_gradient = [=](const double* q, double* gradient) {
    const double stretch = q[0] - q[1];
    gradient[0] = -q[0] - stiffness * stretch;
    gradient[1] = -q[1] + stiffness * stretch;
    return -0.5 * (q[0] * q[0] + q[1] * q[1] + stiffness * stretch * stretch);
  };

  manychain::Settings settings;
  settings.seed = 1;
  std::cout << manychain::sample(manychain::Model(density), settings).table();  // both sd are sqrt(3 / 5)
}
