// A model that gives its own gradient.
#include "04_hand_written_gradient.hpp"

#include <iostream>

#include "manychain/manychain.hpp"

int main() {
  const manychain::Model model = manychain::model<RandomWalk>();
  const manychain::GradientCheck check = manychain::check_gradient(model);
  std::cout << "gradient " << (check.passed ? "right" : "WRONG at " + check.worst_parameter) << "\n\n";

  manychain::Settings settings;
  settings.sampling.thin = 10;
  settings.seed = 1;
  std::cout << manychain::sample(model, settings).table();  // the sd of x[i] is sqrt(i)
}
