#include "io/run_record.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

using Json = nlohmann::ordered_json;

/// Each field under its name: visit(name, field). What is written and what is read cannot differ.
template <class Facts, class Visit>
void visit_fields(Facts& facts, const Visit& visit) {
  visit("sampler", facts.sampler);
  visit("biased", facts.biased);
  visit("weighted", facts.weighted);
  visit("weights_ess", facts.weights_ess);
  visit("weights_khat", facts.weights_khat);
  visit("trajectory", facts.trajectory);
  visit("momenta", facts.momenta);
  visit("step_size", facts.step_size);
  visit("target_acceptance", facts.target_acceptance);
  visit("fixed_step", facts.fixed_step);
  visit("scheduled", facts.scheduled);
  visit("given_starts", facts.given_starts);
  visit("warmup", facts.warmup);
  visit("draws", facts.draws);
  visit("thin", facts.thin);
  visit("superchains", facts.superchains);
  visit("groups", facts.groups);
  visit("divergences", facts.divergences);
  visit("divergent_chains", facts.divergent_chains);
  visit("stuck_chains", facts.stuck_chains);
  visit("nonfinite_chains", facts.nonfinite_chains);
  visit("outlying_chains", facts.outlying_chains);
  visit("precision_error", facts.precision_error);
  visit("precision_unknown", facts.precision_unknown);
  visit("beyond_precision", facts.beyond_precision);
  visit("rejected", facts.rejected);
  visit("rejected_before", facts.rejected_before);
  visit("rejected_outputs", facts.rejected_outputs);
  visit("rejection", facts.rejection);
  visit("constants", facts.constants);
  visit("still", facts.still);
  visit("no_log_likelihood", facts.no_log_likelihood);
  visit("precision_looked", facts.precision_looked);
  visit("precision_double", facts.precision_double);
  visit("precision_fault", facts.precision_fault);
  visit("precision_cure", facts.precision_cure);
  visit("without_leaves", facts.without_leaves);
  visit("missed_necks", facts.missed_necks);
  visit("necks_of_data", facts.necks_of_data);
  visit("drifts", facts.drifts);
  visit("missed_modes", facts.missed_modes);
  visit("exchangeable", facts.exchangeable);
  visit("orderable", facts.orderable);
  visit("annealed", facts.annealed);
  visit("weighed_modes", facts.weighed_modes);
  visit("temperatures", facts.temperatures);
  visit("barrier", facts.barrier);
  visit("restarts", facts.restarts);
  visit("constant_metric", facts.constant_metric);
  visit("chains_for_dense", facts.chains_for_dense);
  visit("improper", facts.improper);
  visit("places", facts.places);
  visit("edges", facts.edges);
  visit("jumps", facts.jumps);
  visit("tail", facts.tail.where);
  visit("tail_shorter", facts.tail.shorter);
  visit("tail_acceptance", facts.tail.acceptance);
  visit("tail_refused", facts.tail.refused);
  visit("tail_visits", facts.tail.visits);
  visit("tail_at_most", facts.tail.at_most);
  visit("tail_sd_error", facts.tail.sd_error);
  visit("tail_draws", facts.tail.draws);
  visit("wrong_gradient", facts.wrong_gradient);
  visit("low_chains", facts.low_chains);
}

void read(const Json& json, double& number) { number = json.is_null() ? NAN : json.get<double>(); }
template <class Value>
void read(const Json& json, Value& value) {
  value = json.get<Value>();
}

}  // namespace

std::string run_record(const diagnostics::RunFacts& facts, std::size_t chains, std::size_t draws) {
  Json json;
  json["chains"] = chains;
  json["kept"] = draws;
  visit_fields(facts, [&](const char* name, const auto& field) { json[name] = field; });  // NaN becomes null
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<diagnostics::RunFacts> read_run_record(const std::string& text, std::size_t chains, std::size_t draws) {
  try {
    const Json json = Json::parse(text);
    if (json.at("chains").get<std::size_t>() != chains || json.at("kept").get<std::size_t>() != draws) return {};
    diagnostics::RunFacts facts;
    // A file of another version may have fewer fields, or more.
    visit_fields(facts, [&](const char* name, auto& field) {
      if (json.contains(name)) read(json[name], field);
    });
    bool sound = facts.superchains <= chains && facts.groups >= 1 && facts.groups <= chains;
    for (const auto* named :
         {&facts.divergent_chains, &facts.stuck_chains, &facts.nonfinite_chains, &facts.outlying_chains})
      sound = sound && std::all_of(named->begin(), named->end(), [&](std::size_t c) { return c < chains; });
    if (sound) return facts;
  } catch (const Json::exception&) {
    // said below
  }
  throw BadInput("what its run wrote about itself makes no sense");
}

}  // namespace manychain::io
