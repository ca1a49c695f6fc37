// The engine of the CPU: a team of threads that runs packs of chains, each as it finds time. In warm-up the thread that
// ends the last pack of an interval updates the step size and opens the next interval (engine/team.hpp).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>

#include "core/available_memory.hpp"
#include "core/threads.hpp"
#include "diagnostics/summarise_unless.hpp"
#include "engine/accumulate.hpp"
#include "engine/engine_core.hpp"
#include "engine/standing_chains.hpp"
#include "engine/team.hpp"
#include "manychain/core/large_memory.hpp"

namespace manychain {
namespace {

struct alignas(64) CacheLine {
  std::byte bytes[64];
};

template <class Number>
class CpuEngine final : public EngineCore<Number> {
  using Core = EngineCore<Number>;
  using Core::a_;
  using Core::adapter_;
  using Core::program_;
  using Core::segments_;
  using Core::share_;
  using Core::streaming_;

 public:
  CpuEngine(const Model& model, const Settings& settings, const Share& share, std::unique_ptr<Program<Number>> program)
      : Core(model, settings, share, std::move(program)),
        threads_(threads_of_setting(settings.threads)),
        team_(threads_) {
    this->allocate_arrays(settings, static_cast<std::size_t>(threads_ * program_->lanes()), segments_.calibration());
    if (this->keeps_draws_) return;
    const std::size_t held = diagnostics::Segments::longest_chunk * static_cast<std::size_t>(program_->lanes());
    for (int t = 0; t < threads_; ++t)
      thread_memory_.push_back(
          {allocate(held * static_cast<std::size_t>(a_.outputs)), allocate(held * sample_stat_count),
           std::vector<std::uint64_t>(static_cast<std::size_t>(a_.outputs) * diagnostics::bin_count)});
  }

  std::string backend() const override { return "cpu"; }
  std::string device() const override {
    const int threads = team_.threads();
    return std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ") + std::to_string(program_->lanes()) +
           (program_->lanes() == 1 ? " lane" : " lanes");
  }

  std::uint64_t advance(const Block& block, std::size_t adaptation_interval) override {
    if (!this->keeps_draws_ && block.keep)
      advance_streaming(block);
    else if (adaptation_interval > 0 && share_.whole())
      advance_adapting(block, adaptation_interval);
    else if (adaptation_interval > 0)
      advance_adapting_in_ranks(block, adaptation_interval);
    else
      team_.run({advance_packs(a_, block)});
    const std::uint64_t evaluations = collect_evaluations();
    return share_.whole() ? evaluations : share_.ranks().sum(evaluations);
  }

  std::optional<std::vector<VariableSummary>> summarise_unless(const diagnostics::Suffices& suffices, std::size_t kept,
                                                               const std::atomic<bool>* cancel) const override {
    if (!share_.whole() || !this->keeps_draws_) return {};
    return diagnostics::summarise_unless(suffices, kept_draws(kept), threads_, this->superchains_, cancel);
  }

  std::vector<MomentSum> window_moments(int group, std::size_t transitions) const override {
    const std::int64_t begin = group * a_.chains_per_group;
    const std::int64_t chains = std::min(share_.all() - begin, a_.chains_per_group), partials = partials_of(chains);
    const auto count = static_cast<double>(transitions);
    std::vector<MomentSum> moments(static_cast<std::size_t>(a_.dimension));
    const auto add = [&](std::int64_t i, const auto& part) {
      MomentSum sum;
      for (std::int64_t k = 0; k < partials; ++k) {
        const MomentSum one = part(k);
        sum.merge(one.count, one.mean, one.m2);
      }
      moments[static_cast<std::size_t>(i)] = sum;
    };
    if (share_.whole()) {
      const Number* const mean = a_.moments[0] + begin;
      const Number* const m2 = a_.moments[1] + begin;
      team_.run({Team::loop(a_.dimension, [&](std::int64_t i, int) {
        add(i,
            [&](std::int64_t k) { return moment_partial(mean + i * a_.stride, m2 + i * a_.stride, chains, k, count); });
      })});
    } else if (share_.whole_partials()) {
      const std::vector<MomentSum> parts = moments_of_ranks(group, count);
      for (std::int64_t i = 0; i < a_.dimension; ++i)
        add(i, [&](std::int64_t k) { return parts[static_cast<std::size_t>(k * a_.dimension + i)]; });
    } else {
      const std::vector<Number> mean = this->rows_of_all(a_.moments[0]), m2 = this->rows_of_all(a_.moments[1]);
      for (std::int64_t i = 0; i < a_.dimension; ++i)
        add(i, [&](std::int64_t k) {
          return moment_partial(mean.data() + i * share_.all() + begin, m2.data() + i * share_.all() + begin, chains, k,
                                count);
        });
    }
    return moments;
  }

