// Threads of a block and of a warp: what they tell each other, and where they wait.
#include <cstdint>
#include <numeric>

#include "cuda_on_host/machine/on_device.hpp"
#include "cuda_on_host/runtime/block_order.hpp"

namespace threads_test {

using machine::DeviceArray;
constexpr unsigned all_lanes = 0xffffffffu;

static __global__ void shuffles(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __shfl_up_sync(all_lanes, lane, 3);
  out[32 + lane] = __shfl_down_sync(all_lanes, lane, 5, 16);
  out[64 + lane] = __shfl_xor_sync(all_lanes, lane, 9);
  out[96 + lane] = __shfl_sync(all_lanes, lane, 2, 8);
}

TEST(Threads, shuffles) {
  const DeviceArray<int> out(std::vector<int>(128));
  shuffles<<<1, 32>>>(out.data());
  const auto got = out.values();
  for (int l = 0; l < 32; ++l) {
    const auto at = [&](int row) { return got[static_cast<std::size_t>(32 * row + l)]; };
    EXPECT_EQ(at(0), l < 3 ? l : l - 3);
    EXPECT_EQ(at(1), l % 16 < 11 ? l + 5 : l) << "segments of 16";
    EXPECT_EQ(at(2), l ^ 9);
    EXPECT_EQ(at(3), l / 8 * 8 + 2) << "segments of 8";
  }
}

static __global__ void votes(unsigned* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = __ballot_sync(all_lanes, lane % 3 == 0);
  if (lane % 2 == 0) out[32 + lane] = __ballot_sync(0x55555555u, lane > 20);  // the others do not come
  out[64 + lane] = __match_any_sync(all_lanes, lane / 5);
  out[96 + lane] = static_cast<unsigned>(__any_sync(all_lanes, lane == 7)) +
                   2 * static_cast<unsigned>(__all_sync(all_lanes, lane < 31));
}

TEST(Threads, votes) {
  const DeviceArray<unsigned> out(std::vector<unsigned>(128));
  votes<<<1, 32>>>(out.data());
  const auto got = out.values();
  for (unsigned l = 0; l < 32; ++l) {
    EXPECT_EQ(got[l], 0x49249249u);
    if (l % 2 == 0) {
      EXPECT_EQ(got[32 + l], 0x55400000u);
    }
    EXPECT_EQ(got[64 + l], l < 30 ? 31u << l / 5 * 5 : 3u << 30);
    EXPECT_EQ(got[96 + l], 1u);
  }
}

/// Each thread waits for the others twice per round; a quarter leaves after the first.
static __global__ void rounds(int* out, int count) {
  __shared__ int value[128];
  const int t = static_cast<int>(threadIdx.x);
  int sum = t;
  for (int k = 0; k < count; ++k) {
    value[t] = sum;
    __syncthreads();
    if (k > 0 && t >= 96) return;
    sum += value[(t + 1) % (k > 0 ? 96 : 128)];
    __syncthreads();
  }
  out[t] = sum;
}

TEST(Threads, barriers_and_threads_that_have_ended) {
  const DeviceArray<int> out(std::vector<int>(128, -1));
  rounds<<<1, 128>>>(out.data(), 5);
  std::vector<int> expected(128), before;
  std::iota(expected.begin(), expected.end(), 0);
  for (std::size_t k = 0, n = 128; k < 5; ++k, n = 96) {
    before = expected;
    if (k > 0) n = 96;
    for (std::size_t t = 0; t < n; ++t) expected[t] += before[(t + 1) % n];
  }
  std::fill(expected.begin() + 96, expected.end(), -1);
  EXPECT_EQ(out.values(), expected);
}

static __global__ void reductions(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  const int some = __syncthreads_or(t == 40), every = __syncthreads_and(t != 40),
            count = __syncthreads_count(t % 7 == 0);
  if (t == 99) out[0] = some != 0, out[1] = every != 0, out[2] = count;
}

TEST(Threads, reductions_at_a_barrier) {
  const DeviceArray<int> out(std::vector<int>(3));
  reductions<<<1, 100>>>(out.data());
  EXPECT_EQ(out.values(), (std::vector<int>{1, 0, 15}));
}

/// Blocks run side by side: 40 of 64 threads.
static __global__ void atomics(unsigned* u, unsigned long long* wide, float* real) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(u, 1u);
  atomicMin(u + 1, 5000 - t);
  atomicMax(u + 2, t);
  atomicOr(u + 3, 1u << t % 32);
  atomicAnd(u + 4, ~(1u << t % 16));
  atomicXor(u + 5, t);
  atomicInc(u + 6, 99);
  unsigned seen = u[7];
  while (true) {  // a product by compare and swap
    const unsigned before = atomicCAS(u + 7, seen, seen * 3);
    if (before == seen) break;
    seen = before;
  }
  atomicAdd(wide, 1ull << 40);
  atomicAdd(real, 0.5f);
}

