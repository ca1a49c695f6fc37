#include "foreign/lockstep.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "foreign/stack_switch.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

/// Memory for the stacks of jobs, each above a page that nobody may touch. The kernel gives pages as they are used.
///
/// Stacks of a power of two of pages would have their tops in the same few sets of each cache, which would then hold a
/// few of thousands: they are an odd number of pages apart, and their tops lie at different places of a page.
class Stacks {
 public:
  static constexpr std::size_t size = 256 * 1024;

  explicit Stacks(std::size_t count) : bytes_(count * stride()) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    for (std::size_t k = 0; k < count; ++k) mprotect(static_cast<char*>(memory_) + k * stride(), page(), PROT_NONE);
  }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks() { munmap(memory_, bytes_); }

  Stack operator[](std::size_t k) const {
    constexpr std::size_t line = 64;
    const std::size_t above = k * line % page();
    return {static_cast<char*>(memory_) + k * stride() + page(), size - above};
  }

 private:
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  static std::size_t stride() { return size + page(); }
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

template <class Number>
struct Lockstep<Number>::State {
  struct Fiber {
    Switch here;
    bool prepared = false;
    bool alive = false;     // has a job
    std::size_t first = 0;  // of its points in the batch
  };

  std::size_t dimension = 0;
  std::int64_t most_alive = 0;
  Batch batch;
  Switch scheduler;
  std::unique_ptr<Stacks> stacks;
  std::vector<Fiber> fibers;
  std::size_t now = 0;  // the fiber that runs
  const std::function<void(std::int64_t)>* job = nullptr;
  std::int64_t count = 0, begun = 0;
  std::exception_ptr failure;
  std::vector<std::size_t> waiting;
  std::size_t asked = 0;  // points of the batch
  std::vector<Number> points, log_densities, gradients;

  void reserve(std::size_t alive) {
    if (fibers.size() >= alive) return;
    fibers = std::vector<Fiber>(alive);
    stacks.reset();
    stacks = std::make_unique<Stacks>(alive);
  }

  /// Runs a fiber until it asks for a density or its jobs have ended.
  void go_on(std::size_t k) {
    now = k;
    scheduler.to(fibers[k].here);
  }

  static void enter(void* of) {
    State& state = *static_cast<State*>(of);
    Fiber& mine = state.fibers[state.now];
    mine.here.arrived();
    for (;;) {  // a run after the other
      while (state.begun < state.count && !state.failure) {
        const std::int64_t number = state.begun++;
        try {
          (*state.job)(number);
        } catch (...) {
          if (!state.failure) state.failure = std::current_exception();
        }
      }
      mine.alive = false;
      mine.here.to(state.scheduler);
    }
  }

  void compute() {
    gradients.resize(asked * dimension);
    log_densities.resize(asked);
    try {
      batch(points.data(), asked, log_densities.data(), gradients.data());
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    asked = 0;
  }

  void run() {
    const auto alive = static_cast<std::size_t>(std::min(count, most_alive));
    reserve(alive);
    waiting.clear();
    asked = 0;
    std::vector<std::size_t> ready;
    for (std::size_t k = 0; k < alive && begun < count && !failure; ++k) {
      fibers[k].alive = true;
      if (!std::exchange(fibers[k].prepared, true)) fibers[k].here.prepare((*stacks)[k], enter, this);
      go_on(k);
      if (fibers[k].alive) waiting.push_back(k);
    }
    while (!waiting.empty()) {
      if (!failure) compute();
      ready.swap(waiting);
      waiting.clear();
      for (const std::size_t k : ready) {
        go_on(k);
        if (fibers[k].alive) waiting.push_back(k);
      }
    }
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }
};

template <class Number>
Lockstep<Number>::Lockstep(std::size_t dimension, Batch batch, std::int64_t most_alive)
    : state_(std::make_unique<State>()) {
  state_->dimension = dimension;
  state_->most_alive = most_alive;
  state_->batch = std::move(batch);
}
template <class Number>
Lockstep<Number>::~Lockstep() = default;

template <class Number>
void Lockstep<Number>::run(std::int64_t count, const std::function<void(std::int64_t)>& job) {
  State& state = *state_;
  state.job = &job;
  state.count = count;
  state.begun = 0;
  state.run();
}

template <class Number>
Number* Lockstep<Number>::points(std::size_t count) {
  State& state = *state_;
  const std::size_t first = state.fibers[state.now].first = std::exchange(state.asked, state.asked + count);
  if (state.points.size() < state.asked * state.dimension) state.points.resize(state.asked * state.dimension);
  return state.points.data() + first * state.dimension;
}

template <class Number>
typename Lockstep<Number>::Answers Lockstep<Number>::wait() {
  State& state = *state_;
  typename State::Fiber& mine = state.fibers[state.now];
  mine.here.to(state.scheduler);
  if (state.failure) throw SamplingFailed("another chain failed");  // the failure itself is thrown by run()
  return {state.log_densities.data() + mine.first, state.gradients.data() + mine.first * state.dimension};
}

template class Lockstep<float>;
template class Lockstep<double>;

}  // namespace manychain
