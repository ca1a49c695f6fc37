// Stands in for kernels/diagnostics.cu in a build without CUDA.
#include "manychain/core/error.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain {
namespace {

[[noreturn]] void absent() {
  throw BadInput(
      "this build of manychain has no CUDA: summarise the draws on the host, or build with the CUDA toolkit");
}

}  // namespace

std::vector<VariableSummary> summarise_on_device(const DrawsView<float>&, std::size_t, const std::atomic<bool>*) {
  absent();
}
std::vector<VariableSummary> summarise_on_device(const DrawsView<double>&, std::size_t, const std::atomic<bool>*) {
  absent();
}

}  // namespace manychain
