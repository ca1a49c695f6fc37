#include "io/read_reference.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/read_file.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/diagnosis.hpp"

namespace manychain::io {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  if (!found->is_number()) throw BadInput(std::string(key) + " is no number");
  return found->get<double>();
}

std::optional<double> draws_of(const Json& object) {
  for (const char* key : {"ess_bulk", "ess", "draws"})
    if (const auto draws = number(object, key)) {
      if (!(*draws > 0)) throw BadInput(std::string(key) + " is not above zero");
      return draws;
    }
  return {};
}

double required(const Json& object, const char* key) {
  const auto found = number(object, key);
  if (!found) throw BadInput(std::string("it has no ") + key);
  return *found;
}

Reference reference_of(const std::string& name, const Json& object, std::optional<double> draws) {
  if (!object.is_object()) throw BadInput("it is no object with mean and sd");
  Reference reference{name, required(object, "mean"), required(object, "sd"), 0, 0};
  if (!(reference.sd >= 0)) throw BadInput("its sd is below zero");
  if (const auto own = draws_of(object)) draws = own;
  // The MCSE of the sd of n draws is that of normal ones: sd / sqrt(2 n).
  const auto mean = number(object, "mcse_mean"), sd = number(object, "mcse_sd");
  if (!draws && mean && *mean > 0) draws = std::pow(reference.sd / *mean, 2);
  reference.mcse_mean = mean ? *mean : draws ? reference.sd / std::sqrt(*draws) : 0;
  reference.mcse_sd = sd ? *sd : draws ? reference.sd / std::sqrt(2 * *draws) : 0;
  return reference;
}

std::vector<Reference> read_json(const std::string& path, std::vector<std::string>* problems) {
  const Json all = Json::parse(read_file(path), nullptr, false);
  if (!all.is_object())
    throw BadInput(path +
                   ": it is no JSON object with mean and sd of each quantity, {\"mu\": {\"mean\": 1.2, \"sd\": 0.3}}");
  if (const auto converged = all.find("converged"); problems && converged != all.end() && *converged == false)
    problems->push_back(path + " says so.");
  const auto inner = all.find("parameters");
  const bool wrapped = inner != all.end() && inner->is_object() && !inner->contains("mean");
  std::optional<double> draws;
  // "draws" of a run of manychain is that of each chain: its MCSEs stand in the file.
  if (wrapped && !all.contains("chains")) draws = draws_of(all);
  std::vector<Reference> references;
  for (const auto& [name, object] : (wrapped ? *inner : all).items()) {
    try {
      references.push_back(reference_of(name, object, draws));
    } catch (const BadInput& error) {
      throw BadInput(path + ": " + name + ": " + error.what());
    }
  }
  if (references.empty()) throw BadInput(path + ": it has no quantity");
  return references;
}

bool is_json(const std::string& path) { return path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0; }

}  // namespace

std::vector<Reference> read_reference(const std::vector<std::string>& paths, int threads,
                                      std::vector<std::string>* problems) {
  if (paths.size() == 1 && is_json(paths[0])) return read_json(paths[0], problems);
  for (const std::string& path : paths)
    if (is_json(path)) throw BadInput(path + ": a reference in JSON is one file; give it alone");
  const Diagnosis diagnosis = diagnose(read_draws(paths), threads);
  if (problems)
    for (const diagnostics::Finding& finding : diagnosis.verdict.findings)
      if (finding.severity == diagnostics::Severity::failure) problems->push_back(finding.what);
  std::vector<Reference> references;
  for (std::size_t i = 0; i < diagnosis.summary.size(); ++i) {
    const VariableSummary& of = diagnosis.summary[i];
    const bool constant = diagnosis.summary[i].constant;
    references.push_back({diagnosis.file.names[i], of.mean, constant ? 0 : of.sd, constant ? 0 : of.mcse_mean,
                          constant ? 0 : of.mcse_sd});
  }
  return references;
}

}  // namespace manychain::io
