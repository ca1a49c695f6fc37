// The engine of the CPU: OpenMP threads, each running packs of chains.
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

#include "engine/engine_core.hpp"
#include "engine/fold.hpp"

namespace manychain {
namespace {

/// No exception (of a compiled density) may leave a parallel region: the first is kept, work after it is skipped, and
/// rethrow() stands behind the region.
class FirstException {
 public:
  template <class Work>
  void guard(Work&& work) noexcept {
    if (thrown_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      if (!thrown_.exchange(true)) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> thrown_{false};
  std::exception_ptr first_;
};

template <class Number>
class CpuEngine final : public EngineCore<Number> {
  using Core = EngineCore<Number>;
  using Core::a_;
  using Core::adapter_;
  using Core::program_;
  using Core::s_;
  using Core::segments_;

 public:
  CpuEngine(const Model& model, const Settings& settings, std::unique_ptr<Program<Number>> program)
      : Core(model, settings, std::move(program)),
        threads_(settings.threads > 0 ? settings.threads : static_cast<int>(std::thread::hardware_concurrency())) {
    threads_ = std::max(threads_, 1);
    this->allocate_arrays(settings, static_cast<std::size_t>(threads_ * program_->lanes()), segments_.calibration());
    if (this->keeps_draws_) return;
    const std::size_t held = diagnostics::Segments::longest_stretch * static_cast<std::size_t>(program_->lanes());
    for (int t = 0; t < threads_; ++t)
      thread_memory_.push_back(
          {allocate(held * static_cast<std::size_t>(a_.outputs)), allocate(held * sample_stat_count),
           std::vector<std::uint64_t>(static_cast<std::size_t>(a_.outputs) * diagnostics::bin_count)});
  }

  std::string backend() const override { return "cpu"; }
  std::string device() const override {
    return std::to_string(threads_) + (threads_ == 1 ? " thread, " : " threads, ") + std::to_string(program_->lanes()) +
           (program_->lanes() == 1 ? " lane" : " lanes");
  }

  std::uint64_t advance(const Block& block, std::size_t adaptation_interval) override {
    if (!this->keeps_draws_ && block.keep)
      advance_streaming(block);
    else if (adaptation_interval > 0)
      advance_adapting(block, adaptation_interval);
    else
      advance_packs(a_, block);
    return this->collect_evaluations();
  }

  std::vector<MomentSum> window_moments(int group, std::size_t transitions) const override {
    const std::int64_t begin = group * a_.chains_per_group;
    const std::int64_t chains = std::min(a_.chains - begin, a_.chains_per_group);
    const Number* const mean = a_.moments[0] + begin;
    const Number* const m2 = mean + a_.dimension * a_.stride;
    std::vector<MomentSum> moments(static_cast<std::size_t>(a_.dimension));
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (int i = 0; i < a_.dimension; ++i) {
      MomentSum sum;
      for (std::int64_t k = 0; k < partials_of(chains); ++k) {
        const MomentSum part =
            moment_partial(mean + i * a_.stride, m2 + i * a_.stride, chains, k, static_cast<double>(transitions));
        sum.merge(part.count, part.mean, part.m2);
      }
      moments[static_cast<std::size_t>(i)] = sum;
    }
    return moments;
  }

 protected:
  double available_bytes() const override {
    return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  }
  Number* allocate(std::size_t count) override {
    const std::size_t bytes = (count * sizeof(Number) + 63) / 64 * 64;
    Memory& memory = memory_.emplace_back(static_cast<Number*>(std::aligned_alloc(64, bytes)));
    if (!memory) throw OutOfMemory("out of memory: take fewer Settings::chains or Settings::draws");
    std::memset(memory.get(), 0, bytes);
    return memory.get();
  }
  void to_host(const Number* from, Number* to, std::size_t count) const override { std::copy_n(from, count, to); }
  void rows_to_host(const Number* from, Number* to, std::size_t rows, std::size_t width) const override {
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::size_t row = 0; row < rows; ++row)
      std::copy_n(from + row * static_cast<std::size_t>(a_.stride), width, to + row * width);
  }
  void to_backend(const Number* from, Number* to, std::size_t count) override { std::copy_n(from, count, to); }
  void bytes_to_host(const std::byte* from, std::byte* to, std::size_t count) const override {
    std::copy_n(from, count, to);
  }
  void bytes_to_backend(const std::byte* from, std::byte* to, std::size_t count) override {
    std::copy_n(from, count, to);
  }
  void zero(Number* begin, std::size_t count) override { std::fill_n(begin, count, Number(0)); }
  void run_initialise(int tries) override {
    const std::int64_t lanes = program_->lanes(), packs = (a_.chains + lanes - 1) / lanes;
    FirstException failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (std::int64_t p = 0; p < packs; ++p)
      failure.guard([&] { program_->initialise(a_, tries, p * lanes, lanes, workspace()); });
    failure.rethrow();
  }
  std::vector<VariableSummary> summarise_draws(std::size_t kept, const std::atomic<bool>* cancel) const override {
    const std::size_t stride = static_cast<std::size_t>(a_.stride), outputs = static_cast<std::size_t>(a_.outputs);
    return manychain::summarise(
        DrawsView<Number>{a_.draws, kept, outputs, static_cast<std::size_t>(a_.chains), outputs * stride, stride, 1},
        threads_, this->superchains_, cancel);
  }

  void fold_held(std::uint32_t draws) override {
    const diagnostics::HeldDraws<Number> held = this->held(a_, this->first_stretch(draws));
    const std::int64_t lanes = program_->lanes(), packs = (a_.chains + lanes - 1) / lanes;
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t p = 0; p < packs; ++p) {
      diagnostics::HeldDraws<Number> mine = held;
      mine.draws += p * lanes;
      mine.energy += p * lanes;
      fold(mine, p * lanes);
    }
  }
  std::vector<std::uint64_t> histogram() const override {
    std::vector<std::uint64_t> all(static_cast<std::size_t>(a_.outputs) * diagnostics::bin_count, 0);
    for (const ThreadMemory& thread : thread_memory_)
      for (std::size_t i = 0; i < thread.histogram.size(); ++i) all[i] += thread.histogram[i];
    return all;
  }

