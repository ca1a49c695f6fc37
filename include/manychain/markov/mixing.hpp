// Rate at which a finite chain forgets its start: spectral gap, relaxation time, mixing time.
// Levin, Peres and Wilmer, Markov Chains and Mixing Times, 2nd edition (2017), chapters 4 and 12.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "manychain/markov/structure.hpp"

namespace manychain::markov {

/// Half the sum of |a_i - b_i|, two distributions of the same length (LPW, proposition 4.2).
double total_variation(const std::vector<double>& a, const std::vector<double>& b);

struct Spectrum {
  double second_modulus = 0;   ///< second largest modulus of an eigenvalue of P, counted with multiplicity; 0 if S = 1
  double gap = 1;              ///< absolute spectral gap, 1 - second_modulus (LPW, section 12.2)
  double relaxation_time = 1;  ///< 1 / gap; infinite if the gap is zero
};

/// The gap is zero, exactly, just if the chain does not converge (Structure::converges). Else it has an absolute error
/// of about 1e-15 in a reversible chain, of which all eigenvalues are real; in an irreversible one it may be larger
/// where eigenvalues lie close together. A gap below this is not resolved, and given as that. O(S^3).
Spectrum spectrum(const TransitionMatrix& p);

/// max_i TV(P^n(i, .), pi), the distance from stationarity after n steps (LPW, section 4.4). Throws BadInput unless the
/// chain converges.
double distance_from_stationarity(const TransitionMatrix& p, std::uint64_t n);

/// The smallest n with distance_from_stationarity(n) <= epsilon. None if there is no such n, because the chain is
/// periodic or has several closed classes, or if n exceeds 2^62. Transient states count as starts. Found by doubling
/// and bisection; equality counts within a relative 1e-10, since powers are rounded. Throws BadInput unless
/// 1e-10 <= epsilon < 1. O(S^3 log n) in time, O(S^2 log n) in memory.
std::optional<std::uint64_t> mixing_time(const TransitionMatrix& p, double epsilon = 0.25);

}  // namespace manychain::markov
