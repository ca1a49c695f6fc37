// Chain programs and operations at points that the library makes of the density of a model. It has them for the
// instruction set that it is built for: a source that asks for them has the flags of chain code
// (manychain_chain_sources()).
#pragma once

#include <memory>

#include "manychain/chain/operations.hpp"
#include "manychain/chain/pack_density.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/pack.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Samplers that ask a model for its density and gradient alone, and that users take most: the library has their
/// programs for models of any size.
using DensitySamplers = SamplerList<Hmc<>, Tempering<>>;

/// The program of one of DensitySamplers, in packs or for one chain at a time (src/chain/called_model.hpp). It draws
/// the bits of a CpuProgram of the model's class.
template <class Sampler, class R>
std::unique_ptr<Program<number_of<R>>> density_program(std::unique_ptr<const PackDensity<R>> density,
                                                       const Layout& layout);

std::unique_ptr<PointOperations> point_operations(std::unique_ptr<const PointDensity<Pack<double>>> density,
                                                  const Layout& layout);
std::unique_ptr<PointOperations> point_operations(std::unique_ptr<const PointDensity<Scalar<double>>> density,
                                                  const Layout& layout);

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
