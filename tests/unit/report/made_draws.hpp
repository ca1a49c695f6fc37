// Draws from formulas, as if read from a file.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "io/predictions.hpp"
#include "manychain/io/diagnosis.hpp"

namespace manychain::report {

/// `value(quantity, chain, draw)` of quantities with those names.
template <class Value>
DrawsFile file_of(const std::vector<std::string>& names, std::size_t chains, std::size_t draws, const Value& value) {
  DrawsFile file;
  file.paths = {"some/folder/draws.csv"};
  file.names = names;
  file.chains = chains;
  file.draws = draws;
  const auto values = std::make_shared<std::vector<double>>();
  for (std::size_t q = 0; q < names.size(); ++q)
    for (std::size_t c = 0; c < chains; ++c)
      for (std::size_t d = 0; d < draws; ++d) values->push_back(value(q, c, d));
  file.values = {values, values->data()};
  return file;
}

template <class Value>
Diagnosis diagnosis_of(const std::vector<std::string>& names, std::size_t chains, std::size_t draws,
                       const Value& value) {
  return diagnose(file_of(names, chains, draws, value), 1);
}

/// "y_rep[1]" and so on.
inline std::vector<std::string> elements_of(const std::string& vector, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(vector + "[" + std::to_string(i) + "]");
  return names;
}

/// `value(element, chain, draw)` predicts `observed`.
template <class Value>
io::Prediction prediction_of(const std::string& name, const std::vector<double>& observed, std::size_t chains,
                             std::size_t draws, const Value& value) {
  io::Prediction one;
  one.name = name + "_rep";
  one.of = name;
  one.elements = observed.size() == 1 ? std::vector{one.name} : elements_of(one.name, observed.size());
  one.observed = observed;
  one.chains = chains;
  one.draws = draws;
  one.values = file_of(one.elements, chains, draws, value).values;
  return one;
}

inline double wave(std::size_t q, std::size_t c, std::size_t d) { return std::sin(double(q + 1) * double(c + 7 * d)); }

}  // namespace manychain::report
