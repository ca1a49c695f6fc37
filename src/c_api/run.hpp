// The C interface: a run, from settings to the handle of its result.
#pragma once

#include <memory>

#include "c_api/handles.hpp"

namespace manychain::c_api {

/// Samples; `watch` may be null.
std::unique_ptr<manychain_result> run(const Model& model, Settings settings, manychain_watch watch, void* user);

/// Puts what `make` returns into *result.
template <class Make>
manychain_status result_into(manychain_result** result, const Make& make) noexcept {
  if (!result) return fail(MANYCHAIN_BAD_INPUT, "result: give the address of a pointer, not NULL");
  *result = nullptr;
  return guarded([&] { *result = make().release(); });
}

}  // namespace manychain::c_api
