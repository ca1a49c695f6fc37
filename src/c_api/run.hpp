// The C interface: a run, from settings to the handle of its result.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "c_api/handles.hpp"
#include "sampling/watch.hpp"

namespace manychain::c_api {

/// A run as its caller hears of it, and ends it.
struct Heard {
  std::function<void(const Progress&)> progress;  ///< may be empty
  const std::atomic<bool>* cancel;
  Watch watch;  ///< may be empty
};

manychain_progress progress_of(const Progress& progress, const DrawsSoFar* draws_so_far = nullptr);

/// The handle of what `sampled` returns. `watch` may be null.
std::unique_ptr<manychain_result> run(const std::function<Result(const Heard&)>& sampled, manychain_watch watch,
                                      void* user);
/// That of sample(model, settings).
std::unique_ptr<manychain_result> run(const Model& model, Settings settings, manychain_watch watch, void* user);

/// That of a run which is stored as `settings` say.
std::unique_ptr<manychain_result> run_stored(const Model& model, Settings used,
                                             const manychain_named_settings& settings);

/// Puts what `make` returns into *result.
template <class Make>
manychain_status result_into(manychain_result** result, const Make& make) noexcept {
  if (!result) return fail(MANYCHAIN_BAD_INPUT, "result: give the address of a pointer, not NULL");
  *result = nullptr;
  return guarded([&] { *result = make().release(); });
}

}  // namespace manychain::c_api
