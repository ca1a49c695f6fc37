// Adaptations on a device beside those of the CPU: what a pass pools has the CPU's bits, whatever the number of chains
// and groups, and what follows from it differs by the rounding of exp, log and pow.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "backends/gpu.hpp"
#include "manychain/chain/cpu_adapter.hpp"
#include "manychain/kernels/cuda_adapter.cuh"

// Named: nvcc 13.0 confuses an unnamed namespace here with that of the adapter.
namespace adapter_test {

using namespace manychain;
using CudaAdapter = GpuTest;
using Bytes = std::vector<std::byte>;

struct Shape {
  std::int64_t chains, chains_per_group;
  int groups, dimension;
};

/// Everything that AdapterArrays points to, as the host holds it.
template <class Number>
struct Memory {
  enum Array { acceptances, observed, scale, step, tuning, records, partials, first, second, notes, beside, tickets };
  static constexpr std::size_t count = tickets + 1;
  Bytes bytes[count];
  Shape shape;

  std::int64_t stride() const { return (shape.chains + 63) / 64 * 64; }
  template <class T>
  std::vector<T> values(Array array) const {
    std::vector<T> values(bytes[array].size() / sizeof(T));
    std::memcpy(values.data(), bytes[array].data(), bytes[array].size());
    return values;
  }
  template <class T>
  void set(Array array, const std::vector<T>& values) {
    bytes[array].resize(values.size() * sizeof(T));
    std::memcpy(bytes[array].data(), values.data(), bytes[array].size());
  }
  /// `at`: where each array lies.
  AdapterArrays<Number> arrays(std::byte* const (&at)[count], std::uint64_t transition) const {
    AdapterArrays<Number> arrays;
    arrays.acceptances = reinterpret_cast<const Number*>(at[acceptances]);
    for (int k = 0; k < 4; ++k)
      arrays.observed[k] = reinterpret_cast<const Number*>(at[observed]) + k * shape.dimension * stride();
    arrays.chains = shape.chains;
    arrays.stride = stride();
    arrays.chains_per_group = shape.chains_per_group;
    arrays.groups = shape.groups;
    arrays.dimension = shape.dimension;
    arrays.transition = transition;
    arrays.scale = reinterpret_cast<const Number*>(at[scale]);
    arrays.step = reinterpret_cast<Number*>(at[step]);
    arrays.tuning = at[tuning];
    arrays.records = at[records];
    arrays.partials = at[partials];
    arrays.pooled[0] = at[first];
    arrays.pooled[1] = at[second];
    arrays.notes = reinterpret_cast<double*>(at[notes]);
    arrays.memory = reinterpret_cast<double*>(at[beside]);
    arrays.tickets = reinterpret_cast<std::uint32_t*>(at[tickets]);
    return arrays;
  }
};

/// Chains that have done a transition, some of whose proposals are not finite, and an adaptation that learns.
template <class Number>
Memory<Number> chains_of(Adapter& adapter, const Shape& shape) {
  using M = Memory<Number>;
  M memory;
  memory.shape = shape;
  std::mt19937 random(static_cast<unsigned>(shape.chains + 7 * shape.dimension));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto stride = static_cast<std::size_t>(memory.stride()), groups = static_cast<std::size_t>(shape.groups),
             dimension = static_cast<std::size_t>(shape.dimension);
  std::vector<Number> numbers(stride);
  for (Number& x : numbers) x = static_cast<Number>(uniform(random));
  memory.set(M::acceptances, numbers);
  numbers.resize(4 * dimension * stride);
  for (Number& x : numbers) x = static_cast<Number>(normal(random));
  for (std::size_t c = 5; c < stride; c += 97)
    numbers[dimension * stride + c] = std::numeric_limits<Number>::infinity();
  memory.set(M::observed, numbers);
  numbers.resize(groups * dimension);
  for (Number& x : numbers) x = static_cast<Number>(0.5 + uniform(random));
  if (dimension > 5) numbers[3] = 0;  // not moved
  memory.set(M::scale, numbers);
  memory.set(M::step, std::vector<Number>(groups * dimension));

  WarmupPhase phase;
  phase.transitions = 100;
  phase.update_metric = true;
  phase.leapfrog_limit = 100;
  AdaptationPlan plan;
  plan.warmup = 100;
  plan.max_leapfrogs = 100;
  plan.trajectory = true;
  std::vector<TrajectoryTuning<Number>> tunings;
  for (int g = 0; g < shape.groups; ++g) {
    GroupTuning tuning{.step_size = 0.3 + 0.1 * g, .trajectory = 1.5};
    adapter.begin(phase, plan, g, tuning);
    tunings.push_back(TrajectoryTuning<Number>::of(tuning, {}));
  }
  memory.set(M::tuning, tunings);
  memory.bytes[M::records].assign(adapter.records(), adapter.records() + groups * adapter.record_bytes());

  std::size_t most = 0;
  for (int pass = 0; pass < adapter.passes(); ++pass) {
    const std::size_t items = groups * static_cast<std::size_t>(adapter.items(pass, shape.dimension));
    memory.bytes[pass == 0 ? M::first : M::second].resize(items * adapter.statistic_bytes());
    most = std::max(most, items);
  }
  const std::int64_t partials = partials_of(std::min(shape.chains, shape.chains_per_group));
  memory.bytes[M::partials].resize(most * static_cast<std::size_t>(partials) * adapter.statistic_bytes());
  memory.bytes[M::notes].resize(stride * sizeof(double));
  memory.bytes[M::beside].resize(groups * static_cast<std::size_t>(adapter.memory(shape.dimension)) * sizeof(double));
  memory.bytes[M::tickets].resize((most + groups) * sizeof(std::uint32_t));
  return memory;
}

template <class Number>
void look(const AdapterOn<Number>& adapter, const AdapterArrays<Number>& arrays) {
  for (int pass = 0; pass < adapter.passes(); ++pass) {
    adapter.pool(arrays, pass, 0, arrays.groups * adapter.items(pass, arrays.dimension) * arrays.partials_per_item());
    adapter.finish(arrays, pass);
  }
}
template <class Number>
void look_on_host(const AdapterOn<Number>& adapter, Memory<Number>& memory, std::uint64_t transition) {
  std::byte* at[Memory<Number>::count];
  for (std::size_t k = 0; k < memory.count; ++k) at[k] = memory.bytes[k].data();
  look(adapter, memory.arrays(at, transition));
}
template <class Number>
void look_on_device(const AdapterOn<Number>& adapter, Memory<Number>& memory, std::uint64_t transition) {
  std::byte* at[Memory<Number>::count];
  std::vector<CudaPointer<std::byte>> device;
  for (std::size_t k = 0; k < memory.count; ++k) {
    at[k] = device.emplace_back(cuda_allocate(memory.bytes[k].size())).get();
    cuda_check(cudaMemcpy(at[k], memory.bytes[k].data(), memory.bytes[k].size(), cudaMemcpyHostToDevice), "testing");
  }
  look(adapter, memory.arrays(at, transition));
  for (std::size_t k = 0; k < memory.count; ++k)
    cuda_check(cudaMemcpy(memory.bytes[k].data(), at[k], memory.bytes[k].size(), cudaMemcpyDeviceToHost), "testing");
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<T>& expected, double relative) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], relative * std::fabs(static_cast<double>(expected[i]))) << i;
}

