#include "foreign/shared_library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "core/read_file.hpp"

namespace manychain {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Throws where the loader's own words would not help.
void require_library(const std::string& path) {
  if (path.empty()) throw BadInput("a shared library: give its file");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw BadInput(path + ": cannot be loaded: it is a folder");
  if (!std::filesystem::exists(path, error)) read_file(path);  // says why
  if (ends_with(path, ".stan"))
    throw BadInput(path + ": it is the text of a Stan program; compile it with BridgeStan and give the library, " +
                   path.substr(0, path.size() - 5) + "_model.so");
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string& path) : path_(path) {
  require_library(path);
  // Without a slash the loader would look elsewhere.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle_) return;
  const char* const said = dlerror();
  std::string reason = said ? said : "no reason is given";
  if (reason.rfind(file + ": ", 0) == 0) reason.erase(0, file.size() + 2);
  throw BadInput(path + ": cannot be loaded: " + reason);
}

void* SharedLibrary::find(const char* symbol) const { return dlsym(handle_, symbol); }

}  // namespace manychain