TEST(Threads, atomics) {
  const DeviceArray<unsigned> u({0, ~0u, 0, 0, ~0u, 0, 0, 1});
  const DeviceArray<unsigned long long> wide(std::vector<unsigned long long>(1));
  const DeviceArray<float> real(std::vector<float>(1));
  atomics<<<40, 64>>>(u.data(), wide.data(), real.data());
  unsigned power = 1;
  for (int k = 0; k < 2560; ++k) power *= 3;
  EXPECT_EQ(u.values(), (std::vector<unsigned>{2560, 5000 - 2559, 2559, ~0u, 0xffff0000u, 0, 2560 % 100, power}));
  EXPECT_EQ(wide.values()[0], 2560ull << 40);
  EXPECT_EQ(real.values()[0], 1280);
}

/// Each block leaves the sum of its terms and takes a ticket; the last one adds the sums, and the ticket is zero again.
static __global__ void sums_by_the_last_block(const int* terms, int* sums, unsigned* ticket, int* out) {
  const int t = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x),
            blocks = static_cast<int>(gridDim.x);
  bool last = false;
  if (t == 0) {
    int sum = 0;
    for (int k = 0; k < 32; ++k) sum += terms[block * 32 + k];
    sums[block] = sum;
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  if (!__syncthreads_or(last)) return;
  for (int b = t; b < blocks; b += 64) out[b] = sums[b];
  if (t == 0) out[blocks] = block;
}

TEST(Threads, the_last_block) {
  constexpr std::size_t blocks = 50;
  std::vector<int> terms(blocks * 32), expected(blocks), last_blocks;
  for (std::size_t i = 0; i < terms.size(); ++i) expected[i / 32] += terms[i] = static_cast<int>(i * i % 101);
  const DeviceArray<int> device_terms(terms);
  const DeviceArray<unsigned> ticket(std::vector<unsigned>(1));
  for (const auto order : {ptx::BlockOrder::forwards, ptx::BlockOrder::backwards, ptx::BlockOrder::scattered}) {
    const DeviceArray<int> sums(blocks), out(blocks + 1);
    ptx::set_block_order(order);
    sums_by_the_last_block<<<blocks, 64>>>(device_terms.data(), sums.data(), ticket.data(), out.data());
    ptx::set_block_order(ptx::BlockOrder::forwards);
    std::vector<int> got = out.values();
    last_blocks.push_back(got.back());
    got.pop_back();
    EXPECT_EQ(got, expected);
    EXPECT_EQ(ticket.values()[0], 0u);
  }
  EXPECT_EQ(last_blocks[1], 0);
  EXPECT_EQ(last_blocks[2], 39);  // 49 * 2654435761 mod 50
}

/// Three extents, dynamic shared memory, a struct as a parameter.
struct Scale {
  double factor;
  char tag;
  int shift;
};
static __global__ void grid(const __grid_constant__ Scale scale, double* out) {
  extern __shared__ double room[];
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  room[t] = scale.factor * t + scale.shift + scale.tag;
  __syncthreads();
  out[b * 24 + t] = room[23 - t] + 1000 * b;
}

TEST(Threads, grids_and_parameters) {
  const DeviceArray<double> out(12 * 24);
  grid<<<dim3(2, 3, 2), dim3(4, 3, 2), 24 * sizeof(double)>>>(Scale{0.25, 3, -7}, out.data());
  const auto got = out.values();
  for (unsigned b = 0; b < 12; ++b)
    for (unsigned t = 0; t < 24; ++t) EXPECT_EQ(got[b * 24 + t], 0.25 * (23 - t) - 4 + 1000 * b);
}

}  // namespace threads_test
