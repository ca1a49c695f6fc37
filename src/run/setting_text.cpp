#include "run/setting_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "manychain/core/error.hpp"
#include "run/setting_table.hpp"
#include "text/suggest.hpp"

namespace manychain {
namespace {

template <class Row>
SettingText text_of(const Row& row) {
  using Value = typename Row::Value;
  SettingText text;
  text.name = row.name;
  text.kind = std::is_same_v<Value, StepSchedule> ? "schedule"
              : std::is_same_v<Value, bool>       ? "flag"
              : Row::in_words                     ? "word"
              : std::is_integral_v<Value>         ? "whole"
                                                  : "real";
  text.default_value = row.text(default_settings());
  text.words = row.range.all_words();
  if (std::is_same_v<Value, bool> && text.words.empty()) text.words = {"true", "false"};
  text.help = row.help;
  return text;
}

template <class Number>
std::optional<Number> number_of_text(const std::string& text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return {};
  return number;
}

[[noreturn]] void refuse(const char* path, const std::string& value, const std::string& why) {
  throw BadInput(fmt::format("Settings::{}: \"{}\" {}", path, value, why));
}

template <class Row>
typename Row::Value value_of_text(const Row& row, const std::string& text) {
  using Value = typename Row::Value;
  if constexpr (std::is_same_v<Value, StepSchedule>) {
    if (const std::optional<StepSchedule> schedule = schedule_of(text)) return *schedule;
    refuse(row.path, text, "is not three numbers a,b,gamma, for example 1e-5,1,0.55");
  } else if constexpr (Row::in_words) {
    if (row.range.words)
      for (const auto& [word, meant] : row.range.words())
        if (word == text) return meant;
    if constexpr (std::is_same_v<Value, bool>) {
      if (text == "true" || text == "false") return text == "true";
      refuse(row.path, text, "is neither true nor false");
    } else {
      if constexpr (std::is_same_v<Value, std::string>)
        if (row.range.open) return text;
      refuse(row.path, text,
             fmt::format("is not allowed; {}{}", row.range.sentence(), did_you_mean(text, row.range.all_words())));
    }
  } else {
    if (const std::optional<Value> number = number_of_text<Value>(text)) return *number;
    refuse(row.path, text,
           !std::is_integral_v<Value> ? "is not a number"
           : std::is_signed_v<Value>  ? "is not a whole number that an int holds"
                                      : "is not a whole number from 0 to 2^64 - 1");
  }
}

}  // namespace

std::optional<StepSchedule> schedule_of(const std::string& words) {
  double number[3];
  const char* at = words.data();
  const char* const end = at + words.size();
  for (int i = 0; i < 3; ++i) {
    const auto [rest, error] = std::from_chars(at, end, number[i]);
    const bool more = i < 2;
    if (error != std::errc() || more != (rest != end) || (more && *rest != ',')) return {};
    at = rest + 1;
  }
  return StepSchedule{number[0], number[1], number[2]};
}

const std::vector<SettingText>& setting_texts() {
  static const std::vector<SettingText> all = [] {
    std::vector<SettingText> texts;
    for_each_setting([&](const auto& row) { texts.push_back(text_of(row)); });
    return texts;
  }();
  return all;
}

void set_from_text(Settings& settings, const std::string& name, const std::string& value) {
  bool found = false;
  for_each_setting([&]<class Row>(const Row& row) {
    if (name != row.name) return;
    found = true;
    if constexpr (Row::optional) {
      if (value == unset_word) return row.in(settings).reset();
    }
    row.in(settings) = value_of_text(row, value);
  });
  if (found) return;
  std::vector<std::string> names;
  for (const SettingText& text : setting_texts()) names.push_back(text.name);
  throw BadInput(fmt::format("there is no setting {}{}", name, did_you_mean(name, names)));
}

}  // namespace manychain
