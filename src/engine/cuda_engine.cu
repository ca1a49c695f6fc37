// The engine of a CUDA device: one chain per thread or warp, many transitions per kernel. The host starts kernels and
// waits at the end of a block. In warm-up a small kernel follows for each pass of an adaptation
// (kernels/cuda_adapter.cuh). A block ends with a kernel that sums up the evaluations; the host waits for this number
// alone.
#include <algorithm>
#include <utility>

#include "diagnostics/accumulate_on_device.hpp"
#include "diagnostics/arrange_on_device.hpp"
#include "engine/draws_to_host.hpp"
#include "engine/engine_core.hpp"
#include "engine/joined_engine.hpp"
#include "engine/on_device.hpp"
#include "engine/standing_chains.hpp"
#include "manychain/adaptation/list.hpp"
#include "manychain/kernels/cuda_error.cuh"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/kernels/pooled_kernels.cuh"
#include "run/devices.hpp"

namespace manychain {
namespace {

int current_device() {
  int device = 0;
  cuda_check(cudaGetDevice(&device), "asking for the current device");
  return device;
}

std::string device_name(int device) {
  cudaDeviceProp properties;
  cuda_check(cudaGetDeviceProperties(&properties, device), "asking for the name of the device");
  return properties.name;
}

int attribute(cudaDeviceAttr what, int device) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, what, device), "asking what the device can hold");
  return value;
}

/// True if the adaptation looks at proposals, for which kernels with leaves are not compiled.
bool observes(const std::string& adaptation) {
  return std::any_of(all_adaptations().begin(), all_adaptations().end(),
                     [&](const AdaptationInfo& a) { return a.name == adaptation && a.observes; });
}

template <class Number>
class CudaEngine final : public EngineCore<Number> {
  using Core = EngineCore<Number>;
  using Core::a_;
  using Core::adapter_;
  using Core::program_;
  using Core::segments_;
  using Core::share_;
  using Core::streaming_;

 public:
  CudaEngine(const Model& model, const Settings& settings, const Share& share, std::unique_ptr<Program<Number>> program)
      : Core(model, settings, share, std::move(program)), to_host_(settings.threads) {
    // The diagnostics sort the draws of one output at least: draws, ranks, scores, and the sort's own copies. Of each
    // half chain they hold moments, and products at 16 lags. Batches of outputs take half of what is free then.
    diagnostics_bytes_ =
        settings.output.keep_draws
            ? (10.0 * sizeof(Number) * static_cast<double>(*settings.sampling.draws) + 2 * 24.0 * sizeof(double)) *
                  static_cast<double>(a_.stride)
            : 0;
    this->allocate_arrays(settings, static_cast<std::size_t>(a_.stride), diagnostics::Segments::longest_chunk);
    if (!settings.output.keep_draws)
      streaming_.histogram = on_device<std::uint64_t>(static_cast<std::size_t>(a_.outputs) * diagnostics::bin_count);
    evaluations_ = on_device<unsigned long long>(1);
    const std::size_t chains = static_cast<std::size_t>(a_.chains), stride = static_cast<std::size_t>(a_.stride);
    if (!this->keeps_draws_) return;
    to_host_.add(a_.draws, *settings.sampling.draws, static_cast<std::size_t>(a_.outputs), chains, stride);
    if (a_.stats) to_host_.add(a_.stats, *settings.sampling.draws, sample_stat_count, chains, stride);
    to_host_.prepare();
  }

  std::string backend() const override { return "cuda"; }
  std::string device() const override {
    const int device = current_device();
    int devices = 1;
    cuda_check(cudaGetDeviceCount(&devices), "counting the devices");
    return device_name(device) + ", " + std::to_string(attribute(cudaDevAttrMultiProcessorCount, device)) +
           " multiprocessors" + (devices > 1 ? ", device " + std::to_string(device) : "");
  }

