// Random numbers that the host itself needs, made in the lanes of the CPU: those of many chains or paths at once. They
// are the numbers of Stream<Scalar<double>>, to rounding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manychain/random/purpose.hpp"

namespace manychain {

/// Chains `first`, first + 1, ... in one transition. Each has numbers of its own.
struct ChainsOfStream {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::transition;
  std::uint64_t first = 0, transition = 0;
};

/// Independent standard normals, [chain][n], and a uniform on (0, 1] beside them, [chain], if `uniforms` is not null.
void chain_normals(const ChainsOfStream& chains, std::size_t count, std::size_t n, double* normals,
                   double* uniforms = nullptr);
/// Independent uniforms on (0, 1]: [chain][n].
void chain_uniforms(const ChainsOfStream& chains, std::size_t count, std::size_t n, double* uniforms);

}  // namespace manychain
