// Summaries of draws that lie in the memory of a CUDA device, computed there.
#include <thrust/mr/allocator.h>
#include <thrust/mr/disjoint_pool.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/mr/new.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system/cuda/memory.h>
#include <thrust/system_error.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "diagnostics/rank_statistics.hpp"
#include "diagnostics/summary_batch.hpp"
#include "manychain/core/error.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "manychain/kernels/cuda_error.cuh"
#include "manychain/kernels/cuda_memory.cuh"

namespace manychain {
namespace {

constexpr const char* doing = "computing the diagnostics";

class DeviceMemory final : public thrust::mr::memory_resource<thrust::cuda::pointer<void>> {
 public:
  pointer do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    cuda_check(status, doing);
    return pointer(memory);
  }
  /// A failure has been reported by then; Thrust's own resource would throw out of a destructor.
  void do_deallocate(pointer memory, std::size_t, std::size_t) override { cudaFree(memory.get()); }
};
using Pool = thrust::mr::disjoint_unsynchronized_pool_resource<DeviceMemory, thrust::mr::new_delete_resource>;

/// Memory that a summary has given back is kept for what it asks for next: kernels of one stream run one after the
/// other, and none waits for cudaMalloc() or cudaFree().
Pool& pool() {
  thread_local Pool of_thread = [] {
    thrust::mr::pool_options options = Pool::get_default_options();
    // Blocks of their own size: accesses behind them stay visible to tools.
    options.smallest_block_size = options.largest_block_size = 256;
    return Pool(thrust::mr::get_global_resource<DeviceMemory>(),
                thrust::mr::get_global_resource<thrust::mr::new_delete_resource>(), options);
  }();
  return of_thread;
}
/// Hands its memory back at the end of a summary: then another device may be current.
struct PoolEmptied {
  PoolEmptied() = default;
  PoolEmptied(const PoolEmptied&) = delete;
  PoolEmptied& operator=(const PoolEmptied&) = delete;
  ~PoolEmptied() { pool().release(); }
};

/// Memory of the pool. Numbers are left as they are there: thrust::device_vector writes them in a kernel of its own.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { release(); }

  /// Keeps nothing of what was there if it has to grow.
  void resize(std::size_t size) {
    if (size > room_) {
      release();
      memory_ = pool().allocate(size * sizeof(T), alignment);
      room_ = size;
    }
    size_ = size;
  }
  void swap(DeviceArray& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }
  T* data() { return static_cast<T*>(thrust::raw_pointer_cast(memory_)); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  std::size_t size() const { return size_; }

 private:
  // Any, since all blocks lie at multiples of 256. The pool gives what was asked for as bytes to nobody who asks for
  // more, and that is how Thrust's algorithms ask.
  static constexpr std::size_t alignment = 1;

  void release() {
    if (room_ > 0) pool().deallocate(memory_, room_ * sizeof(T), alignment);
    room_ = size_ = 0;
  }

  DeviceMemory::pointer memory_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

// In an unnamed namespace: every kernel that is made of this type belongs to this unit alone.
struct DeviceBackend {
  template <class T>
  using Vector = DeviceArray<T>;
  static constexpr std::size_t merged = 16;

  /// Algorithms take their memory from the pool, and the host waits in fetch() alone.
  static auto policy() {
    thread_local thrust::mr::allocator<char, Pool> allocator(&pool());
    return thrust::cuda::par_nosync(allocator);
  }
  template <class T>
  static void fetch(T* to, const T* from, std::size_t count) {
    cuda_check(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost), doing);
  }
};

template <class Index, class Number>
std::vector<VariableSummary> summarise_with(const DrawsView<Number>& draws, std::size_t superchains,
                                            const std::atomic<bool>* cancel) {
  const PoolEmptied at_the_end;
  diagnostics::SummaryBatch<DeviceBackend, Number, Index> batch(draws, superchains > 1);
  std::size_t free = 0, total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), doing);
  const std::size_t at_once = batch.fitting_variables(0.5 * static_cast<double>(free));
  std::vector<VariableSummary> summaries;
  while (summaries.size() < draws.variables && !diagnostics::cancelled(cancel)) {
    const std::size_t first = summaries.size(), count = std::min(at_once, draws.variables - first);
    for (const diagnostics::GatheredVariable& variable : batch.read(first, count, cancel)) {
      using Finish = diagnostics::RankStatisticsOf<DeviceBackend, Number, Index, diagnostics::GatheredVariable>;
      summaries.push_back(Finish(variable).summary(superchains));
    }
  }
  return summaries;
}

template <class Number>
std::vector<VariableSummary> summarise_there(const DrawsView<Number>& draws, std::size_t superchains,
                                             const std::atomic<bool>* cancel) {
  try {
    return diagnostics::SummaryBatch<DeviceBackend, Number, std::uint32_t>::fits(draws)
               ? summarise_with<std::uint32_t>(draws, superchains, cancel)
               : summarise_with<std::uint64_t>(draws, superchains, cancel);
  } catch (const std::bad_alloc&) {
    throw DeviceError(DeviceProblem::out_of_memory,
                      "the CUDA device has too little memory left for the diagnostics: take fewer Settings::draws");
  } catch (const thrust::system_error& e) {
    if (e.code().category() == thrust::cuda_category())
      throw cuda_error(static_cast<cudaError_t>(e.code().value()), doing);
    throw SamplingFailed(std::string("the diagnostics failed on the CUDA device: ") + e.what());
  }
}

}  // namespace

std::vector<VariableSummary> summarise_on_device(const DrawsView<float>& device_draws, std::size_t superchains,
                                                 const std::atomic<bool>* cancel) {
  return summarise_there(device_draws, superchains, cancel);
}
std::vector<VariableSummary> summarise_on_device(const DrawsView<double>& device_draws, std::size_t superchains,
                                                 const std::atomic<bool>* cancel) {
  return summarise_there(device_draws, superchains, cancel);
}

}  // namespace manychain
