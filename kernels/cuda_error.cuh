// The meaning of CUDA errors for a run. Pure functions: a test holds them to their table without a device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"

namespace manychain {

struct CudaFault {
  DeviceProblem problem;
  std::string sentence;  ///< what it means and what to do, without the last stop
};

CudaFault cuda_fault(cudaError_t status);
/// `status` while `doing` ("running the chains"), as cuda_check() throws it.
DeviceError cuda_error(cudaError_t status, const std::string& doing);
/// An allocation that failed: bytes asked for and bytes that were free then.
DeviceError cuda_memory_error(double asked, double free);
/// That there is no device of that number: which there are.
std::string no_such_device(int device, const std::vector<std::string>& names);

/// Bytes of device memory to leave alone for kernels of which a thread takes `local_bytes`: the driver reserves local
/// memory for every thread that the device can hold at once, whether a launch has as many or not. 128 MB are added for
/// all other kernels.
double cuda_reserve(std::size_t local_bytes, int multiprocessors, int threads_per_multiprocessor);

}  // namespace manychain