 protected:
  double available_bytes() const override { return available_memory(); }
  /// Thousands of runs ask for little, and the answer takes the system as long as such a run does.
  double always_there() const override { return 64 << 20; }
  bool pools_apart() const override { return true; }
  Number* allocate(std::size_t count) override {
    constexpr std::size_t line = 64;  // of the cache
    // Zeros that the kernel gives, a page when it is first used: a run may end long before its last draw.
    std::size_t bytes = (count * sizeof(Number) + line - 1) / line * line + line;
    Memory& memory = memory_.emplace_back(std::calloc(bytes, 1));
    if (!memory) throw OutOfMemory("out of memory: take fewer Settings::chains or Settings::sampling.draws");
    if (bytes >= large_bytes) prefer_large_pages(memory.get(), bytes);
    void* first = memory.get();
    return static_cast<Number*>(std::align(line, bytes - line, first, bytes));
  }
  Number* allocate_draws(std::size_t count) override {
    if (count < large_bytes / sizeof(Number)) return allocate(count);
    try {
      return draws_memory_.emplace_back(count).data();
    } catch (const std::bad_alloc&) {
      throw OutOfMemory("out of memory: take fewer Settings::chains or Settings::sampling.draws");
    }
  }
  /// Without left-over lanes draws lie as they are wanted.
  bool give_draws(const Number* begin, std::size_t draws, std::size_t rows, DrawValues<Number>& to) override {
    if (a_.chains != a_.stride) return false;
    const auto own = std::find_if(draws_memory_.begin(), draws_memory_.end(),
                                  [begin](const DrawValues<Number>& values) { return values.data() == begin; });
    if (own == draws_memory_.end()) return false;
    to = std::move(*own);
    to.resize(draws * rows * static_cast<std::size_t>(a_.chains));
    return true;
  }
  void to_host(const Number* from, Number* to, std::size_t count) const override { std::copy_n(from, count, to); }
  void rows_to_host(const Number* from, Number* to, std::size_t rows, std::size_t width) const override {
    team_.run({Team::loop(static_cast<std::int64_t>(rows), [&](std::int64_t row, int) {
      std::copy_n(from + row * a_.stride, width, to + row * static_cast<std::int64_t>(width));
    })});
  }
  void rows_to_backend(const Number* from, Number* to, std::size_t rows, std::size_t width) override {
    team_.run({Team::loop(static_cast<std::int64_t>(rows), [&](std::int64_t row, int) {
      std::copy_n(from + row * static_cast<std::int64_t>(width), width, to + row * a_.stride);
    })});
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
    team_.run({for_packs([&](std::int64_t chain, int worker) {
      program_->initialise(a_, tries, chain, program_->lanes(), workspace(worker));
    })});
  }
  std::vector<VariableSummary> summarise_draws(std::size_t kept, const std::atomic<bool>* cancel) const override {
    return manychain::summarise(kept_draws(kept), threads_, this->superchains_, cancel);
  }
  DrawsView<Number> kept_draws(std::size_t kept) const {
    const std::size_t stride = static_cast<std::size_t>(a_.stride), outputs = static_cast<std::size_t>(a_.outputs);
    return {a_.draws, kept, outputs, static_cast<std::size_t>(a_.chains), outputs * stride, stride, 1};
  }
  std::vector<VariableSummary> summarise_view(const DrawsView<Number>& draws, int threads,
                                              const std::atomic<bool>* cancel) const override {
    return manychain::summarise(draws, std::min(threads, threads_), this->superchains_, cancel);
  }

  VariableSummary summarise_output(const std::vector<Number>& draws, std::size_t kept) const override {
    const auto chains = static_cast<std::size_t>(share_.all());
    return manychain::summarise(DrawsView<Number>{draws.data(), kept, 1, chains, chains, 0, 1}, threads_,
                                this->superchains_)[0];
  }

  void accumulate_held(std::uint32_t draws) override {
    const diagnostics::HeldDraws<Number> held = this->held(a_, this->first_chunk(draws));
    team_.run({for_packs([&](std::int64_t chain, int worker) {
      diagnostics::HeldDraws<Number> mine = held;
      mine.draws += chain;
      mine.energy += chain;
      accumulate(mine, chain, worker);
    })});
  }
  std::vector<std::uint64_t> histogram() const override {
    std::vector<std::uint64_t> all(static_cast<std::size_t>(a_.outputs) * diagnostics::bin_count, 0);
    for (const ThreadMemory& thread : thread_memory_)
      for (std::size_t i = 0; i < thread.histogram.size(); ++i) all[i] += thread.histogram[i];
    return all;
  }
  void restore_histogram(const std::vector<std::uint64_t>& counts) override {
    for (ThreadMemory& thread : thread_memory_) std::fill(thread.histogram.begin(), thread.histogram.end(), 0);
    thread_memory_.front().histogram = counts;
  }

