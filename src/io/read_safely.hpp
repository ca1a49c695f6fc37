// Reading a file of HDF5 in a child process, within limits.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "manychain/core/error.hpp"

namespace manychain::io {

/// The answer of `work` in a child process: HDF5 can crash on a file of which some bytes are wrong, run in circles, or
/// ask for any amount of memory. Throws BadInput, which names the file, for all of that.
std::string answer_of_child(const std::string& path, const std::function<std::string()>& work);
/// For an answer that cannot be read.
[[noreturn]] void refuse_answer(const std::string& path);

/// `understand(answer)`. An answer that it cannot read is one of a child that lost its senses without a crash.
template <class Understand>
auto read_safely(const std::string& path, const std::function<std::string()>& work, const Understand& understand) {
  std::string answer = answer_of_child(path, work);
  try {
    return understand(std::move(answer));
  } catch (const BadInput&) {
    refuse_answer(path);
  } catch (const std::logic_error&) {
    refuse_answer(path);
  }
}

}  // namespace manychain::io
