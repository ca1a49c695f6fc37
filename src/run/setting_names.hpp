// The library's messages name a setting as C++ does, "Settings::sampling.step_size". Where people set it by another
// name, that takes its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "manychain/run/settings.hpp"

namespace manychain {

inline constexpr std::string_view setting_prefix = "Settings::";

struct NamedSetting {
  std::string_view name;   ///< as in C: "warmup" of "Settings::warmup.transitions"
  std::size_t length = 0;  ///< characters of its C++ name, prefix included
};

/// The setting that `text` begins with; length 0: it begins with none. Allocates nothing.
NamedSetting setting_at(std::string_view text);

/// Every "Settings::sampling.step_size" as the option "--step-size" of the command line.
std::string with_options(const std::string& message);
/// Every "Settings::sampling.step_size" as the field "step_size" of the C interface.
std::string with_c_fields(const std::string& message);

/// The options that set `settings`, each with a blank before it: " --sampler hmc --chains 1024". `names`: of these
/// settings alone.
std::string options_of(const Settings& settings, const std::vector<std::string>& names = {});

}  // namespace manychain
