// Kernels whose registers the test cuda.posterior_registers looks at: HMC in single precision of posteriors that use
// what no built-in model does, and of the largest ones that live in registers. Only compiled: no program starts them.
#include "manychain/kernels/chain_kernel.cuh"
#include "posteriors/garch.hpp"
#include "posteriors/gauss_mix.hpp"
#include "posteriors/german_credit.hpp"
#include "posteriors/hmm_example.hpp"
#include "posteriors/nes.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace {

template <class Model>
const void* hmc_kernel() {
  return reinterpret_cast<const void*>(&advance_kernel<Model, Hmc<>, false, float>);
}

}  // namespace
}  // namespace MANYCHAIN_ISA
}  // namespace manychain

const void* const* posterior_kernels();
const void* const* posterior_kernels() {
  using namespace manychain;
  static const void* const kernels[] = {hmc_kernel<Garch<float>>(),          // derivatives along a recurrence
                                        hmc_kernel<GaussMix<float>>(),       // a mixture, an ordered vector
                                        hmc_kernel<HmmExample<float>>(),     // a scan, simplices
                                        hmc_kernel<Nes<float>>(),            // 10 dimensions
                                        hmc_kernel<GermanCredit<float>>()};  // 25 dimensions
  return kernels;
}
