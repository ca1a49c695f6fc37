// Which data of a model lie so far from zero, in standard deviations, that arithmetic with them cancels digits.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// A vector of the data or a column of a matrix, whose mean is many standard deviations from zero and counts: shifted,
/// it gives another log density. Data that the model centres do not.
struct UnscaledData {
  std::string name;  ///< "year", "X[,2]"
  double mean = 0, sd = 0;
};

/// At most `most`, those with the largest ratio of mean and sd first; of more than `ratio`. `points`:
/// [point][dimension], at which log densities are compared. Empty where the data have no names.
std::vector<UnscaledData> unscaled_data(const Model& model, const std::vector<double>& points, double ratio = 10,
                                        std::size_t most = 3);

}  // namespace manychain
