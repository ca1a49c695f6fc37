// manychain new: a model to begin with, and its data.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <memory>

#include "cli/files.hpp"
#include "cli/own/own_model.hpp"
#include "manychain/core/error.hpp"

// The texts of example.hpp.in and example.json, which lie beside this file.
extern const char* const manychain_example_model;
extern const char* const manychain_example_data;

namespace manychain::cli {

namespace fs = std::filesystem;

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "RadonLevels" of "radon_levels".
std::string class_of(const std::string& name) {
  std::string text;
  bool begins = true;
  for (const char c : name) {
    if (!is_letter(c) && !is_digit(c)) {
      begins = true;
      continue;
    }
    text += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = false;
  }
  return text;
}

std::string filled(std::string text, const std::string& word, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
    text.replace(at, word.size(), value);
  return text;
}

int write_example(std::string name) {
  if (name.empty()) throw BadInput("give a name: manychain new NAME writes NAME.hpp and NAME.json");
  if (name.size() > 4 && name.compare(name.size() - 4, 4, ".hpp") == 0) name.resize(name.size() - 4);
  const std::string stem = fs::path(name).filename().string();
  if (stem.empty() || !is_letter(stem[0]))
    throw BadInput(fmt::format("{}: it names a class, too, and must begin with a letter", name));
  for (const char c : stem)
    if (!is_letter(c) && !is_digit(c) && c != '_' && c != '-')
      throw BadInput(fmt::format("{}: it names a class, too: letters, digits, _ and - alone", name));
  const std::string header = name + ".hpp", data = name + ".json";
  for (const std::string& file : {header, data}) {
    std::error_code none;
    if (fs::exists(fs::symlink_status(file, none)))
      throw BadInput(file + ": it exists, and is not written over; choose another name");
    require_writable(file);
  }
  std::string text = filled(manychain_example_model, "@CLASS@", class_of(stem));
  text = filled(text, "@FILE@", stem);
  text.pop_back();  // write_text() adds the last line end
  std::string numbers = manychain_example_data;
  numbers.pop_back();
  write_text(header, text);
  write_text(data, numbers);
  say(stdout, "Wrote {} and {}. Next:\n\n    manychain sample {} --data {}\n", header, data, header, data);
  return success;
}

}  // namespace

Command new_command(CLI::App& parent) {
  const auto name = std::make_shared<std::string>();
  CLI::App* app = add_command(parent, "new", "Write a commented example of a model of your own, with its data");
  add_option(*app, "NAME", *name, "Writes NAME.hpp and NAME.json, if there are no such files");
  return {app, [name] { return write_example(*name); }};
}

}  // namespace manychain::cli
