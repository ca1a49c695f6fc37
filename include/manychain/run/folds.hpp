// Cross-validation: a model is fitted to a part of its rows, and predicts the others.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/sets.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// The expected log pointwise predictive density of new rows: the sum over rows, and its standard error, which is that
/// of the rows as a sample.
struct PredictiveDensity {
  double elpd = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rows;  ///< of each row
};

struct CrossValidation {
  std::string model, observed;  ///< "y"
  std::size_t folds = 0;
  std::vector<std::size_t> fold;  ///< of each row: the one that leaves it out, from 0
  PredictiveDensity refitted;     ///< each row at the draws of the fit without it
  PredictiveDensity smoothed;     ///< each row by importance weights of the fit to all (PSIS-LOO)
  std::vector<double> khat;       ///< of these weights: above 0.7 the row's value is not to be trusted
  std::size_t bad_khat = 0;       ///< rows with such weights
  SetsResult fits;                ///< to all rows, called "all", then without each fold
  bool converged = false;         ///< all fits have

  /// For a terminal.
  std::string table() const;
};

/// K-fold cross-validation: the rows of the model's observe() are dealt to `folds` parts at random, by the seed, and
/// for each the model is fitted to the data without it, as sample_sets() does with these settings. Rows are the
/// elements of the variables that observe() names, and leave every variable of the data whose first extents are as
/// many, from a square matrix as rows and columns; the one whole number that is so large counts them and becomes
/// smaller.
///
/// Throws BadInput where rows cannot be left out: no observe() has the name of a variable of the data, they differ in
/// length, two whole numbers are as large as there are rows, a parameter has an element for each row, or the density of
/// a row depends on the others, as in a series or after a scaling in data(). SamplingFailed where a fit fails, and
/// where it is cancelled.
CrossValidation cross_validate(const Model& model, std::size_t folds, const Settings& settings = {});

}  // namespace manychain
