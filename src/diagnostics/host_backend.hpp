// The host's backend of RankStatisticsOf: sequential, because variables are what threads share out.
#pragma once

#include <thrust/execution_policy.h>

#include <cstddef>
#include <vector>

namespace manychain::diagnostics {

struct HostBackend {
  template <class T>
  using Vector = std::vector<T>;
  static constexpr int lanes = 8;
  static constexpr bool tiled = true;
  static constexpr std::size_t merged = 4096;
  static constexpr bool spectral = true;

  static auto policy() { return thrust::seq; }
};

}  // namespace manychain::diagnostics
