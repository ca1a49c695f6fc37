// Nested R-hat, finished from the chains' means and variances.
// Margossian, Hoffman, Sountsov, Riou-Durand, Vehtari and Gelman (2024), "Nested R-hat", Bayesian Analysis.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/sequence_layout.hpp"

namespace manychain::diagnostics {

struct SequenceMoments {
  double mean = 0;
  double variance = 0;  ///< divisor draws - 1; 0 for one draw
};

/// The moments of every sequence, a chain or half of one, from its mean and the sum of squares about it.
inline std::vector<SequenceMoments> sequence_moments(const SequenceLayout& layout, const double* mean,
                                                     const double* squares) {
  std::vector<SequenceMoments> sequences(layout.sequences());
  for (std::size_t s = 0; s < sequences.size(); ++s)
    sequences[s] = {mean[s], layout.length > 1 ? squares[s] / static_cast<double>(layout.length - 1) : 0};
  return sequences;
}

/// sqrt(1 + B / W): B is the variance of the superchains' means, W the mean over superchains of the variance of their
/// chains' means plus the mean of their chains' variances. `superchain` says which of the `superchains` each chain
/// belongs to; none may be without a chain. NaN for fewer than two, and where nothing differs.
inline double nested_rhat(const std::vector<SequenceMoments>& chains, const std::vector<std::size_t>& superchain,
                          std::size_t superchains) {
  if (superchains < 2) return std::numeric_limits<double>::quiet_NaN();
  struct Superchain {
    double count = 0, mean = 0, squares = 0, variances = 0;
  };
  std::vector<Superchain> all(superchains);
  for (std::size_t c = 0; c < chains.size(); ++c) {  // Welford's update
    Superchain& s = all[superchain[c]];
    s.count += 1;
    const double delta = chains[c].mean - s.mean;
    s.mean += delta / s.count;
    s.squares += delta * (chains[c].mean - s.mean);
    s.variances += chains[c].variance;
  }
  const auto K = static_cast<double>(superchains);
  double centre = 0, within = 0, between = 0;
  for (const Superchain& s : all) {
    centre += s.mean / K;
    within += ((s.count > 1 ? s.squares / (s.count - 1) : 0) + s.variances / s.count) / K;
  }
  for (const Superchain& s : all) between += (s.mean - centre) * (s.mean - centre) / (K - 1);
  return std::sqrt(1 + between / within);
}

/// Nested R-hat of groups of equally many chains, which lie one group after the other: large where groups differ,
/// though each superchain has chains of all of them.
inline double rhat_of_groups(const std::vector<SequenceMoments>& chains, std::size_t groups) {
  std::vector<std::size_t> group(chains.size());
  for (std::size_t c = 0; c < chains.size(); ++c) group[c] = c * groups / chains.size();
  return nested_rhat(chains, group, groups);
}

}  // namespace manychain::diagnostics
