// All that is said of a setting, in one table. Validation, the options of the command line, the fields of the C
// interface, the JSON object, the attributes of NetCDF files and docs/settings.md are made from it. A new setting is a
// member of Settings and a row here; where C has it, also a field of manychain_settings.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "manychain/manychain.h"
#include "manychain/random/purpose.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// The words that stand for the values of a setting, in the order in which they are listed.
template <class Value>
using Words = std::vector<std::pair<std::string, Value>>;

Words<std::string> sampler_words();
Words<std::string> adaptation_words();
Words<Backend> backend_words();
Words<Precision> precision_words();
Words<Integrator> integrator_words();
Words<MetricKind> metric_words();
Words<Starts> starts_words();
Words<WarmupEnd> warmup_end_words();
Words<bool> keep_words();
bool is_list_of_devices(const std::string& words);  ///< of Settings::devices

/// The values that a setting may have.
template <class Value>
struct Range {
  static constexpr bool in_words =
      std::is_enum_v<Value> || std::is_same_v<Value, bool> || std::is_same_v<Value, std::string>;

  bool (*holds)(const Value& value) = nullptr;  ///< null: always
  const char* rule = "";                        ///< what must hold, as the end of a sentence
  Words<Value> (*words)() = nullptr;            ///< null: a number, or without an option
  bool open = false;                            ///< values without a word are allowed: samplers that models bring

  /// Empty if there is none.
  std::string word(const Value& value) const {
    if constexpr (in_words)
      if (words)
        for (const auto& [word, meant] : words())
          if (meant == value) return word;
    return "";
  }
  std::vector<std::string> all_words() const {
    std::vector<std::string> all;
    if (words)
      for (const auto& [word, meant] : words()) all.push_back(word);
    return all;
  }
  bool allows(const Value& value) const { return (!holds || holds(value)) && (!words || open || !word(value).empty()); }
  /// The allowed values, as the end of a sentence.
  std::string sentence() const { return words ? fmt::format("there are {}", fmt::join(all_words(), ", ")) : rule; }
};

inline constexpr Range<std::size_t> any_count;
/// Chains count leapfrogs in single precision.
inline constexpr Range<std::size_t> leapfrog_count{
    [](const std::size_t& n) { return n >= 1 && n < std::size_t{1} << 24; }, "it must be at least 1 and below 2^24"};
inline constexpr Range<std::size_t> at_least_1{[](const std::size_t& n) { return n >= 1; }, "it must be at least 1"};
inline constexpr Range<std::size_t> chain_count{
    [](const std::size_t& n) { return n < max_chains; },
    "it must be at least 1 and less than 2^48, or 0 for as many as the cost of a gradient allows"};
inline constexpr Range<std::size_t> draw_count{[](const std::size_t& n) { return n >= 1 && n < max_transitions; },
                                               "it must be at least 1 and less than 2^40"};
/// More than any machine has. What is proportional to them stays within an int, and they can be started.
inline constexpr int max_threads = 4096;
inline constexpr Range<int> thread_count{[](const int& n) { return n >= 0 && n <= max_threads; },
                                         "it must be at least 1 and at most 4096, or 0 for all there are"};
inline constexpr Range<double> positive{[](const double& x) { return std::isfinite(x) && x > 0; },
                                        "it must be positive and finite"};

/// Spelling of a setting in each place.
struct Places {
  const char* option = nullptr;       ///< of the command line, without dashes; null: it has none
  const char* placeholder = nullptr;  ///< of the option's value; null: after its type
  const char* json = nullptr;         ///< key in the JSON object; null: not there
  const char* attribute = nullptr;    ///< in the NetCDF file; null: not there
  bool quiet = false;                 ///< the header of a run leaves the default out
  bool SamplerInfo::*only = nullptr;  ///< samplers without this flag refuse it; null: none does
};

struct NoField {};

/// For the life of the program.
const Settings& default_settings();

template <class Member>
struct SettingValue {
  using type = Member;
  static constexpr bool optional = false;
};
template <class Value>
struct SettingValue<std::optional<Value>> {
  using type = Value;
  static constexpr bool optional = true;
};

