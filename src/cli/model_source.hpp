// Source of the model of a command: one of this program, a header, a Stan model, or a function of a library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/own/own_model.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/sets.hpp"

namespace CLI {
class App;
}

namespace manychain::cli {

/// As the command line says it. Must outlive the model: a function of a library is given `user_data` by address.
struct ModelSource {
  std::string model;              ///< a name, or a header
  std::vector<std::string> data;  ///< files, taken together
  HeaderOptions header;
  std::string stan;                                    ///< a library of BridgeStan
  std::string library, symbol, user_data, parameters;  ///< a function of a library
  std::size_t dimension = 0;

  /// The stem of the names of files of its draws: the model's name, or the library's without folder and ending; behind
  /// it the class of a header that --class has chosen.
  std::string stem(const std::string& model_name) const;
  /// Files that are read: data, and a header or a library, if that is where the model comes from.
  std::vector<std::string> files() const;
  /// "data from school.json", for people.
  std::string data_in_words() const;
};

void add_model_options(CLI::App& app, ModelSource& source);
/// Throws BadInput where that is no model, or more than one. `seed`: of what Stan's transformed data draw. A header is
/// compiled for what is `wanted`; this does not return then, but turns into its program.
Model load_model(const ModelSource& source, std::uint64_t seed, const WantedCode& wanted);
/// Likewise, the model without data, for many data sets. Throws BadInput for one that has its data.
ModelOfSet load_models(const ModelSource& source, const WantedCode& wanted);

}  // namespace manychain::cli
