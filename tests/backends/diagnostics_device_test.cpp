// The summary of draws on a CUDA device against the host's. Skipped without a device; MANYCHAIN_REQUIRE_GPU=1 turns
// the skip into a failure.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "unit/diagnostics/draws.hpp"

#if MANYCHAIN_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace {

using manychain::DrawsView;
using manychain::VariableSummary;
using test_draws::Draws;

bool gpu_required() {
  const char* value = std::getenv("MANYCHAIN_REQUIRE_GPU");
  return value != nullptr && std::string(value) == "1";
}

#if MANYCHAIN_HAS_CUDA

template <class Number>
class OnDevice {
 public:
  explicit OnDevice(const Draws<Number>& draws) : view_(draws.view()) {
    const std::size_t bytes = draws.values.size() * sizeof(Number);
    if (cudaMalloc(&memory_, bytes) != cudaSuccess ||
        cudaMemcpy(memory_, draws.values.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
      ADD_FAILURE() << cudaGetErrorString(cudaGetLastError());
    }
    view_.data = static_cast<const Number*>(memory_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(memory_); }

  const DrawsView<Number>& view() const { return view_; }

 private:
  void* memory_ = nullptr;
  DrawsView<Number> view_;
};

class DiagnosticsDevice : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return;
    if (gpu_required()) FAIL() << "MANYCHAIN_REQUIRE_GPU=1, and there is no CUDA device";
    GTEST_SKIP() << "no CUDA device";
  }
};

void expect_close(double device, double host, double relative, const char* name) {
  if (std::isnan(host)) {
    EXPECT_TRUE(std::isnan(device)) << name;
  } else {
    EXPECT_NEAR(device, host, relative * std::abs(host)) << name;
  }
}

template <class Number>
void expect_like_host(const Draws<Number>& draws, std::size_t superchains = 3) {
  const auto host = manychain::summarise(draws.view(), 0, superchains);
  const OnDevice<Number> there(draws);
  const auto device = manychain::summarise_on_device(there.view(), superchains);
  ASSERT_EQ(device.size(), host.size());
  for (std::size_t v = 0; v < host.size(); ++v) {
    SCOPED_TRACE(v);
    if (std::isnan(host[v].mean)) {
      EXPECT_TRUE(std::isnan(device[v].mean));
    } else {
      EXPECT_NEAR(device[v].mean, host[v].mean, 1e-12 * (host[v].sd + std::abs(host[v].mean)));
    }
    // Quantiles come from the same sorted draws: a device may contract the interpolation, and no more.
    expect_close(device[v].q5, host[v].q5, 1e-14, "q5");
    expect_close(device[v].q50, host[v].q50, 1e-14, "q50");
    expect_close(device[v].q95, host[v].q95, 1e-14, "q95");
    expect_close(device[v].sd, host[v].sd, 1e-12, "sd");
    expect_close(device[v].rhat, host[v].rhat, 1e-11, "rhat");
    expect_close(device[v].ess_bulk, host[v].ess_bulk, 1e-11, "ess_bulk");
    expect_close(device[v].ess_tail, host[v].ess_tail, 1e-11, "ess_tail");
    expect_close(device[v].mcse_mean, host[v].mcse_mean, 1e-11, "mcse_mean");
    expect_close(device[v].mcse_sd, host[v].mcse_sd, 1e-11, "mcse_sd");
    expect_close(device[v].rhat_nested, host[v].rhat_nested, 1e-11, "rhat_nested");
  }
}

TEST_F(DiagnosticsDevice, like_the_host_in_single_precision) {
  expect_like_host(test_draws::autoregressions<float>(200, 3, 1000, 0.5, 31));
  expect_like_host(test_draws::autoregressions<float>(101, 2, 7, 0.9, 32));
  expect_like_host(test_draws::autoregressions<float>(64, 2, 300, 0.9, 33, 0.5));
  expect_like_host(test_draws::autoregressions<float>(5000, 1, 1, 0.7, 34));
  expect_like_host(test_draws::autoregressions<float>(2, 1, 5000, 0.7, 41), 50);
  // The host goes through a Fourier transform here, the device through all lags.
  expect_like_host(test_draws::autoregressions<float>(8000, 1, 4, 0.999, 42));
}

