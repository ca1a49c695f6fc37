// Pooled statistics: one partial per 256 consecutive chains, added in order in double. Their order follows the numbers
// of the chains and nothing else, so that no thread count and no launch shape changes a draw.
#pragma once

#include <cstdint>

#include "manychain/core/moment_sum.hpp"

namespace manychain {

inline constexpr std::int64_t chains_per_partial = 256;
MANYCHAIN_HD constexpr std::int64_t partials_of(std::int64_t chains) {
  return (chains + chains_per_partial - 1) / chains_per_partial;
}

/// The moments of partial `k` of one component of `chains` chains, each with `count` values. A chain whose m2 is
/// exactly zero did not move once; where it stands says nothing of the posterior, and if it stands far off it would
/// decide alone.
template <class Number>
MANYCHAIN_HD MomentSum moment_partial(const Number* mean, const Number* m2, std::int64_t chains, std::int64_t k,
                                      double count) {
  MomentSum sum;
  const std::int64_t end = (k + 1) * chains_per_partial;
  for (std::int64_t c = k * chains_per_partial; c < (end < chains ? end : chains); ++c)
    if (m2[c] != Number(0)) sum.merge(count, static_cast<double>(mean[c]), static_cast<double>(m2[c]));
  return sum;
}

}  // namespace manychain
