#include "io/read_safely.hpp"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <new>

#include "io/child.hpp"

namespace manychain::io {

std::string answer_of_child(const std::string& path, const std::function<std::string()>& work) {
  std::error_code error;
  const std::size_t size = std::filesystem::file_size(path, error);
  // A sound file takes a hundredth of this.
  ChildLimits limits;
  limits.seconds = 5 + size / 1'000'000;
  limits.bytes = (std::size_t(2) << 30) + 2 * size;
  try {
    return in_child(work, limits);
  } catch (const ChildDied& died) {
    // SIGKILL is what a system that runs out of memory sends.
    const char* const why = died.signal() == SIGKILL ? "is too large for the memory, or damaged" : "is damaged";
    throw BadInput(fmt::format("{}: cannot be read: {}; the file {}", path, died.what(), why));
  } catch (const std::bad_alloc&) {
    throw BadInput(path + ": cannot be read: it takes more memory than there is; the file is damaged or too large");
  }
}

void refuse_answer(const std::string& path) {
  throw BadInput(path + ": cannot be read: what was read makes no sense; the file is damaged");
}

}  // namespace manychain::io