  DeviceDraws device_draws(std::size_t kept, const std::vector<Quantity>& quantities) const override {
    DeviceDraws draws;
    if (!this->keeps_draws_ || !share_.whole()) return draws;
    draws.device = current_device();
    draws.chains = static_cast<std::size_t>(a_.chains);
    draws.draws = kept;
    draws.bytes = sizeof(Number);
    const RowsOnDevice<Number> rows{a_.draws, a_.stride, a_.chains, static_cast<std::int64_t>(kept), a_.outputs};
    for (const Quantity& quantity : quantities) {
      CudaPointer<std::byte> memory = cuda_allocate(quantity.size() * kept * draws.chains * sizeof(Number));
      arrange_on_device(rows, static_cast<std::int64_t>(quantity.offset), static_cast<std::int64_t>(quantity.size()),
                        reinterpret_cast<Number*>(memory.get()));
      draws.quantities.emplace_back(memory.release(), CudaFree());
    }
    cuda_check(cudaDeviceSynchronize(), "arranging draws on the device");
    return draws;
  }

  std::uint64_t advance(const Block& block, std::size_t adaptation_interval) override {
    if (!this->keeps_draws_ && block.keep) {
      advance_streaming(block);
    } else if (block.keep && adaptation_interval == 0) {
      advance_keeping(block);
    } else if (adaptation_interval == 0) {
      program_->advance(a_, block, 0, a_.stride, this->workspace_);
    } else {
      const ChainArrays<Number> arrays = this->adapting();
      for (std::uint32_t done = 0; done < block.count; done += static_cast<std::uint32_t>(adaptation_interval)) {
        const Block part = this->part_of(block, done, adaptation_interval);
        const AdapterArrays<Number> observed = this->adapter_arrays(part);
        program_->advance(arrays, part, 0, a_.stride, this->workspace_);
        if (!share_.whole()) {
          this->adapt_in_ranks(observed, [&](int pass, const std::vector<std::int64_t>& tasks) {
            adapter_->pool(observed, pass, 0, static_cast<std::int64_t>(tasks.size()));  // all of them
          });
          continue;
        }
        for (int pass = 0; pass < adapter_->passes(); ++pass) {
          adapter_->pool(observed, pass, 0, this->partials_of_pass(pass));
          adapter_->finish(observed, pass);
        }
      }
    }
    return share_.whole() ? evaluations() : share_.ranks().sum(evaluations());
  }

  std::vector<MomentSum> window_moments(int group, std::size_t transitions) const override {
    const std::int64_t begin = group * a_.chains_per_group;
    const std::int64_t chains = std::min(share_.all() - begin, a_.chains_per_group), partials = partials_of(chains);
    // The moments of all chains, on this device: it adds them up as it would alone.
    CudaPointer<std::byte> of_all;
    const Number* moments_here = a_.moments[0];
    std::int64_t stride = a_.stride;
    if (!share_.whole()) {
      std::vector<Number> rows = this->rows_of_all(a_.moments[0]);
      const std::vector<Number> m2 = this->rows_of_all(a_.moments[1]);
      rows.insert(rows.end(), m2.begin(), m2.end());
      of_all = cuda_allocate(rows.size() * sizeof(Number));
      stride = share_.all();
      Number* const there = reinterpret_cast<Number*>(of_all.get());
      put(rows.data(), there, rows.size());
      moments_here = there;
    }
    const int at_once = static_cast<int>(std::clamp<std::int64_t>((1 << 20) / partials, 1, a_.dimension));
    std::vector<MomentSum> part(static_cast<std::size_t>(at_once * partials));
    const CudaPointer<std::byte> memory = cuda_allocate(part.size() * sizeof(MomentSum));
    MomentSum* const device_part = reinterpret_cast<MomentSum*>(memory.get());

    std::vector<MomentSum> moments(static_cast<std::size_t>(a_.dimension));
    for (int first = 0; first < a_.dimension; first += at_once) {
      const int components = std::min(at_once, a_.dimension - first);
      const std::int64_t threads = components * partials;
      const Number* const mean = moments_here + first * stride + begin;
      moment_kernel<<<static_cast<unsigned>((threads + 63) / 64), 64>>>(mean, mean + a_.dimension * stride, stride,
                                                                        chains, components,
                                                                        static_cast<double>(transitions), device_part);
      cuda_check(cudaGetLastError(), "starting the kernel of the window's moments");
      get(device_part, part.data(), static_cast<std::size_t>(threads));
      for (std::int64_t i = 0; i < threads; ++i) {
        const MomentSum& m = part[static_cast<std::size_t>(i)];
        moments[static_cast<std::size_t>(first + i / partials)].merge(m.count, m.mean, m.m2);
      }
    }
    return moments;
  }

