// Chains on clocks of their own on a device: those of the host, whatever the launch and the blocks.
#include "backends/bare_chains.hpp"
#include "backends/gpu.hpp"
#include "manychain/chain/cpu_program.hpp"
#include "manychain/kernels/chain_kernel.cuh"
#include "statistical/slice.hpp"

namespace clocks_test {

using namespace manychain;
using ChainsOnClocks = GpuTest;

/// A skew and a heavy tail: slices of unlike widths.
template <class Number>
struct Unlike {
  static constexpr int dimension = 3;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x"), y = target.real("y"), z = target.real("z");
    target += normal(x, 0, 2);
    target += normal(y, 0.3 * x * x, 0.5);
    target += student_t(z, 3, y, 1);
  }
};

Layout three_parameters() {
  Layout layout;
  layout.dimension = layout.outputs = 3;
  return layout;
}

constexpr std::int64_t chains = 256;
constexpr std::uint64_t transitions = 24;
const std::size_t n = chains;

template <class Number>
struct Outcome {
  std::vector<Number> draws, counters;
};

/// Runs blocks of a program in memory of `allocate`.
template <class Number, class Run, class Allocate, class Send>
ChainArrays<Number> run_blocks(const Run& program, const std::vector<std::uint32_t>& blocks, int parts,
                               const Allocate& allocate, const Send& tuning) {
  const Layout layout = three_parameters();
  ChainArrays<Number> a = bare::arrays<Number>(layout, chains, transitions, allocate);
  a.tuning = tuning();
  Number* const workspace = allocate((program.workspace_reals() + 1) * n);
  std::uint64_t done = 0;
  for (const std::uint32_t count : blocks) {
    for (int p = 0; p < parts; ++p) {
      const std::int64_t each = chains / parts;
      if (done == 0) program.initialise(a, 100, p * each, each, workspace);
      program.advance(a, bare::block(done, count, transitions), p * each, each, workspace);
    }
    done += count;
  }
  return a;
}

template <class Number>
Outcome<Number> on_the_device(const std::vector<std::uint32_t>& blocks, int threads, int parts) {
  std::vector<CudaPointer<std::byte>> memory;
  const auto allocate = [&](std::size_t count) {
    memory.push_back(cuda_allocate(count * sizeof(Number)));
    return reinterpret_cast<Number*>(memory.back().get());
  };
  CudaProgram<Unlike<Number>, Slice<>, Number> program(Data{}, three_parameters());
  program.threads_per_block = threads;
  const ChainArrays<Number> a =
      run_blocks<Number>(program, blocks, parts, allocate, [&] { return static_cast<const void*>(allocate(16)); });
  Outcome<Number> out{std::vector<Number>(transitions * 3 * n), std::vector<Number>(n)};
  cuda_check(cudaMemcpy(out.draws.data(), a.draws, out.draws.size() * sizeof(Number), cudaMemcpyDeviceToHost), "test");
  cuda_check(cudaMemcpy(out.counters.data(), a.counters[4], n * sizeof(Number), cudaMemcpyDeviceToHost), "test");
  return out;
}

template <class Number>
Outcome<Number> on_the_host() {
  std::vector<std::vector<Number>> memory;
  const auto allocate = [&](std::size_t count) {
    memory.emplace_back(count, Number(0));
    return memory.back().data();
  };
  const NoTuning<Number> tuning;
  const CpuProgram<Unlike<Number>, Slice<>, Scalar<Number>> program(Data{}, three_parameters());
  const ChainArrays<Number> a = run_blocks<Number>(program, {static_cast<std::uint32_t>(transitions)}, 1, allocate,
                                                   [&] { return static_cast<const void*>(&tuning); });
  return {std::vector<Number>(a.draws, a.draws + transitions * 3 * n),
          std::vector<Number>(a.counters[4], a.counters[4] + n)};
}

/// Positions are made of random words by exact functions: chains agree to the bit until a density, which rounds
/// otherwise on a device, lies at a level.
template <class Number>
void expect_chains_of_the_host(std::size_t at_least) {
  const Outcome<Number> device = on_the_device<Number>({24}, 0, 1), host = on_the_host<Number>();
  std::size_t same = 0, differ = 0;
  for (std::size_t c = 0; c < n; ++c) {
    bool equal = device.counters[c] == host.counters[c];
    for (std::size_t k = 0; k < transitions * 3; ++k) equal = equal && device.draws[k * n + c] == host.draws[k * n + c];
    same += equal;
    differ += c > 0 && device.counters[c] != device.counters[c - 1];
  }
  EXPECT_GE(same, at_least);
  EXPECT_GT(differ, 200u) << "neighbours are not at different places";
  for (const int threads : {32, 96}) {
    const Outcome<Number> other = on_the_device<Number>({5, 1, 1, 17}, threads, 4);
    EXPECT_TRUE(other.draws == device.draws) << threads << " threads per block";
    EXPECT_TRUE(other.counters == device.counters) << threads << " threads per block";
  }
}
TEST_F(ChainsOnClocks, are_those_of_the_host) { expect_chains_of_the_host<float>(240); }
TEST_F(ChainsOnClocks, are_those_of_the_host_in_double) { expect_chains_of_the_host<double>(256); }

}  // namespace clocks_test
