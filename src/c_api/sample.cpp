// The C interface: runs with the settings of a struct.
#include <fmt/format.h>

#include <atomic>
#include <string>
#include <utility>

#include "c_api/handles.hpp"
#include "c_api/run.hpp"
#include "manychain/run/foreign.hpp"
#include "run/setting_names.hpp"
#include "run/setting_table.hpp"

namespace manychain::c_api {
namespace {

// Conversions of values from C, and back. In C 0, a negative number of superchains, or MANYCHAIN_AUTO transitions mean
// that none is given.
void from_c(std::string& to, const char* from) {
  if (from) to = from;
}
void from_c(std::optional<double>& to, double from) {
  if (from != 0) to = from;
}
void from_c(std::optional<std::size_t>& to, int from) {
  if (from >= 0) to = static_cast<std::size_t>(from);
}
void from_c(std::optional<std::size_t>& to, std::size_t from) {
  if (from != MANYCHAIN_AUTO) to = from;
}
template <class Value>
void from_c(Value& to, Value from) {
  to = from;
}
void from_c(bool& to, int from) { to = from != 0; }

void to_c(const char*& to, const std::string& from) { to = from.c_str(); }
void to_c(double& to, const std::optional<double>& from) { to = from.value_or(0); }
void to_c(int& to, const std::optional<std::size_t>& from) { to = from ? static_cast<int>(*from) : -1; }
void to_c(std::size_t& to, const std::optional<std::size_t>& from) { to = from.value_or(MANYCHAIN_AUTO); }
template <class Field, class Value>
void to_c(Field& to, const Value& from) {
  to = from;
}

Settings settings_of(const manychain_settings& from, std::size_t dimension) {
  Settings settings;
  for_each_setting([&]<class Row>(const Row& row) {
    if constexpr (Row::in_c) from_c(row.in(settings), from.*row.field);
  });
  settings.backend = Backend::cpu;
  settings.precision = Precision::double_precision;
  settings.validate();  // before the number of chains says how far to read
  if (from.initial_points && from.chains == 0)
    throw BadInput("chains: say how many starting points initial_points has; 0 leaves their number to the run");
  if (from.initial_points)
    settings.warmup.initial_points.assign(from.initial_points, from.initial_points + dimension * from.chains);
  return settings;
}

void require_right_gradient(const Model& model) {
  const GradientCheck check = check_gradient(model);
  if (!check.conclusive)
    throw SamplingFailed("cannot tell whether the gradient is right: rounding of the log density hides errors of 1e-4");
  if (!check.passed)
    throw SamplingFailed("the gradient is wrong: for " + check.worst_parameter + " it says " +
                         std::to_string(check.gradient) + ", finite differences say " +
                         std::to_string(check.finite_difference));
}

/// Samples what `load` returns.
template <class Load>
manychain_status sample_into(manychain_result** result, const manychain_settings* settings, const Load& load) {
  return result_into(result, [&] {
    const manychain_settings given = settings ? *settings : manychain_settings_default();
    const Model model = load();
    return run(model, settings_of(given, model.layout().dimension), given.progress, given.progress_user);
  });
}

void leave_summary_out(Result& run) {
  run.summary.clear();
  for (const std::string& name : run.layout.output_names()) run.summary.push_back({name, {}});
}

/// A part of the chains, or a run that ended behind its warm-up.
std::unique_ptr<manychain_result> without_verdict(std::unique_ptr<manychain_result> made) {
  leave_summary_out(made->run);
  for (Draws* const draws : {&made->run.draws, &made->run.sample_stats})
    if (draws->empty()) draws->chains = made->run.settings.chains;
  const std::optional<RunPart>& part = made->run.part;
  made->verdict.headline = part ? fmt::format("Not judged: part {} of {}; all parts are judged when they are merged.",
                                              part->number, part->of)
                                : "Not judged: warm-up has ended, and nothing is drawn yet.";
  made->table = made->verdict.headline + '\n';
  return made;
}

}  // namespace

manychain_progress progress_of(const Progress& p, const DrawsSoFar* draws_so_far) {
  return {p.phase,  p.transitions,  p.total,       p.acceptance_rate,        p.step_size,  p.seconds,
          p.chains, p.stuck_chains, p.divergences, p.transitions_per_second, draws_so_far, nullptr};
}

std::unique_ptr<manychain_result> run(const std::function<Result(const Heard&)>& sampled, manychain_watch watch,
                                      void* user) {
  std::atomic<bool> cancel{false};
  const DrawsSoFar* draws_so_far = nullptr;
  Heard heard{{}, &cancel, {}};
  if (watch) {
    heard.watch = [&](const Engine&, const Watched& watched) { draws_so_far = watched.draws_so_far; };
    heard.progress = [&](const Progress& p) {
      const manychain_progress progress = progress_of(p, draws_so_far);
      if (watch(&progress, user) != 0) cancel = true;
    };
  }
  auto made = std::make_unique<manychain_result>();
  made->run = sampled(heard);
  made->run.settings.cancel = nullptr;  // they end with this call
  made->run.settings.progress = nullptr;
  if (made->run.part || made->run.kept == 0) return without_verdict(std::move(made));
  made->table = with_c_fields(made->run.table());
  made->verdict = made->run.verdict();
  made->verdict.headline = with_c_fields(made->verdict.headline);
  for (diagnostics::Finding& finding : made->verdict.findings) {
    finding.what = with_c_fields(finding.what);
    finding.advice = with_c_fields(finding.advice);
  }
  return made;
}

std::unique_ptr<manychain_result> run(const Model& model, Settings settings, manychain_watch watch, void* user) {
  return run(
      [&](const Heard& heard) {
        settings.cancel = heard.cancel;
        // Stages of a short warm-up end much sooner than blocks should, and a watch of Python takes 4 us each time.
        const double apart = 0.1 / static_cast<double>(settings.blocks_per_second);
        if (heard.progress)
          settings.progress = [&heard, apart, phase = std::string(), last = 0.0](const Progress& p) mutable {
            if (phase == p.phase && p.seconds < last + apart) return;
            phase = p.phase;
            last = p.seconds;
            heard.progress(p);
          };
        return sample_watched(model, settings, heard.watch);
      },
      watch, user);
}

}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