 protected:
  double available_bytes() const override {
    const int device = current_device();
    const double reserve = cuda_reserve(program_->local_bytes(), attribute(cudaDevAttrMultiProcessorCount, device),
                                        attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device));
    std::size_t free = 0, total = 0;  // now that the kernels are loaded
    cuda_check(cudaMemGetInfo(&free, &total), "asking for the free memory of the device");
    return std::max(0.0, static_cast<double>(free) - reserve - diagnostics_bytes_);
  }
  bool pools_apart() const override { return false; }
  Number* allocate(std::size_t count) override { return on_device<Number>(count); }
  void to_host(const Number* from, Number* to, std::size_t count) const override { get(from, to, count); }
  void rows_to_host(const Number* from, Number* to, std::size_t rows, std::size_t width) const override {
    if (width == static_cast<std::size_t>(a_.stride)) return get(from, to, rows * width);
    cuda_check(cudaMemcpy2D(to, width * sizeof(Number), from, static_cast<std::size_t>(a_.stride) * sizeof(Number),
                            width * sizeof(Number), rows, cudaMemcpyDeviceToHost),
               "copying draws from the device");
  }
  void rows_to_backend(const Number* from, Number* to, std::size_t rows, std::size_t width) override {
    cuda_check(cudaMemcpy2D(to, static_cast<std::size_t>(a_.stride) * sizeof(Number), from, width * sizeof(Number),
                            width * sizeof(Number), rows, cudaMemcpyHostToDevice),
               "copying draws to the device");
  }
  bool give_draws(const Number* begin, std::size_t draws, std::size_t, DrawValues<Number>& to) override {
    return to_host_.give(begin, draws, to);
  }
  void to_backend(const Number* from, Number* to, std::size_t count) override { put(from, to, count); }
  void bytes_to_host(const std::byte* from, std::byte* to, std::size_t count) const override { get(from, to, count); }
  void bytes_to_backend(const std::byte* from, std::byte* to, std::size_t count) override { put(from, to, count); }
  void zero(Number* begin, std::size_t count) override {
    cuda_check(cudaMemset(begin, 0, count * sizeof(Number)), "clearing memory on the device");
  }
  void run_initialise(int tries) override {
    program_->initialise(a_, tries, 0, a_.stride, this->workspace_);
    wait();
  }
  std::vector<VariableSummary> summarise_draws(std::size_t kept, const std::atomic<bool>* cancel) const override {
    const std::size_t stride = static_cast<std::size_t>(a_.stride), outputs = static_cast<std::size_t>(a_.outputs);
    return summarise_on_device(
        DrawsView<Number>{a_.draws, kept, outputs, static_cast<std::size_t>(a_.chains), outputs * stride, stride, 1},
        this->superchains_, cancel);
  }
  std::vector<VariableSummary> summarise_view(const DrawsView<Number>& draws, int,
                                              const std::atomic<bool>* cancel) const override {
    const std::size_t numbers = draws.draws * draws.variables * draws.chains;
    const CudaPointer<std::byte> memory = cuda_allocate(numbers * sizeof(Number));
    DrawsView<Number> there = draws;
    there.data = reinterpret_cast<const Number*>(memory.get());
    put(draws.data, reinterpret_cast<Number*>(memory.get()), numbers);
    return summarise_on_device(there, this->superchains_, cancel);
  }

  VariableSummary summarise_output(const std::vector<Number>& draws, std::size_t kept) const override {
    const auto chains = static_cast<std::size_t>(share_.all());
    const CudaPointer<std::byte> memory = cuda_allocate(draws.size() * sizeof(Number));
    Number* const there = reinterpret_cast<Number*>(memory.get());
    put(draws.data(), there, draws.size());
    return summarise_on_device(DrawsView<Number>{there, kept, 1, chains, chains, 0, 1}, this->superchains_)[0];
  }

  void accumulate_held(std::uint32_t draws) override {
    accumulate_on_device(streaming_, this->held(a_, this->first_chunk(draws)));
  }
  std::vector<std::uint64_t> histogram() const override {
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(a_.outputs) * diagnostics::bin_count);
    get(streaming_.histogram, counts.data(), counts.size());
    return counts;
  }
  void restore_histogram(const std::vector<std::uint64_t>& counts) override {
    put(counts.data(), streaming_.histogram, counts.size());
  }
  void repeat_first(Number* begin, std::int64_t rows, std::int64_t period) override {
    const std::int64_t threads = rows * a_.stride;
    repeat_kernel<<<static_cast<unsigned>((threads + 255) / 256), 256>>>(begin, rows, a_.stride, a_.chains_per_group,
                                                                         period);
    cuda_check(cudaGetLastError(), "starting the kernel of the superchains");
  }

 private:
  /// In parts that fill a buffer of the host: its copy runs beside the next part, and that of the last part beside the
  /// next block.
  void advance_keeping(const Block& block) {
    const std::uint64_t begin = block.first_transition - block.sampling_begin;
    const std::size_t at_once = to_host_.draws_at_once(), length = at_once > 0 ? at_once * block.thin : block.count;
    to_host_.begin(begin / block.thin - block.first_draw);
    for (std::uint32_t done = 0; done < block.count;) {
      const Block part = this->part_of(block, done, length);
      program_->advance(a_, part, 0, a_.stride, this->workspace_);
      const std::uint64_t first = (begin + done) / block.thin, end = (begin + done + part.count) / block.thin;
      to_host_.copy(first - block.first_draw, end - first);
      done += part.count;
    }
  }

  /// Two kernels per chunk of draws.
  void advance_streaming(const Block& block) {
    for (const diagnostics::Chunk& s : segments_.cut(block)) {
      const bool calibrating = s.draw < segments_.calibration();
      Block part = s.block;
      part.first_draw = calibrating ? 0 : s.draw;
      program_->advance(a_, part, 0, a_.stride, this->workspace_);
      if (!calibrating) {
        if (s.draws > 0) accumulate_on_device(streaming_, this->held(a_, s));
      } else if (s.draw + s.draws == segments_.calibration()) {
        this->calibrate(segments_.calibration());
      }
    }
  }

  template <class T>
  T* on_device(std::size_t count) {
    return reinterpret_cast<T*>(memory_.emplace_back(cuda_allocate(count * sizeof(T))).get());
  }
  template <class T>
  static void put(const T* from, T* to, std::size_t count) {
    cuda_check(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice), "copying to the device");
  }
  template <class T>
  static void get(const T* from, T* to, std::size_t count) {
    cuda_check(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost), "copying from the device");
  }
  static void wait() { cuda_check(cudaStreamSynchronize(nullptr), "running the chains"); }

  /// Evaluations of all chains since the last time. They are summed up on the device: eight bytes come to the host,
  /// when the chains are done.
  std::uint64_t evaluations() {
    Number* const counts = this->counter("evaluations");
    count_kernel<<<static_cast<unsigned>((a_.stride + 255) / 256), 256>>>(counts, a_.chains, a_.stride, evaluations_);
    cuda_check(cudaGetLastError(), "starting the kernel that counts evaluations");
    unsigned long long all = 0;
    cuda_check(cudaMemcpy(&all, evaluations_, sizeof all, cudaMemcpyDeviceToHost), "running the chains");
    return all - std::exchange(counted_, all);
  }

  std::vector<CudaPointer<std::byte>> memory_;
  DrawsToHost<Number> to_host_;
  unsigned long long* evaluations_ = nullptr;
  unsigned long long counted_ = 0;
  double diagnostics_bytes_ = 0;
};

}  // namespace

