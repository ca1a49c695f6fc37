// A run against what another program says of the same posterior: means and standard deviations by name.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "manychain/run/result.hpp"

namespace manychain {

/// The result of another program for one quantity. An MCSE of 0: it is exact.
struct Reference {
  std::string name;  ///< "theta[1]"
  double mean = 0, sd = 0, mcse_mean = 0, mcse_sd = 0;
};

/// The rules of agreement: |difference of means| in units of its Monte Carlo standard error, and |sd / reference - 1|.
inline constexpr double allowed_mean = 5, allowed_sd = 0.05;

struct ReferenceRow {
  Reference reference;
  double mean = 0, sd = 0;                                     ///< of the run
  double z = std::numeric_limits<double>::quiet_NaN();         ///< of the means; the MCSE of both is counted
  double sd_error = std::numeric_limits<double>::quiet_NaN();  ///< sd / reference - 1
  double sd_mcse = 0;                                          ///< of sd_error: that of both
  bool mean_agrees = false, sd_agrees = false;
  bool agrees() const { return mean_agrees && sd_agrees; }
};

struct ReferenceComparison {
  std::vector<ReferenceRow> rows;               ///< in the order of the run
  std::vector<std::string> only_here;           ///< quantities of the run that the reference lacks
  std::vector<std::string> only_there;          ///< the other way round
  bool converged = false;                       ///< the run
  std::vector<std::string> problems;            ///< why it is not
  std::vector<std::string> reference_problems;  ///< why the reference has not converged, where that is known
  bool passed = false;                          ///< it has converged, and every row agrees

  /// For a terminal: a verdict, the rows (of more than `rows` those that agree least), and what only one side has.
  std::string table(std::size_t rows = 40) const;
};

/// An sd disagrees if it is off by more than allowed_sd, and by more than allowed_mean of its own standard errors: few
/// draws of the reference tell no more. NaN never agrees. A constant agrees with the same constant. Throws BadInput
/// where no quantity is in both, or the reference names one twice.
ReferenceComparison compare_with(const Result& result, const std::vector<Reference>& references);

}  // namespace manychain
