// Stands in for kernels/cuda_engine.cu in a build without CUDA.
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"

namespace manychain {

bool cuda_available(std::string* why) {
  if (why) *why = "this build has no CUDA: build with the CUDA toolkit (nvcc) installed";
  return false;
}

std::unique_ptr<Engine> make_cuda_engine(const Model&, const Settings&) {
  std::string why;
  cuda_available(&why);
  throw BadInput("backend cuda: " + why + ", or take backend cpu (Settings::backend)");
}

}  // namespace manychain
