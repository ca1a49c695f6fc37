// Number of leapfrog steps of a transition: the same in all chains, so that no chain waits for another.
#pragma once

#include <cmath>
#include <cstdint>

#include "manychain/core/macros.hpp"

namespace manychain {

/// Element `index` of the base-2 van der Corput sequence, in (0, 1]: the low 24 bits of the index, mirrored.
MANYCHAIN_HD float van_der_corput(std::uint64_t index) {
  std::uint32_t bits = static_cast<std::uint32_t>(index), mirrored = 0;
  for (int i = 0; i < 24; ++i) {
    mirrored = (mirrored << 1) | (bits & 1u);
    bits >>= 1;
  }
  return static_cast<float>(mirrored + 1u) * 0x1p-24f;
}

/// The shortest trajectory over the longest. Under a constant metric the shortest lengths are left out: a trajectory
/// that hardly moves costs an independent draw of the second moments. Under a metric that depends on position they are
/// there: no quantity is then antithetic while another one is frozen.
MANYCHAIN_HD constexpr float shortest_jitter(bool leaves) { return leaves ? 0.0f : 0.25f; }

/// The jitter h of a transition's trajectory, in (shortest, 1]. Jitter by a low-discrepancy sequence breaks the
/// periodicity of a fixed integration time (Hoffman, Radul and Sountsov 2021, section 3).
MANYCHAIN_HD float trajectory_jitter(std::uint64_t transition, float shortest = shortest_jitter(false)) {
  return shortest + (1.0f - shortest) * van_der_corput(transition);
}

/// max(1, ceil(h T / eps)) steps, at most `limit`.
template <class Number>
MANYCHAIN_HD std::uint32_t leapfrogs(Number trajectory, Number step_size, std::uint64_t transition, std::uint32_t limit,
                                     float shortest = shortest_jitter(false)) {
  // In single precision whatever the run's: the host then counts the same steps as the chains take.
  const float steps = std::ceil(trajectory_jitter(transition, shortest) * static_cast<float>(trajectory) /
                                static_cast<float>(step_size));
  if (!(steps > 1.0f)) return 1;
  return steps < static_cast<float>(limit) ? static_cast<std::uint32_t>(steps) : limit;
}

}  // namespace manychain
