// Settings as texts: what the table of settings says of each, and values that are given as words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manychain/run/settings.hpp"

namespace manychain {

/// A row of the table, as texts.
struct SettingText {
  std::string name;
  std::string kind;                ///< "whole", "real", "flag", "word" or "schedule"
  std::string default_value;       ///< empty: the run decides
  std::vector<std::string> words;  ///< values of a word or a flag; empty: any that the range allows
  std::string help;
};
/// One for each setting, in the order of the table.
const std::vector<SettingText>& setting_texts();

/// Leaves a setting without a default to the run, as if it had not been given.
inline constexpr const char* unset_word = "auto";

/// Sets the one of that name. Throws BadInput, if there is none with the nearest name, or if the text is no value of
/// its kind; ranges are for Settings::validate().
void set_from_text(Settings& settings, const std::string& name, const std::string& value);

/// Three numbers, "a,b,gamma"; nothing if they are not.
std::optional<StepSchedule> schedule_of(const std::string& words);

}  // namespace manychain
