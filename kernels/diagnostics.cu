// Summaries of draws that lie in the memory of a CUDA device, computed there.
#include <thrust/mr/allocator.h>
#include <thrust/mr/disjoint_pool.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/mr/new.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system/cuda/memory.h>
#include <thrust/system_error.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/util_type.cuh>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "diagnostics/rank_statistics.hpp"
#include "diagnostics/summary_batch.hpp"
#include "diagnostics/summary_on_device.hpp"
#include "manychain/core/error.hpp"
#include "manychain/diagnostics/draws.hpp"
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
  /// By CUB itself, with 32 bits for the number of draws: Thrust compiles each sort for 64, too. The copies are one
  /// piece of memory, which the values take when the sort is done.
  template <class Key, class Value>
  static void sort_by_key(DeviceArray<Key>& keys, DeviceArray<Value>& values) {
    const auto count = static_cast<std::uint32_t>(keys.size());
    const std::size_t key_bytes = (keys.size() * sizeof(Key) + 255) / 256 * 256;
    DeviceArray<std::byte> copies;
    copies.resize(key_bytes + values.size() * sizeof(Value));
    cub::DoubleBuffer<Key> both_keys(keys.data(), reinterpret_cast<Key*>(copies.data()));
    cub::DoubleBuffer<Value> both_values(values.data(), reinterpret_cast<Value*>(copies.data() + key_bytes));
    std::size_t bytes = 0;
    cuda_check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, both_keys, both_values, count), doing);
    DeviceArray<std::byte> room;
    room.resize(bytes);
    cuda_check(cub::DeviceRadixSort::SortPairs(room.data(), bytes, both_keys, both_values, count), doing);
    bring_back(both_keys, keys);
    bring_back(both_values, values);
  }

 private:
  template <class T>
  static void bring_back(cub::DoubleBuffer<T>& sorted, DeviceArray<T>& to) {
    if (sorted.Current() == to.data()) return;
    cuda_check(cudaMemcpyAsync(to.data(), sorted.Current(), to.size() * sizeof(T), cudaMemcpyDeviceToDevice), doing);
  }
};

template <class Number>
using Batch = diagnostics::SummaryBatch<DeviceBackend, Number>;
constexpr std::size_t most_draws = Batch<float>::most_places;  // of a variable

template <class Number>
std::vector<VariableSummary> summarise_with(const DrawsView<Number>& draws, std::size_t superchains,
                                            const std::atomic<bool>* cancel) {
  const PoolEmptied at_the_end;
  Batch<Number> batch(draws, superchains > 1);
  std::size_t free = 0, total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), doing);
  const std::size_t at_once = batch.fitting_variables(0.5 * static_cast<double>(free));
  std::vector<VariableSummary> summaries;
  while (summaries.size() < draws.variables && !diagnostics::cancelled(cancel)) {
    const std::size_t first = summaries.size(), count = std::min(at_once, draws.variables - first);
    for (const diagnostics::GatheredVariable& variable : batch.read(first, count, cancel)) {
      using Finish =
          diagnostics::RankStatisticsOf<DeviceBackend, Number, diagnostics::BatchPlace, diagnostics::GatheredVariable>;
      summaries.push_back(Finish(variable).summary(superchains));
    }
  }
  return summaries;
}

/// Draws of a variable, chain after chain in each draw, in memory of the host.
template <class Number>
void copy_variable(const DrawsView<Number>& draws, std::size_t variable, Number* to) {
  const Number* const from = draws.data + variable * draws.variable_stride;
  const auto copy = [&](Number* rows, std::size_t width, const Number* first, std::size_t apart, std::size_t height) {
    cuda_check(cudaMemcpy2D(rows, width * sizeof(Number), first, apart * sizeof(Number), width * sizeof(Number), height,
                            cudaMemcpyDeviceToHost),
               doing);
  };
  if (draws.chain_stride == 1) return copy(to, draws.chains, from, draws.draw_stride, draws.draws);
  for (std::size_t d = 0; d < draws.draws; ++d)
    copy(to + d * draws.chains, 1, from + d * draws.draw_stride, draws.chain_stride, draws.chains);
}

/// One variable after the other, on the host.
template <class Number>
std::vector<VariableSummary> summarise_copies(const DrawsView<Number>& draws, std::size_t superchains,
                                              const std::atomic<bool>* cancel) {
  DrawValues<Number> values;
  values.resize(draws.draws * draws.chains);
  std::vector<VariableSummary> summaries;
  for (std::size_t v = 0; v < draws.variables && !diagnostics::cancelled(cancel); ++v) {
    copy_variable(draws, v, values.data());
    const DrawsView<Number> copy{values.data(), draws.draws, 1, draws.chains, draws.chains, 0, 1};
    for (const VariableSummary& summary : summarise(copy, 0, superchains, cancel)) summaries.push_back(summary);
  }
  return summaries;
}

}  // namespace

namespace diagnostics {

template <class Number>
std::vector<VariableSummary> summarise_on_device(const DrawsView<Number>& draws, std::size_t most,
                                                 std::size_t superchains, const std::atomic<bool>* cancel) {
  if (draws.chains * draws.draws >= most) return summarise_copies(draws, superchains, cancel);
  try {
    return summarise_with(draws, superchains, cancel);
  } catch (const std::bad_alloc&) {
    throw DeviceError(
        DeviceProblem::out_of_memory,
        "the CUDA device has too little memory left for the diagnostics: take fewer Settings::sampling.draws");
  } catch (const thrust::system_error& e) {
    if (e.code().category() == thrust::cuda_category())
      throw cuda_error(static_cast<cudaError_t>(e.code().value()), doing);
    throw SamplingFailed(std::string("the diagnostics failed on the CUDA device: ") + e.what());
  }
}
template std::vector<VariableSummary> summarise_on_device(const DrawsView<float>&, std::size_t, std::size_t,
                                                          const std::atomic<bool>*);
template std::vector<VariableSummary> summarise_on_device(const DrawsView<double>&, std::size_t, std::size_t,
                                                          const std::atomic<bool>*);

}  // namespace diagnostics

std::vector<VariableSummary> summarise_on_device(const DrawsView<float>& device_draws, std::size_t superchains,
                                                 const std::atomic<bool>* cancel) {
  return diagnostics::summarise_on_device(device_draws, most_draws, superchains, cancel);
}
std::vector<VariableSummary> summarise_on_device(const DrawsView<double>& device_draws, std::size_t superchains,
                                                 const std::atomic<bool>* cancel) {
  return diagnostics::summarise_on_device(device_draws, most_draws, superchains, cancel);
}

}  // namespace manychain
