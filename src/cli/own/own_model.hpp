// A model of the user's own on the command line: where a command is given a header in place of the name of a model.
//
// `manychain` compiles the header and turns into the program that comes of it (start.cpp). In that program the same
// functions are those of program.cpp: there the model is the only one there is.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "manychain/run/settings.hpp"

namespace manychain::cli {

/// Options of the command line for a header, beside its path.
struct HeaderOptions {
  std::string class_name;  ///< --class; empty: the one model that the header has
  std::string cache;       ///< --cache; empty: MANYCHAIN_CACHE, XDG_CACHE_HOME/manychain or ~/.cache/manychain
};

/// Adds --class and --cache.
void add_header_options(CLI::App& app, HeaderOptions& options);

/// The part of a model that a command needs compiled.
struct WantedCode {
  std::vector<std::string> samplers;
  Precision precision = Precision::automatic;
  Backend backend = Backend::cpu;
  std::optional<int> device;
};

/// The description of MODEL in the help of a command.
extern const char* const model_argument;

/// If `model` is a header: compiles it, unless that was done before, and turns into its program, with the command line
/// of this one. Does not return then. Throws BadInput for a file that is no model, and where it does not compile.
/// `data` is looked at first: a misspelt name must not wait for the compiler. Null: the model is bound to other data
/// than files hold.
void start_if_header(const std::string& model, const std::vector<std::string>* data, const HeaderOptions& options,
                     const WantedCode& wanted);

/// The model that `name` stands for; null if it is none of this program's.
const ModelInfo* find_model(const std::string& name);

Command new_command(CLI::App& parent);
Command build_command(CLI::App& parent);
Command evidence_command(CLI::App& parent);

}  // namespace manychain::cli
