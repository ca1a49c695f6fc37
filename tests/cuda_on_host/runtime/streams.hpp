// Streams that run beside the default one, and events. What a program asks of such a stream is done as late as CUDA
// allows: when somebody waits for it. A host that reads too early finds bytes that nobody has written.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace ptx::streams {

/// Streams that are done when a call returns: the default one.
bool is_default(cudaStream_t stream);

cudaStream_t make();
/// Does what is left. False: there is no such stream.
bool destroy(cudaStream_t stream);
/// `touches`: the memory of the host that `operation` reads or writes.
void add(cudaStream_t stream, const void* touches, std::function<void()> operation);
void finish(cudaStream_t stream);
void finish_all();
/// True if operations that are left touch this memory.
bool busy(const void* begin, std::size_t bytes);

cudaEvent_t make_event();
bool destroy(cudaEvent_t event);
void record(cudaEvent_t event, cudaStream_t stream);
/// Operations added to the stream from now on come after the event.
void wait(cudaStream_t stream, cudaEvent_t event);
void finish(cudaEvent_t event);

/// A copy on such a stream, when it was asked for. A kernel that starts behind one of these comes later in time.
struct Copy {
  std::size_t after_launches;    ///< of how many launches of the default stream the device is sure to have done
  std::size_t launches_asked;    ///< launches when the copy was asked for
  std::size_t launches_awaited;  ///< launches when the host waited for it; 0: it has not
};
/// Since the program began.
const std::vector<Copy>& copies();

}  // namespace ptx::streams
