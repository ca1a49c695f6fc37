// Draws that stay on the device: those of the host, in memory that outlives the run, in C by address and by DLPack.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/core/error.hpp"
#include "manychain/manychain.h"
#include "manychain/run/model.hpp"

namespace {

using namespace manychain;
using DeviceDrawsOnHost = GpuTest;

Settings settings_of(Precision precision, std::size_t chains) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.precision = precision;
  settings.chains = chains;
  settings.warmup.transitions = 50;
  settings.sampling.draws = 30;
  settings.superchains = 0;
  settings.seed = 3;
  settings.output.keep_on_device = true;
  return settings;
}

/// A number of the device, whose memory is the host's here.
template <class Number>
double there(const void* memory, std::size_t index) {
  return static_cast<const Number*>(memory)[index];
}

void expect_draws_of_host(const Result& result, const DeviceDraws& kept) {
  ASSERT_EQ(kept.quantities.size(), result.layout.quantities.size());
  EXPECT_EQ(kept.draws, result.kept);
  EXPECT_EQ(kept.chains, result.settings.chains);
  for (std::size_t q = 0; q < kept.quantities.size(); ++q) {
    const Quantity& quantity = result.layout.quantities[q];
    const std::size_t size = quantity.size();
    std::size_t different = 0;
    for (std::size_t c = 0; c < kept.chains; c += 17)
      for (std::size_t d = 0; d < kept.draws; ++d)
        for (std::size_t e = 0; e < size; ++e) {
          const std::size_t index = (c * kept.draws + d) * size + e;
          const void* const memory = kept.quantities[q].get();
          const double value = kept.bytes == 4 ? there<float>(memory, index) : there<double>(memory, index);
          different += value != result.draws(d, quantity.offset + e, c);
        }
    EXPECT_EQ(different, 0u) << quantity.name;
  }
}

TEST_F(DeviceDrawsOnHost, are_those_of_the_host) {
  const Model model = builtin_model("eight_schools");
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Result result = sample(model, settings_of(precision, 300));  // with left-over lanes
    EXPECT_EQ(result.output.device_draws.bytes, precision == Precision::single_precision ? 4u : 8u);
    expect_draws_of_host(result, result.output.device_draws);
    Settings without = settings_of(precision, 300);
    without.output.keep_on_device = false;
    const Result plain = sample(model, without);
    EXPECT_TRUE(plain.output.device_draws.quantities.empty());
    EXPECT_EQ(plain.draws.float32, result.draws.float32);
    EXPECT_EQ(plain.draws.float64, result.draws.float64);
  }
}

TEST_F(DeviceDrawsOnHost, are_refused_where_there_are_none) {
  const Model model = builtin_model("eight_schools");
  const auto refused = [&](auto change, const std::string& words) {
    Settings settings = settings_of(Precision::double_precision, 256);
    change(settings);
    try {
      sample(model, settings);
      ADD_FAILURE() << words;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused([](Settings& s) { s.backend = Backend::cpu; }, "keep_on_device: a run on the CPU has no draws on a device");
  refused([](Settings& s) { s.output.keep_draws = false; }, "keep_on_device: the run keeps no draws");
  refused([](Settings& s) { s.devices = "0,1"; }, "keep_on_device: the draws of several devices");
}

TEST_F(DeviceDrawsOnHost, outlive_their_result_in_c) {
  manychain_model* model = nullptr;
  manychain_result* result = nullptr;
  manychain_named_settings* settings = manychain_named_settings_new();
  ASSERT_EQ(manychain_builtin_model("eight_schools", nullptr, &model), MANYCHAIN_OK);
  for (const auto& [name, value] :
       {std::pair("backend", "cuda"), std::pair("keep_on_device", "true"), std::pair("precision", "single"),
        std::pair("chains", "256"), std::pair("warmup", "50"), std::pair("draws", "20"), std::pair("seed", "1")})
    ASSERT_EQ(manychain_set(settings, name, value), MANYCHAIN_OK) << manychain_last_error();
  ASSERT_EQ(manychain_sample_model(model, settings, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_has_device_draws(result), 1);

  manychain_device_array array{};
  std::size_t theta = 0;
  manychain_quantity quantity{};
  while (manychain_get_quantity(result, theta, &quantity) == MANYCHAIN_OK && std::string(quantity.name) != "theta")
    ++theta;
  ASSERT_EQ(manychain_get_device_array(result, theta, &array), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(array.chains, 256u);
  EXPECT_EQ(array.draws, 20u);
  EXPECT_EQ(array.size, 8u);
  EXPECT_EQ(array.bytes, 4u);

  void* taken = nullptr;
  ASSERT_EQ(manychain_device_dlpack(result, theta, &taken), MANYCHAIN_OK) << manychain_last_error();
  // The layout that DLPack prescribes.
  struct Tensor {
    void* data;
    std::int32_t device_type, device, ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
    void* context;
    void (*deleter)(Tensor*);
  };
  auto* const tensor = static_cast<Tensor*>(taken);
  EXPECT_EQ(tensor->data, array.data);
  EXPECT_EQ(tensor->device_type, 2);
  EXPECT_EQ(tensor->device, array.device);
  EXPECT_EQ(std::vector<std::int64_t>(tensor->shape, tensor->shape + tensor->ndim),
            (std::vector<std::int64_t>{256, 20, 8}));
  EXPECT_EQ(std::vector<std::int64_t>(tensor->strides, tensor->strides + tensor->ndim),
            (std::vector<std::int64_t>{160, 8, 1}));
  EXPECT_EQ(tensor->code, 2);
  EXPECT_EQ(tensor->bits, 32);
  EXPECT_EQ(tensor->lanes, 1);
  EXPECT_EQ(tensor->byte_offset, 0u);

  const double before = there<float>(tensor->data, 1000);
  manychain_free(result);
  EXPECT_EQ(there<float>(tensor->data, 1000), before);  // under the address sanitizer a fault, were it gone
  tensor->deleter(tensor);

  EXPECT_EQ(manychain_get_device_array(nullptr, 0, &array), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_device_dlpack(nullptr, 0, nullptr), MANYCHAIN_BAD_INPUT);
  manychain_model_free(model);
  manychain_named_settings_free(settings);
}

}  // namespace
