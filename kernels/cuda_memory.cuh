// Memory of a CUDA device and the one place where errors of CUDA are turned into exceptions. Implemented in the
// library, so that the units of models hold kernels and little else.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "manychain/model/data_reader.hpp"

namespace manychain {

/// Throws DeviceError, in a sentence and in CUDA's own words. `doing` completes "CUDA failed while ...".
void cuda_check(cudaError_t status, const char* doing);

struct CudaFree {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using CudaPointer = std::unique_ptr<T[], CudaFree>;

/// Bytes on the current device, zeroed. If they are not there, DeviceError says how many are.
CudaPointer<std::byte> cuda_allocate(std::size_t bytes);

/// The device's, for the data of a model.
class CudaDataMemory : public DataMemory {
 public:
  const void* store(const void* bytes_begin, std::size_t bytes) override;

 private:
  std::vector<CudaPointer<std::byte>> pieces_;
};

/// Local memory of one thread of a kernel, which is loaded.
std::size_t cuda_local_bytes(const void* kernel);

/// Threads a block: few while there are too few chains to occupy every multiprocessor with more. Changes no draw.
int cuda_block_size(std::int64_t chains);

}  // namespace manychain
