// The run as one JSON object. What is not a number (an R-hat that is not defined) is null, never a word.
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/version.hpp"
#include "diagnostics/energy.hpp"
#include "diagnostics/limits.hpp"
#include "io/precision_json.hpp"
#include "manychain/io/output.hpp"
#include "run/setting_table.hpp"
#include "sampling/missed_modes.hpp"

namespace manychain {
namespace {

/// A number, or a word; what is not given is 0.
template <class Row>
nlohmann::ordered_json json_of(const Row& row, const Settings& settings) {
  using Value = typename Row::Value;
  const Value value = row.value(settings) ? *row.value(settings) : Value();
  if constexpr (std::is_same_v<Value, StepSchedule>)
    return {value.a, value.b, value.gamma};
  else if (row.range.words)
    return row.text(settings);
  else
    return value;
}

}  // namespace

std::string to_json(const Result& result) {
  // Keeps the keys in the order in which a reader expects them; null for NaN and infinity is the library's way.
  nlohmann::ordered_json json;
  const Settings& settings = result.settings;
  json["manychain"] = version;
  json["model"] = result.model;
  for_each_setting([&](const auto& row) {
    if (row.json && (!row.only || row.given(settings))) json[row.json] = json_of(row, settings);
  });
  json["backend"] = result.backend;
  json["device"] = result.device;
  json["no_gpu"] = result.no_gpu.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(result.no_gpu);
  json["warmup_done"] = result.warmup.transitions;
  json["draws"] = result.kept;  // a cancelled run has fewer than were asked for
  if (settings.sampling.target_ess) json["reached_target"] = result.sampling.reached_target;
  if (settings.sampling.target_ess) json["stays_apart"] = result.sampling.stays_apart;
  json["seconds"] = {{"total", result.seconds.total},
                     {"warmup", result.seconds.warmup},
                     {"sampling", result.seconds.sampling},
                     {"diagnostics", result.seconds.diagnostics}};
  json["gradients"] = result.gradients;
  const Range<Integrator> integrators{.words = integrator_words};
  json["acceptance_rate"] = result.sampling.acceptance_rate;
  json["divergences"] = result.sampling.divergences;
  if (const Rejections& all = result.sampling.rejected;
      all.evaluations + all.outputs + result.warmup.rejected.evaluations > 0)
    json["rejected"] = {{"sampling", all.evaluations},
                        {"before", result.warmup.rejected.evaluations},
                        {"outputs", all.outputs},
                        {"message", all.message.empty() ? result.warmup.rejected.message : all.message}};
  json["divergent_chains"] = result.sampling.divergent_chains.size();
  json["stuck_chains"] = result.sampling.stuck_chains.size();
  json["nonfinite_chains"] = result.sampling.nonfinite_chains.size();
  json["outlying_chains"] = result.sampling.outlying_chains.size();
  json["wrong_gradient"] = result.posterior.wrong_gradient;
  json["improper"] = result.posterior.improper;
  json["places"] = result.posterior.places;
  json["low_chains"] = result.posterior.low_chains;
  json["missed_modes"] = missed_modes_in_words(result);
  json["exchangeable"] = result.posterior.modes.exchangeable;
  if (const ModesLook& look = result.posterior.modes; look.points > 0)
    json["modes"] = {{"points", look.points},
                     {"elsewhere", look.elsewhere},
                     {"tried", look.tried},
                     {"joined", look.joined},
                     {"evaluations", look.evaluations}};
  if (const std::optional<UnreachedTail>& tail = result.posterior.modes.tail)
    json["tail"] = {{"share", tail->share},        {"widens", tail->widens},         {"shorter", tail->shorter},
                    {"refused", tail->refused},    {"acceptance", tail->acceptance}, {"leaves", tail->leaves},
                    {"none_left", tail->none_left}};
  json["edges"] = result.posterior.edges;
  json["jumps"] = result.posterior.jumps;
  json["drifts"] = result.posterior.drifts;
  json["missed_necks"] = result.posterior.missed_necks;
  if (!result.sampler.exact && !result.sampler.chain)
    json["weights"] = {{"ess", result.sampling.weights_ess}, {"k_hat", result.sampling.weights_khat}};
  json["step_size"] = result.warmup.tuning[0].step_size;
  if (!result.sampling.leapfrogs.empty()) {
    const TunedGroup& first = result.warmup.tuning[0];
    json["trajectory"] = first.trajectory;
    json["metric_rank"] = first.metric_rank;
    json["metric_leaves"] = first.leaves;
    json["integrator"] = integrators.word(first.integrator);
    if (first.learnt_trajectory > 0) json["learnt_trajectory"] = first.learnt_trajectory;
  }
  if (const StartsFound& starts = result.warmup.starts; starts.paths > 0)
    json["starts"] = {{"taken", starts.taken},
                      {"paths", starts.paths},
                      {"found", starts.found},
                      {"left", starts.left},
                      {"largest_gap", starts.largest_gap},
                      {"evaluations", starts.evaluations}};
  if (const AnnealedStarts& annealing = result.warmup.annealing; annealing.particles > 0) {
    nlohmann::ordered_json modes = nlohmann::ordered_json::array();
    for (const WeighedMode& mode : annealing.modes)
      modes.push_back({{"share", mode.share}, {"error", mode.error}, {"centre", mode.centre}, {"value", mode.value}});
    json["annealing"] = {{"particles", annealing.particles},
                         {"temperatures", annealing.temperatures},
                         {"barrier", annealing.barrier},
                         {"log_z", annealing.log_z},
                         {"error", annealing.error},
                         {"ess", annealing.ess},
                         {"evaluations", annealing.evaluations},
                         {"modes", modes}};
  }
  if (const TemperingFound& tempering = result.sampling.tempering; !tempering.inverse.empty())
    json["tempering"] = {{"inverse_temperatures", tempering.inverse},
                         {"rejected", tempering.rejected},
                         {"barrier", tempering.barrier},
                         {"restarts", tempering.restarts},
                         {"round_trips", tempering.round_trips},
                         {"log_z", tempering.log_z},
                         {"error", tempering.error},
                         {"log_z_up", tempering.log_z_up},
                         {"log_z_down", tempering.log_z_down}};
  json["restarted_chains"] = result.warmup.restarted.chains;
  if (result.warmup.restarted.chains > 0) json["restarted_gap"] = result.warmup.restarted.largest_gap;
  for (std::size_t g = 0; result.warmup.tuning.size() > 1 && g < result.warmup.tuning.size(); ++g)
    json["tuning"].push_back({{"step_size", result.warmup.tuning[g].step_size},
                              {"trajectory", result.warmup.tuning[g].trajectory},
                              {"integrator", integrators.word(result.warmup.tuning[g].integrator)}});
  if (!result.sampling.ebfmi.empty()) {
    double least = result.sampling.ebfmi[0];  // a NaN stays one
    for (double e : result.sampling.ebfmi) least = e < least || std::isnan(e) ? e : least;
    json["ebfmi_min"] = least;
    if (result.kept >= diagnostics::ebfmi_draws)
      json["low_ebfmi_chains"] = diagnostics::low_ebfmi_chains(result.sampling.ebfmi, result.kept).size();
    else
      json["low_ebfmi_chains"] = nullptr;
  }
  json["precision_chosen"] = result.precision.chosen;
  json["precision_check"] = io::precision_json(result.precision.check);
  json["precision_error"] = result.precision.error;
  json["precision_unknown"] = result.precision.unknown;
  json["beyond_precision"] = result.precision.beyond;
  json["diagnostics"] = settings.output.keep_draws ? "stored" : "streaming";  // what they were computed from
  json["cancelled"] = result.cancelled;
  json["not_summarised"] = result.not_summarised;
  const bool judged = !result.part && result.kept > 0;
  json["converged"] = judged ? nlohmann::ordered_json(result.converged) : nlohmann::ordered_json();
  if (result.part) json["part"] = {{"number", result.part->number}, {"of", result.part->of}};
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
                                                          {"khat", s.khat},
                                                          {"mcse_mean", s.mcse_mean},
                                                          {"mcse_sd", s.mcse_sd}});
  }
  json["parameters"] = std::move(parameters);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace manychain