manychain_settings manychain_settings_default(void) {
  manychain_settings settings{};
  for_each_setting([&]<class Row>(const Row& row) {
    if constexpr (Row::in_c) to_c(settings.*row.field, row.in(default_settings()));
  });
  return settings;
}

manychain_status manychain_sample(size_t dimension, const char* const* parameters, manychain_density density,
                                  void* user, const manychain_settings* settings, manychain_result** result) {
  return sample_into(result, settings, [&] { return model_of(dimension, parameters, density, user); });
}
manychain_status manychain_sample_logp(size_t dimension, const char* const* parameters, manychain_logp logp, void* user,
                                       const manychain_settings* settings, manychain_result** result) {
  return sample_into(result, settings, [&] { return model_of(dimension, parameters, logp, user); });
}
manychain_status manychain_sample_stan(const char* library, const char* data, const manychain_settings* settings,
                                       manychain_result** result) {
  return sample_into(result, settings, [&] {
    if (!library) throw BadInput("library: give the name of a file, not NULL");
    return load_stan(library, data ? data : "", settings ? settings->seed : 0);
  });
}

manychain_status manychain_draws_so_far(const manychain_progress* progress, manychain_result** result) {
  return result_into(result, [&] {
    require_not_null(progress, "progress: give what a watch got");
    if (!progress->run) throw BadInput("draws: there is no run whose draws are known yet");
    auto made = std::make_unique<manychain_result>();
    made->run = (*static_cast<const DrawsSoFar*>(progress->run))();
    made->run.settings.cancel = nullptr;
    made->run.settings.progress = nullptr;
    leave_summary_out(made->run);
    return made;
  });
}

manychain_status manychain_check_gradient(size_t dimension, const char* const* parameters, manychain_density density,
                                          void* user) {
  return guarded([&] { require_right_gradient(model_of(dimension, parameters, density, user)); });
}
manychain_status manychain_check_model_gradient(const manychain_model* model) {
  return guarded([&] {
    require_not_null(model, a_model);
    require_right_gradient(model->model);
  });
}
manychain_status manychain_check_model(const manychain_model* model, int* passed, const char** table,
                                       const char** json) {
  return guarded([&] {
    require_not_null(model, a_model);
    thread_local std::string table_text, json_text;
    const ModelCheck check = check_model(model->model);
    table_text = with_c_fields(check.table());
    json_text = with_c_fields(to_json(check));
    if (passed) *passed = check.passed;
    if (table) *table = table_text.c_str();
    if (json) *json = json_text.c_str();
  });
}

}  // extern "C"
