#include "engine/joined_engine.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "manychain/core/error.hpp"
#include "run/thread_ranks.hpp"

namespace manychain {
namespace {

/// A thread for each part but the first, which is the caller's.
class Hands {
 public:
  explicit Hands(std::size_t parts) {
    for (std::size_t part = 1; part < parts; ++part) {
      if (add_thread(threads_, [this, part] { serve(part); })) continue;
      leave();
      throw SamplingFailed("the system has no thread for each device: take fewer Settings::devices");
    }
  }
  ~Hands() { leave(); }
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  /// Calls `work(part)`, which must not throw, for each part at the same time.
  void run(const std::function<void(std::size_t part)>& work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      ++call_;
      busy_ = threads_.size();
    }
    changed_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return busy_ == 0; });
  }

 private:
  void serve(std::size_t part) {
    std::unique_lock lock(mutex_);
    for (std::uint64_t seen = 0;;) {
      changed_.wait(lock, [&] { return leaving_ || call_ != seen; });
      if (leaving_) return;
      seen = call_;
      const auto* const work = work_;
      lock.unlock();
      (*work)(part);
      lock.lock();
      if (--busy_ == 0) changed_.notify_all();
    }
  }
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::mutex mutex_;  // for all below
  std::condition_variable changed_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::uint64_t call_ = 0;
  std::size_t busy_ = 0;
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

class JoinedEngine final : public Engine {
 public:
  JoinedEngine(const Settings& settings, int parts, const MakePart& make)
      : ranks_(thread_ranks(parts)), hands_(ranks_.size()) {
    for (const std::unique_ptr<Ranks>& ranks : ranks_)
      parts_.push_back(make(Share(settings, *ranks, DrawsOf::own_chains)));
    records_ = static_cast<std::size_t>(first().groups());
    if (first().adapter()) records_ *= first().adapter()->record_bytes();
  }