/// Two transitions, the second from where the CPU was after the first: then directions are learnt, too.
template <class Number>
void expect_like_the_cpu(const char* name, const Shape& shape) {
  SCOPED_TRACE(testing::Message() << name << ", " << shape.chains << " chains, " << shape.groups
                                  << " groups, dimension " << shape.dimension << ", " << sizeof(Number) << " bytes");
  using M = Memory<Number>;
  using Tuning = TrajectoryTuning<Number>;
  const auto on_cpu = make_cpu_adapter<Tuning, Number>(name, shape.groups, AllAdaptations{});
  const auto on_device = make_cuda_adapter<Tuning, Number>(name, shape.groups, AllAdaptations{});
  M cpu = chains_of<Number>(*on_cpu, shape);
  for (const std::uint64_t transition : {6u, 7u}) {
    M device = cpu;
    look_on_host(*on_cpu, cpu, transition);
    look_on_device(*on_device, device, transition);
    EXPECT_EQ(device.bytes[M::first], cpu.bytes[M::first]);
    EXPECT_EQ(device.bytes[M::second], cpu.bytes[M::second]);
    EXPECT_EQ(device.bytes[M::notes], cpu.bytes[M::notes]);
    for (const std::uint32_t ticket : device.template values<std::uint32_t>(M::tickets)) EXPECT_EQ(ticket, 0u);

    // exp, log and pow of numbers below 10, each to some units in the last place.
    const double rounding = sizeof(Number) == 4 ? 1e-6 : 1e-14;
    const auto theirs = cpu.template values<Tuning>(M::tuning), ours = device.template values<Tuning>(M::tuning);
    for (std::size_t g = 0; g < ours.size(); ++g) {
      EXPECT_NEAR(ours[g].step_size / theirs[g].step_size, 1, rounding);
      EXPECT_NEAR(ours[g].trajectory / theirs[g].trajectory, 1, rounding);
    }
    expect_near(device.template values<Number>(M::step), cpu.template values<Number>(M::step), rounding);
    expect_near(device.template values<double>(M::beside), cpu.template values<double>(M::beside), 1e-14);
  }
}

constexpr Shape shapes[] = {{1, 64, 1, 1},       {77, 128, 1, 10},   {256, 256, 1, 10}, {300, 320, 1, 100},
                            {1000, 1024, 1, 10}, {1000, 384, 3, 10}, {200, 64, 4, 100}};

TEST_F(CudaAdapter, pooled_bits_of_the_cpu) {
  for (const Shape& shape : shapes)
    for (const char* name : {"windowed", "chees", "snaper"}) {
      expect_like_the_cpu<float>(name, shape);
      expect_like_the_cpu<double>(name, shape);
    }
}

// More partials than there are threads in a block.
TEST_F(CudaAdapter, many_partials) { expect_like_the_cpu<double>("windowed", {70000, 70016, 1, 1}); }

}  // namespace adapter_test
