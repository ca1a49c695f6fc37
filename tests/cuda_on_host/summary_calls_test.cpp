// The calls of the CUDA runtime that the summary of draws on a device makes, counted: each copy to the host waits for
// the device, and each allocation for the driver.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "diagnostics/summary_on_device.hpp"
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

  const manychain::DrawsView<Number>& view(std::size_t variables) {
    view_.variables = variables;
    return view_;
  }
  std::vector<VariableSummary> summarise(std::size_t variables) {
    return manychain::summarise_on_device(view(variables), superchains);
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

/// The calls of a summary of one output, and that those of many are no more.
template <class Number>
void expect_few_calls(const Draws<Number>& draws, std::size_t copies, std::size_t launches) {
  OneVariable<Number> there(draws);
  const std::size_t free = ptx::device_memory::free_bytes();
  const ptx::Counts one = there.calls(1), two = there.calls(2), many = there.calls(12);
  EXPECT_EQ(ptx::device_memory::free_bytes(), free);

  EXPECT_LE(one.copies_to_host, copies);
  EXPECT_LE(one.launches, launches);
  EXPECT_EQ(many.copies_to_host, one.copies_to_host);
  // Several outputs are parted by a sort of their own, once of the draws and once of the middle ones.
  EXPECT_LE(two.launches, launches + 60);
  EXPECT_LE(many.launches, two.launches + 20);  // a sort of more draws may take another way
  for (const ptx::Counts& calls : {one, two, many}) {
    EXPECT_LE(calls.allocations, 40u);
    EXPECT_EQ(calls.releases, calls.allocations);
    EXPECT_EQ(calls.waits, 0u);
    EXPECT_EQ(calls.copies_to_device, 0u);
  }
}

TEST(SummaryCalls, do_not_grow_with_outputs) {
  expect_few_calls(autoregressions<float>(20, 1, 300, 0.5, 31), 4, 90);  // chains of two partial sums
  expect_few_calls(autoregressions<float>(41, 1, 60, 0.5, 31), 4, 90);   // the middle draws are sorted apart
  expect_few_calls(autoregressions<double>(33, 1, 60, -0.6, 36), 4, 90);
  expect_few_calls(autoregressions<float>(2, 1, 600, 0.7, 41), 2, 90);
}

TEST(SummaryCalls, chains_that_mix_slowly) { expect_few_calls(autoregressions<float>(300, 1, 8, 0.97, 42), 40, 300); }

TEST(SummaryCalls, nothing_that_moves) {
  Draws<float> constant(50, 1, 4);
  EXPECT_EQ(OneVariable<float>(constant).calls(3).copies_to_host, 1u);
  constant.at(7, 0, 3) = NAN;
  EXPECT_EQ(OneVariable<float>(constant).calls(3).copies_to_host, 1u);
}

// An output takes 16 bytes a draw in single precision, 24 in double: with those of the sort, which the values take when
// it is done. Beside them a bit a draw, histograms of the sort, and what grows with the sequences. Several at a time
// take half the free memory and 64 MB at most.
TEST(SummaryCalls, memory_is_what_the_documentation_says) {
  constexpr double draws = 1000 * 100, beside = 1.5e5;
  OneVariable<float> single(autoregressions<float>(1000, 1, 100, 0.5, 43));
  EXPECT_LT(static_cast<double>(single.calls(1).allocated_bytes), 16 * draws + beside);
  OneVariable<double> doubled(autoregressions<double>(1000, 1, 100, 0.5, 43));
  EXPECT_LT(static_cast<double>(doubled.calls(1).allocated_bytes), 24 * draws + beside);
}

// With less memory, batches have fewer outputs, and no output changes.
TEST(SummaryCalls, little_memory_makes_smaller_batches) {
  OneVariable<float> there(autoregressions<float>(400, 1, 100, 0.5, 44));
  const auto plenty = there.summarise(6);
  const std::size_t launches = there.calls(6).launches;
  ptx::device_memory::keep_back(ptx::device_memory::free_bytes() - (std::size_t{8} << 20));
  const auto little = there.summarise(6);
  EXPECT_GT(there.calls(6).launches, launches + 50);
  ptx::device_memory::keep_back(0);
  ASSERT_EQ(little.size(), 6u);
  for (std::size_t v = 0; v < 6; ++v) {
    EXPECT_EQ(little[v].ess_tail, plenty[0].ess_tail);
    EXPECT_EQ(little[v].rhat_nested, plenty[v].rhat_nested);
    EXPECT_EQ(little[v].mcse_sd, plenty[v].mcse_sd);
  }
}

// Draws whose places have no 32 bits are summarised on the host, from a copy: the same bits as of draws that are there.
template <class Number>
void expect_same_as_the_host(const Draws<Number>& draws) {
  const std::vector<VariableSummary> host = manychain::summarise(draws.view(), 0, superchains);
  OneVariable<Number> there(draws);
  manychain::DrawsView<Number> view = there.view(2);
  const std::size_t counted = draws.values.size();
  const ptx::Counts before = ptx::counts();
  const auto copied = manychain::diagnostics::summarise_on_device(view, counted, superchains, nullptr);
  EXPECT_EQ((ptx::counts() - before).launches, 0u);
  ASSERT_EQ(copied.size(), 2u);
  for (const VariableSummary& summary : copied) {
    EXPECT_EQ(summary.mean, host[0].mean);
    EXPECT_EQ(summary.q95, host[0].q95);
    EXPECT_EQ(summary.ess_bulk, host[0].ess_bulk);
    EXPECT_EQ(summary.rhat_nested, host[0].rhat_nested);
  }
  manychain::diagnostics::summarise_on_device(view, counted + 1, superchains, nullptr);
  EXPECT_GT((ptx::counts() - before).launches, 0u);

  // Each chain's draws side by side.
  std::swap(view.draws, view.chains);
  std::swap(view.draw_stride, view.chain_stride);
  Draws<Number> turned(draws.chains, 1, draws.draws);
  for (std::size_t t = 0; t < draws.draws; ++t)
    for (std::size_t c = 0; c < draws.chains; ++c) turned.at(c, 0, t) = draws.view()(t, 0, c);
  const auto other = manychain::diagnostics::summarise_on_device(view, counted, superchains, nullptr);
  EXPECT_EQ(other[1].ess_bulk, manychain::summarise(turned.view(), 0, superchains)[0].ess_bulk);
}
TEST(SummaryCalls, more_draws_than_places_are_summarised_on_the_host) {
  expect_same_as_the_host(autoregressions<float>(80, 1, 100, 0.5, 45));
  expect_same_as_the_host(autoregressions<double>(61, 1, 90, 0.5, 46));
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
