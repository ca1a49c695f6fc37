// manychain build: a program of a model of the user's own.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/files.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/own/compile_program.hpp"
#include "cli/own/own_model.hpp"
#include "io/partial_file.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string header, output, samplers = "hmc", precision = "both", sizes, architectures;
  bool cuda = false, no_cuda = false;
  HeaderOptions how;
};

std::vector<std::string> architectures(const Options& options) {
  const own_model::Toolchain toolchain = own_toolchain();
  if (!toolchain.makes_programs())
    throw BadInput("this package makes no programs: `manychain sample model.hpp` compiles the model for a run");
  if (options.cuda && options.no_cuda) throw BadInput("give --cuda or --no-cuda, not both");
  if (options.no_cuda) {
    if (!options.architectures.empty()) throw BadInput("give --architecture or --no-cuda, not both");
    return {};
  }
  const bool asked = options.cuda || !options.architectures.empty();
  if (!toolchain.has_cuda()) {
    if (asked) throw BadInput("this manychain was built without CUDA, and builds models without it");
    return {};
  }
  const std::string nvcc = toolchain.word("nvcc");
  if (::access(nvcc.c_str(), X_OK) != 0) {
    if (asked) throw BadInput(nvcc + " is not there, and without it there is no CUDA code; --no-cuda leaves it out");
    return {};
  }
  if (!options.architectures.empty()) {
    for (const std::string& name : listed(options.architectures)) {
      const std::string number = name.substr(0, name.find('-')), rest = name.substr(number.size());
      const std::size_t digits = number.find_first_not_of("0123456789");
      if (digits == 0 || (digits != std::string::npos && (digits + 1 != number.size() || number[digits] < 'a')) ||
          (rest != "" && rest != "-real" && rest != "-virtual"))
        throw BadInput("--architecture: " + name + " is none: write 90, 90-real or 90-virtual");
    }
    return listed(options.architectures);
  }
  if (const CudaState state = cuda_state(); state.usable) return {std::to_string(state.capability)};
  return toolchain.words("architecture");
}

/// "8" or "3,4", several with blanks or semicolons between them.
std::vector<std::string> sizes(const std::string& words) {
  std::vector<std::string> list(1);
  for (const char c : words) {
    if (c == ' ' || c == ';')
      list.emplace_back();
    else
      list.back() += c;
  }
  list.erase(std::remove(list.begin(), list.end(), ""), list.end());
  for (const std::string& size : list)
    for (const std::string& extent : listed(size))
      if (!whole_number(extent).empty() || extent.size() > 9 || std::stoi(extent) < 1)
        throw BadInput("--size: " + extent + " is no size: write 8, \"8 16\" for two, or 3,4 for two extents");
  return list;
}

Precision precision(const std::string& word) {
  if (const std::string wrong = not_one_of({"both", "single", "double"}, word); !wrong.empty())
    throw BadInput("--precision: " + wrong);
  return word == "both"     ? Precision::automatic
         : word == "single" ? Precision::single_precision
                            : Precision::double_precision;
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }
constexpr FileKind program_file{"program", is_program, true};

int build(const Options& options) {
  if (options.header.empty()) throw BadInput("give the header of a model: manychain build model.hpp -o model");
  own_model::require_header(options.header);
  own_model::ModelCode program{options.header,       options.how.class_name,       listed(options.samplers),
                               sizes(options.sizes), precision(options.precision), architectures(options)};
  std::vector<std::string> names;
  for (const SamplerInfo& sampler : all_samplers()) names.emplace_back(sampler.name);
  if (program.samplers.empty()) throw BadInput("--sampler: name one at least, for example hmc");
  for (const std::string& sampler : program.samplers)
    if (const std::string wrong = not_one_of(names, sampler); !wrong.empty()) throw BadInput("--sampler: " + wrong);
  auto end = program.samplers.begin();
  for (const std::string& sampler : std::vector<std::string>(program.samplers))
    if (std::find(program.samplers.begin(), end, sampler) == end) *end++ = sampler;
  program.samplers.erase(end, program.samplers.end());

  const std::string output = options.output.empty() ? own_model::model_name(options.header) : options.output;
  require_outputs({{"--output", output, &program_file}}, {options.header});
  io::PartialFile file(output);

  own_model::Cache cache(options.how.cache);
  const std::string made = compile_program(program, cache, {});
  std::error_code error;
  fs::copy_file(made, file.begin(), fs::copy_options::overwrite_existing, error);
  if (error) throw Error(fmt::format("{}: cannot be written: {}", output, error.message()));
  file.keep();
  const std::string command = output.find('/') == std::string::npos ? "./" + output : output;
  say(stdout, "Built {} ({}). Next: {} sample --data FILE.json, or {} --help\n", output, size_of_file(output), command,
      command);
  return success;
}

}  // namespace

Command build_command(CLI::App& parent) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = add_command(parent, "build", "Make a program of a model of your own, with this command line");
  add_option(*app, "HEADER", options->header, "The header of the model, model.hpp; `manychain new` writes one");
  add_option(*app, "-o,--output", options->output, "The program; default: the header's name without .hpp", "FILE");
  add_option(*app, "--sampler", options->samplers, "Samplers to compile the model for; default: hmc", "NAME,...");
  add_option(
      *app, "--size", options->sizes,
      "A size of the class's own template arguments to compile for, beside the one for any size: 8, or 3,4 of two",
      "N");
  add_option(*app, "--precision", options->precision, "single, double or both; default: both", "NAME");
  add_flag(*app, "--cuda", options->cuda, "With CUDA code, or an error; default: where nvcc is found");
  add_flag(*app, "--no-cuda", options->no_cuda, "For the CPU alone");
  add_option(*app, "--architecture", options->architectures,
             "Architectures of CUDA code, 90 or 90-real or 90-virtual; default: of the GPU that is here, else what "
             "manychain was built for",
             "N,...");
  add_header_options(*app, options->how);
  add_footer(
      *app,
      "Each precision takes some seconds to compile. So does each sampler, side by side, but hmc and tempering of "
      "a class without a fixed dimension.");
  return {app, [options] { return build(*options); }};
}

}  // namespace manychain::cli
