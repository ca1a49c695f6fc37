// The program of a density that takes the points of many chains at once: all chains go in lockstep.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "foreign/foreign_density.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {

/// Samplers that need a density and its gradient alone.
using ForeignSamplers = SamplerList<Hmc<>, Metropolis<>, SingleComponent<>, Mala<>, Tempering<>, Ula>;

/// Its draws are those of the density at one point at a time, whatever the instruction set. Null if no sampler has that
/// name.
template <class Number>
std::unique_ptr<Program<Number>> lockstep_program(const ForeignDensity& density, const Layout& layout,
                                                  const std::string& sampler, std::size_t chains);
extern template std::unique_ptr<Program<float>> lockstep_program(const ForeignDensity&, const Layout&,
                                                                 const std::string&, std::size_t);
extern template std::unique_ptr<Program<double>> lockstep_program(const ForeignDensity&, const Layout&,
                                                                  const std::string&, std::size_t);

}  // namespace manychain
