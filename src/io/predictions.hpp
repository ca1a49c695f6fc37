// The predictions of a model for the data that it observed, and the log likelihoods of a file. They are read apart from
// the draws, by a child process of their own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "manychain/io/draws_file.hpp"

namespace manychain::io {

/// A variable of the group posterior_predictive, and the one of observed_data that it predicts: of the same name or,
/// where there is none, `y` of `y_rep`. Both have as many elements.
struct Prediction {
  std::string name, of;                    ///< "y_rep", "y"
  std::vector<std::string> elements;       ///< "y_rep[1]"
  std::vector<double> observed;            ///< one per element
  std::size_t chains = 0, draws = 0;       ///< draws of each chain
  std::size_t thin = 1;                    ///< of so many draws the last one alone is here, of too many for memory
  std::shared_ptr<const double[]> values;  ///< [element][chain][draw]
};

struct Predictions {
  std::vector<Prediction> all;
  std::vector<std::string> log_likelihoods;  ///< variables of the group log_likelihood
};

/// The predictions in the NetCDF file that `file` was read from; none in Stan CSV. Draws that `file` has are not read
/// again. Throws BadInput as read_draws() does.
Predictions read_predictions(const DrawsFile& file);

}  // namespace manychain::io
