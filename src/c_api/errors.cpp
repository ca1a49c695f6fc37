// The C interface: errors.
#include <cstring>

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
    const bool prefix = std::strncmp(message, setting_prefix.data(), setting_prefix.size()) == 0;
    if (!prefix) last_error[length++] = *message;
    message += prefix ? setting_prefix.size() : 1;
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
