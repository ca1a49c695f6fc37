// Memory of a CUDA device, and errors of CUDA.
#include "cuda_memory.cuh"

#include "manychain/core/error.hpp"

namespace manychain {

void cuda_check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that the device survives must not be reported twice
  throw SamplingFailed(std::string("CUDA failed while ") + doing + ": " + cudaGetErrorString(status) + " (" +
                       cudaGetErrorName(status) + ")");
}

CudaPointer<std::byte> cuda_allocate(std::size_t bytes) {
  void* memory = nullptr;
  cuda_check(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "allocating memory on the device");
  CudaPointer<std::byte> owned(static_cast<std::byte*>(memory));
  cuda_check(cudaMemset(memory, 0, bytes), "clearing memory on the device");
  return owned;
}

const void* CudaDataMemory::store(const void* bytes_begin, std::size_t bytes) {
  pieces_.push_back(cuda_allocate(bytes));
  cuda_check(cudaMemcpy(pieces_.back().get(), bytes_begin, bytes, cudaMemcpyHostToDevice),
             "copying the data of the model to the device");
  return pieces_.back().get();
}

int cuda_block_size(std::int64_t chains) {
  int device = 0, multiprocessors = 1;
  cuda_check(cudaGetDevice(&device), "asking for the current device");
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "asking for the number of multiprocessors");
  int threads = 256;
  while (threads > 32 && chains < static_cast<std::int64_t>(threads) * multiprocessors) threads /= 2;
  return threads;
}

}  // namespace manychain
