// The part of the CUDA runtime that manychain and Thrust use, in the place of libcudart: one device, or as many as the
// environment variable CUDA_ON_HOST_DEVICES says, whose kernels run on the host when they are launched. Calls of
// several threads wait for each other. No device sees the memory of another one. On the default stream everything is
// done when a call returns; on others copies to pinned memory wait for somebody who waits for them (streams.hpp), and
// kernels do not run.
#include <cuda_runtime.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/counts.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/devices.hpp"
#include "runtime/kernel_name.hpp"
#include "runtime/launch.hpp"
#include "runtime/machine.hpp"
#include "runtime/streams.hpp"

namespace {

using namespace ptx;

thread_local cudaError_t last_error = cudaSuccess;
Counts counted;
std::unordered_set<const void*> loaded_kernels;  // by the address of the host's stub
std::vector<std::string> loaded_by_launches;
std::size_t local_bytes = 0;
std::vector<std::string> takes_local_memory;  // parts of the names of kernels that do

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

[[noreturn]] void stop(const std::string& what) {
  std::fprintf(stderr, "\nCUDA on the host: %s\n", what.c_str());
  std::abort();
}

/// By the address of the host's stub.
std::unordered_map<const void*, std::string>& registered() {
  static std::unordered_map<const void*, std::string> names;
  return names;
}
struct Configuration {
  dim3 blocks, threads;
  std::size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

bool runnable(const Kernel& kernel, dim3 blocks, dim3 threads, std::size_t shared_bytes) {
  constexpr unsigned most = 65535;
  return blocks.x > 0 && blocks.y > 0 && blocks.z > 0 && blocks.x <= 0x7fffffff && blocks.y <= most &&
         blocks.z <= most && threads.x > 0 && threads.y > 0 && threads.z > 0 && threads.z <= 64 &&
         std::size_t{threads.x} * threads.y * threads.z <= thread_limit &&
         (kernel.shared_bytes + 127) / 128 * 128 + shared_bytes <= shared_limit;
}

cudaError_t start(const void* stub, dim3 blocks, dim3 threads, void** arguments, std::size_t shared_bytes) {
  const auto name = registered().find(stub);
  if (name == registered().end()) return result(cudaErrorInvalidDeviceFunction);
  const Kernel* const kernel = Kernel::find(name->second);
  if (!kernel) {
    std::fprintf(stderr, "CUDA on the host: the kernel %s was not translated\n", name->second.c_str());
    return result(cudaErrorInvalidDeviceFunction);
  }
  if (!runnable(*kernel, blocks, threads, shared_bytes)) return result(cudaErrorInvalidConfiguration);
  std::size_t bytes = 0;
  for (const auto& [offset, size] : kernel->parameters) bytes = std::max(bytes, offset + size);
  std::vector<int128> parameters(bytes / sizeof(int128) + 1);  // aligned as a device aligns them
  auto* const begin = reinterpret_cast<std::uint8_t*>(parameters.data());
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i)
    std::memcpy(begin + kernel->parameters[i].first, arguments[i], kernel->parameters[i].second);
  for (std::size_t at = 0; devices() > 1 && at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const void* pointer = nullptr;  // perhaps: numbers are no addresses of blocks
    std::memcpy(&pointer, begin + at, sizeof pointer);
    require_own(pointer, name->second.c_str());
  }
  ++counted.launches;
  if (loaded_kernels.insert(stub).second) loaded_by_launches.push_back(name->second);
  launch(*kernel, {blocks.x, blocks.y, blocks.z}, {threads.x, threads.y, threads.z}, begin, shared_bytes);
  return cudaSuccess;
}

void on_default(cudaStream_t stream) {
  if (!streams::is_default(stream)) stop("a kernel on another stream than the default one is not known here");
}

/// A copy as a driver would make it: what is said to be the device's must be, whole, and the rest must not.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyDefault ? device_memory::owns(to)
                                                   : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDefault
                               ? device_memory::owns(from)
                               : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const auto fits = [&](const void* begin, bool device) {
    return device ? device_memory::holds(begin, bytes) : !device_memory::owns(begin);
  };
  if (!fits(to, to_device) || !fits(from, from_device)) return result(cudaErrorInvalidValue);
  if (to_device) require_own(to, "a copy");
  if (from_device) require_own(from, "a copy");
  if (from_device && !to_device) {
    ++counted.copies_to_host;
    counted.bytes_to_host += bytes;
  } else if (to_device) {
    ++(from_device ? counted.copies_on_device : counted.copies_to_device);
  }
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
/// Blocks of cudaHostAlloc().
std::map<const char*, std::size_t> pinned;
std::size_t pinned_limit = std::size_t(-1);

bool is_pinned(const void* begin, std::size_t bytes) {
  const auto* const at = static_cast<const char*>(begin);
  const auto after = pinned.upper_bound(at);
  return after != pinned.begin() && at + bytes <= std::prev(after)->first + std::prev(after)->second;
}

/// Rows of `width`; of memory that is not pinned at once, as the driver does. What a copy to the host will write is
/// unknown until it is done.
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return result(cudaErrorInvalidPitchValue);
  if (height == 0 || width == 0) return cudaSuccess;
  const bool whole = width == to_pitch && width == from_pitch;
  const auto now = [=] {
    if (whole) return copy(to, from, width * height, kind);
    const Counts before = counted;
    cudaError_t status = cudaSuccess;
    for (std::size_t row = 0; row < height && status == cudaSuccess; ++row)
      status =
          copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width, kind);
    counted.copies_to_host = before.copies_to_host + (counted.copies_to_host > before.copies_to_host);  // one call
    return status;
  };
  if (streams::is_default(stream)) return now();
  const std::size_t span = (height - 1) * to_pitch + width;
  if (kind != cudaMemcpyDeviceToHost || !is_pinned(to, span)) {
    streams::finish(stream);
    return now();
  }
  for (std::size_t row = 0; row < height; ++row) fill_unknown(static_cast<char*>(to) + row * to_pitch, width);
  streams::add(stream, to, [now] {
    const Counts before = counted;
    if (now() != cudaSuccess) stop("a copy on a stream has failed");
    counted.copies_to_host = before.copies_to_host;
    ++counted.copies_beside;
  });
  return cudaSuccess;
}
cudaError_t set(void* to, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!device_memory::holds(to, bytes)) return result(cudaErrorInvalidValue);
  std::memset(to, value, bytes);
  return cudaSuccess;
}

