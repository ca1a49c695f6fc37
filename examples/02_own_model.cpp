// A model of one's own: one header, and one line in CMakeLists.txt.
#include "02_own_model.hpp"

#include <iostream>

#include "manychain/manychain.hpp"

int main() {
  manychain::Data data;  // or Data::from_file("bioassay.json"), CmdStan's JSON
  data.set("K", 4);
  data.set("x", {-0.86, -0.30, -0.05, 0.73});
  data.set("n", {5, 5, 5, 5});
  data.set("y", {0, 1, 3, 5});

  const manychain::Model model = manychain::model<Bioassay>(data);
  const manychain::GradientCheck check = manychain::check_gradient(model);
  std::cout << "gradient " << (check.passed ? "right" : "WRONG at " + check.worst_parameter) << "\n\n";

  manychain::Settings settings;
  settings.seed = 1;
  std::cout << manychain::sample(model, settings).table();
}
