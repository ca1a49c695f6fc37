// The run as one JSON object. What is not a number (an R-hat that is not defined) is null, never a word.
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "diagnostics/energy.hpp"
#include "io/version.hpp"
#include "manychain/io/output.hpp"

namespace manychain {

std::string to_json(const Result& result) {
  // Keeps the keys in the order in which a reader expects them; null for NaN and infinity is the library's way.
  nlohmann::ordered_json json;
  const Settings& settings = result.settings;
  json["manychain"] = version;
  json["model"] = result.model;
  json["sampler"] = settings.sampler;
  json["backend"] = result.backend;
  json["device"] = result.device;
  json["no_gpu"] = result.no_gpu.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(result.no_gpu);
  json["precision"] = settings.precision == Precision::single_precision ? "single" : "double";
  json["seed"] = settings.seed;
  json["chains"] = settings.chains;
  json["superchains"] = settings.superchains.value_or(0);
  json["warmup"] = settings.warmup;
  // A cancelled run has fewer than were asked for.
  json["draws"] = result.kept;
  json["draws_planned"] = settings.draws;
  json["thin"] = settings.thin;
  json["seconds"] = {{"total", result.seconds.total},
                     {"warmup", result.seconds.warmup},
                     {"sampling", result.seconds.sampling},
                     {"diagnostics", result.seconds.diagnostics}};
  json["gradients"] = result.gradients;
  json["acceptance_rate"] = result.acceptance_rate;
  json["divergences"] = result.divergences;
  json["divergent_chains"] = result.divergent_chains.size();
  json["stuck_chains"] = result.stuck_chains.size();
  json["nonfinite_chains"] = result.nonfinite_chains.size();
  json["outlying_chains"] = result.outlying_chains.size();
  json["step_size"] = result.step_size;
  if (!result.leapfrogs.empty()) json["trajectory"] = result.trajectory;
  if (settings.schedule) json["schedule"] = {settings.schedule->a, settings.schedule->b, settings.schedule->gamma};
  if (settings.minibatch > 0) json["minibatch"] = settings.minibatch;
  if (!result.ebfmi.empty()) {
    double least = result.ebfmi[0];  // a NaN stays one
    for (double e : result.ebfmi) least = e < least || std::isnan(e) ? e : least;
    json["ebfmi_min"] = least;
    json["low_ebfmi_chains"] = diagnostics::low_ebfmi_chains(result.ebfmi, result.kept).size();
  }
  json["precision_error"] = result.precision_error;
  json["precision_unknown"] = result.precision_unknown;
  json["diagnostics"] = settings.keep_draws ? "stored" : "streaming";  // what they were computed from
  json["cancelled"] = result.cancelled;
  json["not_summarised"] = result.not_summarised;
  json["converged"] = result.converged;
  const diagnostics::Verdict verdict = result.verdict();
  json["problems"] = verdict.texts(diagnostics::Severity::failure);
  json["warnings"] = verdict.texts(diagnostics::Severity::warning);
  json["notes"] = verdict.texts(diagnostics::Severity::note);
  // Straight to the vector below: a look-up of every new key would make this quadratic in the number of parameters.
  nlohmann::ordered_json::object_t parameters;
  auto& entries = static_cast<nlohmann::ordered_json::object_t::Container&>(parameters);
  entries.reserve(result.summary.size());
  for (const SummaryRow& row : result.summary) {
    const VariableSummary& s = row.statistics;
    entries.emplace_back(row.name, nlohmann::ordered_json{{"mean", s.mean},
                                                          {"sd", s.sd},
                                                          {"q5", s.q5},
                                                          {"q50", s.q50},
                                                          {"q95", s.q95},
                                                          {"rhat", s.rhat},
                                                          {"rhat_nested", s.rhat_nested},
                                                          {"ess_bulk", s.ess_bulk},
                                                          {"ess_tail", s.ess_tail},
                                                          {"mcse_mean", s.mcse_mean},
                                                          {"mcse_sd", s.mcse_sd}});
  }
  json["parameters"] = std::move(parameters);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace manychain
