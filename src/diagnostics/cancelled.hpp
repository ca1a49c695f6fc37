// The request that a computation ends.
#pragma once

#include <atomic>

namespace manychain::diagnostics {

/// `cancel` may be null: nobody does.
inline bool cancelled(const std::atomic<bool>* cancel) { return cancel != nullptr && cancel->load(); }

}  // namespace manychain::diagnostics