  std::string backend() const override { return first().backend(); }
  std::string device() const override {
    std::string all;
    for (const std::unique_ptr<Engine>& part : parts_) {
      const std::string name = part->device();
      if (all.empty())
        all = name;
      else if (const std::size_t number = name.rfind(' '); name.rfind(", device ") != std::string::npos)
        all += "+" + name.substr(number + 1);
    }
    return all;
  }
  void initialise(const std::vector<double>& positions, int tries) override {
    each([&](Engine& part) { part.initialise(positions, tries); });
  }
  std::vector<double> position(std::size_t chain) const override {
    return ask([&](const Engine& part) { return part.position(chain); });
  }
  ChainPoints points(std::size_t chains) const override {
    return ask([&](const Engine& part) { return part.points(chains); });
  }
  std::vector<double> gradients(std::size_t chains) const override {
    return ask([&](const Engine& part) { return part.gradients(chains); });
  }
  int groups() const override { return first().groups(); }
  bool has_leaves() const override { return first().has_leaves(); }
  void set_tuning(int group, const GroupTuning& tuning) override {
    each([&](Engine& part) { part.set_tuning(group, tuning); });
  }
  GroupTuning tuning(int group) const override { return first().tuning(group); }  // that of all
  void set_metric(int group, const Metric& metric) override {
    each([&](Engine& part) { part.set_metric(group, metric); });
  }
  Adapter* adapter() override { return parts_.front()->adapter(); }
  void send_adaptation() override {
    each([&](Engine& part) {
      if (&part != parts_.front().get()) std::memcpy(part.adapter()->records(), adapter()->records(), records_);
      part.send_adaptation();
    });
  }
  void collect_adaptation() override { parts_.front()->collect_adaptation(); }  // those of all
  std::uint64_t advance(const Block& block, std::size_t adaptation_interval) override {
    return ask([&](Engine& part) { return part.advance(block, adaptation_interval); });
  }
  void reset_window() override {
    each([](Engine& part) { part.reset_window(); });
  }
  std::vector<MomentSum> window_moments(int group, std::size_t transitions) const override {
    return ask([&](const Engine& part) { return part.window_moments(group, transitions); });
  }
  void reset_counters() override {
    each([](Engine& part) { part.reset_counters(); });
  }
  Snapshot snapshot() const override {
    return ask([](const Engine& part) { return part.snapshot(); });
  }
  Snapshot snapshot_at_first() const override {
    return ask([](const Engine& part) { return part.snapshot_at_first(); });
  }
  void restore(const Snapshot& snapshot) override {
    each([&](Engine& part) { part.restore(snapshot); });
  }
  ChainImage image() const override {
    return ask([](const Engine& part) { return part.image(); });
  }
  void restore_image(const ChainImage& image) override {
    each([&](Engine& part) { part.restore_image(image); });
  }
  ChainStatistics statistics() const override {
    return ask([](const Engine& part) { return part.statistics(); });
  }
  Draws draws(std::size_t begin, std::size_t count) const override {
    return joined([&](Engine& part) { return part.draws(begin, count); });
  }
  Draws sample_stats(std::size_t begin, std::size_t count) const override {
    return joined([&](Engine& part) { return part.sample_stats(begin, count); });
  }
  void restore_draws(std::size_t first, const Draws& draws, const Draws& sample_stats) override {
    each([&](Engine& part) { part.restore_draws(first, draws, sample_stats); });
  }
  Draws take_draws(std::size_t kept) override {
    // The summary reads them where they are: what a host gives away is gone.
    return joined([&](Engine& part) { return backend() == "cuda" ? part.take_draws(kept) : part.draws(0, kept); });
  }
  Draws take_sample_stats(std::size_t kept) override {
    return joined([&](Engine& part) { return part.take_sample_stats(kept); });
  }
  std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) override {
    return ask([&](Engine& part) { return part.summarise(kept, cancel); });
  }
  std::vector<VariableSummary> summarise_given(const Draws& draws, int threads,
                                               const std::atomic<bool>* cancel) const override {
    return first().summarise_given(draws, threads, cancel);
  }
  std::vector<double> streamed_ebfmi(std::size_t kept) const override {
    return ask([&](const Engine& part) { return part.streamed_ebfmi(kept); });
  }
  StreamedDraws streamed(std::size_t kept) const override {
    return ask([&](const Engine& part) { return part.streamed(kept); });
  }
  void restore_streamed(const StreamedDraws& streamed, std::size_t kept) override {
    each([&](Engine& part) { part.restore_streamed(streamed, kept); });
  }

 private:
  const Engine& first() const { return *parts_.front(); }
  Engine& first() { return *parts_.front(); }

  /// Calls `work(part)` for all parts at the same time. Throws what one of them throws.
  template <class Work>
  void each(const Work& work) const {
    std::vector<std::exception_ptr> thrown(parts_.size());
    hands_.run([&](std::size_t p) {
      try {
        ranks_[p]->together([&] { work(*parts_[p]); });
      } catch (...) {
        thrown[p] = std::current_exception();
      }
    });
    for (const std::exception_ptr& one : thrown)
      if (one) std::rethrow_exception(one);
  }
  /// The answer that all parts give alike.
  template <class Question>
  std::invoke_result_t<const Question&, Engine&> ask(const Question& question) const {
    std::invoke_result_t<const Question&, Engine&> answer{};
    each([&](Engine& part) {
      auto own = question(part);
      if (&part == parts_.front().get()) answer = std::move(own);
    });
    return answer;
  }
  /// The draws of all chains, from those of each part.
  template <class Take>
  Draws joined(const Take& take) const {
    std::vector<Draws> own(parts_.size());
    each([&](Engine& part) {
      const auto p = std::find_if(parts_.begin(), parts_.end(), [&](const auto& one) { return one.get() == &part; });
      own[static_cast<std::size_t>(p - parts_.begin())] = take(part);
    });
    Draws all;
    all.draws = own[0].draws;
    all.variables = own[0].variables;
    for (const Draws& one : own) all.chains += one.chains;
    const std::size_t rows = all.draws * all.variables;
    const auto join = [&](auto values) {
      if ((own[0].*values).empty()) return;
      (all.*values).resize(rows * all.chains);
      hands_.run([&](std::size_t p) {
        std::size_t begin = 0;
        for (std::size_t before = 0; before < p; ++before) begin += own[before].chains;
        for (std::size_t row = 0; row < rows; ++row)
          std::copy_n((own[p].*values).begin() + static_cast<std::ptrdiff_t>(row * own[p].chains), own[p].chains,
                      (all.*values).begin() + static_cast<std::ptrdiff_t>(row * all.chains + begin));
      });
    };
    join(&Draws::float32);
    join(&Draws::float64);
    return all;
  }

  std::vector<std::unique_ptr<Ranks>> ranks_;
  std::vector<std::unique_ptr<Engine>> parts_;
  std::size_t records_;  ///< bytes of the records of the adaptation
  mutable Hands hands_;
};

}  // namespace

std::unique_ptr<Engine> make_joined_engine(const Settings& settings, int parts, const MakePart& make) {
  return std::make_unique<JoinedEngine>(settings, parts, make);
}

}  // namespace manychain
