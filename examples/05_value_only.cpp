// A model that knows nothing but its log density is sampled by random-walk Metropolis.
#include "05_value_only.hpp"

#include <iostream>

#include "manychain/manychain.hpp"

int main() {
  manychain::Settings settings;
  settings.sampler = "metropolis";
  settings.sampling.thin = 10;
  settings.sampling.target_ess = 40000;  // a hundred times what suffices by default
  settings.seed = 1;
  std::cout << manychain::sample(manychain::model<HalfPlane>(), settings).table();  // both means are 0.916
}
