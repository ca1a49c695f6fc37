// The C interface: studies of a model that are no run: the evidence, calibration.
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include "c_api/beside.hpp"
#include "c_api/handles.hpp"
#include "c_api/run.hpp"
#include "calibration/calibration.hpp"
#include "io/test_output.hpp"
#include "manychain/io/output.hpp"
#include "manychain/run/evidence.hpp"
#include "run/setting_names.hpp"

namespace manychain::c_api {
namespace {

constexpr std::size_t default_simulations = 100;

/// The progress of a study, as the thread that works writes it and the one that asked reads it.
class Standing {
 public:
  explicit Standing(const char* phase) { now_.phase = phase; }
  void set(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    now_ = progress;
  }
  void set_done(std::size_t done, std::size_t of) {
    const std::lock_guard lock(mutex_);
    now_.transitions = done;
    now_.total = of;
  }
  Progress now() const {
    const std::lock_guard lock(mutex_);
    Progress progress = now_;
    progress.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return progress;
  }

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;
  Progress now_{};
  const Clock::time_point begin_ = Clock::now();
};

/// The result of `study`, which gets settings with `cancel`, and may be ended by the watch.
template <class Study>
auto watched(const manychain_named_settings& given, Standing& standing, const Study& study) {
  std::atomic<bool> cancel{false};
  Settings settings = given.settings;
  settings.cancel = &cancel;
  if (!given.watch) return study(settings);
  return beside([&] { return study(settings); },
                [&] {
                  const manychain_progress at = progress_of(standing.now());
                  if (given.watch(&at, given.watch_user) != 0) cancel = true;
                });
}

/// Texts that last until the next call in this thread.
void tell(const std::string& table, const std::string& json, const char** to_table, const char** to_json) {
  thread_local std::string table_text, json_text;
  table_text = with_c_fields(table);
  json_text = with_c_fields(json);
  if (to_table) *to_table = table_text.c_str();
  if (to_json) *to_json = json_text.c_str();
}

void require_right(const Model& model) {
  if (!ranks_are_enough(check_model(model, 20, 0)))
    throw BadInput("model " + model.name() +
                   ": its gradient or a Jacobian is wrong, or its density is not finite, which ranks do not tell: see "
                   "what a check of the model says");
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

manychain_status manychain_evidence(const manychain_model* model, const manychain_named_settings* settings,
                                    int* trusted, const char** table, const char** json) {
  return guarded([&] {
    require_not_null(model, a_model);
    const manychain_named_settings defaults;
    Standing standing("annealing");
    const Evidence found = watched(settings ? *settings : defaults, standing, [&](Settings with) {
      with.progress = [&](const Progress& progress) { standing.set(progress); };
      return evidence(model->model, with);
    });
    if (trusted) *trusted = found.warnings.empty();
    tell(found.table(), to_json(found), table, json);
  });
}

manychain_status manychain_calibrate(const manychain_model* model, size_t simulations,
                                     const manychain_named_settings* settings, int* passed, const char** table,
                                     const char** json) {
  return guarded([&] {
    require_not_null(model, a_model);
    const manychain_named_settings defaults;
    const std::size_t count = simulations > 0 ? simulations : default_simulations;
    Standing standing("calibration");
    standing.set_done(0, count);
    const Calibration found = watched(settings ? *settings : defaults, standing, [&](const Settings& with) {
      require_right(model->model);
      return calibrate(model->model, count, with, [&](std::size_t done) { standing.set_done(done, count); });
    });
    if (passed) *passed = found.passed;
    tell(found.table(), io::to_json(found), table, json);
  });
}

}  // extern "C"
