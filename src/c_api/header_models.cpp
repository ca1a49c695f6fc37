// The C interface: models of headers. A part of manychain::own_model, which compiles them.
#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c_api/beside.hpp"
#include "c_api/handles.hpp"
#include "manychain/own_model.hpp"
#include "run/setting_text.hpp"
#include "sampling/sets.hpp"

namespace manychain::c_api {
namespace {

namespace fs = std::filesystem;

thread_local std::string compiler_words;

/// share/manychain of the package of the library, or of the program, that this code is a part of: above lib, bin, or
/// lib/x86_64-linux-gnu. Throws BadInput if there is none.
std::string share_beside_library() {
  Dl_info info{};
  std::error_code none;
  const bool known = ::dladdr(reinterpret_cast<const void*>(&share_beside_library), &info) != 0 && info.dli_fname;
  const fs::path folder = known ? fs::canonical(info.dli_fname, none).parent_path() : fs::path();
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path())
    if (const fs::path share = above.parent_path() / "share" / "manychain"; fs::exists(share / "toolchain.txt", none))
      return share.string();
  throw BadInput(
      "no header is compiled without the package of this library, and there is no folder share/manychain above " +
      folder.string() + "; name that folder by share, in Python by the environment variable MANYCHAIN_SHARE");
}

/// A message with the names of this interface.
std::string in_words_of_c(std::string message) {
  for (const auto& [name, word] :
       {std::pair("CompileError::words", "manychain_compiler_words()"), std::pair("CompileSettings::", "")}) {
    const std::string_view old = name;
    for (std::size_t at = 0; (at = message.find(old, at)) != std::string::npos;) message.replace(at, old.size(), word);
  }
  return message;
}

CompileSettings settings_of(const manychain_compile& from) {
  CompileSettings to;
  if (from.class_name) to.class_name = from.class_name;
  if (from.cache) to.cache = from.cache;
  to.share = from.share ? std::string(from.share) : share_beside_library();
  if (from.samplers) {
    to.samplers.clear();
    std::istringstream words(from.samplers);
    for (std::string word; std::getline(words, word, ',');) to.samplers.push_back(word);
  }
  if (from.precision) {
    Settings settings;
    set_from_text(settings, "precision", from.precision);
    to.precision = settings.precision;
  }
  return to;
}

/// Lines on their way from the thread that compiles to the one that waits.
class Lines {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// `watch` is called in this thread, while another one compiles.
const ModelUnit& compiled(const std::string& header, CompileSettings settings, manychain_compile_watch watch,
                          void* user) {
  if (!watch) return compile_model(header, settings);
  Lines lines;
  std::atomic<bool> cancel{false};
  settings.progress = [&](const std::string& line) { lines.add(line); };
  settings.cancel = &cancel;
  return *beside([&] { return &compile_model(header, settings); },
                 [&] {
                   for (const std::string& line : lines.take())
                     if (watch(line.c_str(), user) != 0) cancel = true;
                   if (watch(nullptr, user) != 0) cancel = true;
                 });
}

/// Puts the model of a header into *model, with the data that `bind` gives to what is compiled.
template <class Bind>
manychain_status header_model_into(manychain_model** model, const char* header, const manychain_compile* compile,
                                   const Bind& bind) {
  compiler_words.clear();
  return model_into(model, [&] {
    require_not_null(header, "header: give the name of a file");
    const manychain_compile given = compile ? *compile : manychain_compile{};
    try {
      return bind(compiled(header, settings_of(given), given.watch, given.watch_user));
    } catch (const CompileError& error) {
      compiler_words = error.words;
      throw BadInput(in_words_of_c(error.what()));
    } catch (const BadInput& error) {
      throw BadInput(in_words_of_c(error.what()));
    } catch (const Error& error) {
      throw Error(in_words_of_c(error.what()));
    }
  });
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

manychain_status manychain_header_model(const char* header, const manychain_compile* compile,
                                        const manychain_data* data, manychain_model** model) {
  return header_model_into(model, header, compile,
                           [&](const ModelUnit& unit) { return data ? Model(unit, data->data) : Model(unit); });
}
manychain_status manychain_header_model_of_sets(const char* header, const manychain_compile* compile,
                                                const manychain_data_sets* sets, manychain_model** model) {
  return header_model_into(model, header, compile, [&](const ModelUnit& unit) {
    require_not_null(sets, some_sets);
    return first_model(of_data([&](const Data& data) { return Model(unit, data); }), sets->sets, sets->common);
  });
}
const char* manychain_compiler_words(void) { return compiler_words.c_str(); }

}  // extern "C"
