// The posteriors of posteriordb that the model language can express, and some others, bound to their data.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain::posteriors {

struct Posterior {
  std::string name;       ///< in posteriordb
  std::string data;       ///< data/<data>.json
  std::string reference;  ///< data/<reference>.reference.json
  Model (*bind)(const Data&);
};

const std::vector<Posterior>& posteriors();

}  // namespace manychain::posteriors
