// The C interface. Everything that can throw runs inside guarded().
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>

#include "foreign/compiled_density.hpp"
#include "manychain/manychain.h"
#include "manychain/manychain.hpp"
#include "manychain/run/foreign.hpp"
#include "run/setting_names.hpp"
#include "run/setting_table.hpp"

struct manychain_result {
  manychain::Result run;
  std::string table;
};

namespace {

using namespace manychain;

/// A message of fixed size: an error of memory must not need memory.
thread_local char last_error[1024] = "";

manychain_status fail(manychain_status status, const char* message) noexcept {
  std::size_t length = 0;
  while (*message != '\0' && length + 1 < sizeof last_error) {
    // As with_c_fields() does, without memory.
    const bool prefix = std::strncmp(message, setting_prefix.data(), setting_prefix.size()) == 0;
    if (!prefix) last_error[length++] = *message;
    message += prefix ? setting_prefix.size() : 1;
  }
  last_error[length] = '\0';
  return status;
}

template <class Work>
manychain_status guarded(Work&& work) noexcept {
  try {
    work();
    return MANYCHAIN_OK;
  } catch (const BadInput& error) {
    return fail(MANYCHAIN_BAD_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return fail(MANYCHAIN_SAMPLING_FAILED, "out of memory: take fewer chains or draws");
  } catch (const std::exception& error) {
    return fail(MANYCHAIN_SAMPLING_FAILED, error.what());
  } catch (...) {
    return fail(MANYCHAIN_SAMPLING_FAILED, "an exception of unknown type");
  }
}

/// `what`: the argument, and what it should be.
void require_not_null(const void* given, const char* what) {
  if (!given) throw BadInput(std::string(what) + ", not NULL");
}
constexpr const char* a_result = "result: give one that manychain_sample() has made";

/// The value that `get` finds in the result; without a result `nothing`, and manychain_last_error() says so.
template <class Value, class Get>
Value found_in(const manychain_result* result, const Value& nothing, const Get& get) noexcept {
  const auto found = guarded([&] { require_not_null(result, a_result); });
  return found == MANYCHAIN_OK ? get(*result) : nothing;
}

std::vector<std::string> names_of(std::size_t dimension, const char* const* parameters) {
  require_few_parameters(dimension);  // before so many names are read
  std::vector<std::string> names;
  for (std::size_t i = 0; parameters && i < dimension; ++i) {
    if (!parameters[i]) throw BadInput("parameters: name " + std::to_string(i + 1) + " is NULL");
    names.emplace_back(parameters[i]);
  }
  return names;
}

Model model_of(std::size_t dimension, const char* const* parameters, manychain_density density, void* user) {
  if (!density) throw BadInput("density: give a function, not NULL");
  CompiledDensity compiled;
  compiled.dimension = dimension;
  compiled.value_and_gradient = [=](const double* position, double* gradient) {
    return density(position, gradient, user);
  };
  compiled.parameters = names_of(dimension, parameters);
  return Model(std::move(compiled));
}

Model model_of(std::size_t dimension, const char* const* parameters, manychain_logp logp, void* user) {
  if (!logp) throw BadInput("logp: give a function, not NULL");
  CallbackDensity callback;
  callback.dimension = dimension;
  callback.function = logp;
  callback.user = user;
  callback.parameters = names_of(dimension, parameters);
  return Model(callback);
}

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

Settings settings_of(const manychain_settings& from, std::size_t dimension, std::atomic<bool>& cancel) {
  Settings settings;
  for_each_setting([&]<class Row>(const Row& row) {
    if constexpr (Row::in_c) from_c(settings.*row.member, from.*row.field);
  });
  settings.backend = Backend::cpu;
  settings.precision = Precision::double_precision;
  settings.cancel = &cancel;
  settings.validate();  // before the number of chains says how far to read
  if (from.initial_points && from.chains == 0)
    throw BadInput("chains: say how many starting points initial_points has; 0 leaves their number to the run");
  if (from.initial_points)
    settings.initial_points.assign(from.initial_points, from.initial_points + dimension * from.chains);
  if (from.progress) {
    settings.progress = [&cancel, call = from.progress, user = from.progress_user](const Progress& p) {
      const manychain_progress progress{p.phase, p.transitions, p.total, p.acceptance_rate, p.step_size, p.seconds};
      if (call(&progress, user) != 0) cancel = true;
    };
  }
  return settings;
}

manychain_counts counts_of(const Result& run) {
  manychain_counts counts{};
  counts.gradients = run.gradients;
  counts.divergences = run.divergences;
  counts.divergent_chains = run.divergent_chains.size();
  counts.stuck_chains = run.stuck_chains.size();
  counts.nonfinite_chains = run.nonfinite_chains.size();
  counts.outlying_chains = run.outlying_chains.size();
  counts.acceptance_rate = run.acceptance_rate;
  counts.step_size = run.step_size;
  counts.seconds = run.seconds.total;
  counts.cancelled = run.cancelled;
  counts.rejected = run.rejected.evaluations + run.rejected_before.evaluations;
  return counts;
}

/// Samples what `load` returns.
template <class Load>
manychain_status sample_into(manychain_result** result, const manychain_settings* settings, const Load& load) {
  if (!result) return fail(MANYCHAIN_BAD_INPUT, "result: give the address of a pointer, not NULL");
  *result = nullptr;
  return guarded([&] {
    const Model model = load();
    std::atomic<bool> cancel{false};
    const Settings used =
        settings_of(settings ? *settings : manychain_settings_default(), model.layout().dimension, cancel);
    auto made = std::make_unique<manychain_result>();
    made->run = sample(model, used);
    made->run.settings.cancel = nullptr;  // they end with this call
    made->run.settings.progress = nullptr;
    made->table = with_c_fields(made->run.table());
    *result = made.release();
  });
}

}  // namespace

extern "C" {

manychain_settings manychain_settings_default(void) {
  manychain_settings settings{};
  for_each_setting([&]<class Row>(const Row& row) {
    if constexpr (Row::in_c) to_c(settings.*row.field, default_settings().*row.member);
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

void manychain_free(manychain_result* result) { delete result; }

manychain_status manychain_check_gradient(size_t dimension, const char* const* parameters, manychain_density density,
                                          void* user) {
  return guarded([&] {
    const GradientCheck check = check_gradient(model_of(dimension, parameters, density, user));
    if (!check.conclusive)
      throw SamplingFailed(
          "cannot tell whether the gradient is right: rounding of the log density hides errors of 1e-4");
    if (!check.passed)
      throw SamplingFailed("the gradient is wrong: for " + check.worst_parameter + " it says " +
                           std::to_string(check.gradient) + ", finite differences say " +
                           std::to_string(check.finite_difference));
  });
}

size_t manychain_dimension(const manychain_result* result) {
  return found_in(result, size_t{0}, [](const manychain_result& r) { return r.run.layout.dimension; });
}
size_t manychain_outputs(const manychain_result* result) {
  return found_in(result, size_t{0}, [](const manychain_result& r) { return r.run.layout.outputs; });
}
size_t manychain_chains(const manychain_result* result) {
  return found_in(result, size_t{0}, [](const manychain_result& r) { return r.run.settings.chains; });
}
size_t manychain_draws(const manychain_result* result) {
  return found_in(result, size_t{0},
                  [](const manychain_result& r) { return r.run.draws.empty() ? 0 : r.run.draws.draws; });
}
int manychain_converged(const manychain_result* result) {
  return found_in(result, 0, [](const manychain_result& r) { return int(r.run.converged); });
}

manychain_counts manychain_get_counts(const manychain_result* result) {
  return found_in(result, manychain_counts{}, [](const manychain_result& r) { return counts_of(r.run); });
}

manychain_status manychain_get_summary(const manychain_result* result, size_t output, manychain_summary* summary) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(summary, "summary: give the address of one");
    const std::vector<SummaryRow>& rows = result->run.summary;
    if (output >= rows.size())
      throw BadInput("output: " + std::to_string(output) + " is not below " + std::to_string(rows.size()));
    const VariableSummary& s = rows[output].statistics;
    *summary = {rows[output].name.c_str(),
                s.mean,
                s.sd,
                s.q5,
                s.q50,
                s.q95,
                s.rhat,
                s.ess_bulk,
                s.mcse_mean,
                s.ess_tail,
                s.mcse_sd,
                s.rhat_nested};
  });
}

manychain_status manychain_get_draws(const manychain_result* result, double* draws, size_t size) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(draws, "draws: give the address of room for them");
    const DrawValues<double>& values = result->run.draws.float64;
    if (values.empty()) throw BadInput("draws: none were kept; set keep_draws");
    if (size < values.size())
      throw BadInput("draws: room for " + std::to_string(size) + " numbers, there are " +
                     std::to_string(values.size()) + " = draws x outputs x chains");
    std::copy(values.begin(), values.end(), draws);
  });
}

const char* manychain_table(const manychain_result* result) {
  return found_in<const char*>(result, "", [](const manychain_result& r) { return r.table.c_str(); });
}

manychain_status manychain_write_netcdf(const manychain_result* result, const char* path) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(path, "path: give the name of a file");
    write_netcdf(path, result->run);
  });
}

const char* manychain_last_error(void) { return last_error; }
const char* manychain_version(void) { return MANYCHAIN_VERSION; }

}  // extern "C"
