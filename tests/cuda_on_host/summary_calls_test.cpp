// What the summary of draws on a device asks of the CUDA runtime, counted: each copy to the host waits for the device,
// and each allocation for the driver.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "runtime/counts.hpp"
#include "runtime/device_memory.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using manychain::VariableSummary;
using test_draws::autoregressions;
using test_draws::Draws;

constexpr std::size_t superchains = 5;

/// Draws of one variable on the device, which a view shows as often as is asked for.
template <class Number>
class OneVariable {
 public:
  explicit OneVariable(const Draws<Number>& draws) : view_(draws.view()) {
    const std::size_t bytes = draws.values.size() * sizeof(Number);
    EXPECT_EQ(draws.variables, 1u);
    EXPECT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory_, draws.values.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
    view_.data = static_cast<const Number*>(memory_);
    view_.variable_stride = 0;
  }
  OneVariable(const OneVariable&) = delete;
  OneVariable& operator=(const OneVariable&) = delete;
  ~OneVariable() { cudaFree(memory_); }

  std::vector<VariableSummary> summarise(std::size_t variables) {
    view_.variables = variables;
    return manychain::summarise_on_device(view_, superchains);
  }
  ptx::Counts calls(std::size_t variables) {
    const ptx::Counts before = ptx::counts();
    EXPECT_EQ(summarise(variables).size(), variables);
    return ptx::counts() - before;
  }

 private:
  void* memory_ = nullptr;
  manychain::DrawsView<Number> view_;
};

/// The calls for each output behind the first, which sizes the memory and tells how many lags there are.
template <class Number>
void expect_few_calls(const Draws<Number>& draws, std::size_t first_copies, std::size_t launches) {
  OneVariable<Number> there(draws);
  const std::size_t free = ptx::device_memory::free_bytes();
  const ptx::Counts one = there.calls(1);
  const ptx::Counts further = there.calls(4) - one;
  EXPECT_EQ(ptx::device_memory::free_bytes(), free);

  EXPECT_LE(one.copies_to_host, first_copies);
  EXPECT_EQ(further.copies_to_host, 3 * 2u);  // the order of the draws; all sums
  EXPECT_LE(one.allocations, 16u);
  EXPECT_EQ(further.allocations, 0u);
  EXPECT_EQ(one.releases, one.allocations);
  EXPECT_EQ(further.releases, 0u);
  EXPECT_EQ(one.waits + further.waits, 0u);
  EXPECT_EQ(one.copies_to_device + further.copies_to_device, 0u);
  EXPECT_LE(further.launches, 3 * launches);
}

TEST(SummaryCalls, two_copies_and_no_allocation_for_an_output) {
  expect_few_calls(autoregressions<float>(200, 1, 300, 0.5, 31), 4, 72);
  expect_few_calls(autoregressions<float>(201, 1, 300, 0.5, 31), 4, 76);  // the middle draws are sorted apart
  expect_few_calls(autoregressions<double>(200, 1, 300, 0.5, 35), 4, 76);
  expect_few_calls(autoregressions<double>(33, 1, 257, -0.6, 36), 2, 72);
  expect_few_calls(autoregressions<float>(2, 1, 5000, 0.7, 41), 2, 36);
}

TEST(SummaryCalls, chains_that_mix_slowly) {
  expect_few_calls(autoregressions<float>(64, 1, 300, 0.9, 33, 0.5), 17, 110);
  expect_few_calls(autoregressions<float>(1200, 1, 4, 0.99, 42), 80, 500);
}

TEST(SummaryCalls, nothing_that_moves) {
  Draws<float> constant(50, 1, 4);
  EXPECT_EQ(OneVariable<float>(constant).calls(3).copies_to_host, 3u);
  constant.at(7, 0, 3) = NAN;
  EXPECT_EQ(OneVariable<float>(constant).calls(3).copies_to_host, 3u);
}

// 16 bytes a draw in single precision, 24 in double: with those of the sort, which the values take when it is done.
// Beside them a bit a draw, histograms of the sort, and what grows with the sequences.
TEST(SummaryCalls, memory_is_what_the_documentation_says) {
  constexpr double draws = 1000 * 100, beside = 1.5e5;
  OneVariable<float> single(autoregressions<float>(1000, 1, 100, 0.5, 43));
  EXPECT_LT(static_cast<double>(single.calls(2).allocated_bytes), 16 * draws + beside);
  OneVariable<double> doubled(autoregressions<double>(1000, 1, 100, 0.5, 43));
  EXPECT_LT(static_cast<double>(doubled.calls(2).allocated_bytes), 24 * draws + beside);
}

TEST(SummaryCalls, too_little_memory_is_said_and_given_back) {
  OneVariable<float> there(autoregressions<float>(400, 1, 100, 0.5, 44));
  const std::size_t free = ptx::device_memory::free_bytes();
  for (const std::size_t left : {100u << 10, 500u << 10}) {
    ptx::device_memory::keep_back(free - left);
    try {
      there.summarise(1);
      ADD_FAILURE() << "there were only " << left << " bytes";
    } catch (const manychain::DeviceError& e) {
      EXPECT_EQ(e.problem, manychain::DeviceProblem::out_of_memory);
    }
    ptx::device_memory::keep_back(0);
    EXPECT_EQ(ptx::device_memory::free_bytes(), free);
  }
  EXPECT_EQ(there.summarise(2).size(), 2u);
}

}  // namespace
