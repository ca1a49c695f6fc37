#include "cli/setting_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/options.hpp"
#include "run/setting_table.hpp"
#include "run/setting_text.hpp"

namespace manychain::cli {
namespace {

std::string not_a_schedule(const std::string& words) {
  return schedule_of(words) ? "" : words + " is not three numbers a,b,gamma, for example 1e-5,1,0.55";
}

template <class Row>
CLI::Option* add(CLI::App& app, Settings& settings, const Row& row) {
  using Value = typename Row::Value;
  const std::string name = std::string("--") + row.option;
  std::vector<std::string> words = row.range.all_words();
  if (Row::optional && Row::in_words) words.insert(words.begin(), unset_word);
  const std::string help = *row.help ? row.help : fmt::format("{}", fmt::join(words, ", "));
  auto& value = row.in(settings);
  if constexpr (std::is_same_v<Value, bool>)
    if (!row.range.words) return app.add_flag(name, value, help);
  CLI::Option* option = nullptr;
  const char* type = std::is_integral_v<Value> ? "N" : "X";
  if (Row::in_words && !row.range.words) {
    if constexpr (std::is_same_v<Value, std::string> && !Row::optional) option = app.add_option(name, value, help);
  } else if constexpr (Row::in_words) {
    const auto set = [&value, all = row.range.words()](const std::string& word) {
      if constexpr (Row::optional)
        if (word == unset_word) return value.reset();
      value = std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == word; })->second;
    };
    option = app.add_option_function<std::string>(name, set, help);
    option->check([words](const std::string& word) { return not_one_of(words, word); });
    type = "NAME";
  } else if constexpr (std::is_same_v<Value, StepSchedule>) {
    const auto set = [&value](const std::string& word) { value = schedule_of(word); };
    option = app.add_option_function<std::string>(name, set, help)->check(not_a_schedule);
  } else if constexpr (Row::optional) {
    const auto set = [&value, name](const std::string& word) {
      if (word == unset_word) return value.reset();
      Value number{};
      if (!CLI::detail::lexical_cast(word, number)) throw CLI::ConversionError(name, std::vector<std::string>{word});
      value = number;
    };
    option = app.add_option_function<std::string>(name, set, help);
    if (std::is_integral_v<Value>)
      option->check([](const std::string& word) { return word == unset_word ? "" : whole_number(word); });
  } else {
    option = app.add_option(name, value, help);
    if (std::is_integral_v<Value>) option->check(whole_number);
  }
  if (!Row::optional) option->default_str(row.text(settings));
  return option->type_name(row.placeholder ? row.placeholder : type);
}

}  // namespace

CLI::Option* add_setting(CLI::App& app, Settings& settings, const std::string& name) {
  CLI::Option* option = nullptr;
  for_each_setting([&](const auto& row) {
    if (name == row.name) option = add(app, settings, row);
  });
  return option;
}

void add_settings(CLI::App& app, Settings& settings) {
  for_each_setting([&](const auto& row) {
    if (row.option) add(app, settings, row);
  });
}

}  // namespace manychain::cli
