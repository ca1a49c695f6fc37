// Finds data of a model that lie so far from zero, in standard deviations, that arithmetic with them cancels digits, or
// that are so large or small that no path from a random point finds the posterior.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// A vector of the data, or a column of a matrix, whose shift changes the log density. That of data that the model
/// centres does not.
struct UnscaledData {
  std::string name;  ///< "year", "X[,2]"
  double mean = 0, sd = 0;
};

/// At most three, worst first: those whose mean is more than ten standard deviations from zero and, with `scales`,
/// those whose standard deviation is above 1000 or below 1/1000. `points`: [point][dimension], at which log densities
/// are compared. Empty if the data have no names.
std::vector<UnscaledData> unscaled_data(const Model& model, const std::vector<double>& points, bool scales = false);

}  // namespace manychain
