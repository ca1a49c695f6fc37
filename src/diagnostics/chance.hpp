// Tells whether superchains differ more than chance makes them, from the chains themselves.
#pragma once

#include <cmath>
#include <cstddef>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// Variance of the means of superchains over what the chains within them let expect: about 1 where starts are
/// forgotten, whatever the autocorrelation. No ESS is needed, which is another one of x than of abs(x).
///
/// In units of the variance within half chains of n draws, w is the variance of half chains' means within the halves of
/// K superchains of M chains, B that of these halves' means. R-hat knows the variance T of all 2 C half chains' means,
/// nested R-hat B: T = R^2 - (n - 1) / n, B = b (1 + w) with b = R_nested^2 - 1, and the sums of squares add up,
/// (2 C - 1) T = 2 K (M - 1) w + M (2 K - 1) B. Both are the larger of bulk and folded, nearly always the same one.
inline double superchains_to_chains(const VariableSummary& s, std::size_t chains, std::size_t superchains,
                                    std::size_t draws) {
  const auto C = static_cast<double>(chains), K = static_cast<double>(superchains), M = C / K;
  const auto n = static_cast<double>(draws / 2);
  if (superchains >= chains) return HUGE_VAL;  // none within to compare with
  const double T = s.rhat * s.rhat - (n - 1) / n, b = s.rhat_nested * s.rhat_nested - 1;
  const double between = M * (2 * K - 1) * b;
  const double w = ((2 * C - 1) * T - between) / (2 * K * (M - 1) + between);
  return w > 0 ? M * b * (1 + w) / w : HUGE_VAL;
}

/// Chance exceeds that once in a thousand times: chi-squared over its degrees of freedom, by Wilson and Hilferty. The
/// halves of one superchain need not be independent, so that there are K - 1 for sure.
inline double largest_by_chance(std::size_t superchains) {
  const double variance = 2 / (9 * (static_cast<double>(superchains) - 1));
  return std::pow(1 - variance + 3.09 * std::sqrt(variance), 3);
}

}  // namespace manychain::diagnostics
