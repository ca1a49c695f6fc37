// Errors of CUDA in the words of somebody who wants to sample.
#include <cstdio>

#include "manychain/kernels/cuda_error.cuh"

namespace manychain {
namespace {

std::string in_gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
  return text;
}

std::string version_of_runtime() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

}  // namespace

CudaFault cuda_fault(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
      return {DeviceProblem::absent, "there is no CUDA device; look at nvidia-smi and at CUDA_VISIBLE_DEVICES"};
    case cudaErrorInvalidDevice:
      return {DeviceProblem::absent, "there is no CUDA device of that number; nvidia-smi -L lists them"};
    case cudaErrorInsufficientDriver:
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorStubLibrary:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return {DeviceProblem::absent,
              "there is no NVIDIA driver, or one older than the CUDA " + version_of_runtime() +
                  " of this build; for the GPU of this machine, if it has one, install a newer one"};

    case cudaErrorUnsupportedPtxVersion:
      return {
          DeviceProblem::no_kernel_image,
          "this build holds only PTX for this CUDA device, and the driver is too old to compile it; install a newer "
          "driver, or build with -DMANYCHAIN_CUDA_ARCHITECTURES= and the compute capability (90 for 9.0)"};
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidPtx:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return {
          DeviceProblem::no_kernel_image,
          "this build holds no code for this CUDA device; build with -DMANYCHAIN_CUDA_ARCHITECTURES= and the compute "
          "capability that nvidia-smi --query-gpu=compute_cap shows (90 for 9.0)"};

    case cudaErrorMemoryAllocation:
      return {DeviceProblem::out_of_memory,
              "the CUDA device has too little free memory; take fewer Settings::chains or Settings::sampling.draws, "
              "keep no draws "
              "(Settings::output.keep_draws), or wait for other processes on it to end"};

    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceAlreadyInUse:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsMaxClientsReached:
    case cudaErrorMpsMaxConnectionsReached:
    case cudaErrorSystemNotReady:
      return {DeviceProblem::busy,
              "the CUDA device is busy: another process has it to itself, or its service is not ready; wait for that, "
              "or take another Settings::device (nvidia-smi shows who runs on it)"};

    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorContained:
      return {DeviceProblem::lost,
              "the hardware of the CUDA device failed, and no later call of this process can succeed; restart the "
              "process, and see nvidia-smi -q and the system's log (Xid) if it happens again"};
    case cudaErrorLaunchTimeout:
      return {DeviceProblem::lost,
              "a kernel ran longer than the watchdog of this CUDA device allows, and no later call of this process can "
              "succeed; restart the process, and take a device without a display, or fewer Settings::chains"};
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorContextIsDestroyed:
    case cudaErrorMpsClientTerminated:
    case cudaErrorMpsRpcFailure:
      return {DeviceProblem::lost,
              "a kernel crashed, and no later call of this process can succeed; restart the process: the model indexes "
              "out of bounds, or this is a bug of manychain (compute-sanitizer names the kernel and the address)"};

    case cudaErrorLaunchOutOfResources:
      return {DeviceProblem::other,
              "a kernel needs more registers than the CUDA device gives a block; report it as a bug of manychain"};
    default:
      return {DeviceProblem::other, std::string("this should not happen; report it as a bug of manychain")};
  }
}

DeviceError cuda_error(cudaError_t status, const std::string& doing) {
  const CudaFault fault = cuda_fault(status);
  return {fault.problem, "CUDA failed while " + doing + ": " + fault.sentence + " (" + cudaGetErrorName(status) + ": " +
                             cudaGetErrorString(status) + ")"};
}

DeviceError cuda_memory_error(double asked, double free) {
  return {DeviceProblem::out_of_memory,
          "the CUDA device has no room for " + in_gigabytes(asked) + " more, " + in_gigabytes(free) +
              " are free; take fewer Settings::chains or Settings::sampling.draws, keep no draws "
              "(Settings::output.keep_draws), or wait for "
              "other processes on it to end"};
}

std::string no_such_device(int device, const std::vector<std::string>& names) {
  std::string text = "there is no CUDA device " + std::to_string(device) + "; ";
  if (names.empty()) return text + cuda_fault(cudaErrorNoDevice).sentence;
  text += names.size() == 1 ? "there is " : "there are ";
  for (std::size_t k = 0; k < names.size(); ++k) text += (k ? ", " : "") + std::to_string(k) + " (" + names[k] + ")";
  return text;
}

double cuda_reserve(std::size_t local_bytes, int multiprocessors, int threads_per_multiprocessor) {
  // Kernels of the diagnostics, loaded when they first run; local memory of adapters; rounding of allocations.
  constexpr double modules = 128e6;
  return modules + static_cast<double>(local_bytes) * multiprocessors * threads_per_multiprocessor;
}

}  // namespace manychain
