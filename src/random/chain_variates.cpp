#include "random/chain_variates.hpp"

#include <algorithm>

#include "manychain/core/pack.hpp"
#include "manychain/random/philox_pack.hpp"
#include "manychain/random/stream.hpp"

namespace manychain {
namespace {

using Lanes = Pack<double>;
constexpr std::size_t width = Lanes::lanes;

/// Calls draw(stream, first, some) for each pack of chains, of which `some` are wanted.
template <class Draw>
void for_each_pack(const ChainsOfStream& chains, std::size_t count, const Draw& draw) {
  for (std::size_t first = 0; first < count; first += width)
    draw(Stream<Lanes>(chains.seed, chains.purpose, chains.first + first, chains.transition), first,
         std::min(width, count - first));
}

/// A number of each of `some` chains, `stride` apart.
void scatter(Lanes x, std::size_t some, double* to, std::size_t stride) {
  alignas(sizeof(Lanes)) double lanes[width];
  store(x, lanes);
  for (std::size_t l = 0; l < some; ++l) to[l * stride] = lanes[l];
}

}  // namespace

void chain_normals(const ChainsOfStream& chains, std::size_t count, std::size_t n, double* normals, double* uniforms) {
  const Size<dynamic> size(static_cast<int>(n));
  for_each_pack(chains, count, [&](const Stream<Lanes>& stream, std::size_t first, std::size_t some) {
    const Lanes uniform = normals_and_uniform(
        stream, size, [&](int i, Lanes z) { scatter(z, some, normals + first * n + static_cast<std::size_t>(i), n); });
    if (uniforms) scatter(uniform, some, uniforms + first, 1);
  });
}

void chain_uniforms(const ChainsOfStream& chains, std::size_t count, std::size_t n, double* to) {
  const Size<dynamic> size(static_cast<int>(n));
  for_each_pack(chains, count, [&](const Stream<Lanes>& stream, std::size_t first, std::size_t some) {
    uniforms(stream, size, [&](int i, Lanes u) { scatter(u, some, to + first * n + static_cast<std::size_t>(i), n); });
  });
}

}  // namespace manychain
