#include "runtime/streams.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>

#include "runtime/counts.hpp"

struct CUstream_st {
  struct Operation {
    std::uint64_t number;
    const void* touches;
    std::size_t copy;  // its place in copies()
    std::function<void()> run;
  };
  std::deque<Operation> waiting;
  std::uint64_t added = 0;
  std::size_t after_launches = 0;
};
struct CUevent_st {
  CUstream_st* stream = nullptr;  // null: what it marks is done
  std::uint64_t operations = 0;   // of the stream before it
  std::size_t launches = 0;       // of the default stream before it, or before what it marks
};

namespace ptx::streams {

namespace {

std::set<CUstream_st*>& all() {
  static std::set<CUstream_st*> streams;
  return streams;
}
std::set<CUevent_st*>& events() {
  static std::set<CUevent_st*> events;
  return events;
}
std::vector<Copy> asked;

void finish(CUstream_st& stream, std::uint64_t operations) {
  for (; !stream.waiting.empty() && stream.waiting.front().number < operations; stream.waiting.pop_front()) {
    asked[stream.waiting.front().copy].launches_awaited = counts().launches;
    stream.waiting.front().run();
  }
}

}  // namespace

bool is_default(cudaStream_t stream) { return !all().count(stream); }

cudaStream_t make() { return *all().insert(new CUstream_st).first; }
bool destroy(cudaStream_t stream) {
  if (is_default(stream)) return false;
  finish(stream);
  all().erase(stream);
  delete stream;
  return true;
}
void add(cudaStream_t stream, const void* touches, std::function<void()> operation) {
  stream->waiting.push_back({stream->added++, touches, asked.size(), std::move(operation)});
  asked.push_back({stream->after_launches, counts().launches, 0});
}
void finish(cudaStream_t stream) { finish(*stream, stream->added); }
void finish_all() {
  for (CUstream_st* stream : all()) finish(stream);
}
bool busy(const void* begin, std::size_t bytes) {
  const auto* const first = static_cast<const char*>(begin);
  for (const CUstream_st* stream : all())
    for (const CUstream_st::Operation& one : stream->waiting)
      if (one.touches >= first && one.touches < first + bytes) return true;
  return false;
}

cudaEvent_t make_event() { return *events().insert(new CUevent_st).first; }
bool destroy(cudaEvent_t event) {
  if (!events().erase(event)) return false;
  delete event;
  return true;
}
void record(cudaEvent_t event, cudaStream_t stream) {
  const bool by_default = is_default(stream);
  event->stream = by_default ? nullptr : stream;
  event->operations = by_default ? 0 : stream->added;
  event->launches = by_default ? counts().launches : stream->after_launches;
}
void wait(cudaStream_t stream, cudaEvent_t event) {
  finish(event);
  if (!is_default(stream)) stream->after_launches = std::max(stream->after_launches, event->launches);
}
void finish(cudaEvent_t event) {
  if (event->stream && !is_default(event->stream)) finish(*event->stream, event->operations);
}

const std::vector<Copy>& copies() { return asked; }

}  // namespace ptx::streams
