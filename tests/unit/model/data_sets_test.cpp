// Several data sets in one file: JSON in three forms, and tables.
#include "manychain/model/data/data_sets.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "manychain/core/error.hpp"

namespace manychain {
namespace {

template <class F>
std::string complaint(const F& f) {
  try {
    f();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}
std::string complaint_of_json(const std::string& text) {
  return complaint([&] { data_sets_from_json(text); });
}

std::vector<double> values(const DataSet& set, const std::string& name) { return set.data.find(name)->values; }

TEST(DataSets, AreAnArrayOfObjects) {
  const auto sets = data_sets_from_json(" [ {\"N\": 2, \"y\": [1, NaN]},\n{\"N\":1,\"y\":[3.5]} ]\n");
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].name, "1");
  EXPECT_EQ(sets[1].name, "2");
  EXPECT_EQ(values(sets[0], "y").size(), 2u);
  EXPECT_EQ(values(sets[1], "y"), std::vector<double>{3.5});
  EXPECT_TRUE(sets[1].data.find("N")->integer);
}

TEST(DataSets, AreAnObjectOfObjects) {
  const auto sets = data_sets_from_json(R"({"a \"b\"": {"N": 2, "y": [1, 2]}, "c}": {"N": 0, "y": []}})");
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].name, "a \"b\"");
  EXPECT_EQ(sets[1].name, "c}");
  EXPECT_EQ(values(sets[0], "y"), (std::vector<double>{1, 2}));
}

TEST(DataSets, AreAnObjectOnEachLine) {
  const auto sets = data_sets_from_json("{\"N\": 1}\n{\"N\": 2}\r\n\n{\"N\": 3}");
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(values(sets[2], "N"), std::vector<double>{3});
}

TEST(DataSets, OfOneObjectOfVariablesAreOne) {
  EXPECT_EQ(data_sets_from_json("{\"N\": 1}").size(), 1u);
  const auto with_names = data_sets_from_json(R"({"coords": {"i": ["a"]}, "dims": {"y": ["i"]}, "y": [1]})");
  ASSERT_EQ(with_names.size(), 1u);
  EXPECT_EQ(with_names[0].data.coords().count("i"), 1u);
}

TEST(DataSets, ThatCannotBeReadAreNamed) {
  EXPECT_EQ(complaint_of_json("[{\"y\": 1}, {\"y\": [[1, 2], [3]]}]"),
            "set 2: JSON: variable: y, error: non-rectangular array");
  EXPECT_EQ(complaint_of_json("[{\"y\": 1}, 7]"), "set 2: it is no object of data, {\"name\": value, ...}");
  EXPECT_EQ(complaint_of_json("{\"a\": {\"y\": 1}, \"a\": {\"y\": 1}}"), "set a: it stands twice");
  EXPECT_EQ(complaint_of_json("{\"a\": {\"y\": 1}, \"b\": 2}"),
            "set b: it is no object of data, {\"name\": value, ...}");
  EXPECT_EQ(complaint_of_json("[]"), "JSON: there are no data sets");
  EXPECT_EQ(complaint_of_json("[{\"y\": 1}"), "JSON: offset 9: a ] is missing at the end");
  EXPECT_EQ(complaint_of_json("[{\"y\": 1}] 2"), "JSON: offset 11: there is more behind the data sets");
  EXPECT_EQ(complaint_of_json("[{\"y\": \"1}"), "JSON: offset 10: a quote is not closed");
  EXPECT_EQ(complaint_of_json("{\"y\": 1"), "JSON: offset 7: a bracket is not closed");
  for (const char* text : {"", " ", "\"", "[", "{", "}", "]", "[[[", "{\"a\":", "{\"a\"", "\\", "[1,", "\"\\"})
    EXPECT_NE(complaint_of_json(text), "none") << text;
}

constexpr const char* table = "school,y,who\nA,1,x\nB,2,y\nA,3.5,z\n\"C, D\",4,\"q\"\"r\"\n";

TEST(DataSets, AreTheRowsOfATableWithOneWord) {
  const auto sets = data_sets_from_csv(table, "school");
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].name, "A");
  EXPECT_EQ(sets[2].name, "C, D");
  EXPECT_EQ(values(sets[0], "y"), (std::vector<double>{1, 3.5}));
  EXPECT_EQ(sets[0].data.rows(), 2u);
  EXPECT_TRUE(sets[1].data.find("y")->integer);
  EXPECT_EQ(sets[0].data.find("school"), nullptr);
  EXPECT_EQ(sets[0].data.fault("school"), nullptr);
  ASSERT_NE(sets[2].data.fault("who"), nullptr);
}

TEST(DataSets, NameLinesOfTheirFile) {
  const auto sets = data_sets_from_csv(table, "school");
  EXPECT_EQ(sets[0].lines, (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(with_lines(sets[0], "column y, row 2 (line 3): no"), "column y, row 2 (line 4): no");
  EXPECT_EQ(with_lines(sets[0], "column y, row 9 (line 10): no"), "column y, row 9 (line 10): no");
  EXPECT_EQ(with_lines(sets[0], "y is (line"), "y is (line");
  const DataSet of_json{"1", {}};
  EXPECT_EQ(with_lines(of_json, "a (line 3)"), "a (line 3)");
}

TEST(DataSets, OfATableThatLacksItsColumnAreNone) {
  EXPECT_EQ(complaint([] { data_sets_from_csv(table, "shool"); }),
            "CSV: there is no column shool, which would say of which set a row is; did you mean school?");
  EXPECT_EQ(complaint([] { data_sets_from_csv("a,b\n1,2\n ,3\n", "a"); }),
            "CSV: line 3: column a is empty, so that its set is not known");
  EXPECT_EQ(complaint([] { data_sets_from_csv("a,b\n", "a"); }), "CSV: there are no rows");
  EXPECT_EQ(complaint([] { data_sets_from_csv("a\n1\n", "a"); }), "CSV: there is no column beside a");
}

TEST(DataSets, ComeFromFiles) {
  const std::string path = ::testing::TempDir() + "sets.csv";
  std::ofstream(path) << table;
  EXPECT_EQ(data_sets_from_file(path, "school").size(), 3u);
  EXPECT_NE(complaint([&] { data_sets_from_file(path); }).find("--set-column"), std::string::npos);
  EXPECT_NE(complaint([&] { data_sets_from_file(path, "y2"); }).find(path + ": CSV"), std::string::npos);
  std::remove(path.c_str());
  EXPECT_NE(complaint([] { data_sets_from_file("sets.json", "school"); }).find("needs a .csv"), std::string::npos);
}

}  // namespace
}  // namespace manychain
