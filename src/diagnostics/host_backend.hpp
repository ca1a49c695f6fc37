// The host's backend of RankStatisticsOf: sequential, because variables are what threads share out.
#pragma once

#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstddef>

#include "manychain/core/macros.hpp"
#include "manychain/diagnostics/draws.hpp"

namespace manychain::diagnostics {
// All that is made of it differs by instruction set, too: the linker must not take one for the other.
inline namespace MANYCHAIN_ISA {

struct HostBackend {
  template <class T>
  using Vector = DrawValues<T>;
  static constexpr int lanes = 8;
  static constexpr bool tiled = true;
  static constexpr std::size_t merged = 4096;
  static constexpr bool spectral = true;

  static auto policy() { return thrust::seq; }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
