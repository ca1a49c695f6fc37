// Data files: CmdStan's JSON dialect and the words for what is wrong with a file.
#include "manychain/model/data/data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "manychain/core/error.hpp"

namespace {

using manychain::BadInput;
using manychain::Data;
using Shape = std::vector<std::size_t>;

std::string error_of(const std::string& text) {
  try {
    Data::from_json(text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::string& text, const std::string& part) {
  const std::string error = error_of(text);
  EXPECT_NE(error.find(part), std::string::npos) << text << " gave: " << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << "an error is one line";
}

TEST(Data, ReadsScalarsVectorsAndMatrices) {
  const Data data = Data::from_json(R"({"N": 3, "x": [1.5, -2, 3e2], "m": [[1, 2, 3], [4, 5, 6]], "s": 0.25})");
  ASSERT_NE(data.find("N"), nullptr);
  EXPECT_EQ(data.find("N")->shape, Shape{});
  EXPECT_EQ(data.find("N")->values, std::vector<double>{3});
  EXPECT_TRUE(data.find("N")->integer);
  EXPECT_EQ(data.find("x")->shape, Shape{3});
  EXPECT_EQ(data.find("x")->values, (std::vector<double>{1.5, -2, 300}));
  EXPECT_FALSE(data.find("x")->integer);
  EXPECT_EQ(data.find("m")->shape, (Shape{2, 3}));
  EXPECT_EQ(data.find("m")->values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(data.find("m")->integer);
  EXPECT_FALSE(data.find("s")->integer);
  EXPECT_EQ(data.find("unknown"), nullptr);
}

TEST(Data, AWholeNumberWrittenAsARealIsNoInteger) {
  EXPECT_FALSE(Data::from_json(R"({"y": [1, 2.0, 3]})").find("y")->integer);
  EXPECT_FALSE(Data::from_json(R"({"y": 1e3})").find("y")->integer);
  EXPECT_TRUE(Data::from_json(R"({"y": [-1, 0, 9007199254740992]})").find("y")->integer);
}

TEST(Data, ReadsEmptyArrays) {
  EXPECT_EQ(Data::from_json(R"({"x": []})").find("x")->shape, Shape{0});
  EXPECT_EQ(Data::from_json(R"({"x": [[], []]})").find("x")->shape, (Shape{2, 0}));
  EXPECT_TRUE(Data::from_json(R"({"x": []})").find("x")->integer);
  EXPECT_TRUE(Data::from_json("{}").empty());
}

TEST(Data, ReadsThreeDimensionsRowMajor) {
  const Data data = Data::from_json(R"({"x": [[[1, 2]], [[3, 4]], [[5, 6]]]})");
  EXPECT_EQ(data.find("x")->shape, (Shape{3, 1, 2}));
  EXPECT_EQ(data.find("x")->values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Data, ReadsNonFiniteNumbersBareAndAsStrings) {
  const Data data = Data::from_json(
      R"({"bare": [NaN, Infinity, -Infinity, Inf, -Inf], "words": ["NaN", "Inf", "-Inf", "Infinity", "-Infinity", "+Inf"]})");
  const auto& bare = data.find("bare")->values;
  EXPECT_TRUE(std::isnan(bare[0]));
  EXPECT_EQ(bare[1], INFINITY);
  EXPECT_EQ(bare[2], -INFINITY);
  EXPECT_EQ(bare[3], INFINITY);
  EXPECT_EQ(bare[4], -INFINITY);
  const auto& words = data.find("words")->values;
  EXPECT_TRUE(std::isnan(words[0]));
  EXPECT_EQ(words[1], INFINITY);
  EXPECT_EQ(words[2], -INFINITY);
  EXPECT_EQ(words[3], INFINITY);
  EXPECT_EQ(words[4], -INFINITY);
  EXPECT_EQ(words[5], INFINITY);
  EXPECT_FALSE(data.find("bare")->integer);
}

TEST(Data, AWordInsideANameIsLeftAlone) {
  EXPECT_NE(Data::from_json(R"({"NaN": 1, "a\"Inf": 2})").find("NaN"), nullptr);
  EXPECT_NE(Data::from_json(R"({"NaN": 1, "a\"Inf": 2})").find("a\"Inf"), nullptr);
}

TEST(Data, NamesTheOffsetOfASyntaxError) {
  expect_error(R"({"N": 3, "x": [1,, 2]})", "JSON: offset 17: ");
  // A bare word before the error moves nothing.
  expect_error(R"({"N": NaN, "x": [1,, 2]})", "JSON: offset 19: ");
  expect_error("", "JSON: offset 0: ");
  expect_error(R"({"N": 3)", "JSON: offset 7: ");
  expect_error("{\"N\":\n 3,\n\n x}", "JSON: offset 12: ");
}

TEST(Data, NamesTheVariableThatIsWrong) {
  expect_error(R"({"x": [[1, 2], [3]]})", "variable: x, error: non-rectangular array");
  expect_error(R"({"x": [1, [2]]})", "variable: x, error: non-rectangular array");
  expect_error(R"({"x": [[1], 2]})", "variable: x, error: non-rectangular array");
  expect_error(R"({"x": [[], [1]]})", "variable: x, error: non-rectangular array");
  expect_error(R"({"x": [[], [[]]]})", "variable: x, error: non-rectangular array");
  expect_error(R"({"x": [[[1]], [[2], [3]]]})", "variable: x, error: non-rectangular array");
  expect_error(R"({"x": [1, "one"]})", "variable: x, error: string values are not allowed, found \"one\"");
  expect_error(R"({"x": null})", "variable: x, error: null");
  expect_error(R"({"x": [true]})", "variable: x, error: boolean");
  expect_error(R"({"x": {"y": 1}})", "variable: x, error: nested objects");
  expect_error(R"({"x": 1, "x": 2})", "variable: x, error: the variable is defined twice");
  expect_error(R"({"x\n": [1, "a\nb"]})", "variable: x");
  expect_error(R"({"x": 1e999})", "JSON: offset 10: number overflow");
  expect_error("[1, 2]", "one object");
  expect_error("3", "one object");
}

TEST(Data, ReadsNamesOfDimensions) {
  const Data data = Data::from_json(
      R"({"coords": {"school": ["A", "B"], "year": [1990, -3], "time": [0, 0.5], "mixed": [1, "x"], "none": []},
          "y": [1, 2], "dims": {"theta": ["school"], "m": ["school", "year"], "y": "school", "mu": []}})");
  EXPECT_EQ(data.names(), std::vector<std::string>{"y"});
  EXPECT_EQ(data.coords().at("school").labels, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(data.coords().at("school").kind, Data::Labels::words);
  EXPECT_EQ(data.coords().at("year").labels, (std::vector<std::string>{"1990", "-3"}));
  EXPECT_EQ(data.coords().at("year").kind, Data::Labels::integers);
  EXPECT_EQ(data.coords().at("time").labels, (std::vector<std::string>{"0", "0.5"}));
  EXPECT_EQ(data.coords().at("time").kind, Data::Labels::reals);
  EXPECT_EQ(data.coords().at("mixed").kind, Data::Labels::words);
  EXPECT_EQ(data.dims().at("m"), (std::vector<std::string>{"school", "year"}));
  EXPECT_EQ(data.dims().at("y"), std::vector<std::string>{"school"});
  EXPECT_TRUE(data.dims().at("mu").empty());
  // Variables may be called so.
  EXPECT_EQ(Data::from_json(R"({"dims": [2, 3], "coords": 1})").find("dims")->values, (std::vector<double>{2, 3}));
}

TEST(Data, RefusesOtherObjects) {
  expect_error(R"({"coords": {"a": {"b": 1}}})", "variable: coords, error: nested objects");
  expect_error(R"({"coords": {"a": [["b"]]}})", "variable: coords, error: a list of labels is needed");
  expect_error(R"({"dims": {"a": ["b"], "a": ["c"]}})", "variable: dims, error: it has a twice");
  expect_error(R"({"dims": {"a": ["b"]}, "dims": {"c": ["b"]}})", "variable: dims, error: it stands twice");
  expect_error(R"({"dims": {"a": [null]}})", "variable: dims, error: null");
  expect_error(R"({"sims": {"a": ["b"]}})", "variable: sims, error: nested objects");
}

TEST(Data, AFileIsNamedInItsErrors) {
  const std::string path = testing::TempDir() + "manychain_data_test.json";
  std::ofstream(path) << R"({"x": [[1, 2], [3]]})";
  try {
    Data::from_file(path);
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()).rfind(path + ": ", 0), 0u) << error.what();
  }
  std::remove(path.c_str());
  EXPECT_THROW(Data::from_file(path), BadInput);
  EXPECT_THROW(Data::from_file(testing::TempDir()), BadInput);
}

TEST(Data, IsSetByAProgram) {
  Data data;
  data.set("N", 3);
  data.set("x", std::vector<double>{1, 2.5});
  data.set("m", {1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_TRUE(data.find("N")->integer);
  EXPECT_FALSE(data.find("x")->integer);
  EXPECT_EQ(data.find("m")->shape, (Shape{3, 2}));
  EXPECT_THROW(data.set("m", {1, 2, 3}, {2, 2}), BadInput);
}

}  // namespace