/// A row of the table. Room: Settings, or the member of Settings that has the setting.
template <class Room, class Member, class Field>
struct Setting : Places {
  using Value = typename SettingValue<Member>::type;
  static constexpr bool optional = SettingValue<Member>::optional;
  static constexpr bool in_words = Range<Value>::in_words;
  static constexpr bool in_c = !std::is_same_v<Field, NoField>;

  const char* name;      ///< of the field in C, and in files
  const char* path;      ///< of the member, from Settings on: messages say "Settings::sampling.draws"
  const char* help;      ///< one line; empty: its words
  Room Settings::*room;  ///< null if the member is one of Settings
  Member Room::*member;
  Range<Value> range;
  Field manychain_settings::*field;  ///< of the C interface

  /// The member, const as the settings are.
  auto& in(auto& settings) const {
    if constexpr (std::is_same_v<Room, Settings>)
      return settings.*member;
    else
      return settings.*room.*member;
  }
  /// True of an option without a value, which is false unless it is given.
  bool is_flag() const { return std::is_same_v<Value, bool> && !range.words; }
  /// Null if it is optional and not given.
  const Value* value(const Settings& settings) const {
    if constexpr (optional)
      return in(settings) ? &*in(settings) : nullptr;
    else
      return &in(settings);
  }
  bool given(const Settings& settings) const {
    if constexpr (optional)
      return in(settings).has_value();
    else
      return in(settings) != in(default_settings());
  }
  /// As it is typed on the command line; empty where there is no value, or no word for it.
  std::string text(const Settings& settings) const {
    const Value* const v = value(settings);
    if (!v) return "";
    if constexpr (std::is_same_v<Value, StepSchedule>)
      return fmt::format("{},{},{}", v->a, v->b, v->gamma);
    else if constexpr (std::is_enum_v<Value>)
      return range.word(*v);
    else
      return range.words && !range.word(*v).empty() ? range.word(*v) : fmt::format("{}", *v);
  }
};

template <class Member, class Field = NoField>
constexpr Setting<Settings, Member, Field> setting(const char* name, const char* help, Member Settings::*member,
                                                   const Range<typename SettingValue<Member>::type>& range,
                                                   const Places& places, Field manychain_settings::*field = nullptr) {
  return {places, name, name, help, nullptr, member, range, field};
}
template <class Room, class Member, class Field = NoField>
constexpr Setting<Room, Member, Field> setting(const char* name, const char* path, const char* help,
                                               Room Settings::*room, Member Room::*member,
                                               const Range<typename SettingValue<Member>::type>& range,
                                               const Places& places, Field manychain_settings::*field = nullptr) {
  return {places, name, path, help, room, member, range, field};
}

