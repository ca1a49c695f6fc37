// From the header of a model to a program or a shared object: generated units, compiled side by side, kept, and linked.
//
// An object or a product is kept under the digest of all that it was made from: the user's files, the text of the unit,
// the command, and size and time of every file of the library (Toolchain::stamp()). The unit with the table is the same
// for all samplers. `manychain check` takes the program of `manychain sample`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "manychain/run/settings.hpp"
#include "own_model/cache.hpp"
#include "own_model/header_read.hpp"
#include "own_model/units.hpp"
#include "own_model/workplace.hpp"

namespace manychain::own_model {

/// A shared object exports the functions of entry.hpp alone.
enum class Product { program, shared_object };

/// Throws BadInput unless `header` names a file that can be read and looks like one.
void require_header(const std::string& header);

/// Looks at data while a model is compiled.
struct DataToBind {
  std::function<void()> look = {};  ///< called before a compiler starts
  /// Bound to the model once the unit that checks it is there, while the others compile; null: they are not.
  const std::vector<std::string>* files = nullptr;
};

/// The exit status of the program that binds the data, if the model refuses them.
constexpr int data_refused = 2;

/// One product of a header. The constructor reads the header, make() compiles it.
class Compilation {
 public:
  /// All arguments must outlive this object. Throws BadInput where the header has no such model, CompileError where the
  /// compiler cannot read it.
  Compilation(const ModelCode& wanted, Product product, const Toolchain& toolchain, Cache& cache, Listener& listener);

  /// The digest of all that the product is made from.
  const std::string& key() const { return key_; }
  /// The file of the product, in the cache or in its workshop. Throws CompileError where the compiler refuses the
  /// header, BadInput with the reason where the model refuses the data, Error where the header does not stay as it is
  /// for as long as it is compiled. Where it changed once it is read and compiled again: key() is then another.
  std::string make(const DataToBind& data = {});

 private:
  /// A unit with its name once it is compiled, and the command that compiles it.
  struct Compiled {
    Unit unit;
    std::string name;
    std::vector<std::string> command, end_of_command;
    std::string precompiled;           ///< the header to begin with; empty: none
    std::string object;                ///< where it lies, or will lie
    std::optional<std::size_t> place;  ///< among the processes, if it has to be compiled
  };
  void read();
  std::string made_now(const DataToBind& data);
  Compiled compiled(Unit unit, const std::string& digest, bool includes_library) const;
  void bind_aside(const Compiled& check, const std::vector<std::string>& data, std::vector<Process>& processes) const;
  std::vector<Process> to_compile(const DataToBind& data);
  Process link() const;

  const ModelCode& wanted_;
  Product product_;
  Cache& cache_;
  Listener& listener_;
  Workplace at_;
  std::string path_;  ///< of the header, absolute
  std::string read_;  ///< digest of what was read
  HeaderNote note_;
  std::vector<Compiled> units_;
  std::string key_, file_;  ///< its name in the cache
};

}  // namespace manychain::own_model
