// Stands in for peak_cuda.cu and summary_cuda.cu where there is no CUDA.
#include "manychain/core/error.hpp"
#include "peak.hpp"
#include "summary.hpp"

#if !MANYCHAIN_HAS_CUDA
namespace manychain::bench {

Peak cuda_peak(Precision) { throw BadInput("backend cuda: this build has no CUDA"); }
std::string cuda_driver() { throw BadInput("backend cuda: this build has no CUDA"); }

SummaryCost summary_on_device(const DrawsView<float>&, std::size_t) {
  throw BadInput("backend cuda: this build has no CUDA");
}
SummaryCost summary_on_device(const DrawsView<double>&, std::size_t) {
  throw BadInput("backend cuda: this build has no CUDA");
}

}  // namespace manychain::bench
#endif
