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

/// What reference draws say of one parameter.
struct Reference {
  std::string name;
  double mean = 0, sd = 0, mcse_mean = 0;
};
/// Throws BadInput for a file that is not there or is not of references.
std::vector<Reference> references_from(const std::string& path);

}  // namespace manychain::posteriors
