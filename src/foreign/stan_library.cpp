#include "foreign/stan_library.hpp"

#include <mutex>

namespace manychain {
namespace {

constexpr int known_version = 2;

/// Without what BridgeStan and the generated code put before Stan's own words: "construct() failed with exception:
/// Exception: ".
std::string without_frame(std::string text) {
  const std::string failed = "() failed with exception: ", exception = "Exception: ";
  const std::size_t name = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  if (name != std::string::npos && text.compare(name, failed.size(), failed) == 0) text.erase(0, name + failed.size());
  if (text.compare(0, exception.size(), exception) == 0) text.erase(0, exception.size());
  return text;
}

/// print() of a model: thousands of chains would each print.
void say_nothing(const char*, std::size_t) {}

template <class Function>
void find(const SharedLibrary& file, const char* name, Function& function) {
  function = file.function<Function>(name);
  if (!function) throw BadInput(file.path() + ": it is no library of BridgeStan 2: there is no function " + name);
}

void require_version(const SharedLibrary& file) {
  const auto* const version = static_cast<const int*>(file.find("bs_major_version"));
  if (version && *version == known_version) return;
  // Version 1 said nothing of itself.
  const bool old = file.find("bs_construct") || file.find("bs_log_density_gradient");
  if (!version && !old)
    throw BadInput(file.path() + ": it is no library of BridgeStan: there is no bs_major_version in it");
  throw BadInput(file.path() + ": it was compiled by BridgeStan " + (version ? std::to_string(*version) : "1") +
                 ", and the interface of BridgeStan 2 is needed: compile the model again");
}

}  // namespace

StanLibrary::StanLibrary(const std::string& path) : file(path) {
  require_version(file);
  find(file, "bs_free_error_msg", free_error_msg);
  find(file, "bs_model_construct", model_construct);
  find(file, "bs_model_destruct", model_destruct);
  find(file, "bs_rng_construct", rng_construct);
  find(file, "bs_rng_destruct", rng_destruct);
  find(file, "bs_name", name);
  find(file, "bs_model_info", model_info);
  find(file, "bs_param_names", param_names);
  find(file, "bs_param_unc_names", param_unc_names);
  find(file, "bs_param_num", param_num);
  find(file, "bs_param_unc_num", param_unc_num);
  find(file, "bs_param_constrain", param_constrain);
  find(file, "bs_param_unconstrain", param_unconstrain);
  find(file, "bs_log_density_gradient", log_density_gradient);
  // Came with 2.0; where it is missing a model's print() goes to stdout.
  using PrintCallback = int (*)(void (*)(const char*, std::size_t), char**);
  if (const auto set_print = file.function<PrintCallback>("bs_set_print_callback")) {
    char* error = nullptr;
    if (set_print(say_nothing, &error) != 0) message(error);
  }
}

StanLibrary::ModelPointer StanLibrary::construct_model(const std::string& json, unsigned int seed) const {
  char* error = nullptr;
  ModelPointer model(model_construct(json.c_str(), seed, &error), model_destruct);
  const std::string said = message(error);
  if (!model) throw BadInput(said);
  return model;
}

StanLibrary::GeneratorPointer StanLibrary::construct_generator(unsigned int seed, char** error) const {
  return {rng_construct(seed, error), rng_destruct};
}

std::string StanLibrary::message(char* error) const {
  if (!error) return "Stan gives no reason";
  std::string text;
  for (const char* c = error; *c; ++c) {
    const bool space = static_cast<unsigned char>(*c) <= ' ';
    if (space && (text.empty() || text.back() == ' ')) continue;
    text += space ? ' ' : *c;
  }
  free_error_msg(error);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return without_frame(text);
}

bool built_with_threads(const std::string& model_info) {
  // One "NAME=value" a line, among other text.
  return model_info.find("STAN_THREADS=true") != std::string::npos;
}

void require_same_threads(const std::string& path, bool threads) {
  static std::mutex mutex;
  static std::string first;
  static bool first_threads = false;
  const std::lock_guard<std::mutex> lock(mutex);
  if (first.empty()) {
    first = path;
    first_threads = threads;
  }
  if (first_threads == threads) return;
  const auto in_words = [](bool with) { return with ? "with STAN_THREADS=true" : "without STAN_THREADS"; };
  throw BadInput(path + ": it was built " + in_words(threads) + ", but " + first + ", which this process has loaded, " +
                 in_words(first_threads) + ": build both alike, or sample them in processes of their own");
}

}  // namespace manychain
