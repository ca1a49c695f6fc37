#include <iostream>

#include "manychain/manychain.hpp"

int main() {
  const manychain::Model model = manychain::builtin_model("eight_schools");
  manychain::Settings settings;
  settings.seed = 1;
  std::cout << manychain::sample(model, settings).table();
}
