// Stan programs without a toolchain: the Python package stanli turns the source of one into the form that its runtime
// interprets, and that runtime, a shared library of the package, exports BridgeStan's interface.
#pragma once

#include <string>

namespace manychain {

/// True if `file` names the source of a Stan program: it ends in ".stan".
bool names_stan_program(const std::string& file);

/// A program as the runtime takes it.
struct StanliProgram {
  std::string library;   ///< the runtime
  std::string manifest;  ///< a JSON object
};

/// Compiles the program `file`, by the Python that the environment variable MANYCHAIN_STANLI names or, without it, by
/// the python3 or python of the PATH. Throws BadInput with the compiler's message if the program is wrong, and with
/// what to install if no Python there has stanli.
StanliProgram compile_with_stanli(const std::string& file);

/// `json`, the data of the program, with the manifest beside them under the key that the runtime looks at. Empty: none.
std::string with_manifest(const std::string& json, const StanliProgram& program);

}  // namespace manychain
