#include "own_model/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "manychain/core/error.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain::own_model {
namespace {

// The name of the model in the other units, in entry.cpp and in program.cpp.
constexpr const char* symbol = "own";

// DensitySamplers (manychain/chain/density_programs.hpp).
constexpr std::array<std::string_view, 2> density_samplers = {"hmc", "tempering"};

bool is_of_density(const std::string& sampler) {
  return std::find(density_samplers.begin(), density_samplers.end(), sampler) != density_samplers.end();
}

using Values = std::map<std::string, std::string>;

std::string filled(const std::filesystem::path& file, const Values& values) {
  std::ifstream stream(file);
  std::ostringstream read;
  read << stream.rdbuf();
  if (!stream) throw Error(file.string() + ": cannot be read");
  const std::string text = read.str();
  std::string out;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find('@', done)) != std::string::npos;) {
    const std::size_t end = text.find('@', at + 1);
    const auto value = end == std::string::npos ? values.end() : values.find(text.substr(at + 1, end - at - 1));
    if (value == values.end()) throw Error(file.string() + ": it is of another version of manychain");
    out.append(text, done, at - done) += value->second;
    done = end + 1;
  }
  return out.append(text, done);
}

/// The first is what the unit with the table calls it whichever it is, so that it need not be compiled again.
std::string sampler_symbol(const std::string& sampler, const std::vector<std::string>& all) {
  if (sampler == all.front()) return symbol;
  std::string name = fmt::format("{}_{}", symbol, sampler);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

struct Precisions {
  bool in_single, in_double;
};

Precisions precisions(Precision wanted) {
  return {wanted != Precision::double_precision, wanted != Precision::single_precision};
}

/// The return value of a unit's function: programs of both precisions, or of one with a null in place of the other.
std::string programs(const char* maker, Precisions held, const std::string& arguments) {
  const auto one = [&](const char* number, bool is_held) {
    return is_held ? fmt::format("manychain::{}<{}, Variants<{}>{}>", maker, number, number, arguments) : "nullptr";
  };
  return fmt::format("{{{}, {}}}", one("float", held.in_single), one("double", held.in_double));
}

/// True if the kernels of a sampler may have masses that depend on position.
bool may_have_leaves(const std::string& sampler) {
  const SamplerInfo* const info = find_sampler(sampler);
  return info && info->directions;
}

std::string names_of(const std::vector<std::string>& samplers) {
  std::string text;
  for (const std::string& sampler : samplers) text += fmt::format(", \"{}\"", sampler);
  return text;
}

}  // namespace

std::string model_name(const std::string& header) {
  std::string name = std::filesystem::path(header).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  return name;
}

std::vector<Unit> generated_units(const ModelCode& wanted, const std::string& header, const std::string& class_name,
                                  const std::filesystem::path& templates) {
  std::string sizes;
  for (std::string extents : wanted.sizes) {
    for (std::size_t at = 0; (at = extents.find(',', at)) != std::string::npos; at += 2) extents.insert(at + 1, " ");
    sizes += fmt::format("MANYCHAIN_SIZES({}) ", extents);
  }
  Values values = {{"MODEL_HEADER", header},
                   {"MODEL_CLASS", "::" + class_name},  // the library may have one of that name, too
                   {"MODEL_NAME", model_name(header)},
                   {"MODEL_SYMBOL", symbol},
                   {"MODEL_DESCRIPTION", "a model of " + model_name(header) + ".hpp"},
                   {"MODEL_SIZES", sizes},
                   {"MODEL_CUDA_SIZES", sizes},
                   {"MODEL_DATA", "\"\""},
                   {"MODEL_DATA_DECLARATION", ""},
                   {"UNIT_ASSERTIONS", ""}};  // a sampler that does not suit the model is refused where all are named
  std::vector<Unit> units;
  units.push_back({Unit::Kind::check, "check.cpp", filled(templates / "model_check.cpp.in", values)});
  // The density of a model of any size is compiled apart from samplers, in a unit for each precision. The unit in
  // double has operations at points, which call the density, too.
  const Precisions made = precisions(wanted.precision);
  std::string functions;
  const auto add_chains = [&](const std::string& name, const std::string& file, const std::string& words,
                              const std::string& code, bool holds_points = false) {
    functions += fmt::format("MANYCHAIN_UNIT(manychain_cpu_{}) ", name);
    values["UNIT_SYMBOL"] = name;
    values["UNIT_WORDS"] = words;
    values["UNIT_PROGRAMS"] = code;
    values["UNIT_HOLDS_POINTS"] = holds_points ? "1" : "0";
    units.push_back({Unit::Kind::chains, file, filled(templates / "model_samplers_cpu.cpp.in", values)});
  };
  const bool by_density = std::any_of(wanted.samplers.begin(), wanted.samplers.end(), is_of_density);
  const auto of_density = [&](bool in_single, bool in_double) {
    return programs("make_density_program", {by_density && in_single, by_density && in_double}, "");
  };
  add_chains("own_double", "double.cpp", "its density in double", of_density(false, made.in_double), true);
  add_chains("own_single", "single.cpp", "its density in single", of_density(made.in_single, false));
  for (const std::string& sampler : wanted.samplers)
    add_chains(sampler_symbol(sampler, wanted.samplers), sampler + ".cpp", "sampler " + sampler,
               programs("make_whole_program", made, names_of({sampler})));
  values["MODEL_CPU_UNITS"] = functions;
  values["MODEL_HOLDS_POINTS"] = "0";
  values["MODEL_CUDA_UNITS"] = "";
  if (!wanted.architectures.empty()) {
    std::vector<Unit> cuda;
    const auto add = [&](const std::string& name, const char* leaves, const char* maker, const std::string& file) {
      values["MODEL_CUDA_UNITS"] += fmt::format("MANYCHAIN_UNIT(manychain_cuda_{}) ", name);
      values["UNIT_SYMBOL"] = name;
      values["UNIT_LEAVES"] = leaves;
      values["UNIT_PROGRAMS"] = programs(maker, made, names_of(wanted.samplers));
      cuda.push_back({Unit::Kind::cuda, file, filled(templates / "model_cuda.cu.in", values)});
    };
    add(symbol, "false", "make_cuda_program", "cuda.cu");
    // Nobody knows yet what data will say of the model: the kernels are compiled beside the others.
    if (std::any_of(wanted.samplers.begin(), wanted.samplers.end(), may_have_leaves))
      add(std::string(symbol) + "_leaves", "true", "make_cuda_program_with_leaves", "leaves.cu");
    units.insert(units.begin() + 1, cuda.begin(), cuda.end());
  }
  units.push_back({Unit::Kind::chains, "model.cpp", filled(templates / "model_cpu.cpp.in", values)});
  return units;
}

}  // namespace manychain::own_model
