// Stands in for peak_cuda.cu where there is no CUDA.
#include "manychain/core/error.hpp"
#include "peak.hpp"

#if !MANYCHAIN_HAS_CUDA
namespace manychain::bench {

Peak cuda_peak(Precision) { throw BadInput("backend cuda: this build has no CUDA"); }
std::string cuda_driver() { throw BadInput("backend cuda: this build has no CUDA"); }

}  // namespace manychain::bench
#endif
