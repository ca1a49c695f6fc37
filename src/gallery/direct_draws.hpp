// Independent draws on the host, from the library's streams.
#pragma once

#include <cstdint>

#include "manychain/random/stream.hpp"

namespace manychain::gallery {

/// Calls sink(i, u) with n uniforms on (0, 1]. The number of a set, and of a draw in it, name the words: no two share
/// one.
template <class Sink>
void draw_uniforms(std::uint64_t seed, std::uint64_t set, std::uint64_t draw, int n, Sink sink) {
  uniforms(Stream<Scalar<double>>(seed, Purpose::transition, set, draw), Size<>(n),
           [&](int i, Scalar<double> u) { sink(i, u.v); });
}

/// Fills with standard normals; returns a uniform besides.
template <class Sink>
double draw_normals(std::uint64_t seed, std::uint64_t set, std::uint64_t draw, int n, Sink sink) {
  return normals_and_uniform(Stream<Scalar<double>>(seed, Purpose::transition, set, draw), Size<>(n),
                             [&](int i, Scalar<double> z) { sink(i, z.v); })
      .v;
}

}  // namespace manychain::gallery