namespace {
/// Devices of two kinds round otherwise, and the slower one decides.
void require_one_kind(const std::vector<int>& devices) {
  std::string first;
  for (const int device : devices) {
    const CudaState state = cuda_state(device);
    if (!state.usable) throw DeviceError(DeviceProblem::other, "device " + std::to_string(device) + ": " + state.why);
    const std::string name = device_name(device);
    if (first.empty()) first = name;
    if (name != first)
      throw BadInput("Settings::devices: " + std::to_string(devices[0]) + " is " + first + ", " +
                     std::to_string(device) + " is " + name + ": name devices of one kind");
  }
}
/// The device of the settings. Throws where it cannot be used.
int usable_device(const Settings& settings) {
  const CudaState state = cuda_state(settings.device);
  if (!state.usable) {
    // It was usable a moment ago: sample() turns to the CPU.
    if (settings.backend == Backend::automatic) throw DeviceError(DeviceProblem::busy, state.why);
    throw BadInput("backend cuda: " + state.why + "; or take backend cpu (Settings::backend)");
  }
  return settings.device ? *settings.device : current_device();
}
}  // namespace

CudaState cuda_state(std::optional<int> device) {
  CudaState state;
  int devices = 0;
  cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices == 0) status = cudaErrorNoDevice;
  cudaGetLastError();
  state.present = status == cudaSuccess;
  if (state.present && device && (*device < 0 || *device >= devices)) {
    std::vector<std::string> names;
    for (int k = 0; k < devices; ++k) names.push_back(device_name(k));
    throw BadInput("Settings::device: " + no_such_device(*device, names));
  }
  if (state.present) {
    try {
      const CurrentDevice current(device ? *device : current_device());
      cudaFuncAttributes attributes;
      status = cudaFuncGetAttributes(&attributes, repeat_kernel<float>);
      int major = 0, minor = 0;
      if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, current_device());
      if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, current_device());
      if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&state.multiprocessors, cudaDevAttrMultiProcessorCount, current_device());
      state.capability = 10 * major + minor;
      cudaGetLastError();
    } catch (const DeviceError& error) {
      state.why = error.what();
      return state;
    }
  }
  state.usable = status == cudaSuccess;
  if (!state.usable) state.why = cuda_fault(status).sentence + " (" + cudaGetErrorName(status) + ")";
  if (!state.present && device)
    throw BadInput("Settings::device: there is no CUDA device " + std::to_string(*device) + "; " + state.why);
  return state;
}

