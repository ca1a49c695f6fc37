// The attributes of the groups of a file of draws, whatever its format.
#pragma once

#include <fmt/format.h>

#include <ctime>
#include <string>
#include <type_traits>

#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "run/named_dimensions.hpp"
#include "run/setting_names.hpp"
#include "run/setting_table.hpp"

namespace manychain::io {

/// The options that give the same draws on the command line.
inline std::string options_to_repeat(Settings settings) {
  if (settings.sampling.step_size)
    settings.sampling.schedule.reset();  // the run has made it of the step size, and one excludes the other
  const std::string options =
      options_of(settings) + (settings.warmup.initial_points.empty() ? "" : " --init FILE.json");
  return options.substr(options.find_first_not_of(' '));
}

/// Throws BadInput, with the file that was to be written, if the result has no draws.
inline void require_draws(const std::string& path, const Result& result) {
  if (result.output.draws_in_store && result.draws.empty())
    throw BadInput(path + ": the draws to write are not in memory: the store of the run has them");
  if (result.output.held && result.output.held->count > 0)
    throw BadInput(
        fmt::format("{}: the draws of chains {} to {} are at this rank, not those of all {}: write a file by "
                    "DrawsAt::first_rank, or a store",
                    path, result.output.held->first, result.output.held->first + result.output.held->count - 1,
                    result.settings.chains));
  if (result.output.held) throw BadInput(path + ": there are no draws to write here: the first rank has them");
  if (result.draws.empty()) throw BadInput(path + ": there are no draws to write; the run kept none");
}

inline std::string utc_now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm time{};
  gmtime_r(&seconds, &time);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &time);
  return text;
}

/// `group` has text(), number() and integer() for attributes.
template <class Group>
void describe_maker(Group& group, const std::string& now) {
  group.text("created_at", now);
  group.text("creation_library", "manychain");
  group.text("creation_library_version", version);
}

/// All that is known before the first draw.
template <class Group>
void describe_run(Group& group, const Result& result, const std::string& now) {
  const Settings& settings = result.settings;
  describe_maker(group, now);
  group.text("inference_library", "manychain");
  group.text("inference_library_version", version);
  group.text("model", result.model);
  group.text("backend", result.backend);
  group.text("device", result.device);
  for_each_setting([&](const auto& row) {
    const auto* const value = row.value(settings);
    if (!row.attribute || !value) return;
    if constexpr (std::is_same_v<decltype(value), const double* const>)
      group.number(row.attribute, *value);
    else if constexpr (std::is_same_v<decltype(value), const std::size_t* const>)
      group.integer(row.attribute, *value);
    else
      group.text(row.attribute, row.text(settings));
  });
  group.text("settings", options_to_repeat(settings));
}

/// All that is known after the last one.
template <class Group>
void describe_end(Group& group, const Result& result) {
  group.integer("warmup_done", result.warmup.transitions);
  group.number("sampling_time", result.seconds.sampling);
}

/// The attribute `left_out` of constant_data; empty: nothing is.
inline std::string left_out_of_constants(const Layout& layout, const Data& data) {
  std::string names;
  for (const std::string& name : data.names())
    if (data.find(name)->values.size() > largest_constant && !is_observed(layout, name))
      names += (names.empty() ? "" : ", ") + name;
  return names;
}

/// The tuned step size of a chain.
inline double step_size_of(const Result& result, std::size_t chain) {
  const std::size_t groups = result.warmup.tuning.size();
  return groups > 1 ? result.warmup.tuning[chain / (result.settings.chains / groups)].step_size
                    : result.warmup.tuning[0].step_size;
}

}  // namespace manychain::io
