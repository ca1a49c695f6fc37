// A model from a header that is compiled while the program runs. Link manychain::own_model; include manychain.hpp, too.
//
//   const auto& unit = manychain::compile_model("model.hpp");
//   const manychain::Model model(unit, manychain::Data::from_files({"data.json"}));
//   const auto result = manychain::sample(model);
//
// The compiler that manychain was built with must be there, and the installed package (or its build tree). Models are
// compiled for the CPU alone. `manychain sample model.hpp` compiles the same units, and takes those that are kept.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"

// CMake defines it for a target that links manychain::own_model.
#ifndef MANYCHAIN_SHARE
#define MANYCHAIN_SHARE ""
#endif

namespace manychain {

/// The compiler refuses the header. `what()` is one line: the place in the header and the advice on it.
class CompileError : public BadInput {
 public:
  CompileError(const std::string& what, std::string compiler_words)
      : BadInput(what), words(std::move(compiler_words)) {}
  std::string words;  ///< the whole message of the compiler, of several lines
};

/// The code that compile_model() makes, and the places of files.
struct CompileSettings {
  std::string class_name;                       ///< of the model in the header; empty: the one that there is
  std::vector<std::string> samplers = {"hmc"};  ///< each takes some seconds, one beside the other
  std::vector<std::string> sizes;  ///< "8", or "3,4" of several extents: fixed sizes, beside the one for any data
  Precision precision = Precision::automatic;  ///< automatic: both, of which a run takes one
  /// Folder of compiled models; empty: MANYCHAIN_CACHE, else manychain in XDG_CACHE_HOME or in ~/.cache.
  std::string cache;
  /// Folder share/manychain of the package; empty: that beside the folder of this program.
  std::string share = MANYCHAIN_SHARE;
  /// Called with a line of text when compilers start, when a unit is done and when nothing can be kept in the cache, by
  /// the thread that called compile_model(). May be empty. If it throws, compilers are ended, and the exception goes
  /// on.
  std::function<void(const std::string& line)> progress;
  const std::atomic<bool>* cancel = nullptr;  ///< true: compilers are ended, and compile_model() throws Error
};

/// Compiles the header of a model, unless that was done before, and loads it. The unit stays in memory until the
/// process ends. A header that has changed since is compiled and loaded beside the former; the same header gives the
/// same unit. A call that finds it compiled takes some tenths of a second, in which the preprocessor reads the header.
///
/// Objects and shared objects are kept in the cache under the digest of all that they were made from: the header and
/// what it includes, the library, the compiler and its options. Each has its own digest in its name, which is checked
/// before it is loaded: a damaged one is made again. The 400 files used last stay.
///
/// Any number of threads and processes may call it at once, also for one header and one cache. It starts processes and
/// waits for them: the program must not ignore SIGCHLD, nor wait for all processes that it has.
///
/// Throws CompileError if the header does not compile; BadInput if it is no header of a model, a name or a size in
/// `settings` is wrong, the package is not there or is another build of manychain than the one in this program, or the
/// CPU lacks the instruction set of that build; Error if a file cannot be written, the shared object cannot be loaded,
/// or after `cancel`.
const ModelUnit& compile_model(const std::string& header, const CompileSettings& settings = {});

}  // namespace manychain
