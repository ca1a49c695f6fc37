// Stands in for src/engine/cuda_engine.cu in a build without CUDA.
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "run/devices.hpp"
#include "run/share.hpp"
#include "run/values_on.hpp"

namespace manychain {
namespace {
[[noreturn]] void throw_absent(const Settings& settings) {
  throw BadInput("backend cuda: " + cuda_state(settings.device).why + ", or take backend cpu (Settings::backend)");
}
}  // namespace

CudaState cuda_state(std::optional<int> device) {
  CudaState state;
  state.why = "this build has no CUDA: build with the CUDA toolkit (nvcc) installed";
  if (device) throw BadInput("Settings::device: there is no CUDA device " + std::to_string(*device) + "; " + state.why);
  return state;
}

int cuda_devices() { return 0; }

bool cuda_available(std::string* why) {
  if (why) *why = cuda_state().why;
  return false;
}

std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings) {
  return make_cuda_engine(model, settings, Share(settings));
}
std::unique_ptr<Engine> make_cuda_engine(const Model&, const Settings& settings, const Share&) {
  throw_absent(settings);
}
ValuesOn cuda_values_on(const Model&, const Settings& settings, const std::vector<double>&, std::size_t) {
  throw_absent(settings);
}

}  // namespace manychain
