// Faults that the machine must find, each beside a kernel that does the same rightly.
#include <cmath>

#include "cuda_on_host/machine/on_device.hpp"

namespace faults_test {

using machine::DeviceArray;

class Faults : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// Memory.

static __global__ void copy_pairs(const float* from, float* to) {
  reinterpret_cast<float2*>(to)[threadIdx.x] = reinterpret_cast<const float2*>(from)[threadIdx.x];
}
static __global__ void copy_quads(const float* from, float* to) {
  reinterpret_cast<float4*>(to)[threadIdx.x] = reinterpret_cast<const float4*>(from)[threadIdx.x];
}
static __global__ void copy_words(const char* from, int* to) { to[0] = *reinterpret_cast<const int*>(from); }

TEST_F(Faults, misaligned_vectors) {
  const DeviceArray<float> from(std::vector<float>(20, 1.5f)), to(20);
  copy_pairs<<<1, 4>>>(from.data() + 2, to.data() + 6);
  copy_quads<<<1, 4>>>(from.data() + 4, to.data());
  EXPECT_EQ(to.values()[15], 1.5f);
  EXPECT_DEATH((copy_pairs<<<1, 4>>>(from.data() + 1, to.data())), "misaligned access at .*copy_pairs.*thread 0");
  EXPECT_DEATH((copy_quads<<<1, 4>>>(from.data(), to.data() + 2)), "misaligned access at .*copy_quads");
}
TEST_F(Faults, misaligned_scalars) {
  const DeviceArray<int> from({7, 8}), to(1);
  copy_words<<<1, 1>>>(reinterpret_cast<const char*>(from.data()) + 4, to.data());
  EXPECT_EQ(to.values()[0], 8);
  EXPECT_DEATH((copy_words<<<1, 1>>>(reinterpret_cast<const char*>(from.data()) + 2, to.data())), "misaligned access");
}

static __global__ void add_one(int* x, int count) {
  if (static_cast<int>(threadIdx.x) < count) x[threadIdx.x] += 1;
}

TEST_F(Faults, pointers_of_the_host) {
  std::vector<int> host(64);
  EXPECT_DEATH((add_one<<<1, 64>>>(host.data(), 64)), "global memory that is not the device's at .*add_one");
  EXPECT_DEATH((add_one<<<1, 64>>>(nullptr, 64)), "global memory that is not the device's");
}
TEST_F(Faults, behind_an_allocation) {
  const DeviceArray<int> x(std::vector<int>(64));
  add_one<<<1, 64>>>(x.data(), 64);
  EXPECT_EQ(x.values()[63], 1);
  EXPECT_DEATH((add_one<<<1, 64>>>(x.data() + 64, 64)), "memory that is not there|AddressSanitizer");
#if MANYCHAIN_SANITIZED
  const DeviceArray<int> odd(std::vector<int>(63));
  EXPECT_DEATH((add_one<<<1, 64>>>(odd.data(), 64)), "AddressSanitizer: (use-after-poison|unknown-crash)");
  EXPECT_DEATH((add_one<<<1, 1>>>(odd.data() - 1, 1)), "AddressSanitizer: (use-after-poison|unknown-crash)");
#endif
}
TEST_F(Faults, freed_memory) {
  int* x = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), 256), cudaSuccess);
  cudaFree(x);
  EXPECT_DEATH((add_one<<<1, 1>>>(x, 1)), "memory that is not there|AddressSanitizer");
  EXPECT_DEATH(cudaFree(x), "was not allocated, or was freed");
}
TEST_F(Faults, copies) {
  const DeviceArray<int> x(16);
  std::vector<int> host(32);
  EXPECT_EQ(cudaMemcpy(x.data(), host.data(), 64, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(x.data(), host.data(), 68, cudaMemcpyHostToDevice), cudaErrorInvalidValue) << "too long";
  EXPECT_EQ(cudaMemcpy(x.data(), host.data(), 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue) << "wrong way";
  EXPECT_EQ(cudaMemset(x.data() + 1, 0, 64), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}
TEST_F(Faults, memory_that_nobody_wrote) {
  const DeviceArray<double> wide(8);
  const DeviceArray<float> narrow(8);
  const DeviceArray<int> whole(8);
  EXPECT_TRUE(std::isnan(wide.values()[7]));
  EXPECT_TRUE(std::isnan(narrow.values()[7]));
  EXPECT_GT(whole.values()[7], 1 << 30);
}

// Shared memory.

static __global__ void outside(int* out, int size) {
  extern __shared__ int room[];
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) room[i] = i;
  __syncthreads();
  out[threadIdx.x] = room[threadIdx.x];
}
TEST_F(Faults, outside_shared_memory) {
  const DeviceArray<int> out(32);
  outside<<<1, 32, 256>>>(out.data(), 64);
  EXPECT_EQ(out.values()[31], 31);
  EXPECT_DEATH((outside<<<1, 32, 256>>>(out.data(), 65)), "outside the shared memory of the block .*outside");
}

enum Fault { none, no_barrier_before_reading, no_barrier_before_writing, same_place };

static __global__ void reverse(int* x, Fault fault) {
  __shared__ int room[64];
  const unsigned t = threadIdx.x, n = blockDim.x;
  room[fault == same_place ? 5 : t] = x[t];
  if (fault != no_barrier_before_reading) __syncthreads();
  const int other = room[n - 1 - t];
  if (fault != no_barrier_before_writing) __syncthreads();
  room[t] = other + 1;
  __syncthreads();
  x[t] = room[t];
}
TEST_F(Faults, races_between_warps) {
  const DeviceArray<int> x(std::vector<int>(64, 3));
  reverse<<<1, 64>>>(x.data(), none);
  EXPECT_EQ(x.values()[0], 4);
  EXPECT_DEATH((reverse<<<1, 64>>>(x.data(), no_barrier_before_reading)),
               "race: thread [0-9]+ (reads|writes) bytes of word [0-9]+ .* that thread [0-9]+ (wrote|read), .*reverse");
  EXPECT_DEATH((reverse<<<1, 64>>>(x.data(), no_barrier_before_writing)), "race: thread .* (read|wrote),");
  EXPECT_DEATH((reverse<<<1, 64>>>(x.data(), same_place)), "race: thread 1 writes .* word 5 .* thread 0 wrote,");
}

static __global__ void within_a_warp(int* x, bool synchronised) {
  __shared__ int room[32];
  room[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (synchronised)
    __syncwarp();
  else
    __shfl_sync(0xffffffffu, 0, 0);  // orders nothing
  x[threadIdx.x] = room[threadIdx.x ^ 1];
}
TEST_F(Faults, races_within_a_warp) {
  const DeviceArray<int> x(32);
  within_a_warp<<<1, 32>>>(x.data(), true);
  EXPECT_EQ(x.values()[4], 5);
  EXPECT_DEATH((within_a_warp<<<1, 32>>>(x.data(), false)), "race: thread .* word .*within_a_warp");
}

static __global__ void count_in_shared(int* out, bool atomic) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (atomic)
    atomicAdd(&count, 1);
  else
    *static_cast<volatile int*>(&count) = 1;  // two strong writes: no race, and no sum
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}
TEST_F(Faults, atomics_are_no_race) {
  const DeviceArray<int> out(1);
  count_in_shared<<<1, 96>>>(out.data(), true);
  EXPECT_EQ(out.values()[0], 96);
  count_in_shared<<<1, 96>>>(out.data(), false);
  EXPECT_EQ(out.values()[0], 1);
}

// Threads that wait.

static __global__ void half_a_barrier(int* out) {
  if (threadIdx.x < 16) __syncwarp(0xffffu);
  if (threadIdx.x >= 16) __syncwarp(0xffffffffu);  // for those that have gone another way
  if (threadIdx.x < 16) __syncthreads();
  *out = 1;
}
TEST_F(Faults, threads_that_wait_for_ever) {
  const DeviceArray<int> out(1);
  EXPECT_DEATH((half_a_barrier<<<1, 32>>>(out.data())), "threads wait for each other for ever.*half_a_barrier");
}
static __global__ void mask_without_me(unsigned* out) { out[threadIdx.x] = __ballot_sync(0xffu, 1); }
TEST_F(Faults, masks) {
  const DeviceArray<unsigned> out(32);
  mask_without_me<<<1, 8>>>(out.data());
  EXPECT_EQ(out.values()[0], 0xffu);
  EXPECT_DEATH((mask_without_me<<<1, 16>>>(out.data())), "mask leaves out a thread");
}

TEST_F(Faults, launches) {
  const DeviceArray<int> x(8);
  add_one<<<1, 2048>>>(x.data(), 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  add_one<<<dim3(1, 70000), 1>>>(x.data(), 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  add_one<<<0, 1>>>(x.data(), 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace faults_test
