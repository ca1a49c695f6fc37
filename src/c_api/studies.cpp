// The C interface: studies of a model that are no run: the evidence, calibration, cross-validation.
#include <string>

#include "c_api/study.hpp"
#include "calibration/calibration.hpp"
#include "calibration/folds.hpp"
#include "io/test_output.hpp"
#include "manychain/io/output.hpp"
#include "manychain/io/sets_output.hpp"
#include "manychain/run/evidence.hpp"
#include "run/setting_names.hpp"

namespace manychain::c_api {
namespace {

constexpr std::size_t default_simulations = 100;

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

manychain_status manychain_cross_validate(const manychain_model* model, size_t folds,
                                          const manychain_named_settings* settings, int* converged, const char** table,
                                          const char** json) {
  return guarded([&] {
    require_not_null(model, a_model);
    const manychain_named_settings defaults;
    Standing standing("folds");
    standing.set_done(0, folds + 1);
    const CrossValidation found = watched(settings ? *settings : defaults, standing, [&](const Settings& with) {
      return cross_validate(model->model, folds, with, [&](std::size_t done) { standing.set_done(done, folds + 1); });
    });
    if (converged) *converged = found.converged;
    tell(found.table(), to_json(found), table, json);
  });
}

}  // extern "C"
