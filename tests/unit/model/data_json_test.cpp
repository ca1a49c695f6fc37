// Data as JSON: whoever reads it again has the same data.
#include "model/data_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

using namespace manychain;

TEST(DataJson, HasShapesIntegersAndAllDigits) {
  Data data;
  data.set("N", 3);
  data.set("tenth", 0.1);
  data.set("whole", 3.0);  // an integer, as Data has it
  data.set("huge", 1e300);
  data.set("m", {1, 2.5, -3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(json_of(data),
            R"({"N": 3, "huge": 1e+300, "m": [[1.0, 2.5, -3.0], [4.0, 5.0, 6.0]], "tenth": 0.1, "whole": 3})");
  EXPECT_EQ(json_of(Data::from_json(R"({"a": [1, 2], "b": [1.0, 2], "none": []})")),
            R"({"a": [1, 2], "b": [1.0, 2.0], "none": []})");
  EXPECT_EQ(json_of(Data()), "{}");
  Data quoted;
  quoted.set("a\"b", 1);
  EXPECT_EQ(json_of(quoted), R"({"a\"b": 1})");
}

TEST(DataJson, IsReadAgain) {
  Data data;
  const std::vector<double> values = {
      std::nextafter(1.0, 2.0), std::numeric_limits<double>::denorm_min(), -0.0, 1e22, 123456789012345678.0, -1.0 / 3};
  data.set("x", values);
  data.set("edges", {std::nan(""), HUGE_VAL, -HUGE_VAL});
  const Data again = Data::from_json(json_of(data));
  EXPECT_EQ(again.find("x")->values, values);
  EXPECT_TRUE(std::isnan(again.find("edges")->values[0]));
  EXPECT_EQ(again.find("edges")->values[1], HUGE_VAL);
  EXPECT_EQ(again.find("edges")->values[2], -HUGE_VAL);
}

TEST(DataJson, OfATableCountsItsRows) {
  EXPECT_EQ(json_of(Data::from_csv("y,word\n1,a\n2,b\n")), R"({"y": [1, 2], "N": 2})");
  Data table = Data::from_csv("y\n1\n2\n");
  table.set("N", 5);
  EXPECT_EQ(json_of(table), R"({"N": 5, "y": [1, 2]})");
}

}  // namespace