  void repeat_first(Number* begin, std::int64_t rows, std::int64_t period) override {
    team_.run({Team::loop(rows, [&](std::int64_t row, int) {
      Number* const x = begin + row * a_.stride;
      for (std::int64_t c = 0; c < a_.stride; ++c)
        if (c % a_.chains_per_group >= period) x[c] = x[c - period];
    })});
  }

 private:
  /// The memory in which a thread accumulates draws: those of its pack, and its counts.
  struct ThreadMemory {
    Number *draws = nullptr, *stats = nullptr;
    std::vector<std::uint64_t> histogram;
  };

  /// Evaluations of the chains here since the last time. A counter in single precision is exact up to 2^24: blocks are
  /// short enough.
  std::uint64_t collect_evaluations() {
    double sum = 0;
    for (const double evaluations : this->of_own_chains(this->counter("evaluations"))) sum += evaluations;
    zero(this->counter("evaluations"), static_cast<std::size_t>(a_.stride));
    return static_cast<std::uint64_t>(sum);
  }

  /// A pack's draws are accumulated while they are still in the cache.
  void advance_streaming(const Block& block) {
    const std::int64_t lanes = program_->lanes();
    const std::vector<diagnostics::Chunk> chunks = segments_.cut(block);
    std::size_t done = 0;
    for (; done < chunks.size() && chunks[done].draw < segments_.calibration(); ++done) {
      const diagnostics::Chunk& s = chunks[done];
      team_.run({advance_packs(a_, s.block)});
      if (s.draw + s.draws == segments_.calibration()) this->calibrate(segments_.calibration());
    }
    team_.run({for_packs([&](std::int64_t chain, int worker) {
      ChainArrays<Number> mine = a_;
      const ThreadMemory& thread = thread_memory_[static_cast<std::size_t>(worker)];
      mine.draws = thread.draws;
      mine.stats = thread.stats;
      mine.draws_stride = lanes;
      mine.draws_chain = chain;
      for (std::size_t k = done; k < chunks.size(); ++k) {
        const diagnostics::Chunk& s = chunks[k];
        Block part = s.block;
        part.first_draw = s.draw;
        program_->advance(mine, part, chain, lanes, workspace(worker));
        if (s.draws == 0) continue;
        accumulate(this->held(mine, s), chain, worker);
      }
    })});
  }

  void accumulate(const diagnostics::HeldDraws<Number>& held, std::int64_t chain, int worker) {
    const int lanes = program_->lanes();
    accumulate_pack(streaming_, held, chain, lanes, static_cast<int>(std::min<std::int64_t>(lanes, a_.chains - chain)),
                    thread_memory_[static_cast<std::size_t>(worker)].histogram.data());
  }

  /// `work(chain, worker)` for the first chain of every pack.
  template <class Work>
  Team::Step for_packs(Work work) const {
    const std::int64_t lanes = program_->lanes();
    return Team::loop((a_.chains + lanes - 1) / lanes,
                      [=](std::int64_t pack, int worker) { work(pack * lanes, worker); });
  }
  /// `block` is read when the step is done.
  Team::Step advance_packs(const ChainArrays<Number>& arrays, const Block& block) {
    return for_packs([this, &arrays, &block](std::int64_t chain, int worker) {
      program_->advance(arrays, block, chain, program_->lanes(), workspace(worker));
    });
  }

  void advance_adapting(const Block& block, std::size_t interval) {
    const ChainArrays<Number> arrays = this->adapting();
    std::uint32_t done = 0;
    Block part = this->part_of(block, done, interval);
    AdapterArrays<Number> observed = this->adapter_arrays(part);
    std::vector<Team::Step> steps = {advance_packs(arrays, part)};
    const int passes = adapter_->passes();
    for (int pass = 0; pass < passes; ++pass) {
      steps.push_back(Team::loop(
          this->partials_of_pass(pass),
          [this, &observed, pass](std::int64_t k, int) { adapter_->pool(observed, pass, k, 1); }, partials_at_once));
      steps.push_back(Team::single([&, this, pass] {
        adapter_->finish(observed, pass);
        if (pass < passes - 1) return;
        done += part.count;
        part = this->part_of(block, done, interval);
        observed = this->adapter_arrays(part);
      }));
    }
    // Threads meet in each interval. Where there is less to do than that takes, fewer of them are faster.
    const int threads = std::clamp(static_cast<int>(work_per_interval_ / worthwhile_seconds), 1, threads_);
    const auto intervals = static_cast<std::uint32_t>((block.count + interval - 1) / interval);
    const Clock::time_point before = Clock::now();
    team_.run(steps, intervals, threads);
    work_per_interval_ = std::chrono::duration<double>(Clock::now() - before).count() * threads / intervals;
  }

