// observe() beside the data that it is of: what is noted of its name and its length.
#include "check/observe_notes.hpp"

#include <gtest/gtest.h>

namespace manychain {
namespace {

Layout observing(const std::string& name, std::size_t rows, bool scalar = false) {
  Layout layout;
  layout.observed.push_back({name, rows, scalar});
  return layout;
}
Data data() {
  Data data;
  data.set("distance", std::vector<double>{1, 2, 3});
  data.set("total", 4.0);
  data.set("X", std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3});
  return data;
}
using Notes = std::vector<std::string>;

TEST(ObserveNotes, NamesAndLengthsOfTheDataPass) {
  const Data all = data();
  EXPECT_EQ(observe_notes(observing("distance", 3), &all), Notes{});
  EXPECT_EQ(observe_notes(observing("total", 1, true), &all), Notes{});
  EXPECT_EQ(observe_notes(observing("X", 2), &all), Notes{});
  EXPECT_EQ(observe_notes(observing("X", 6), &all), Notes{});
}

TEST(ObserveNotes, AnotherName) {
  const Data all = data();
  EXPECT_EQ(observe_notes(observing("distence", 3), &all),
            Notes{"observe(\"distence\") has a name that no variable of the data has; did you mean distance?"});
  EXPECT_EQ(observe_notes(observing("zzzzzz", 3), &all),
            Notes{"observe(\"zzzzzz\") has a name that no variable of the data has"});
}

TEST(ObserveNotes, AnotherLength) {
  const Data all = data();
  EXPECT_EQ(observe_notes(observing("distance", 2), &all),
            Notes{"observe(\"distance\") has 2 terms, and distance of the data 3 values"});
  EXPECT_EQ(observe_notes(observing("X", 3), &all), Notes{"observe(\"X\") has 3 terms, and X of the data 2 rows"});
}

TEST(ObserveNotes, NoneWithoutData) {
  const Data none;
  EXPECT_EQ(observe_notes(observing("y", 3), nullptr), Notes{});
  EXPECT_EQ(observe_notes(observing("y", 3), &none), Notes{});
}

}  // namespace
}  // namespace manychain
