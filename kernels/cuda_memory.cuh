// Memory of a CUDA device and the one place where errors of CUDA are turned into exceptions. Implemented in the
// library, so that the units of models hold kernels and little else.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "manychain/model/language/data_reader.hpp"

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

struct CudaFreeHost {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
/// Memory of the host that the device reads and writes while the host does something else.
template <class T>
using CudaPinned = std::unique_ptr<T[], CudaFreeHost>;
/// Null if there is none: the system may hold so much of its memory in place and no more.
void* cuda_pinned_bytes(std::size_t bytes);
template <class T>
CudaPinned<T> cuda_pinned(std::size_t count) {
  return CudaPinned<T>(static_cast<T*>(cuda_pinned_bytes(count * sizeof(T))));
}

struct CudaDestroy {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using CudaStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, CudaDestroy>;
using CudaEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, CudaDestroy>;
/// A stream that does not wait for the default one.
CudaStream cuda_stream();
/// An event that takes no time.
CudaEvent cuda_event();

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
