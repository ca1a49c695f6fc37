#include <cmath>

#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "manychain/io/output.hpp"

namespace manychain {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LogIntegral& way) {
  return {{"log_z", way.log_z}, {"error", way.error}, {"ess", way.ess}, {"k_hat", way.khat}};
}

Json json_of(const Evidence& evidence) {
  Json json;
  json["model"] = evidence.model;
  json["seed"] = evidence.seed;
  json["log_z"] = evidence.log_evidence();
  json["error"] = evidence.error();
  json["forwards"] = json_of(evidence.forwards);
  json["backwards"] = json_of(evidence.backwards);
  json["agree"] = evidence.agree;
  json["prior"] = json_of(evidence.prior);
  json["prior_counts"] = evidence.prior_counts;
  json["flat"] = evidence.flat;
  json["as_written"] = evidence.as_written;
  json["particles"] = evidence.particles;
  json["temperatures"] = evidence.temperatures;
  json["chains"] = evidence.chains;
  json["barrier"] = evidence.barrier;
  json["evaluations"] = evidence.evaluations;
  Json& modes = json["modes"] = Json::array();
  for (const WeighedMode& mode : evidence.modes)
    modes.push_back({{"share", mode.share}, {"error", mode.error}, {"centre", mode.centre}, {"value", mode.value}});
  json["warnings"] = evidence.warnings;
  json["seconds"] = evidence.seconds;
  return json;
}

std::string text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(const Evidence& evidence) {
  Json json;
  json["manychain"] = version;
  json.update(json_of(evidence));
  return text(json);
}

std::string to_json(const Evidence& a, const Evidence& b) {
  Json json;
  json["manychain"] = version;
  json["log_bayes_factor"] = a.log_evidence() - b.log_evidence();
  json["error"] = std::hypot(a.error(), b.error());
  json["models"] = {json_of(a), json_of(b)};
  return text(json);
}

}  // namespace manychain
