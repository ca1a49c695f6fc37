// Draws for the tests of the diagnostics: made up, or read from files in the format of Stan's CSV.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "manychain/diagnostics/summary.hpp"
#include "unit/diagnostics/reference.hpp"

namespace test_draws {

/// Draws in the recorder's order, [draw][variable][chain], and their view.
template <class Number>
struct Draws {
  std::size_t draws, variables, chains;
  std::vector<Number> values;

  Draws(std::size_t draws_, std::size_t variables_, std::size_t chains_)
      : draws(draws_), variables(variables_), chains(chains_), values(draws_ * variables_ * chains_) {}

  Number& at(std::size_t t, std::size_t v, std::size_t c) { return values[(t * variables + v) * chains + c]; }

  manychain::DrawsView<Number> view() const {
    manychain::DrawsView<Number> view;
    view.data = values.data();
    view.draws = draws;
    view.variables = variables;
    view.chains = chains;
    view.draw_stride = variables * chains;
    view.variable_stride = chains;
    return view;
  }

  /// One variable as the reference takes it.
  reference::Chains of(std::size_t variable) const {
    reference::Chains result(draws, chains);
    for (std::size_t c = 0; c < chains; ++c) {
      for (std::size_t t = 0; t < draws; ++t) {
        result(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(c)) = view()(t, variable, c);
      }
    }
    return result;
  }
};

/// Draws of one variable, [draw][chain], from reference chains.
inline Draws<double> from(const reference::Chains& chains) {
  Draws<double> result(static_cast<std::size_t>(chains.rows()), 1, static_cast<std::size_t>(chains.cols()));
  for (std::size_t c = 0; c < result.chains; ++c) {
    for (std::size_t t = 0; t < result.draws; ++t) {
      result.at(t, 0, c) = chains(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(c));
    }
  }
  return result;
}

/// Chains beside each other.
inline reference::Chains beside(const std::vector<reference::Chain>& columns) {
  reference::Chains result(columns[0].size(), columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t t = 0; t < columns[c].size(); ++t) {
      result(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(c)) = columns[c][t];
    }
  }
  return result;
}

/// The chains in a random order.
inline reference::Chains shuffled(const reference::Chains& chains, unsigned seed) {
  std::vector<Eigen::Index> order;
  for (Eigen::Index c = 0; c < chains.cols(); ++c) order.push_back(c);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  reference::Chains result = chains;
  for (Eigen::Index c = 0; c < chains.cols(); ++c) result.col(c) = chains.col(order[static_cast<std::size_t>(c)]);
  return result;
}

/// Stationary autoregressions of order one. Values are rounded to multiples of `grid` where it is not zero, so that
/// there are ties.
template <class Number>
Draws<Number> autoregressions(std::size_t draws, std::size_t variables, std::size_t chains, double coefficient,
                              unsigned seed, double grid = 0) {
  Draws<Number> result(draws, variables, chains);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> state(variables * chains);
  for (double& x : state) x = normal(random);
  for (std::size_t t = 0; t < draws; ++t) {
    for (std::size_t i = 0; i < state.size(); ++i) {
      state[i] = coefficient * state[i] + std::sqrt(1 - coefficient * coefficient) * normal(random);
      const double x = grid > 0 ? grid * std::round(state[i] / grid) : state[i];
      result.values[t * state.size() + i] = static_cast<Number>(x);
    }
  }
  return result;
}

inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    if (cell.size() > 1 && cell.front() == '"') cell = cell.substr(1, cell.size() - 2);
    result.push_back(cell);
  }
  return result;
}

/// Named columns of a comma-separated file; lines that begin with # are left out.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;

  explicit Table(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty() || line[0] == '#') continue;
      if (names.empty()) {
        names = cells(line);
      } else {
        rows.push_back(cells(line));
      }
    }
  }

  std::vector<double> column(const std::string& name) const {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] != name) continue;
      std::vector<double> values;
      for (const auto& row : rows) values.push_back(std::stod(row.at(k)));
      return values;
    }
    throw std::runtime_error("no column " + name);
  }
};

}  // namespace test_draws
