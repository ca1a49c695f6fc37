// One run of a posterior, in a process of its own, and what is kept of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/reference.hpp"
#include "list.hpp"
#include "manychain/run/settings.hpp"

namespace manychain::posteriors {

/// A quantity of the reference. Errors are signed; z counts the MCSE of both.
struct Compared {
  std::string of;
  double mean_z = 0, mean_error = 0;  ///< the error of the mean in sds of the reference
  double sd_z = 0, sd_error = 0;      ///< sd / reference - 1
};

/// The results of one run. Fields beside `error` are those of a run that came to an end.
struct Outcome {
  std::uint64_t seed = 0;
  std::string error;       ///< of a run that threw or crashed
  bool converged = false;  ///< as Result::converged, and every tail ESS above 400
  bool means_agree = false;
  bool sds_agree = false;
  double seconds = 0;  ///< from the start of the process to its end
  double worst_nested_rhat = 0, min_ess_bulk = 0, min_ess_tail = 0;
  double gradients = 0;             ///< of a chain, warm-up included, mean over chains
  double gradients_per_second = 0;  ///< of all chains, in warm-up and sampling
  std::uint64_t divergences = 0;
  double worst_mean = 0;  ///< largest |mean - reference| / sqrt(mcse^2 + mcse_reference^2)
  double worst_sd = 0;    ///< largest |sd / reference - 1|
  std::string worst_mean_of, worst_sd_of;
  std::vector<std::string> problems, warnings;  ///< of the verdict
  std::vector<Compared> quantities;
};

/// The rules of agreement.
using manychain::allowed_mean, manychain::allowed_sd;
inline constexpr double asked_ess = 400;

/// The folder of the data.
struct Source {
  std::string folder;
  std::string data(const Posterior& posterior) const { return folder + "/" + posterior.data + ".json"; }
  std::string reference(const Posterior& posterior) const {
    return folder + "/" + posterior.reference + ".reference.json";
  }
};

/// Runs it here. Errors are in the outcome.
Outcome run_here(const Posterior& posterior, const Source& source, const Settings& settings);
/// Starts this program anew with `words` for arguments, which ends in write_outcome(), and reads what it wrote. After
/// `limit` seconds (0: never) it is ended, which is an error.
Outcome run_in_new_process(std::vector<std::string> words, std::uint64_t seed, double limit);
/// To standard output. What is left out, the seconds of the process, its parent measures.
void write_outcome(const Outcome& outcome);

}  // namespace manychain::posteriors
