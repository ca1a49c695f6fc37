// The C interface: draws on a CUDA device, by address and by DLPack.
#include <memory>

#include "c_api/handles.hpp"

namespace manychain::c_api {
namespace {

// The structures of DLPack 0.8, as others read them.
struct DlDevice {
  std::int32_t type, number;
};
struct DlType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  std::int32_t ndim;
  DlType type;
  std::int64_t* shape;
  std::int64_t* strides;  // null: none between the elements
  std::uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManagedTensor* self);
};
constexpr std::int32_t on_cuda = 2;
constexpr std::uint8_t of_floats = 2;

/// A tensor with all that it refers to.
struct Shared {
  DlManagedTensor managed;
  std::shared_ptr<void> memory;
  std::vector<std::int64_t> shape, strides;
};
void give_back(DlManagedTensor* tensor) { delete static_cast<Shared*>(tensor->context); }

const DeviceDraws& device_draws_of(const manychain_result* result, std::size_t quantity) {
  require_not_null(result, a_result);
  const DeviceDraws& draws = result->run.output.device_draws;
  if (draws.quantities.empty()) throw BadInput("draws on a device: none were kept; set keep_on_device");
  require_index("quantity", quantity, draws.quantities.size());
  return draws;
}

DlManagedTensor* tensor_of(const manychain_result& result, const DeviceDraws& draws, std::size_t quantity) {
  auto shared = std::make_unique<Shared>();
  shared->memory = draws.quantities[quantity];
  shared->shape = {static_cast<std::int64_t>(draws.chains), static_cast<std::int64_t>(draws.draws)};
  for (const std::size_t extent : result.run.layout.quantities[quantity].shape)
    shared->shape.push_back(static_cast<std::int64_t>(extent));
  shared->strides.assign(shared->shape.size(), 1);
  for (std::size_t k = shared->shape.size() - 1; k > 0; --k)
    shared->strides[k - 1] = shared->strides[k] * shared->shape[k];
  shared->managed.tensor = {shared->memory.get(),
                            {on_cuda, draws.device},
                            static_cast<std::int32_t>(shared->shape.size()),
                            {of_floats, static_cast<std::uint8_t>(8 * draws.bytes), 1},
                            shared->shape.data(),
                            shared->strides.data(),
                            0};
  shared->managed.deleter = give_back;
  Shared* const kept = shared.release();
  kept->managed.context = kept;
  return &kept->managed;
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

int manychain_has_device_draws(const manychain_result* result) {
  return found_in(result, a_result, 0,
                  [](const manychain_result& r) { return int(!r.run.output.device_draws.quantities.empty()); });
}
manychain_status manychain_get_device_array(const manychain_result* result, size_t quantity,
                                            manychain_device_array* array) {
  return guarded([&] {
    const DeviceDraws& draws = device_draws_of(result, quantity);
    require_not_null(array, "array: give the address of one");
    *array = {draws.quantities[quantity].get(),
              draws.bytes,
              draws.device,
              draws.chains,
              draws.draws,
              result->run.layout.quantities[quantity].size()};
  });
}

manychain_status manychain_device_dlpack(const manychain_result* result, size_t quantity, void** tensor) {
  if (!tensor) return fail(MANYCHAIN_BAD_INPUT, "tensor: give the address of a pointer, not NULL");
  *tensor = nullptr;
  return guarded([&] {
    const DeviceDraws& draws = device_draws_of(result, quantity);
    *tensor = tensor_of(*result, draws, quantity);
  });
}

}  // extern "C"