int cuda_devices() {
  int devices = 0;
  const bool known = cudaGetDeviceCount(&devices) == cudaSuccess;
  cudaGetLastError();
  return known ? devices : 0;
}

bool cuda_available(std::string* why) {
  const CudaState state = cuda_state();
  if (why) *why = state.why;
  return state.usable;
}

std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings) {
  const std::vector<int> devices = devices_of(settings);
  if (devices.empty()) return make_cuda_engine(model, settings, Share(settings));
  Settings one = settings;
  one.devices.clear();
  require_one_kind(devices);
  const auto make = [&](const Share& share) {
    one.device = devices[share.here()];
    return make_cuda_engine(model, one, share);
  };
  if (devices.size() == 1) return make(Share(settings));
  return make_joined_engine(settings, static_cast<int>(devices.size()), make);
}
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings, const Share& share) {
  const CurrentDevice current(usable_device(settings));
  const ProgramChoice choice{
      .cuda = true,
      .leaves = may_have_leaves(model.layout(), settings.sampling.metric) && !observes(settings.warmup.adaptation)};
  return with_program(
      model, settings, choice, [&]<class Number>(std::unique_ptr<Program<Number>> program) -> std::unique_ptr<Engine> {
        return std::make_unique<OnDevice>(
            current_device(), std::make_unique<CudaEngine<Number>>(model, settings, share, std::move(program)));
      });
}

ValuesOn cuda_values_on(const Model& model, const Settings& settings, const std::vector<double>& points,
                        std::size_t count) {
  Settings here = settings;
  here.device = first_device(settings);
  const CurrentDevice current(usable_device(here));
  return with_program(model, settings, {.cuda = true}, [&]<class Number>(std::unique_ptr<Program<Number>> program) {
    StandingChains<Number> chains(model.layout().dimension, points, count);
    const CudaPointer<std::byte> memory = cuda_allocate(chains.memory(*program, chains.stride()) * sizeof(Number));
    Number* const begin = reinterpret_cast<Number*>(memory.get());
    const std::size_t bytes = chains.rows().size() * sizeof(Number);
    cuda_check(cudaMemcpy(begin, chains.rows().data(), bytes, cudaMemcpyHostToDevice), "copying to the device");
    chains.evaluate(*program, begin, chains.stride());
    cuda_check(cudaMemcpy(chains.rows().data(), begin, bytes, cudaMemcpyDeviceToHost), "running the chains");
    return chains.values(*program);
  });
}

}  // namespace manychain
