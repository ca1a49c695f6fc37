// Draws on their way from a CUDA device to the host, while chains go on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "engine/parallel_copy.hpp"
#include "manychain/diagnostics/draws.hpp"
#include "manychain/kernels/cuda_memory.cuh"

namespace manychain {

/// Copies what is recorded, draw after draw, on a stream of its own: into one of two pinned buffers, and from there to
/// its place on the host while the other one is filled. The device is the one that is current, always the same. The
/// host fetches the pages of that place while it waits for the device, and copies in several threads. The engine cuts a
/// block into kernels whose draws fill a buffer of 4 MB. Draws stay on the device, too, for the summary.
///
/// If all draws fit into a buffer, if no memory can be pinned, or if draws are not recorded in order, give() copies
/// what is missing.
template <class Number>
class DrawsToHost {
 public:
  /// `threads`: of the host, at most; as Settings::threads.
  explicit DrawsToHost(int threads) : host_(threads > 0 ? threads : default_threads()) {}
  DrawsToHost(const DrawsToHost&) = delete;
  DrawsToHost& operator=(const DrawsToHost&) = delete;
  ~DrawsToHost() {
    if (stream_) cudaStreamSynchronize(stream_.get());  // before its buffers go
  }

  /// An array of `draws` draws, each `rows` rows of `chains` Numbers that lie `stride` apart. Before anything else.
  void add(const Number* begin, std::size_t draws, std::size_t rows, std::size_t chains, std::size_t stride) {
    arrays_.push_back({begin, rows, {}});
    draws_ = draws, chains_ = chains, stride_ = stride;
    rows_ += rows;
  }
  /// Once all arrays are known. Pins memory, if there is anything to gain.
  void prepare() {
    const std::size_t all = draws_ * rows_ * chains_;
    buffer_rows_ = std::max<std::size_t>(buffer_bytes / sizeof(Number) / std::max<std::size_t>(chains_, 1), 1);
    if (all <= buffer_rows_ * chains_) return;
    for (Buffer& buffer : buffers_) {
      buffer.numbers = cuda_pinned<Number>(buffer_rows_ * chains_);
      if (!buffer.numbers) return;
    }
    stream_ = cuda_stream();
    recorded_ = cuda_event();
    for (Buffer& buffer : buffers_) buffer.filled = cuda_event();
  }

  /// So many draws fill a buffer: kernels that record more than these are better two, so that the copy of the one runs
  /// beside the other. Zero: nothing is copied before give().
  std::size_t draws_at_once() const { return stream_ ? std::max<std::size_t>(buffer_rows_ / rows_, 1) : 0; }

  /// The next draw to be recorded. Before the kernel starts: it may write to memory that is not copied yet.
  void begin(std::uint64_t draw) {
    if (draw >= done_) return;
    settle();
    done_ = draw;
  }
  /// Asks for the copy of draws that the kernels started so far record. Waits for copies before the last two alone.
  void copy(std::uint64_t first, std::size_t draws) {
    if (!stream_ || draws == 0 || first != done_ || !make_room()) return;
    cuda_check(cudaEventRecord(recorded_.get(), nullptr), doing);
    cuda_check(cudaStreamWaitEvent(stream_.get(), recorded_.get(), 0), doing);
    for (Array& array : arrays_) {
      const std::size_t end = (first + draws) * array.rows;
      for (std::size_t row = first * array.rows; row < end; row += buffer_rows_)
        fill(array, row, std::min(buffer_rows_, end - row));
    }
    done_ += draws;
  }

  /// The first `draws` draws of the array at `begin`, all of them there. False if none was copied; may be called once.
  bool give(const Number* begin, std::size_t draws, DrawValues<Number>& to) {
    settle();
    const auto array = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& a) { return a.begin == begin; });
    if (done_ == 0 || array == arrays_.end() || array->values.empty()) return false;
    to = std::move(array->values);
    to.resize(draws * array->rows * chains_);
    const std::size_t there = std::min<std::size_t>(done_, draws) * array->rows, rest = draws * array->rows - there;
    if (rest > 0)
      cuda_check(cudaMemcpy2D(to.data() + there * chains_, width(), begin + there * stride_, pitch(), width(), rest,
                              cudaMemcpyDeviceToHost),
                 doing);
    return true;
  }

 private:
  /// Fills in a fraction of a millisecond, and takes a few to be pinned.
  static constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
  static constexpr const char* doing = "copying draws from the device";

  struct Array {
    const Number* begin;
    std::size_t rows;
    DrawValues<Number> values;
  };
  struct Buffer {
    CudaPinned<Number> numbers;
    CudaEvent filled;
    Array* array = nullptr;  // whose rows are in it, or on their way; null: nobody's
    std::size_t row = 0, rows = 0;

    /// Destination of its rows.
    Number* place(std::size_t chains) const { return array->values.data() + row * chains; }
  };

  std::size_t width() const { return chains_ * sizeof(Number); }
  std::size_t pitch() const { return stride_ * sizeof(Number); }

  /// On the host, untouched until draws come. False if there is none.
  bool make_room() {
    try {
      for (Array& array : arrays_)
        if (array.values.empty()) array.values.resize(draws_ * array.rows * chains_);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void fill(Array& array, std::size_t row, std::size_t rows) {
    Buffer& buffer = buffers_[next_];
    next_ = 1 - next_;
    settle(buffer);
    cuda_check(cudaMemcpy2DAsync(buffer.numbers.get(), width(), array.begin + row * stride_, pitch(), width(), rows,
                                 cudaMemcpyDeviceToHost, stream_.get()),
               doing);
    cuda_check(cudaEventRecord(buffer.filled.get(), stream_.get()), doing);
    buffer.array = &array, buffer.row = row, buffer.rows = rows;
  }
  void settle(Buffer& buffer) {
    if (!buffer.array) return;
    host_.fetch_pages(buffer.place(chains_), buffer.rows * width());  // while the copy is on its way
    cuda_check(cudaEventSynchronize(buffer.filled.get()), doing);
    host_.copy(buffer.place(chains_), buffer.numbers.get(), buffer.rows * width());
    buffer.array = nullptr;
  }
  void settle() {
    for (int k = 0; k < 2; ++k) settle(buffers_[(next_ + k) % 2]);  // the older one first
  }

  static int default_threads() { return static_cast<int>(std::thread::hardware_concurrency()); }

  ParallelCopy host_;
  std::vector<Array> arrays_;
  Buffer buffers_[2];
  CudaStream stream_;  // null: nothing is copied before give()
  CudaEvent recorded_;
  std::size_t draws_ = 0, chains_ = 0, stride_ = 0, rows_ = 0, buffer_rows_ = 0;
  std::uint64_t done_ = 0;  // draws from the first on that are copied, or will be
  int next_ = 0;
};

}  // namespace manychain
