#include "cli/model_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/foreign.hpp"

namespace manychain::cli {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Names of models have neither.
bool is_file(const std::string& model) { return model.find_first_of("./") != std::string::npos; }

/// One model, and only options that belong to it.
void require_one(const ModelSource& source) {
  const int given = !source.model.empty() + !source.stan.empty() + !source.library.empty();
  if (given > 1)
    throw BadInput(source.model.empty()
                       ? "give one model: --stan or --library"
                       : "give one model: " + source.model + " stands beside --" +
                             (source.stan.empty() ? "library" : "stan") + "; if it is a file of data, --data gives it");
  if (ends_with(source.model, ".so") || ends_with(source.model, ".stan"))
    throw BadInput(
        fmt::format("{0} is no name of a built-in model: for a Stan program, or a Stan model that BridgeStan has "
                    "compiled, give --stan {0}, for a function of a library --library FILE.so",
                    source.model));
  if (source.library.empty()) {
    for (const auto& [option, is_given] :
         {std::pair("--symbol", !source.symbol.empty()), std::pair("--dimension", source.dimension > 0),
          std::pair("--user-data", !source.user_data.empty()), std::pair("--parameters", !source.parameters.empty())})
      if (is_given) throw BadInput(std::string(option) + " is for --library, which is missing");
    return;
  }
  if (source.symbol.empty()) throw BadInput("--library " + source.library + ": name its function by --symbol");
  if (source.dimension == 0)
    throw BadInput("--library " + source.library + ": say by --dimension how many parameters " + source.symbol +
                   " has");
}

ModelOfSet load_functions(const ModelSource& source) {
  if (!source.user_data.empty())
    throw BadInput("--user-data stands beside data, from which " + source.symbol + "_data() makes it");
  return load_callbacks(source.library, source.symbol, source.dimension, listed(source.parameters));
}

Model load_function(const ModelSource& source) {
  if (!source.data.empty()) return load_functions(source)(0, Data::from_files(source.data), 0);
  void* const user = source.user_data.empty() ? nullptr : const_cast<char*>(source.user_data.c_str());
  CallbackDensity density = load_callback(source.library, source.symbol, source.dimension, user);
  density.parameters = listed(source.parameters);
  return Model(density);
}

}  // namespace

std::string ModelSource::stem(const std::string& model_name) const {
  if (stan.empty() && library.empty()) {
    std::string of_class;  // of a header with several; in a namespace: a::B
    for (const char c : header.class_name)
      if (c != ':' || of_class.empty() || of_class.back() != '_') of_class += c == ':' ? '_' : c;
    return of_class.empty() ? model_name : model_name + '_' + of_class;
  }
  std::string name = std::filesystem::path(stan.empty() ? library : stan).stem().string();
  // As BridgeStan calls the library of NAME.stan.
  if (!stan.empty() && ends_with(name, "_model") && name.size() > 6) name.resize(name.size() - 6);
  return name;
}

std::vector<std::string> ModelSource::files() const {
  std::vector<std::string> all = data;
  for (const std::string& file : {stan, library, is_file(model) ? model : ""})
    if (!file.empty()) all.push_back(file);
  return all;
}

std::string ModelSource::data_in_words() const {
  if (!data.empty()) return fmt::format("data from {}", fmt::join(data, ", "));
  if (!user_data.empty()) return "user data " + user_data;
  return stan.empty() && library.empty() ? "its own data" : "no data";
}

void add_model_options(CLI::App& app, ModelSource& source) {
  add_option(app, "MODEL", source.model, model_argument);
  add_list(app, "--data", source.data, (std::string(data_help) + "; default: the data that the model carries").c_str(),
           "FILE");
  add_header_options(app, source.header);
  add_option(app, "--stan", source.stan, "In place of MODEL: a Stan program, or a model that BridgeStan has compiled",
             "FILE.stan|FILE.so");
  add_option(app, "--library", source.library,
             "In place of MODEL: a shared library with a log density; its function NAME_data takes data", "FILE.so");
  add_option(app, "--symbol", source.symbol,
             "Its function: int f(size_t n, const double *x, double *gradient, double *logp, void *user)", "NAME");
  add_option(app, "--dimension", source.dimension, "Number n of its parameters, which are unconstrained");
  hide_default(app, "--dimension");
  add_option(app, "--user-data", source.user_data, "Given to it as user, a const char*; without it user is NULL",
             "TEXT");
  add_option(app, "--parameters", source.parameters, "Names of its parameters; default: q[1], q[2], ...", "NAME,...");
}

Model load_model(const ModelSource& source, std::uint64_t seed, const WantedCode& wanted) {
  require_one(source);
  if (!source.stan.empty()) {
    if (source.data.size() > 1) throw BadInput("--stan: give one file of data");
    return load_stan(source.stan, source.data.empty() ? "" : source.data.front(), seed);
  }
  if (!source.library.empty()) return load_function(source);
  start_if_header(source.model, &source.data, source.header, wanted);
  return load_model(source.model, source.data);
}

ModelOfSet load_models(const ModelSource& source, const WantedCode& wanted) {
  require_one(source);
  if (!source.stan.empty()) return stan_models(source.stan);
  if (!source.library.empty()) return load_functions(source);
  start_if_header(source.model, nullptr, source.header, wanted);
  if (const ModelInfo* const found = find_model(source.model))
    return [&unit = *found->unit](std::size_t, const Data& data, std::uint64_t) { return Model(unit, data); };
  load_model(source.model, {});  // says which there are
  throw BadInput("unknown model " + source.model);
}

}  // namespace manychain::cli
