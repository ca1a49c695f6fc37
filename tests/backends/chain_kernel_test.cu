// The chain kernel on a device: its random integers, and that neither launch shape nor blocks change a bit.
#include <curand_kernel.h>

#include "backends/bare_chains.hpp"
#include "backends/gpu.hpp"
#include "manychain/kernels/chain_kernel.cuh"
#include "manychain/models/eight_schools.hpp"
#include "manychain/models/normal.hpp"

// Named: nvcc 13.0 confuses an unnamed namespace here with that of the chain kernel.
namespace chain_kernel_test {

using namespace manychain;
using ChainKernel = GpuTest;

/// Words of chain `threadIdx.x`: those of chain code, then those of cuRAND's own state.
static __global__ void random_words(std::uint64_t seed, std::uint64_t chain, std::uint64_t transition,
                                    std::uint32_t block, std::uint32_t* words) {
  const std::uint64_t here = chain + threadIdx.x;
  Bits<Scalar<float>> ours[4];
  Stream<Scalar<float>>(seed, Purpose::transition, here, transition).words(block, ours);
  curandStatePhilox4_32_10_t state;
  curand_init(seed, here, (transition << 24) + 4 * static_cast<std::uint64_t>(block), &state);
  const uint4 theirs = curand4(&state);
  std::uint32_t* out = words + 8 * threadIdx.x;
  for (int k = 0; k < 4; ++k) out[k] = ours[k].v;
  out[4] = theirs.x, out[5] = theirs.y, out[6] = theirs.z, out[7] = theirs.w;
}

TEST_F(ChainKernel, same_integers_as_the_host) {
  constexpr int threads = 64;
  const auto memory = cuda_allocate(threads * 8 * sizeof(std::uint32_t));
  std::uint32_t* const device = reinterpret_cast<std::uint32_t*>(memory.get());
  for (const std::uint64_t seed : {0ull, 1ull, ~0ull})
    for (const std::uint64_t chain : {0ull, (1ull << 32) - 8})
      for (const std::uint64_t transition : {0ull, 12345ull, (1ull << 40) - 1})
        for (const std::uint32_t block : {0u, 3u, (1u << 22) - 1}) {
          random_words<<<1, threads>>>(seed, chain, transition, block, device);
          std::vector<std::uint32_t> words(threads * 8);
          cuda_check(cudaMemcpy(words.data(), device, words.size() * 4, cudaMemcpyDeviceToHost), "testing");
          for (unsigned c = 0; c < threads; ++c) {
            Bits<Scalar<float>> host[4];
            Stream<Scalar<float>>(seed, Purpose::transition, chain + c, transition).words(block, host);
            for (unsigned k = 0; k < 4; ++k) {
              ASSERT_EQ(words[8 * c + k], host[k].v) << "chain " << chain + c << " transition " << transition;
              ASSERT_EQ(words[8 * c + 4 + k], host[k].v) << "cuRAND's own state";
            }
          }
        }
}

Data normal_data() {
  Data data;
  data.set("D", 10);
  return data;
}
Data eight_schools_data() {
  return Data::from_json(R"({"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})");
}

/// Some chains on the device, run by a program directly.
template <class ModelType>
class Chains {
 public:
  Chains(const char* name, const Data& data, std::int64_t chains, std::uint64_t draws, int threads)
      : layout_(builtin_model(name, data).layout()), program(data, layout_), draws_(draws) {
    program.threads_per_block = threads;
    arrays = bare::arrays<float>(layout_, chains, draws, [&](std::size_t n) { return allocate(n); });
    float* const step = allocate(layout_.dimension);
    const std::vector<float> steps(layout_.dimension, 0.1f);
    cuda_check(cudaMemcpy(step, steps.data(), steps.size() * 4, cudaMemcpyHostToDevice), "testing");
    const TrajectoryTuning<float> tuning{0.1f, step, 1.0f, 20};
    memory_.push_back(cuda_allocate(sizeof tuning));
    cuda_check(cudaMemcpy(memory_.back().get(), &tuning, sizeof tuning, cudaMemcpyHostToDevice), "testing");
    arrays.tuning = memory_.back().get();
    workspace = allocate((program.workspace_reals() + 1) * static_cast<std::size_t>(chains));
  }

