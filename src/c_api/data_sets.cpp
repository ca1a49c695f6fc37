// The C interface: many data sets of one model.
#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "c_api/study.hpp"
#include "core/nan.hpp"
#include "manychain/io/sets_output.hpp"
#include "manychain/run/foreign.hpp"
#include "run/setting_names.hpp"
#include "sampling/sets.hpp"

namespace manychain::c_api {
namespace {

constexpr const char* a_sets_result = "result: give one that manychain_sample_sets() has made";

/// `adds` returns sets, all of which are added, or none.
template <class Adds>
manychain_status add(manychain_data_sets* to, const void* argument, const char* what, const Adds& adds) noexcept {
  return guarded([&] {
    require_not_null(to, some_sets);
    require_not_null(argument, what);
    std::vector<DataSet> sets = adds();
    for (const DataSet& set : sets)
      if (!to->names.insert(set.name).second) {
        for (const DataSet* undone = sets.data(); undone != &set; ++undone) to->names.erase(undone->name);
        throw BadInput("set " + set.name + ": it stands twice");
      }
    std::move(sets.begin(), sets.end(), std::back_inserter(to->sets));
  });
}

const SetSummary& set_of(const manychain_sets_result& result, std::size_t set) {
  require_index("set", set, result.run.sets.size());
  return result.run.sets[set];
}

Result result_of(const SetsResult& run, const SetSummary& set) {
  Result result;
  result.model = run.model;
  result.settings = run.settings;
  result.settings.seed = set.seed;
  result.settings.output.keep_draws = !set.kept.empty();
  result.settings.precision = set.single_precision ? Precision::single_precision : Precision::double_precision;
  result.layout.quantities = set.of->quantities;
  result.layout.outputs = set.of->names.size();
  for (std::size_t i = 0; i < set.summary.size(); ++i) result.summary.push_back({set.of->names[i], set.summary[i]});
  result.draws = set.kept;
  result.kept = set.draws;
  result.warmup.transitions = set.warmup;
  result.converged = set.converged;
  result.gradients = set.gradients;
  result.sampling.divergences = set.divergences;
  return result;
}

/// The sets of a run that have their answer, without draws. Threads that sample note them while the one that waits
/// asks.
class SetsSoFar {
 public:
  SetsSoFar(std::string model, const Settings& settings) {
    result_.model = std::move(model);
    result_.settings = settings;
  }