  void repeat_first(Number* begin, std::int64_t rows, std::int64_t period) override {
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t row = 0; row < rows; ++row) {
      Number* const x = begin + row * a_.stride;
      for (std::int64_t c = 0; c < a_.stride; ++c)
        if (c % a_.chains_per_group >= period) x[c] = x[c - period];
    }
  }

 private:
  /// What a thread folds draws with: those of its pack, and what it counted.
  struct ThreadMemory {
    Number *draws = nullptr, *stats = nullptr;
    std::vector<std::uint64_t> histogram;
  };

  void advance_packs(const ChainArrays<Number>& arrays, const Block& block) {
    const std::int64_t lanes = program_->lanes(), packs = (a_.chains + lanes - 1) / lanes;
    FirstException failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (std::int64_t p = 0; p < packs; ++p)
      failure.guard([&] { program_->advance(arrays, block, p * lanes, lanes, workspace()); });
    failure.rethrow();
  }

  void advance_adapting(const Block& block, std::size_t interval) {
    const std::int64_t lanes = program_->lanes(), packs = (a_.chains + lanes - 1) / lanes;
    const ChainArrays<Number> arrays = this->adapting();
    const int passes = adapter_->passes();
    FirstException failure;
    // Threads meet three times a transition. Where a transition is shorter than that takes, fewer of them are faster.
    const int threads = std::clamp(static_cast<int>(work_per_transition_ / worthwhile_seconds), 1, threads_);
    const double before = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    for (std::uint32_t done = 0; done < block.count; done += static_cast<std::uint32_t>(interval)) {
      const Block part = this->part_of(block, done, interval);
      const AdapterArrays<Number> look = this->look_after(part);
#pragma omp for schedule(static)
      for (std::int64_t p = 0; p < packs; ++p)
        failure.guard([&] { program_->advance(arrays, part, p * lanes, lanes, workspace()); });
      for (int pass = 0; pass < passes; ++pass) {
        const std::int64_t partials = this->partials_of_pass(pass);
#pragma omp for schedule(static)
        for (std::int64_t k = 0; k < partials; ++k) adapter_->pool(look, pass, k, 1);
#pragma omp single
        adapter_->finish(look, pass);
      }
    }
    work_per_transition_ = (omp_get_wtime() - before) * threads / block.count;
    failure.rethrow();
  }

  /// A pack's draws are folded while they are still in the cache.
  void advance_streaming(const Block& block) {
    const std::int64_t lanes = program_->lanes(), packs = (a_.chains + lanes - 1) / lanes;
    const std::vector<diagnostics::Stretch> stretches = segments_.cut(block);
    FirstException failure;
    std::size_t done = 0;
    for (; done < stretches.size() && stretches[done].draw < segments_.calibration(); ++done) {
      const diagnostics::Stretch& s = stretches[done];
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
      for (std::int64_t p = 0; p < packs; ++p)
        failure.guard([&] { program_->advance(a_, s.block, p * lanes, lanes, workspace()); });
      failure.rethrow();
      if (s.draw + s.draws == segments_.calibration()) this->calibrate(segments_.calibration());
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (std::int64_t p = 0; p < packs; ++p)
      failure.guard([&] {
        ChainArrays<Number> mine = a_;
        const ThreadMemory& thread = thread_memory_[static_cast<std::size_t>(omp_get_thread_num())];
        mine.draws = thread.draws;
        mine.stats = thread.stats;
        mine.draws_stride = lanes;
        mine.draws_chain = p * lanes;
        for (std::size_t k = done; k < stretches.size(); ++k) {
          const diagnostics::Stretch& s = stretches[k];
          Block part = s.block;
          part.first_draw = s.draw;
          program_->advance(mine, part, p * lanes, lanes, workspace());
          if (s.draws == 0) continue;
          fold(this->held(mine, s), p * lanes);
        }
      });
    failure.rethrow();
  }

  void fold(const diagnostics::HeldDraws<Number>& held, std::int64_t chain) {
    const int lanes = program_->lanes();
    fold_pack(s_, held, chain, lanes, static_cast<int>(std::min<std::int64_t>(lanes, a_.chains - chain)),
              thread_memory_[static_cast<std::size_t>(omp_get_thread_num())].histogram.data());
  }

  struct Free {
    void operator()(Number* p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<Number, Free>;

  Number* workspace() const {
    const std::size_t each =
        std::max<std::size_t>(program_->workspace_reals(), 1) * static_cast<std::size_t>(program_->lanes());
    return this->workspace_ + each * static_cast<std::size_t>(omp_get_thread_num());
  }
  static constexpr double worthwhile_seconds = 50e-6;

  int threads_;
  std::vector<Memory> memory_;
  std::vector<ThreadMemory> thread_memory_;  // of a streaming run
  double work_per_transition_ = 0;           // seconds of one thread, in adapting blocks
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const Model& model, const Settings& settings) {
  if (settings.precision == Precision::single_precision)
    return std::make_unique<CpuEngine<float>>(
        model, settings,
        built(model.bound().single_program(settings.sampler, false, settings.scalar), model, settings));
  return std::make_unique<CpuEngine<double>>(
      model, settings, built(model.bound().double_program(settings.sampler, false, settings.scalar), model, settings));
}

}  // namespace manychain
