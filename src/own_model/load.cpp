#include "own_model/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string_view>

#include "manychain/core/error.hpp"
#include "own_model/entry.hpp"

namespace manychain::own_model {
namespace {

std::mutex mutex;

std::map<std::string, const ModelUnit*>& models() {
  static std::map<std::string, const ModelUnit*> all;
  return all;
}

/// Before the file is loaded: its initialisation may already have such instructions.
void require_instruction_set(std::string_view name) {
#if defined(__x86_64__)
  const bool missing =
      (name == "avx512" && !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))) ||
      (name == "avx2" && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
  if (missing)
    throw BadInput(fmt::format(
        "this build is for {}, which this CPU does not have: configure with -DMANYCHAIN_ISA=avx2 or sse2", name));
#else
  static_cast<void>(name);
#endif
}

template <class Function>
Function* function_of(void* object, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(object, name));
}

/// It stays open: models may outlive everything else that was made of it.
const ModelUnit& opened(const std::string& file) {
  void* const object = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    const char* const why = ::dlerror();
    throw Error(fmt::format("{} cannot be loaded: {}; another folder for it is CompileSettings::cache", file,
                            why != nullptr ? why : "unknown error"));
  }
  const auto build = function_of<const char*()>(object, "manychain_own_model_build");
  const auto unit = function_of<const ModelUnit*()>(object, "manychain_own_model_unit");
  if (build != nullptr && unit != nullptr && std::string_view(build()) == build_identity()) return *unit();
  ::dlclose(object);
  throw Error(file +
              ": it was linked with another build of manychain than this program; build this program again, or remove "
              "the file");
}

}  // namespace

const ModelUnit* loaded(const std::string& key) {
  const std::lock_guard lock(mutex);
  const auto found = models().find(key);
  return found == models().end() ? nullptr : found->second;
}

const ModelUnit& load(const std::string& file, const std::string& key) {
  require_instruction_set(build_instruction_set());
  const std::lock_guard lock(mutex);
  const ModelUnit*& model = models()[key];
  if (model == nullptr) model = &opened(file);
  return *model;
}

}  // namespace manychain::own_model
