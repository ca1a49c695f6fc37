// The C interface: work in a thread of its own, while the one that asked for it calls functions of the caller.
#pragma once

#include <chrono>
#include <future>

namespace manychain::c_api {

/// The result of `work`, or its exception. `look` is called in this thread some 20 times a second meanwhile, and once
/// behind it; it must not throw.
template <class Work, class Look>
auto beside(const Work& work, const Look& look) {
  constexpr std::chrono::milliseconds pause(50);
  auto made = std::async(std::launch::async, work);
  while (made.wait_for(pause) != std::future_status::ready) look();
  look();
  return made.get();
}

}  // namespace manychain::c_api
