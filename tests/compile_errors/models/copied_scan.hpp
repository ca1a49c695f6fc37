// is not copied, moved or assigned
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Size<> T;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("T", T);
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto phi = target.real("phi");
    auto h = target.scan(T, 0.0, [&](int, const auto& before) { return phi * before; });
    auto copy = h;
    target += normal(y, copy, 1);
  }
};
