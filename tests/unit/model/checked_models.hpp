// Models that are looked at when their data are bound, and the sentence that each is told: for the tests of checks,
// which define MANYCHAIN_CHECKED.
#pragma once

#include <gtest/gtest.h>

#include "manychain/chain/check_model.hpp"

namespace manychain::test {
namespace {

/// 8 data, 3 groups, 20 rows of 4 columns; groups are counted from 1, as in most data.
Data example() {
  Data data;
  data.set("N", 8);
  data.set("J", 3);
  data.set("y", {1, 2, 3, 4, 5, 6, 7, 8});
  data.set("county", {1, 1, 2, 2, 2, 3, 3, 1});
  data.set("X", std::vector<double>(20 * 4, 1.0), {20, 4});
  return data;
}

template <class Number>
struct Fields {
  Size<> N, J;
  View<const Number> y;
  View<const int> county;
  Matrix<const Number> X;
  void data(DataReader& in) {
    in("N", N);
    in("J", J);
    in("y", y, N);
    in("county", county, N, integer(0));
    in("X", X, Size<>(20), Size<>(4));
  }
};

/// The sentence that binding ModelClass to the data ends in.
template <template <class> class ModelClass>
std::string complaint(const Data& data = example()) {
  try {
    check_model<ModelClass<CheckedNumber>>("m", data);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}

// A model of Fields whose log_density() is `body`. In a macro, because a class in a function may have no templates.
#define MODEL(name, ...)                                                                                      \
  template <class Number>                                                                                     \
  struct name : Fields<Number> {                                                                              \
    using Fields<Number>::N, Fields<Number>::J, Fields<Number>::y, Fields<Number>::county, Fields<Number>::X; \
    template <class Target>                                                                                   \
    void log_density(Target& target) const {                                                                  \
      __VA_ARGS__                                                                                             \
    }                                                                                                         \
  };

}  // namespace
}  // namespace manychain::test