  void advance_adapting_in_ranks(const Block& block, std::size_t interval) {
    const ChainArrays<Number> arrays = this->adapting();
    for (std::uint32_t done = 0; done < block.count; done += static_cast<std::uint32_t>(interval)) {
      const Block part = this->part_of(block, done, interval);
      const AdapterArrays<Number> observed = this->adapter_arrays(part);
      team_.run({advance_packs(arrays, part)});
      this->adapt_in_ranks(observed, [&](int pass, const std::vector<std::int64_t>& tasks) {
        team_.run({Team::loop(
            static_cast<std::int64_t>(tasks.size()),
            [&](std::int64_t k, int) { adapter_->pool(observed, pass, tasks[static_cast<std::size_t>(k)], 1); },
            partials_at_once)});
      });
    }
  }

  /// [partial][dimension] of a group, each from the rank that holds its chains.
  std::vector<MomentSum> moments_of_ranks(int group, double count) const {
    const Share::Range here = share_.of_group(share_.here(), group);
    const std::int64_t chains = here.end - here.begin, partials = partials_of(chains), d = a_.dimension;
    const Number* const mean = a_.moments[0] + (here.begin - share_.first());
    const Number* const m2 = a_.moments[1] + (here.begin - share_.first());
    std::vector<MomentSum> mine(static_cast<std::size_t>(partials * d));
    team_.run({Team::loop(d, [&](std::int64_t i, int) {
      for (std::int64_t k = 0; k < partials; ++k)
        mine[static_cast<std::size_t>(k * d + i)] =
            moment_partial(mean + i * a_.stride, m2 + i * a_.stride, chains, k, count);
    })});
    const auto size = [&](std::size_t rank) {
      const Share::Range range = share_.of_group(rank, group);
      return static_cast<std::size_t>(partials_of(range.end - range.begin) * d);
    };
    std::size_t all = 0;
    for (std::size_t r = 0; r < share_.ranges(); ++r) all += size(r);
    std::vector<MomentSum> parts(all);
    share_.gather(mine.data(), parts.data(), [&](std::size_t r) { return size(r) * sizeof(MomentSum); });
    return parts;
  }

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<void, Free>;

  Number* workspace(int worker) const {
    const std::size_t each =
        std::max<std::size_t>(program_->workspace_reals(), 1) * static_cast<std::size_t>(program_->lanes());
    return this->workspace_ + each * static_cast<std::size_t>(worker);
  }
  static constexpr double worthwhile_seconds = 10e-6;
  static constexpr std::int64_t partials_at_once = 16;  // some microseconds
  using Clock = std::chrono::steady_clock;

  int threads_;
  std::vector<Memory> memory_;
  std::vector<DrawValues<Number>> draws_memory_;
  std::vector<ThreadMemory> thread_memory_;  // of a streaming run
  double work_per_interval_ = 0;             // seconds of one thread, in adapting blocks
  mutable Team team_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(const Model& model, const Settings& settings, const Share& share) {
  const ProgramChoice choice{.scalar = settings.scalar, .chains = static_cast<std::size_t>(share.count())};
  return with_program(model, settings, choice,
                      [&]<class Number>(std::unique_ptr<Program<Number>> program) -> std::unique_ptr<Engine> {
                        return std::make_unique<CpuEngine<Number>>(model, settings, share, std::move(program));
                      });
}
std::unique_ptr<Engine> make_cpu_engine(const Model& model, const Settings& settings) {
  return make_cpu_engine(model, settings, Share(settings));
}

ValuesOn values_on(const Model& model, const Settings& settings, const std::vector<double>& points, std::size_t count) {
  if (settings.backend == Backend::cuda) return cuda_values_on(model, settings, points, count);
  const ProgramChoice choice{.scalar = settings.scalar, .chains = count};
  return with_program(model, settings, choice, [&]<class Number>(std::unique_ptr<Program<Number>> program) {
    StandingChains<Number> chains(model.layout().dimension, points, count);
    const auto at_once = static_cast<std::size_t>(program->lanes());
    std::vector<CacheLine> memory(chains.memory(*program, at_once) * sizeof(Number) / sizeof(CacheLine) + 1);
    Number* const begin = reinterpret_cast<Number*>(memory.data());
    std::copy(chains.rows().begin(), chains.rows().end(), begin);
    chains.evaluate(*program, begin, at_once);
    std::copy_n(begin, chains.rows().size(), chains.rows().begin());
    return chains.values(*program);
  });
}

}  // namespace manychain
