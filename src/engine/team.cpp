#include "engine/team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

namespace manychain {
namespace {

using Clock = std::chrono::steady_clock;

// About what it costs to fall asleep and be woken.
constexpr std::chrono::microseconds longest_spin{20};
constexpr int most_skipped = 63;
// A claim is this share of what is left of a range: small at the end, where others wait for whoever was interrupted.
constexpr std::int64_t claim_share = 8;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Number of spins of a thread before it sleeps. If they were in vain (the others are not running), the next waits skip
/// it: one, three, ..., until it helps again.
struct Patience {
  int skips = 0, skipped = 0;
  bool spins() {
    if (skipped++ < skips) return false;
    skipped = 0;
    return true;
  }
  void helped(bool yes) { skips = yes ? 0 : std::min(2 * skips + 1, most_skipped); }
};

}  // namespace

/// The state of one run. A thread that comes late may look at it after the caller has left: it finds nothing to do, and
/// all that it looks at is here.
class Team::Run {
 public:
  Run(const std::vector<Step>& steps, std::uint32_t rounds, int workers)
      : steps_(steps.data()), rounds_(rounds), workers_(workers), claimed_(static_cast<std::size_t>(workers)) {
    for (const Step& step : steps) sizes_.push_back({step.items, step.grain});
    go_on({0, -1}, 0);
  }

  int workers() const { return workers_; }
  bool finished() const { return now_.load(std::memory_order_acquire) == finished_word; }

  /// Returns when the run has finished.
  void work(int self) {
    Patience patience;
    for (std::uint64_t word = now_.load(std::memory_order_acquire); word != finished_word;) {
      const Place place = place_of(word);
      std::int64_t done = 0;
      for (int k = 0; k < workers_; ++k) done += work_on_range((self + k) % workers_, place, self);
      if (done > 0 && left_.fetch_sub(done, std::memory_order_acq_rel) == done) go_on(place, self);
      word = wait_beyond(word, patience);
    }
  }

  /// Once, by the caller: a thread that comes late must not be the last to hold the exception.
  void rethrow() {
    if (std::exception_ptr exception = std::exchange(exception_, nullptr)) std::rethrow_exception(std::move(exception));
  }

