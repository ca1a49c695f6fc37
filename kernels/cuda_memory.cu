// Memory of a CUDA device, and errors of CUDA.
#include "cuda_memory.cuh"

#include "manychain/kernels/cuda_error.cuh"

namespace manychain {

void cuda_check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that the device survives must not be reported twice
  throw cuda_error(status, doing);
}

CudaPointer<std::byte> cuda_allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "asking for the free memory of the device");
    throw cuda_memory_error(static_cast<double>(bytes), static_cast<double>(free));
  }
  cuda_check(status, "allocating memory on the device");
  CudaPointer<std::byte> owned(static_cast<std::byte*>(memory));
  cuda_check(cudaMemset(memory, 0, bytes), "clearing memory on the device");
  return owned;
}

void* cuda_pinned_bytes(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}

CudaStream cuda_stream() {
  cudaStream_t stream = nullptr;
  cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return CudaStream(stream);
}
CudaEvent cuda_event() {
  cudaEvent_t event = nullptr;
  cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  return CudaEvent(event);
}

const void* CudaDataMemory::store(const void* bytes_begin, std::size_t bytes) {
  pieces_.push_back(cuda_allocate(bytes));
  cuda_check(cudaMemcpy(pieces_.back().get(), bytes_begin, bytes, cudaMemcpyHostToDevice),
             "copying the data of the model to the device");
  return pieces_.back().get();
}

std::size_t cuda_local_bytes(const void* kernel) {
  cudaFuncAttributes attributes;
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "loading a chain kernel");
  return attributes.localSizeBytes;
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