  void add(std::size_t set, const SetSummary& answer, const Result* of_set) {
    const std::lock_guard lock(mutex_);
    if (result_.sampled == 0 && of_set) fill_in(of_set->settings);
    answers_[set] = answer;  // its draws come behind this call
    result_.sampled += answer.state == SetState::sampled;
    result_.converged += answer.converged;
    result_.refused += answer.state == SetState::refused;
    result_.failed += answer.state == SetState::failed;
  }
  SetsResult now() const {
    const std::lock_guard lock(mutex_);
    SetsResult result = result_;
    for (const auto& [place, answer] : answers_) result.sets.push_back(answer);
    result.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// Takes the settings that a run fills in for all of its sets.
  void fill_in(const Settings& of_set) {
    result_.settings.backend = of_set.backend;
    result_.settings.chains = of_set.chains;
    result_.settings.superchains = of_set.superchains;
    result_.settings.precision = of_set.precision;
  }

  SetsResult result_;  // but for its sets
  std::map<std::size_t, SetSummary> answers_;
  const Clock::time_point begin_ = Clock::now();
  mutable std::mutex mutex_;
};

/// The model that a function of C makes.
Model made_by(manychain_model_of_set make, void* user, std::size_t set, const Data& data, std::uint64_t seed) {
  const manychain_data given{data};
  std::array<char, 1000> said{};
  manychain_model* made = nullptr;
  const int status = make(set, &given, seed, user, said.data(), said.size(), &made);
  said.back() = '\0';
  if (status == MANYCHAIN_BAD_INPUT)
    throw BadInput(said[0] == '\0' ? "the function that makes its model refused it" : std::string(said.data()));
  if (status != MANYCHAIN_OK || !made)
    throw SamplingFailed("the function that makes models ended the run: it returned " + std::to_string(status) +
                         (made ? "" : " and no model"));
  return made->model;
}

/// The model of the first set that has one, and the function for the others.
manychain_model* model_of_sets(ModelOfSet of_set, const manychain_data_sets& sets) {
  Model first = first_model(of_set, sets.sets, sets.common);
  return new manychain_model{std::move(first), std::move(of_set)};
}

std::unique_ptr<manychain_sets_result> handle_of(SetsResult run) {
  auto made = std::make_unique<manychain_sets_result>();
  run.settings.cancel = nullptr;  // it ends with the call
  for (SetSummary& set : run.sets) set.said = with_c_fields(set.said);
  made->table = with_c_fields(run.table());
  made->places.resize(run.sets.size());
  std::size_t place = 0;
  for (const std::size_t set : run.worst_first()) made->places[set] = place++;
  made->run = std::move(run);
  return made;
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

manychain_data_sets* manychain_data_sets_new(void) {
  manychain_data_sets* sets = nullptr;
  guarded([&] { sets = new manychain_data_sets; });
  return sets;
}
void manychain_data_sets_free(manychain_data_sets* sets) { delete sets; }

manychain_status manychain_data_sets_add(manychain_data_sets* sets, const char* name, const manychain_data* data) {
  return add(sets, data, some_data, [&] {
    return std::vector<DataSet>{{name ? name : std::to_string(sets->sets.size() + 1), data->data}};
  });
}
manychain_status manychain_data_sets_add_json(manychain_data_sets* sets, const char* json) {
  return add(sets, json, "json: give a text", [&] { return data_sets_from_json(json); });
}
manychain_status manychain_data_sets_add_file(manychain_data_sets* sets, const char* path, const char* column) {
  return add(sets, path, "path: give the name of a file",
             [&] { return data_sets_from_file(path, column ? column : ""); });
}
manychain_status manychain_data_sets_common(manychain_data_sets* sets, const manychain_data* data) {
  return guarded([&] {
    require_not_null(sets, some_sets);
    require_not_null(data, some_data);
    sets->common = data->data;
  });
}

manychain_status manychain_stan_model_of_sets(const char* library, const char* manifest,
                                              const manychain_data_sets* sets, manychain_model** model) {
  return handle_into(model, [&] {
    require_not_null(library, "library: give the name of a file");
    require_not_null(sets, some_sets);
    return model_of_sets(stan_models(library, manifest ? manifest : ""), *sets);
  });
}
manychain_status manychain_models_of_sets(manychain_model_of_set make, void* user, const manychain_data_sets* sets,
                                          manychain_model** model) {
  return handle_into(model, [&] {
    if (!make) throw BadInput("make: give a function, not NULL");
    require_not_null(sets, some_sets);
    return model_of_sets(
        [=](std::size_t set, const Data& data, std::uint64_t seed) { return made_by(make, user, set, data, seed); },
        *sets);
  });
}

manychain_status manychain_sample_sets(const manychain_model* model, const manychain_data_sets* sets,
                                       const manychain_named_settings* settings, double draw_bytes,
                                       manychain_sets_result** result) {
  if (!result) return fail(MANYCHAIN_BAD_INPUT, "result: give the address of a pointer, not NULL");
  *result = nullptr;
  return guarded([&] {
    require_not_null(model, a_model);
    require_not_null(sets, some_sets);
    if (!(draw_bytes >= 0 && draw_bytes < 1e18))
      throw BadInput("draw_bytes: " + std::to_string(draw_bytes) + " is not allowed; give 0 or more");
    const manychain_named_settings defaults;
    const manychain_named_settings& given = settings ? *settings : defaults;
    if (!given.store.empty()) throw BadInput(given.store + ": data sets are written when all are done, and not stored");
    Standing standing("data sets");
    standing.set_done(0, sets->sets.size());
    std::size_t done = 0;
    SetsWanted wanted;
    wanted.common = sets->common;
    wanted.initial_values = given.initial_values;
    wanted.draw_bytes = static_cast<std::size_t>(draw_bytes);
    SetsSoFar so_far(model->model.name(), given.settings);
    wanted.done = [&](std::size_t set, const SetSummary& summary, const Result* of_set) {
      so_far.add(set, summary, of_set);
      standing.set_done(++done, sets->sets.size());
    };
    const auto study = [&](const Settings& with) {
      return model->of_set ? sample_sets(model->of_set, sets->sets, with, wanted)
                           : sample_sets(model->model, sets->sets, with, wanted);
    };
    *result = handle_of(watched(given, standing, study, &so_far)).release();
  });
}
void manychain_sets_free(manychain_sets_result* result) { delete result; }
manychain_status manychain_sets_so_far(const manychain_progress* progress, manychain_sets_result** result) {
  if (!result) return fail(MANYCHAIN_BAD_INPUT, "result: give the address of a pointer, not NULL");
  *result = nullptr;
  return guarded([&] {
    require_not_null(progress, "progress: give what a watch got");
    if (!progress->sets) throw BadInput("sets: this is no run of data sets");
    *result = handle_of(static_cast<const SetsSoFar*>(progress->sets)->now()).release();
  });
}

manychain_sets_counts manychain_get_sets_counts(const manychain_sets_result* result) {
  return found_in(result, a_sets_result, manychain_sets_counts{}, [](const manychain_sets_result& r) {
    return manychain_sets_counts{r.run.sets.size(), r.run.sampled,   r.run.converged,      r.run.refused, r.run.failed,
                                 r.run.left_out,    r.run.cancelled, r.run.draws_left_out, r.run.seconds};
  });
}
manychain_status manychain_get_set(const manychain_sets_result* result, size_t set, manychain_set_facts* facts) {
  return guarded([&] {
    require_not_null(result, a_sets_result);
    require_not_null(facts, "facts: give the address of some");
    const SetSummary& s = set_of(*result, set);
    const bool sampled = s.of != nullptr;
    *facts = {s.name.c_str(),
              in_words(s.state),
              s.said.c_str(),
              s.worst.c_str(),
              result->places[set],
              s.seed,
              s.gradients,
              s.divergences,
              s.converged,
              s.warmup,
              s.draws,
              sampled ? s.largest_rhat : nan,
              sampled ? s.smallest_ess : nan,
              sampled ? s.seconds : nan};
  });
}
manychain_status manychain_set_result(const manychain_sets_result* result, size_t set, manychain_result** of_set) {
  return result_into(of_set, [&] {
    require_not_null(result, a_sets_result);
    const SetSummary& s = set_of(*result, set);
    if (!s.of) throw BadInput("set " + s.name + ": there are no draws and no summary: it was " + in_words(s.state));
    auto made = std::make_unique<manychain_result>();
    made->run = result_of(result->run, s);
    made->verdict.converged = s.converged;
    made->verdict.headline = s.converged ? "Converged." : "NOT converged: " + s.said;
    made->table = made->verdict.headline + '\n';
    return made;
  });
}
const char* manychain_sets_table(const manychain_sets_result* result) {
  return found_in<const char*>(result, a_sets_result, "",
                               [](const manychain_sets_result& r) { return r.table.c_str(); });
}
const char* manychain_sets_json(const manychain_sets_result* result) {
  return found_in<const char*>(result, a_sets_result, "", [](const manychain_sets_result& r) {
    std::call_once(r.json_made, [&] { r.json = with_c_fields(to_json(r.run)); });
    return r.json.c_str();
  });
}
manychain_status manychain_write_sets(const manychain_sets_result* result, const char* path) {
  return guarded([&] {
    require_not_null(result, a_sets_result);
    require_not_null(path, "path: give the name of a file");
    if (io::names_store(path)) throw BadInput(std::string(path) + ": data sets are written to NetCDF; take NAME.nc");
    write_netcdf(path, result->run);
  });
}

}  // extern "C"
