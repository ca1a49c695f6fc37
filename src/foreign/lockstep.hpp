// Jobs that ask for log densities one at a time, run so that all that they ask for at one time is computed in one call.
//
// Each job has a stack of its own. It runs until it asks for a density; then the next job runs. When all of them wait,
// the densities are computed together, and each goes on with its own. The job itself is ordinary code, the loop of a
// sampler that knows nothing of this. All of it happens in the thread that calls run().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace manychain {

template <class Number>
class Lockstep {
 public:
  /// Log densities at `count` points, [point][dimension], and their gradients, likewise.
  using Batch = std::function<void(const Number* points, std::size_t count, Number* log_densities, Number* gradients)>;

  /// At most `most_alive` jobs at a time have a stack.
  Lockstep(std::size_t dimension, Batch batch, std::int64_t most_alive);
  ~Lockstep();
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  /// Does job(0), ..., job(count - 1). The first exception, of a job or of the batch, is thrown again once all jobs
  /// have ended: those that wait for densities then throw.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& job);

  /// Within a job of a run(): memory for `count` points of the next batch, [point][dimension]. The job fills it, and
  /// calls wait() before anything else here.
  Number* points(std::size_t count);
  /// Waits for the batch. What it has of the job's points is there until the job asks again.
  struct Answers {
    const Number* log_densities = nullptr;
    const Number* gradients = nullptr;  // [point][dimension]
  };
  Answers wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class Lockstep<float>;
extern template class Lockstep<double>;

}  // namespace manychain