TEST_F(DiagnosticsDevice, like_the_host_in_double_precision) {
  expect_like_host(test_draws::autoregressions<double>(200, 3, 1000, 0.5, 35));
  expect_like_host(test_draws::autoregressions<double>(33, 2, 257, -0.6, 36));
  expect_like_host(test_draws::autoregressions<double>(64, 2, 300, 0.9, 37, 1));
}

TEST_F(DiagnosticsDevice, edges_like_the_host) {
  Draws<float> constant(50, 1, 4);
  expect_like_host(constant);
  auto broken = test_draws::autoregressions<double>(11, 2, 3, 0.5, 38);
  broken.at(5, 1, 2) = std::nan("");
  expect_like_host(broken);
  for (std::size_t draws : {1, 2, 3, 5, 6}) {
    expect_like_host(test_draws::autoregressions<float>(draws, 1, 10, 0.5, 39));
  }
}

TEST_F(DiagnosticsDevice, cancelled) {
  const auto draws = test_draws::autoregressions<float>(60, 3, 300, 0.5, 15);
  const OnDevice<float> there(draws);
  std::atomic<bool> cancel = true;
  EXPECT_TRUE(manychain::summarise_on_device(there.view(), 5, &cancel).empty());
  cancel = false;
  EXPECT_EQ(manychain::summarise_on_device(there.view(), 5, &cancel).size(), 3u);
}

void expect_same_bits(const VariableSummary& a, const VariableSummary& b) {
  const auto bits = [](const VariableSummary& s) {
    std::vector<std::uint64_t> all;
    for (const double x :
         {s.mean, s.sd, s.q5, s.q50, s.q95, s.rhat, s.ess_bulk, s.ess_tail, s.mcse_mean, s.mcse_sd, s.rhat_nested})
      all.push_back(std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x));
    return all;
  };
  EXPECT_EQ(bits(a), bits(b));
}

// The number of lags read at once depends on the variable before; results do not.
TEST_F(DiagnosticsDevice, each_variable_as_if_it_were_alone) {
  Draws<float> draws(300, 6, 20);
  const double correlations[] = {0.3, 0.97, 0, 0.99, -0.9};
  for (std::size_t v = 0; v < 5; ++v) {
    const auto one = test_draws::autoregressions<float>(300, 1, 20, correlations[v], 50 + v);
    for (std::size_t t = 0; t < 300; ++t)
      for (std::size_t c = 0; c < 20; ++c) draws.at(t, v, c) = one.view()(t, 0, c);
  }
  draws.at(299, 5, 19) = std::nanf("");
  const OnDevice<float> there(draws);
  const auto all = manychain::summarise_on_device(there.view(), 4);
  ASSERT_EQ(all.size(), 6u);
  for (std::size_t v = 0; v < 6; ++v) {
    SCOPED_TRACE(v);
    DrawsView<float> one = there.view();
    one.data += v * one.variable_stride;
    one.variables = 1;
    expect_same_bits(manychain::summarise_on_device(one, 4)[0], all[v]);
  }
}

TEST_F(DiagnosticsDevice, same_bits_again) {
  const auto draws = test_draws::autoregressions<float>(100, 1, 2000, 0.5, 40);
  const OnDevice<float> there(draws);
  const auto a = manychain::summarise_on_device(there.view(), 20)[0];
  const auto b = manychain::summarise_on_device(there.view(), 20)[0];
  expect_same_bits(a, b);
}

#else

TEST(DiagnosticsDevice, absent_from_this_build) {
  if (gpu_required()) FAIL() << "MANYCHAIN_REQUIRE_GPU=1, and this build has no CUDA";
  EXPECT_THROW(manychain::summarise_on_device(DrawsView<float>{}), manychain::BadInput);
  EXPECT_THROW(manychain::summarise_on_device(DrawsView<double>{}), manychain::BadInput);
}

#endif

}  // namespace
