// The findings of check_model(), as one JSON object. Numbers that are not finite are null.
#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "io/precision_json.hpp"
#include "manychain/io/output.hpp"

namespace manychain {
namespace {

using Json = nlohmann::ordered_json;

Json comparison(const ProgramComparison& c) {
  if (!c.made) return {{"made", false}, {"why_not", c.why_not}};
  return {{"made", true},
          {"log_density_error", c.log_density_error},
          {"gradient_error", c.gradient_error},
          {"gradient_passed", c.gradient_passed},
          {"worst_parameter", c.worst_parameter},
          {"tolerance", c.tolerance},
          {"passed", c.passed}};
}

}  // namespace

std::string to_json(const ModelCheck& check) {
  Json json;
  json["manychain"] = version;
  json["model"] = check.model;
  json["dimension"] = check.dimension;
  json["passed"] = check.passed;
  const NonfinitePoints& bad = check.nonfinite;
  json["points"] = {{"number", bad.points},
                    {"not_a_number", bad.not_a_number},
                    {"infinite", bad.infinite},
                    {"outside", bad.outside},
                    {"term", bad.term},
                    {"value", bad.value},
                    {"outside_statement", bad.outside_statement},
                    {"outside_times", bad.outside_times}};
  json["unused"] = check.unused;
  json["notes"] = check.notes;
  if (check.has_gradient) {
    const GradientCheck& g = check.gradient;
    json["gradient"] = {{"passed", g.passed},
                        {"conclusive", g.conclusive},
                        {"worst_parameter", g.worst_parameter},
                        {"gradient", g.gradient},
                        {"finite_difference", g.finite_difference},
                        {"error", g.worst_error},
                        {"tolerance", g.tolerance},
                        {"worst_term", g.worst_term},
                        {"term_gradient", g.term_gradient},
                        {"term_difference", g.term_difference}};
  } else {
    json["gradient"] = nullptr;
  }
  json["solver"] = {{"equations", check.solver.equations},
                    {"unsolved", check.solver.unsolved},
                    {"gradient_moved", check.solver.gradient_moved}};
  const JacobianCheck& j = check.jacobians;
  json["jacobians"] = {{"passed", j.passed},     {"compared", j.compared},
                       {"left_out", j.left_out}, {"worst_parameter", j.worst_parameter},
                       {"added", j.added},       {"numerical", j.numerical},
                       {"error", j.error},       {"tolerance", j.tolerance}};
  json["value_error"] = check.value_error;
  json["single"] = comparison(check.single);
  json["single_at_posterior"] = check.single_at_posterior;
  json["cuda"] = comparison(check.cuda);
  json["precision_check"] = io::precision_json(check.precision);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace manychain
