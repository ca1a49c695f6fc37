// References of a posterior from files: draws of any program, or means and standard deviations in JSON.
#pragma once

#include <string>
#include <vector>

#include "calibration/reference.hpp"

namespace manychain::io {

/// References from draws: files as read_draws() takes them, summarised. From one file FILE.json: an object with an
/// object for each quantity by name, or such an object under "parameters" (as `manychain sample --json` writes it).
/// Each has "mean" and "sd"; "mcse_mean" and "mcse_sd", or how many independent draws they are from ("draws", "ess",
/// "ess_bulk"), for all beside "parameters" too; with neither the numbers count as exact. `problems`: why draws have
/// not converged, or that JSON says "converged": false. Throws BadInput, with the file and the quantity.
std::vector<Reference> read_reference(const std::vector<std::string>& paths, int threads = 0,
                                      std::vector<std::string>* problems = nullptr);

}  // namespace manychain::io