 private:
  struct Size {
    std::int64_t items, grain;
  };
  /// An open loop: the step that it is, and how many were opened before it. One word holds both, so that nobody sees
  /// the number of one and the step of another.
  struct Place {
    std::uint32_t loop;
    std::int64_t step;
  };
  static std::uint64_t word_of(Place place) {
    return std::uint64_t{place.loop} << 32 | static_cast<std::uint64_t>(place.step);
  }
  static Place place_of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::int64_t>(word & 0xffffffff)};
  }
  static constexpr std::uint64_t finished_word = ~std::uint64_t{0};

  struct alignas(64) Claimed {
    std::atomic<std::uint64_t> word{0};  ///< a loop's number, and how many items of this range were claimed in it
  };

  /// Claims and does items of a worker's range until none is left; returns how many. A claim succeeds only while the
  /// loop is open. The claims of an older loop count as none, so nobody needs to reset them.
  std::int64_t work_on_range(int owner, Place place, int self) {
    const auto [items, grain] = sizes_[static_cast<std::size_t>(place.step)];
    const std::int64_t begin = items * owner / workers_, size = items * (owner + 1) / workers_ - begin;
    std::atomic<std::uint64_t>& claimed = claimed_[static_cast<std::size_t>(owner)].word;
    std::int64_t done = 0;
    for (std::uint64_t seen = claimed.load(std::memory_order_relaxed);;) {
      const auto loop = static_cast<std::uint32_t>(seen >> 32);
      const std::int64_t before = loop == place.loop ? static_cast<std::int64_t>(seen & 0xffffffff) : 0;
      const std::int64_t rest = size - before;
      if (loop > place.loop || rest <= 0) return done;
      const std::int64_t count = std::min(rest, std::max(grain, rest / claim_share));
      const std::uint64_t wanted = std::uint64_t{place.loop} << 32 | static_cast<std::uint64_t>(before + count);
      if (!claimed.compare_exchange_weak(seen, wanted, std::memory_order_relaxed)) continue;
      for (std::int64_t k = 0; k < count; ++k) do_item(place.step, begin + before + k, self);
      done += count;
      seen = wanted;
    }
  }

  void do_item(std::int64_t step, std::int64_t item, int self) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      steps_[step].work(item, self);
    } catch (...) {
      if (!failed_.exchange(true)) exception_ = std::current_exception();
    }
  }

  /// After the last item of a loop: does what one thread does alone, and opens the next loop or ends the run.
  void go_on(Place place, int self) {
    const auto steps = static_cast<std::int64_t>(sizes_.size());
    for (;;) {
      if (++place.step == steps) {
        place.step = 0;
        ++round_;
      }
      if (steps == 0 || round_ == rounds_ || failed_.load(std::memory_order_relaxed)) return publish(finished_word);
      const auto [items, grain] = sizes_[static_cast<std::size_t>(place.step)];
      if (workers_ > 1 && items > grain) {
        left_.store(items, std::memory_order_relaxed);
        ++place.loop;
        return publish(word_of(place));
      }
      for (std::int64_t k = 0; k < items; ++k) do_item(place.step, k, self);
    }
  }

  void publish(std::uint64_t word) {
    now_.store(word);                   // sequentially consistent, as is what a sleeper does:
    if (sleepers_.load() == 0) return;  // one of us sees the other
    { std::lock_guard lock(mutex_); }   // not between its last look and its sleep
    wake_.notify_all();
  }

  /// Waits until another word than `old` is published, and returns it.
  std::uint64_t wait_beyond(std::uint64_t old, Patience& patience) {
    std::uint64_t word = now_.load(std::memory_order_acquire);
    if (word != old) return word;
    if (patience.spins()) {
      const Clock::time_point end = Clock::now() + longest_spin;
      do {
        for (int k = 0; k < 8; ++k) relax();
        word = now_.load(std::memory_order_acquire);
      } while (word == old && Clock::now() < end);
      patience.helped(word != old);
      if (word != old) return word;
    }
    std::unique_lock lock(mutex_);
    ++sleepers_;
    wake_.wait(lock, [&] { return (word = now_.load()) != old; });
    --sleepers_;
    return word;
  }

  const Step* const steps_;  // the caller's; read only by those who hold an item, or go on
  const std::uint32_t rounds_;
  const int workers_;
  std::vector<Size> sizes_;
  std::uint32_t round_ = 0;  // of whoever goes on
  std::vector<Claimed> claimed_;
  alignas(64) std::atomic<std::uint64_t> now_{0};
  alignas(64) std::atomic<std::int64_t> left_{0};  ///< items of the open loop that are not reported as done
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr exception_;
  std::mutex mutex_;
  std::condition_variable wake_;
};

Team::Team(int threads, StartThread start) : start_(std::move(start)), threads_(std::max(threads, 1)) {}

Team::~Team() {
  {
    std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  called_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Team::run(const std::vector<Step>& steps, std::uint32_t rounds, int most) {
  std::int64_t useful = 1;
  for (const Step& step : steps) useful = std::max(useful, step.items / step.grain);
  int workers = static_cast<int>(std::min<std::int64_t>({useful, std::max(most, 1), threads_}));
  while (static_cast<int>(others_.size()) < workers - 1) {
    const int worker = static_cast<int>(others_.size()) + 1;
    if (!add_thread(
            others_, [this, worker] { serve(worker); }, start_))
      workers = threads_ = worker;
  }

  const auto run = std::make_shared<Run>(steps, rounds, workers);
  if (!run->finished()) {
    {
      std::lock_guard lock(mutex_);
      run_ = run;
      ++runs_;
    }
    called_.notify_all();
    run->work(0);
    std::lock_guard lock(mutex_);
    run_ = nullptr;
  }
  run->rethrow();
}

void Team::serve(int worker) {
  std::uint64_t served = 0;
  for (;;) {
    std::shared_ptr<Run> run;
    {
      std::unique_lock lock(mutex_);
      called_.wait(lock, [&] { return leaving_ || (run_ && runs_ != served && worker < run_->workers()); });
      if (leaving_) return;
      served = runs_;
      run = run_;
    }
    run->work(worker);
  }
}

}  // namespace manychain
