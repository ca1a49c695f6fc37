// Many data sets as one JSON object. What is not a number is null.
#include "manychain/io/sets_output.hpp"

#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "diagnostics/summary_columns.hpp"
#include "io/run_attributes.hpp"

namespace manychain {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const VariableSummary& summary) {
  Json json;
  for (const auto& [name, value] : diagnostics::summary_columns) json[name] = summary.*value;
  return json;
}

Json json_of(const SetSummary& set) {
  Json json = {{"name", set.name}, {"state", in_words(set.state)}, {"said", set.said}, {"seed", set.seed}};
  if (!set.of) return json;
  json["converged"] = set.converged;
  json["largest_rhat"] = set.largest_rhat;
  json["worst"] = set.worst;
  json["smallest_ess"] = set.smallest_ess;
  json["warmup_done"] = set.warmup;
  json["draws"] = set.draws;
  json["divergences"] = set.divergences;
  json["gradients"] = set.gradients;
  json["precision"] = set.single_precision ? "single" : "double";
  json["seconds"] = set.seconds;
  Json& quantities = json["summary"] = Json::object();
  for (std::size_t i = 0; i < set.summary.size(); ++i) quantities[set.of->names[i]] = json_of(set.summary[i]);
  return json;
}

}  // namespace

std::string to_json(const SetsResult& result) {
  Json json;
  json["manychain"] = version;
  json["model"] = result.model;
  json["settings"] = io::options_to_repeat(result.settings);
  json["data_sets"] = result.sets.size();
  json["sampled"] = result.sampled;
  json["converged"] = result.converged;
  json["refused"] = result.refused;
  json["failed"] = result.failed;
  json["left_out"] = result.left_out;
  json["cancelled"] = result.cancelled;
  json["seconds"] = result.seconds;
  Json& sets = json["sets"] = Json::array();
  for (const SetSummary& set : result.sets) sets.push_back(json_of(set));
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const CrossValidation& found) {
  const auto density = [](const PredictiveDensity& of) -> Json {
    return {{"elpd", of.elpd}, {"error", of.error}, {"rows", of.rows}};
  };
  Json json;
  json["manychain"] = version;
  json["model"] = found.model;
  json["observed"] = found.observed;
  json["folds"] = found.folds;
  json["fold"] = found.fold;
  json["refitted"] = density(found.refitted);
  json["psis_loo"] = density(found.smoothed);
  json["psis_loo"]["khat"] = found.khat;
  json["converged"] = found.converged;
  json["settings"] = io::options_to_repeat(found.fits.settings);
  Json& fits = json["fits"] = Json::array();
  for (const SetSummary& set : found.fits.sets) fits.push_back(json_of(set));
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace manychain
