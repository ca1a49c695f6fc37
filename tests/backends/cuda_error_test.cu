// The faults that errors of CUDA become. Needs nvcc, and no device.
#include "manychain/kernels/cuda_error.cuh"

#include <gtest/gtest.h>

#include <map>

#include "manychain/core/error.hpp"
#include "manychain/kernels/cuda_memory.cuh"

namespace {

using namespace manychain;

const std::map<cudaError_t, DeviceProblem> known = {
    {cudaErrorNoDevice, DeviceProblem::absent},
    {cudaErrorInsufficientDriver, DeviceProblem::absent},
    {cudaErrorNoKernelImageForDevice, DeviceProblem::no_kernel_image},
    {cudaErrorInvalidDeviceFunction, DeviceProblem::no_kernel_image},
    {cudaErrorUnsupportedPtxVersion, DeviceProblem::no_kernel_image},
    {cudaErrorMemoryAllocation, DeviceProblem::out_of_memory},
    {cudaErrorDevicesUnavailable, DeviceProblem::busy},
    {cudaErrorDeviceAlreadyInUse, DeviceProblem::busy},
    {cudaErrorIllegalAddress, DeviceProblem::lost},
    {cudaErrorLaunchFailure, DeviceProblem::lost},
    {cudaErrorAssert, DeviceProblem::lost},
    {cudaErrorMisalignedAddress, DeviceProblem::lost},
    {cudaErrorLaunchTimeout, DeviceProblem::lost},
    {cudaErrorECCUncorrectable, DeviceProblem::lost},
    {cudaErrorInvalidValue, DeviceProblem::other},
    {cudaErrorUnknown, DeviceProblem::other},
};

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(CudaErrors, are_told_apart) {
  for (const auto& [status, problem] : known)
    EXPECT_EQ(cuda_fault(status).problem, problem) << cudaGetErrorName(status);
}

// One line that ends in what to do, then CUDA's own words.
TEST(CudaErrors, say_what_to_do) {
  const std::map<DeviceProblem, std::string> advice = {
      {DeviceProblem::no_kernel_image, "build with -DMANYCHAIN_CUDA_ARCHITECTURES="},
      {DeviceProblem::out_of_memory, "take fewer Settings::chains or Settings::sampling.draws"},
      {DeviceProblem::busy, "or take another Settings::device"},
      {DeviceProblem::lost, "restart the process"},
  };
  for (const auto& [status, problem] : known) {
    const DeviceError error = cuda_error(status, "running the chains");
    const std::string text = error.what();
    EXPECT_EQ(error.problem, problem);
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_TRUE(text.starts_with("CUDA failed while running the chains: ")) << text;
    EXPECT_TRUE(says(text, cudaGetErrorName(status))) << text;
    if (advice.count(problem)) EXPECT_TRUE(says(text, advice.at(problem))) << text;
  }
  EXPECT_TRUE(says(cuda_fault(cudaErrorIllegalAddress).sentence, "indexes out of bounds")) << "the model, perhaps";
  EXPECT_TRUE(says(cuda_fault(cudaErrorIllegalAddress).sentence, "compute-sanitizer"));
  EXPECT_FALSE(says(cuda_fault(cudaErrorECCUncorrectable).sentence, "bug")) << "the hardware's, not the model's";
  EXPECT_TRUE(says(cuda_fault(cudaErrorNoDevice).sentence, "CUDA_VISIBLE_DEVICES"));
}

TEST(CudaErrors, memory_that_is_not_there) {
  const DeviceError error = cuda_memory_error(12.5e9, 3e8);
  EXPECT_EQ(error.problem, DeviceProblem::out_of_memory);
  EXPECT_TRUE(says(error.what(), "no room for 12.5 GB more, 0.3 GB are free; take fewer Settings::chains"))
      << error.what();
}

TEST(CudaErrors, devices_that_are_not_there) {
  EXPECT_EQ(no_such_device(4, {"NVIDIA H200", "NVIDIA A100"}),
            "there is no CUDA device 4; there are 0 (NVIDIA H200), 1 (NVIDIA A100)");
  EXPECT_EQ(no_such_device(1, {"NVIDIA H200"}), "there is no CUDA device 1; there is 0 (NVIDIA H200)");
}

// Statuses of the command line follow from these: 2 for what cannot be, 3 for what failed.
TEST(CudaErrors, are_failures_and_memory_is_bad_input) {
  EXPECT_NO_THROW(cuda_check(cudaSuccess, "nothing"));
  EXPECT_THROW(cuda_check(cudaErrorIllegalAddress, "running the chains"), SamplingFailed);
  EXPECT_THROW(throw OutOfMemory("too large"), BadInput);
}

// An H200 holds 132 x 2048 threads; a kernel with 1600 bytes of local memory costs 0.43 GB there.
TEST(CudaMemory, reserve_follows_from_local_memory) {
  EXPECT_EQ(cuda_reserve(1600, 132, 2048) - cuda_reserve(0, 132, 2048), 1600.0 * 132 * 2048);
  EXPECT_GT(cuda_reserve(0, 132, 2048), 0);
}

}  // namespace