  /// Runs transitions first ... first + count - 1, launching `parts` ranges of chains.
  void run(std::uint64_t first, std::uint32_t count, int parts) {
    const std::int64_t each = arrays.stride / parts;
    for (int p = 0; p < parts; ++p) {
      const std::int64_t begin = p * each, end = p + 1 < parts ? begin + each : arrays.stride;
      if (first == 0) program.initialise(arrays, 100, begin, end - begin, workspace);
      program.advance(arrays, bare::block(first, count, draws_), begin, end - begin, workspace);
    }
  }

  std::vector<float> host(const float* from, std::size_t count) const {
    std::vector<float> to(count);
    cuda_check(cudaMemcpy(to.data(), from, count * 4, cudaMemcpyDeviceToHost), "testing");
    return to;
  }
  std::vector<float> positions() const {
    return host(arrays.state[0], layout_.dimension * static_cast<std::size_t>(arrays.stride));
  }
  std::vector<float> draws() const {
    return host(arrays.draws, draws_ * layout_.outputs * static_cast<std::size_t>(arrays.stride));
  }

 private:
  float* allocate(std::size_t n) {
    memory_.push_back(cuda_allocate(n * sizeof(float)));
    return reinterpret_cast<float*>(memory_.back().get());
  }
  Layout layout_;
  std::vector<CudaPointer<std::byte>> memory_;

 public:
  CudaProgram<ModelType, Hmc<>, float> program;
  ChainArrays<float> arrays;
  float* workspace = nullptr;

 private:
  std::uint64_t draws_;
};

template <class ModelType>
void expect_same_bits(const char* name, const Data& data) {
  constexpr std::int64_t chains = 1000;
  constexpr std::uint64_t draws = 12;
  Chains<ModelType> reference(name, data, chains, draws, 256);
  reference.run(0, draws, 1);
  const auto positions = reference.positions(), kept = reference.draws();
  double sum = 0;
  for (const float x : kept) sum += std::fabs(x);
  EXPECT_TRUE(std::isfinite(sum) && sum > 0);

  for (const int threads : {32, 96, 128}) {
    Chains<ModelType> other(name, data, chains, draws, threads);
    other.run(0, 5, 3);
    other.run(5, 1, 1);
    other.run(6, 6, 7);
    EXPECT_TRUE(other.positions() == positions) << threads << " threads per block";
    EXPECT_TRUE(other.draws() == kept) << threads << " threads per block";
  }
  Chains<ModelType> unrecorded(name, data, chains, 0, 0);
  unrecorded.run(0, draws, 1);
  EXPECT_TRUE(unrecorded.positions() == positions) << "nothing recorded";
}

TEST_F(ChainKernel, same_bits_for_any_launch_in_registers) {
  expect_same_bits<models::Normal<float, 10>>("normal", normal_data());
}
TEST_F(ChainKernel, same_bits_for_any_launch_in_memory) {
  expect_same_bits<models::EightSchools<float>>("eight_schools", eight_schools_data());
}

// Draws of more than 2^31 elements: the last draw of every chain must lie where it belongs.
TEST_F(ChainKernel, indices_beyond_32_bits) {
  constexpr std::int64_t chains = 1 << 17;
  constexpr std::uint64_t draws = 1700;  // x 10 x 131072 = 2.2e9 elements, and 0.9e9 of statistics
  std::size_t free = 0, total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), "testing");
  if (free < std::size_t{13} << 30) GTEST_SKIP() << "needs 13 GiB of free device memory, there are " << (free >> 30);
  Chains<models::Normal<float, 10>> many("normal", normal_data(), chains, draws, 0);
  many.program.initialise(many.arrays, 100, 0, chains, many.workspace);
  many.run(draws - 1, 1, 1);
  const std::size_t row = 10 * static_cast<std::size_t>(chains);
  const auto positions = many.positions();
  EXPECT_TRUE(many.host(many.arrays.draws + (draws - 1) * row, row) == positions);
  EXPECT_TRUE(many.host(many.arrays.draws + (draws - 2) * row, row) == std::vector<float>(row)) << "wrote elsewhere";
  EXPECT_NE(positions.back(), 0.0f);
}

}  // namespace chain_kernel_test
