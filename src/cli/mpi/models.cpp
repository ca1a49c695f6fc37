// The models of manychain-mpi: the built-in ones.
#include <algorithm>

#include "cli/own/own_model.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"

namespace manychain::cli {

const char* const model_argument = "Name of a built-in model (manychain models lists them)";

void add_header_options(CLI::App&, HeaderOptions&) {}

void start_if_header(const std::string& model, const std::vector<std::string>*, const HeaderOptions&,
                     const WantedCode&) {
  if (model.ends_with(".hpp"))
    throw BadInput("a program under mpirun cannot turn into that of " + model +
                   ": link manychain::mpi and your model into a program of your own (docs/machines.md)");
}

const ModelInfo* find_model(const std::string& name) {
  const std::vector<ModelInfo>& all = builtin_models();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ModelInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace manychain::cli
