// The table of settings against what is spelt apart from it: the members of Settings, the fields of the C interface and
// docs/settings.md.
#include "run/setting_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "manychain/core/error.hpp"
#include "run/setting_names.hpp"

namespace {

using namespace manychain;

const std::string root = std::string(MANYCHAIN_TEST_DATA) + "/../../";
/// Handed over by reference or as an array: not in the table.
const std::set<std::string> apart = {"initial_points", "progress", "progress_user", "cancel"};

std::string read(const std::string& path) {
  std::ifstream file(root + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The names of the data members below the line `opening` of a header, in order.
std::vector<std::string> members(const std::string& path, const std::string& opening) {
  const std::regex member(R"(^  [\w:<>,*&() ]*[ *](\w+)( = [^;]*)?;.*)");
  std::vector<std::string> names;
  std::istringstream lines(read(path));
  std::string line;
  while (std::getline(lines, line) && line != opening) continue;
  for (std::smatch match; std::getline(lines, line) && line[0] != '}';)
    if (std::regex_match(line, match, member) && match[1] != "const" && !apart.count(match[1]))
      names.push_back(match[1]);
  return names;
}

/// Names of rows, in the order in which what they point at lies in memory.
class InMemory {
 public:
  template <class Struct, class Field>
  void add(const char* name, const Struct& object, const Field& field) {
    names_[reinterpret_cast<const char*>(&field) - reinterpret_cast<const char*>(&object)] = name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [offset, name] : names_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::ptrdiff_t, std::string> names_;
};

TEST(SettingTable, HasEveryMemberOfSettings) {
  const Settings settings;
  InMemory rows;
  for_each_setting([&](const auto& row) { rows.add(row.path, settings, row.in(settings)); });
  const std::string header = "include/manychain/run/settings.hpp";
  const std::map<std::string, std::string> rooms{
      {"warmup", "WarmupSettings"}, {"sampling", "SamplingSettings"}, {"output", "OutputSettings"}};
  std::vector<std::string> paths;
  for (const std::string& name : members(header, "struct Settings {")) {
    const auto room = rooms.find(name);
    if (room == rooms.end()) {
      paths.push_back(name);
      continue;
    }
    for (const std::string& member : members(header, "struct " + room->second + " {"))
      paths.push_back(name + "." + member);
  }
  EXPECT_EQ(rows.names(), paths);
}

TEST(SettingTable, HasEveryFieldOfTheCInterface) {
  const manychain_settings settings = manychain_settings_default();
  InMemory rows;
  for_each_setting([&]<class Row>(const Row& row) {
    if constexpr (Row::in_c) rows.add(row.name, settings, settings.*row.field);
  });
  EXPECT_EQ(rows.names(), members("include/manychain/manychain.h", "typedef struct manychain_settings {"));
}

TEST(SettingTable, HasOptionsThatCanBeTyped) {
  std::set<std::string> options, keys, attributes;
  for_each_setting([&](const auto& row) {
    const std::string name = row.name;
    EXPECT_TRUE(!row.json || keys.insert(row.json).second) << name;
    EXPECT_TRUE(!row.attribute || attributes.insert(row.attribute).second) << name;
    if (!row.option) return;
    EXPECT_TRUE(options.insert(row.option).second) << name;
    EXPECT_EQ(with_options("Settings::" + std::string(row.path) + ": "), "--" + std::string(row.option) + ": ");
    EXPECT_TRUE(!row.in_words || row.range.words || row.range.open || row.is_flag()) << name << " has no words";
  });
}

// No setting of today has a list of words that nothing adds to.
TEST(SettingTable, RefusesAWordThatIsNotListed) {
  const auto words = +[] { return Words<std::string>{{"windowed", "windowed"}, {"other", "other"}}; };
  const Range<std::string> closed{.words = words}, open{.words = words, .open = true};
  EXPECT_TRUE(closed.allows("other"));
  EXPECT_FALSE(closed.allows("otter"));
  EXPECT_TRUE(open.allows("otter"));
  EXPECT_EQ(closed.sentence(), "there are windowed, other");
}

/// The allowed values, without the beginning of a sentence.
std::string allowed(std::string rule) {
  for (const std::string begin : {"it must ", "be ", "lie ", "there are "})
    if (rule.rfind(begin, 0) == 0) rule.erase(0, begin.size());
  return rule;
}

std::string code(const std::string& before, const char* name) { return name ? "`" + before + name + "`" : ""; }

std::string table_of_the_page() {
  std::string text =
      "| setting | command line | C++ | in C | default | allowed | | JSON | NetCDF "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  for_each_setting([&](const auto& row) {
    const std::string rule = row.range.open ? "" : allowed(row.range.sentence());
    const std::string help = *row.help ? row.help : "`manychain sample --help` lists them";
    text += fmt::format("| `{}` | {} | `{}` | {} | {} | {} | {} | {} | {} |\n", row.name, code("--", row.option),
                        row.path, row.in_c ? "yes" : "", row.text(default_settings()), rule, help, code("", row.json),
                        code("", row.attribute));
  });
  return std::regex_replace(text, std::regex(" {2,}"), " ");
}

// Leapfrogs are counted in single precision and in 32 bits.
TEST(SettingTable, RefusesMoreLeapfrogsThanCanBeCounted) {
  Settings settings;
  for (const std::size_t most :
       {std::size_t{1} << 24, std::size_t{0xFFFFFFFF}, SIZE_MAX - 1, SIZE_MAX, std::size_t{0}}) {
    settings.sampling.max_leapfrogs = most;
    EXPECT_THROW(settings.validate(), BadInput) << most;
  }
  settings.sampling.max_leapfrogs = (std::size_t{1} << 24) - 1;
  EXPECT_NO_THROW(settings.validate());
}

TEST(SettingTable, StandsInTheDocumentation) {
  const std::string table = table_of_the_page();
  if (read("docs/settings.md").find(table) != std::string::npos) return;
  const std::string file = testing::TempDir() + "manychain_settings.md";
  std::ofstream(file) << table;
  FAIL() << "docs/settings.md has another table than src/run/setting_table.hpp; it is to be that in " << file;
}

// The kinds are compared by tests/python/test_errors.py, which is no quick test.
TEST(SettingTable, StandsInThePythonPackage) {
  const std::string types = read("python/manychain/_setting_types.py");
  for_each_setting([&](const auto& row) {
    EXPECT_NE(types.find(fmt::format("\n    {}: ", row.name)), std::string::npos) << row.name;
  });
}

}  // namespace
