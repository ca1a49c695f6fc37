// Reading data: every complaint in the words that users know, sizes, and where the numbers end up.
#include "manychain/model/language/data_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace manychain::test {
namespace {

Data example() {
  return Data::from_json(R"({"N": 3, "y": [1, 2.5, -3], "X": [[1, 2], [3, 4], [5, 6]], "half": 0.5, "bad": [1, "NaN"],
                             "inf": [[1, 2], ["Inf", 4]], "counts": [0, 1, 7], "none": [], "minus": -1, "big": 1e300,
                             "positive": [1, 2, 8]})");
}

class DataReading : public ::testing::Test {
 protected:
  Data data = example();
  HostDataMemory memory;
  DataReader in{data, memory};

  template <class F>
  static std::string complaint(F f) {
    try {
      f();
    } catch (const BadInput& error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(DataReading, SizesVectorsMatricesAndScalars) {
  Size<dynamic> n;
  View<const float> y;
  Matrix<const double, 2> X;
  Scalar<float> half;
  in("N", n, lower(1));
  in("y", y, n);
  in("X", X, n, Size<2>{});
  in("half", half);
  EXPECT_EQ(n.value(), 3);
  EXPECT_EQ(y.size().value(), 3);
  EXPECT_EQ(y[1].v, 2.5f);
  EXPECT_EQ(X.rows(), 3);
  EXPECT_EQ(X[2][1].v, 6);
  EXPECT_EQ(half.v, 0.5f);
  EXPECT_EQ(memory.numbers_read, 1u + 3 + 6 + 1);
}

TEST_F(DataReading, SizesThatAreNumbers) {
  View<const float> y;
  View<const int, 3> counts;
  Matrix<const double, 2> X;
  in("y", y, 3);
  in("counts", counts, 3u, integer(0));
  in("X", X, 3, 2);
  EXPECT_EQ(y[1].v, 2.5f);
  EXPECT_EQ(counts[2], 7);
  EXPECT_EQ(X[2][1].v, 6);
  EXPECT_EQ(complaint([&] { in("y", y, 4); }), "mismatch in dimension declared and found: y, declared (4), found (3)");
}

TEST_F(DataReading, ProductsOfColumns) {
  const auto X = in.design<double, 3>(3, {Column::product("y", "counts"), Column::product(Column::centred("y"), "y"),
                                          Column::product("y", Column::product(Column::equal("counts", 7), "y"))});
  const std::vector<std::vector<double>> expected = {
      {0, 1 - 0.5 / 3, 0}, {2.5, 2.5 * (2.5 - 0.5 / 3), 0}, {-21, -3 * (-3 - 0.5 / 3), 9}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(X[i][j].v, expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 1e-14);
  EXPECT_EQ(complaint([&] {
              in.design<double, 4>(3, {Column::ones(), Column::of("y")});
            }),
            "in.design<Number, 4>() in the model's data() is given 2 columns: write in.design<Number, 2>(), and the "
            "member Matrix<const Number, 2>");
  EXPECT_NE(complaint([&] { in.design<double>(3, {Column::product("y", Column::log("minus"))}); }).find("minus"),
            std::string::npos);
}

TEST_F(DataReading, ColumnsOfColumns) {
  const auto X = in.design<double, 3>(
      3, {"y", Column::standardised(Column::log("positive")), Column::product("y", "counts", Column::of("y")) * "y"});
  const double mean = 4 * std::log(2) / 3, sd = std::log(2) * std::sqrt(10.0 / 3 - 16.0 / 9);  // of 0, 1 and 3 log 2
  const double expected[3][3] = {
      {1, -mean / sd, 0}, {2.5, (std::log(2) - mean) / sd, 15.625}, {-3, (std::log(8) - mean) / sd, -189}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(X[i][j].v, expected[i][j], 1e-13);
  EXPECT_EQ(complaint([&] { in.design<double>(3, {Column::equal("counts", 2)}); }),
            "variable counts: no row has 2: leave that Column::equal() out");
  EXPECT_NE(
      complaint([&] { in.design<double>(3, {Column::standardised(Column::log("y"))}); }).find("variable y: the log"),
      std::string::npos);
  EXPECT_NE(
      complaint([&] { in.design<double>(3, {Column::log("y")}); }).find("logarithm of -3 is asked for, number 3 of 3"),
      std::string::npos);
  EXPECT_EQ(complaint([&] { in.design<double>(3, {Column::product("y", "nowhere")}); }).find("variable y"),
            std::string::npos);
}

TEST_F(DataReading, CountsAndEmptyArrays) {
  View<const double> counts, none;
  in("counts", counts, Size<3>{}, integer(0));
  EXPECT_EQ(counts[2].v, 7);
  in("none", none, Size<dynamic>(0));
  EXPECT_EQ(none.size().value(), 0);
  EXPECT_NE(none.data(), nullptr);
  EXPECT_TRUE(in.values("none", {0, 5}).empty());
}

TEST_F(DataReading, BoundsThatAreSizes) {
  View<const int> counts;
  in("counts", counts, Size<3>{}, integer(0, Size<dynamic>(7)));
  const std::string out = "variable out of bounds: counts[3] is 7, must be in [0, 6]";
  EXPECT_EQ(complaint([&] { in("counts", counts, Size<3>{}, integer(0, Size<dynamic>(6))); }), out);
  EXPECT_EQ(complaint([&] { in("counts", counts, Size<3>{}, integer(0, Size<6>{})); }), out);
}

TEST_F(DataReading, WholeNumbers) {
  View<const int> counts, wrong;
  View<int, 3> fixed;
  Matrix<const int> X;
  in("counts", counts, Size<3>{}, integer(0));
  static_assert(std::is_same_v<decltype(counts[2]), int>);
  EXPECT_EQ(counts[2], 7);
  in("counts", fixed, Size<3>{});
  EXPECT_EQ(fixed[1], 1);
  in("X", X, Size<3>{}, Size<2>{});
  EXPECT_EQ(X[2][1], 6);
  EXPECT_EQ(complaint([&] { in("y", wrong, Size<3>{}); }), "int variable contained non-int values: y[2] is 2.5");
  data.set("many", std::vector<double>{3e9});
  EXPECT_EQ(complaint([&] { in("many", wrong, Size<1>{}); }).find("variable out of bounds: many[1] is 3"), 0u);
}

// A name that differs by case alone is meant, however short; others are listed where they are few.
TEST_F(DataReading, NamesWhatTheDataHave) {
  Data few;
  EXPECT_EQ(complaint([&] { DataReaderBase(few, memory).values("T", {}); }), "variable does not exist: T");
  few.set("N", 2);
  few.set("X", std::vector<double>{1, 2});
  const DataReaderBase reader(few, memory);
  EXPECT_EQ(complaint([&] { reader.size("T"); }), "variable does not exist: T; the data have N, X");
  EXPECT_EQ(complaint([&] { reader.values("x", {2}); }), "variable does not exist: x; did you mean X?");
}

// As where a model reads a vector before its size.
TEST_F(DataReading, OfASizeThatWasNotReadBefore) {
  Data vectors;
  vectors.set("x", std::vector<double>(6, 1.0));
  vectors.set("X", std::vector<double>(6, 1.0), {3, 2});
  const DataReaderBase reader(vectors, memory);
  EXPECT_EQ(complaint([&] { reader.values("x", {0}); }),
            "mismatch in dimension declared and found: x, declared (0), found (6) (a size is 0 until it has been read: "
            "read it before x)");
  EXPECT_NE(complaint([&] { reader.values("X", {0, 2}); }).find("read it before X)"), std::string::npos);
  EXPECT_EQ(complaint([&] { reader.values("x", {5}); }),
            "mismatch in dimension declared and found: x, declared (5), found (6)");
}

TEST_F(DataReading, EveryComplaintNamesTheVariable) {
  Size<dynamic> n;
  EXPECT_EQ(complaint([&] { in("M", n); }), "variable does not exist: M");  // of ten
  EXPECT_EQ(complaint([&] { in.values("count", {3}); }), "variable does not exist: count; did you mean counts?");
  EXPECT_EQ(complaint([&] {
              in.values("X", {3, 5});
            }),
            "mismatch in dimension declared and found: X, declared (3, 5), found (3, 2)");
  EXPECT_EQ(complaint([&] { in.values("N", {3}); }),
            "mismatch in dimension declared and found: N, declared (3), found ()");
  EXPECT_EQ(complaint([&] { in.values("y", {}); }),
            "mismatch in dimension declared and found: y, declared (), found (3)");
  EXPECT_EQ(complaint([&] { in.values("y", {3}, integer()); }), "int variable contained non-int values: y[2] is 2.5");
  EXPECT_EQ(complaint([&] { in("half", n); }), "int variable contained non-int values: half is 0.5");
  EXPECT_EQ(complaint([&] { in.values("bad", {2}); }), "variable contained a value that is not finite: bad[2] is nan");
  EXPECT_EQ(complaint([&] {
              in.values("inf", {2, 2});
            }),
            "variable contained a value that is not finite: inf[2,1] is inf");
  EXPECT_EQ(complaint([&] { in.values("y", {3}, lower(0)); }),
            "variable out of bounds: y[3] is -3, must be in [0, inf]");
  EXPECT_EQ(complaint([&] {
              in.values("X", {3, 2}, integer(0, 3));
            }),
            "variable out of bounds: X[2,2] is 4, must be in [0, 3]");
  EXPECT_NE(complaint([&] { in("minus", n); }).find("variable out of bounds: minus is -1"), std::string::npos);
  EXPECT_NE(complaint([&] { in("N", n, lower(4)); }).find("variable out of bounds: N is 3"), std::string::npos);
  EXPECT_NE(complaint([&] { in("big", n); }).find("variable out of bounds: big"), std::string::npos);
}

TEST_F(DataReading, AFixedSizeThatDoesNotFitIsTold) {
  Size<3> three;
  Size<4> four;
  View<const double, 4> y;
  in("N", three);
  EXPECT_THROW(in("N", four), SizeMismatch);
  EXPECT_EQ(complaint([&] { in("N", four); }), "variable N must be 4, found 3");
  EXPECT_THROW(in("y", y, Size<dynamic>(3)), SizeMismatch);
}

// Finite in the file, infinite in single precision: said at once, not met as a density of zero later.
TEST_F(DataReading, ValuesThatSinglePrecisionCannotHold) {
  Scalar<float> float32;
  Scalar<double> float64;
  in("big", float64);
  EXPECT_EQ(float64.v, 1e300);
  EXPECT_NE(complaint([&] { in("big", float32); }).find("1e+300"), std::string::npos);
  EXPECT_NE(complaint([&] {
              in.keep<float>({1, -1e200}, Size<dynamic>(2));
            }).find("single precision"),
            std::string::npos);
}

}  // namespace
}  // namespace manychain::test
