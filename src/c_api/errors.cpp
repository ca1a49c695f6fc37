// The C interface: errors.
#include <cstddef>
#include <string>
#include <string_view>

#include "c_api/handles.hpp"
#include "run/setting_names.hpp"

namespace manychain::c_api {
namespace {

/// A message of fixed size: an error of memory must not need memory.
thread_local char last_error[1024] = "";

}  // namespace

manychain_status fail(manychain_status status, const char* message) noexcept {
  std::size_t length = 0;
  while (*message != '\0' && length + 1 < sizeof last_error) {
    // As with_c_fields() does, without memory.
    const NamedSetting setting = setting_at(message);
    const std::string_view text = setting.length > 0 ? setting.name : std::string_view(message, 1);
    for (std::size_t i = 0; i < text.size() && length + 1 < sizeof last_error; ++i) last_error[length++] = text[i];
    message += setting.length > 0 ? setting.length : 1;
  }
  last_error[length] = '\0';
  return status;
}

void require_index(const char* what, std::size_t index, std::size_t count) {
  if (index >= count)
    throw BadInput(std::string(what) + ": " + std::to_string(index) + " is not below " + std::to_string(count));
}

manychain_quantity quantity_of(const Quantity& q) {
  return {q.name.c_str(), q.shape.size(),
          q.shape.data(), q.offset,
          q.size(),       q.predicted ? MANYCHAIN_PREDICTED : q.derived ? MANYCHAIN_DERIVED : MANYCHAIN_PARAMETER};
}

}  // namespace manychain::c_api

extern "C" {

const char* manychain_last_error(void) { return manychain::c_api::last_error; }
const char* manychain_version(void) { return MANYCHAIN_VERSION; }

}  // extern "C"