/// In the order of the help. What a program hands over by reference (starting points, progress, cancel) is not here.
inline constexpr std::tuple setting_table = {
    setting("sampler", "", &Settings::sampler, {.words = sampler_words, .open = true},
            {.option = "sampler", .json = "sampler", .attribute = "sampler"}, &manychain_settings::sampler),
    setting("chains", "Markov chains; 0: 256, or down to 32 where a gradient is expensive; as many as fill a GPU",
            &Settings::chains, chain_count, {.option = "chains", .json = "chains"}, &manychain_settings::chains),
    setting("superchains",
            "Starting points that chains share, for nested R-hat; 0: none; default: 16 with 64 chains or more",
            &Settings::superchains, any_count, {.option = "superchains", .placeholder = "K", .json = "superchains"},
            &manychain_settings::superchains),
    setting("warmup", "warmup.transitions",
            "Transitions of each chain before the first draw; default: until tuning has settled, at most 300",
            &Settings::warmup, &WarmupSettings::transitions,
            {[](const std::size_t& n) { return n < max_transitions; }, "it must be less than 2^40"},
            {.option = "warmup", .json = "warmup", .attribute = "tuning_steps"}, &manychain_settings::warmup),
    setting("warmup_end", "warmup.end",
            "fixed; settled: as soon as tuning has settled, after --warmup at the latest; arrived: after --warmup, or "
            "later where chains still travel then",
            &Settings::warmup, &WarmupSettings::end, {.words = warmup_end_words},
            {.option = "warmup-end", .json = "warmup_end", .quiet = true}),
    setting("draws", "sampling.draws", "Draws kept of each chain; default: as many as --target-ess takes",
            &Settings::sampling, &SamplingSettings::draws, draw_count,
            {.option = "draws", .json = "draws_planned", .attribute = "draws_planned"}, &manychain_settings::draws),
    setting("thin", "sampling.thin", "Transitions from one kept draw to the next", &Settings::sampling,
            &SamplingSettings::thin, draw_count, {.option = "thin", .json = "thin", .attribute = "thin"},
            &manychain_settings::thin),
    setting("target_ess", "sampling.target_ess",
            "End as soon as all bulk and tail ESS are that large, and 3 a chain, and R-hat is small; default: 400 "
            "without --draws",
            &Settings::sampling, &SamplingSettings::target_ess, positive,
            {.option = "target-ess", .json = "target_ess", .attribute = "target_ess", .quiet = true}),
    setting("seed", "Seed of all random numbers; default: a new one, which is printed", &Settings::seed, {},
            {.option = "seed", .json = "seed", .attribute = "seed"}, &manychain_settings::seed),
    setting("backend", "auto, cpu or cuda", &Settings::backend, {.words = backend_words}, {.option = "backend"}),
    setting("device", "CUDA device, from 0; default: the first", &Settings::device,
            {[](const int& n) { return n >= 0; }, "CUDA devices are numbered from 0"}, {.option = "device"}),
    setting(
        "devices", "CUDA devices that share the chains: all, or 0,1,...; default: one", &Settings::devices,
        {.holds = is_list_of_devices, .rule = "CUDA devices are all, or numbers from 0, each once: 0,1", .open = true},
        {.option = "devices", .placeholder = "all|N,...", .quiet = true}),
    setting("precision", "single, double or auto: single, unless rounding would show in the posterior",
            &Settings::precision, {.words = precision_words}, {.option = "precision", .json = "precision"}),
    setting("threads", "CPU threads; 0: all there are", &Settings::threads, thread_count,
            {.option = "threads", .quiet = true}, &manychain_settings::threads),
    setting("scalar", "CPU: one chain per lane of width one, to measure what the packs bring", &Settings::scalar, {},
            {}),
    setting("step_size", "sampling.step_size", "Step size or proposal scale; given, nothing is adapted",
            &Settings::sampling, &SamplingSettings::step_size, positive, {.option = "step-size"},
            &manychain_settings::step_size),
    setting("trajectory", "sampling.trajectory", "HMC: longest integration time of a trajectory", &Settings::sampling,
            &SamplingSettings::trajectory, positive, {.option = "trajectory"}, &manychain_settings::trajectory),
    setting("schedule", "sampling.schedule", "SGLD: steps a (b + t)^-gamma, t counting transitions",
            &Settings::sampling, &SamplingSettings::schedule, {},
            {.option = "schedule", .placeholder = "A,B,GAMMA", .json = "schedule", .only = &SamplerInfo::schedule}),
    setting("minibatch", "sampling.minibatch", "SGLD: data terms of each gradient; 0: all", &Settings::sampling,
            &SamplingSettings::minibatch,
            {[](const std::size_t& n) { return n < max_words / 8; }, "it must be less than 2^21"},
            {.option = "minibatch", .json = "minibatch", .quiet = true, .only = &SamplerInfo::schedule}),
    setting("target_acceptance", "warmup.target_acceptance",
            "Acceptance rate that warm-up aims for; default: that of the sampler", &Settings::warmup,
            &WarmupSettings::target_acceptance,
            {[](const double& x) { return x > 0 && x < 1; }, "it must lie between 0 and 1"},
            {.option = "target-acceptance",
             .json = "target_acceptance",
             .attribute = "target_acceptance",
             .quiet = true,
             .only = &SamplerInfo::tuned},
            &manychain_settings::target_acceptance),
    setting("starts", "warmup.starts",
            "auto, uniform, pathfinder: draws from normal approximations, or annealed: modes by their mass",
            &Settings::warmup, &WarmupSettings::starts, {.words = starts_words},
            {.option = "starts", .json = "starts", .quiet = true}),
    setting("initial_radius", "warmup.initial_radius",
            "Uniform starting points lie between minus that and that, unconstrained", &Settings::warmup,
            &WarmupSettings::initial_radius,
            {[](const double& x) { return std::isfinite(x) && x >= 0; }, "it must be at least 0"},
            {.option = "init", .placeholder = "RADIUS", .json = "initial_radius", .quiet = true}),
    setting("integrator", "sampling.integrator", "", &Settings::sampling, &SamplingSettings::integrator,
            {.words = integrator_words}, {.option = "integrator", .quiet = true, .only = &SamplerInfo::directions}),
    setting("metric", "sampling.metric", "", &Settings::sampling, &SamplingSettings::metric, {.words = metric_words},
            {.option = "metric", .json = "metric", .quiet = true, .only = &SamplerInfo::directions}),
    setting("adaptation", "warmup.adaptation", "", &Settings::warmup, &WarmupSettings::adaptation,
            {.words = adaptation_words, .open = true},
            {.option = "adaptation", .json = "adaptation", .attribute = "adaptation", .quiet = true}),
    setting("adaptation_interval", "warmup.adaptation_interval",
            "Transitions between two updates of the step size in warm-up", &Settings::warmup,
            &WarmupSettings::adaptation_interval, at_least_1, {}),
    setting("max_leapfrogs", "sampling.max_leapfrogs", "HMC: leapfrogs of a trajectory, at most", &Settings::sampling,
            &SamplingSettings::max_leapfrogs, leapfrog_count, {}, &manychain_settings::max_leapfrogs),
    setting("groups", "Groups of chains, each with a step size, scales and a trajectory length of its own",
            &Settings::groups, at_least_1, {.option = "groups", .json = "groups", .quiet = true}),
    setting("first_chain", "Number of the first chain, of a run that is part of a larger one", &Settings::first_chain,
            {}, {.option = "first-chain", .json = "first_chain", .quiet = true}),
    setting("keep_draws", "output.keep_draws", "all draws, or none: diagnostics while the chains run, in little memory",
            &Settings::output, &OutputSettings::keep_draws, {.words = keep_words},
            {.option = "keep", .placeholder = "WHAT", .quiet = true}, &manychain_settings::keep_draws),
    setting("keep_sample_stats", "output.keep_sample_stats",
            "Keep lp, acceptance rate, energy and divergence of every kept draw", &Settings::output,
            &OutputSettings::keep_sample_stats, {}, {}),
    setting("save_warmup", "output.save_warmup", "Keep the draws of warm-up, too, in groups of their own of the file",
            &Settings::output, &OutputSettings::save_warmup, {}, {.option = "save-warmup", .quiet = true}),
    setting("keep_on_device", "output.keep_on_device",
            "Keep the draws on the CUDA device, too, for programs that compute there", &Settings::output,
            &OutputSettings::keep_on_device, {}, {}),
    setting(
        "log_likelihood", "output.log_likelihood",
        "Draws of each chain, evenly spread, whose pointwise log likelihoods the file has, for LOO and WAIC; 0: none",
        &Settings::output, &OutputSettings::log_likelihood, any_count,
        {.option = "log-likelihood", .json = "log_likelihood", .attribute = "log_likelihood_draws", .quiet = true}),
    setting("time_limit", "Seconds after which sampling ends, as by Ctrl-C, and keeps the draws until then",
            &Settings::time_limit, positive, {.option = "time-limit", .placeholder = "SECONDS", .quiet = true}),
    setting("blocks_per_second", "How often the host looks up from the chains, about", &Settings::blocks_per_second,
            at_least_1, {}),
};

/// Calls f with every row.
template <class F>
void for_each_setting(const F& f) {
  std::apply([&](const auto&... row) { (f(row), ...); }, setting_table);
}

}  // namespace manychain
