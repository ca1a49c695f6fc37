// In the program `manychain`: a header in place of the name of a model is compiled, and its program takes over.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/own/compile_program.hpp"
#include "cli/own/own_model.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"

extern char** environ;

namespace manychain::cli {
namespace {

/// Becomes the program `file`, which may lie in the workshop: that is gone then.
[[noreturn]] void become(const std::string& file, const std::string& model, own_model::Cache& cache) {
  std::vector<std::string> words = command_line();
  words.insert(words.begin() + 1, std::string(started_for_option) + model);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int program = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (program >= 0) {
    cache.clear();
    ::fexecve(program, pointers.data(), environ);
  }
  throw Error(fmt::format("{} cannot be started: {}; --cache names another folder for it", file, std::strerror(errno)));
}

/// A header whose model is loaded into this process, in place of a program.
struct LoadedHeader {
  std::string header;
  ModelInfo model;
};
LoadedHeader& loaded_header() {
  static LoadedHeader one{};
  return one;
}

/// CUDA architectures that the run needs: none if it takes the CPU. Throws BadInput if it requires a GPU and there is
/// none.
std::vector<std::string> architectures(const WantedCode& wanted) {
  if (wanted.backend == Backend::cpu) return {};
  const CudaState state = cuda_state(wanted.device);
  if (!state.usable && wanted.backend == Backend::cuda)
    throw BadInput("backend cuda: " + state.why + "; or take backend cpu (Settings::backend)");
  if (!state.usable) return {};
  return {std::to_string(state.capability)};
}

}  // namespace

const char* const model_argument =
    "Name of a built-in model (manychain models lists them), or the header of your own, model.hpp, which is compiled";

void add_header_options(CLI::App& app, HeaderOptions& options) {
  add_option(app, "--class", options.class_name, "Of a header with several models: which one", "NAME");
  add_option(app, "--cache", options.cache,
             "Where compiled headers are kept; default: MANYCHAIN_CACHE, or manychain in XDG_CACHE_HOME or ~/.cache",
             "FOLDER");
}

void start_if_header(const std::string& model, const std::vector<std::string>* data, const HeaderOptions& options,
                     const WantedCode& wanted) {
  if (model.find_first_of("./") == std::string::npos) {
    if (!options.class_name.empty()) throw BadInput("--class is for the header of a model, model.hpp");
    return;
  }
  own_model::require_header(model);
  own_model::Cache cache(options.cache);
  own_model::ModelCode code{model, options.class_name, wanted.samplers, {}, wanted.precision, architectures(wanted)};
  own_model::DataToBind bound;
  std::error_code none;
  // Not of pipes, which can be read but once.
  if (data && std::all_of(data->begin(), data->end(), [&](const std::string& path) {
        return !std::filesystem::exists(path, none) || std::filesystem::is_regular_file(path, none);
      }))
    bound = {[&] { Data::from_files(*data); }, data};
  if (!own_toolchain().makes_programs()) {
    const ModelUnit& unit = compile_and_load(code, cache, bound);
    loaded_header() = {model, {unit.name, unit.description, &unit, false}};
    return;
  }
  const std::string file = compile_program(code, cache, bound);
  become(file, model, cache);
}

const ModelInfo* find_model(const std::string& name) {
  if (!name.empty() && name == loaded_header().header) return &loaded_header().model;
  const std::vector<ModelInfo>& all = builtin_models();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ModelInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace manychain::cli
