#include "io/test_output.hpp"

#include <nlohmann/json.hpp>

#include "core/version.hpp"

namespace manychain::io {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(const Calibration& c) {
  Json json;
  json["manychain"] = version;
  json["model"] = c.model;
  json["passed"] = c.passed;
  json["simulations"] = c.simulations;
  json["used"] = c.used;
  json["chains"] = c.chains;
  json["replaced"] = c.replaced;
  json["refused"] = {{"number", c.refused}, {"first", c.refusal}};
  json["not_converged"] = {{"simulations", c.not_converged}, {"first", c.problem}};
  json["failed"] = {{"simulations", c.failed}, {"first", c.failure}};
  json["divergent"] = c.divergent;
  json["prior_divergences"] = c.prior_divergences;
  json["cancelled"] = c.cancelled;
  json["seconds"] = c.seconds;
  json["false_alarm"] = calibration_level;
  json["finds"] = {{"narrow", c.power.narrow}, {"wide", c.power.wide}, {"shift", c.power.shift}};
  Json& quantities = json["quantities"] = Json::object();
  for (const CalibratedQuantity& of : c.quantities)
    quantities[of.name] = {{"mean_rank", of.test.mean_rank},
                           {"shift", of.test.shift},
                           {"sd_factor", of.test.sd_factor},
                           {"p_shift", of.test.p_shift},
                           {"p_width", of.test.p_width},
                           {"p_shape", of.test.p_shape},
                           {"p", of.test.p},
                           {"wrong", of.wrong},
                           {"ranks", of.ranks}};
  return text(json);
}

std::string to_json(const ReferenceComparison& c) {
  Json json;
  json["manychain"] = version;
  json["passed"] = c.passed;
  json["converged"] = c.converged;
  json["problems"] = c.problems;
  json["reference_problems"] = c.reference_problems;
  json["only_model"] = c.only_here;
  json["only_reference"] = c.only_there;
  Json& quantities = json["quantities"] = Json::object();
  for (const ReferenceRow& row : c.rows)
    quantities[row.reference.name] = {{"reference_mean", row.reference.mean},
                                      {"mean", row.mean},
                                      {"z", row.z},
                                      {"reference_sd", row.reference.sd},
                                      {"sd", row.sd},
                                      {"sd_error", row.sd_error},
                                      {"agrees", row.agrees()}};
  return text(json);
}

}  // namespace manychain::io