#if !defined(__SANITIZE_ADDRESS__)
// Between and behind allocations lie pages that are not there.
[[maybe_unused]] const bool faults_are_told = [] {
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = [](int, siginfo_t* information, void*) {
    std::fprintf(stderr, "\nCUDA on the host: access to memory that is not there at %p, the last kernel is %s\n",
                 information->si_addr, running_kernel());
    std::abort();
  };
  return sigaction(SIGSEGV, &action, nullptr) == 0;
}();
#endif

}  // namespace

const Counts& ptx::counts() { return counted; }
void ptx::limit_pinned_memory(std::size_t bytes) { pinned_limit = bytes; }
void ptx::unload_kernels() {
  loaded_kernels.clear();
  loaded_by_launches.clear();
}
const std::vector<std::string>& ptx::kernels_loaded_by_launches() { return loaded_by_launches; }
void ptx::take_local_memory(std::size_t bytes, std::vector<std::string> parts) {
  local_bytes = bytes;
  takes_local_memory = std::move(parts);
}

extern "C" {

// Functions that nvcc's host code calls.

void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  const Turn turn;
  registered()[stub] = kernel_name(name);
}
unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared_bytes, struct CUstream_st* stream) {
  configurations.push_back({blocks, threads, shared_bytes, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* blocks, dim3* threads, size_t* shared_bytes, void* stream) {
  const Configuration& top = configurations.back();
  *blocks = top.blocks, *threads = top.threads, *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  configurations.pop_back();
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(stub));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3 threads, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
  const Turn turn;
  on_default(stream);
  return start(kernel, blocks, threads, arguments, shared_bytes);
}

// Functions that programs call.

cudaError_t cudaLaunchKernel(const void* stub, dim3 blocks, dim3 threads, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  const Turn turn;
  on_default(stream);
  return start(stub, blocks, threads, arguments, shared_bytes);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* stub, void** arguments) {
  const Turn turn;
  on_default(c->stream);
  return start(stub, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes);
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  const Turn turn;
  ++counted.allocations;
  counted.allocated_bytes += bytes;
  *memory = bytes > 0 ? device_memory::allocate(bytes) : nullptr;
  if (*memory) blocks_of_devices[static_cast<const char*>(*memory)] = {bytes, current_device};
  return result(*memory || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* memory) {
  const Turn turn;
  streams::finish_all();  // it waits for the device
  counted.releases += memory != nullptr;
  blocks_of_devices.erase(static_cast<const char*>(memory));
  if (memory && !device_memory::release(memory)) stop("cudaFree() of what was not allocated, or was freed");
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const Turn turn;
  return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Turn turn;
  return copy_rows(to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  const Turn turn;
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const Turn turn;
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream);
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  const Turn turn;
  if (bytes > pinned_limit - std::min(pinned_limit, counted.pinned_bytes)) return result(cudaErrorMemoryAllocation);
  counted.pinned_bytes += bytes;
  *memory = std::malloc(bytes);
  fill_unknown(*memory, bytes / 4 * 4);
  pinned[static_cast<const char*>(*memory)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  const Turn turn;
  const auto found = pinned.find(static_cast<const char*>(memory));
  if (found == pinned.end()) stop("cudaFreeHost() of what was not allocated, or was freed");
  if (streams::busy(memory, found->second)) stop("cudaFreeHost() of what a copy may still write");
  counted.pinned_bytes -= found->second;
  pinned.erase(found);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  const Turn turn;
  return set(to, value, bytes);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  const Turn turn;
  return set(to, value, bytes);
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const Turn turn;
  *free = device_memory::free_bytes();
  *total = device_memory::total_bytes();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices()) return result(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= devices()) return result(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "PTX on the host");
  properties->totalGlobalMem = device_memory::total_bytes();
  properties->major = PTX_ARCHITECTURE / 10;
  properties->minor = PTX_ARCHITECTURE % 10;
  properties->multiProcessorCount = 4;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = thread_limit;
  properties->maxThreadsPerMultiProcessor = 2048;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = 4;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = PTX_ARCHITECTURE / 10;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = PTX_ARCHITECTURE % 10;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = 0x7fffffff;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = 48 << 10;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = shared_limit;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = thread_limit;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    default:
      stop("cudaDeviceGetAttribute(" + std::to_string(static_cast<int>(attribute)) + ") is not known here");
  }
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  const Turn turn;
  const auto name = registered().find(stub);
  const Kernel* const kernel = name == registered().end() ? nullptr : Kernel::find(name->second);
  if (!kernel) return result(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  loaded_kernels.insert(stub);
  const auto in_name = [&](const std::string& part) { return name->second.find(part) != std::string::npos; };
  if (std::all_of(takes_local_memory.begin(), takes_local_memory.end(), in_name))
    attributes->localSizeBytes = local_bytes;
  attributes->sharedSizeBytes = kernel->shared_bytes;
  attributes->maxThreadsPerBlock = thread_limit;
  attributes->ptxVersion = attributes->binaryVersion = PTX_ARCHITECTURE;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t, unsigned) {
  *blocks = 2;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Turn turn;
  if (flags != cudaStreamNonBlocking) stop("a stream that waits for the default one is not known here");
  *stream = streams::make();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Turn turn;
  return result(streams::destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Turn turn;
  streams::wait(stream, event);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const Turn turn;
  *event = streams::make_event();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Turn turn;
  return result(streams::destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Turn turn;
  streams::record(event, stream);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Turn turn;
  streams::finish(event);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Turn turn;
  if (!streams::is_default(stream)) {
    streams::finish(stream);
    return cudaSuccess;
  }
  ++counted.waits;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const Turn turn;
  ++counted.waits;
  streams::finish_all();
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidDeviceFunction:
      return "cudaErrorInvalidDeviceFunction";
    default:
      return "an error of CUDA on the host";
  }
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

}  // extern "C"
