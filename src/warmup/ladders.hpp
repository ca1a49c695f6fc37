// The rows in which chains that temper have their ladders (samplers/ladder.hpp), and the reference there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/samplers/ladder.hpp"

namespace manychain {

inline double mean_of(const double* row, std::size_t chains) {
  double sum = 0;
  for (std::size_t c = 0; c < chains; ++c) sum += row[c];
  return sum / static_cast<double>(chains);
}

/// The ladders of all chains, in a snapshot.
class Ladders {
 public:
  Ladders(Snapshot& taken, std::size_t dimension) : at{static_cast<int>(dimension)}, values_(taken.values.data()) {
    std::int64_t rows = 0;
    for (const FieldInfo& field : taken.fields) {
      if (field.name == "position") position_ = rows;
      if (field.name == "log_density") log_density_ = rows;
      if (field.name == "gradient") gradient_ = rows;
      if (field.name == "ladder") ladder_ = rows;
      rows += field.rows;
    }
    if (ladder_ < 0) throw std::logic_error("the sampler has no ladder");
    chains = taken.values.size() / static_cast<std::size_t>(rows);
  }

  const LadderRows at;
  std::size_t chains = 0;

  double* operator[](int row) const { return values_of(ladder_ + row); }
  double shared(int row) const { return (*this)[row][0]; }
  void set(int row, double x) const { std::fill_n((*this)[row], chains, x); }
  int levels() const { return static_cast<int>(shared(at.levels())); }
  double mean(int row) const { return mean_of((*this)[row], chains); }

  // Rows of the replica at temperature k, which is the chain itself if k is the last one of `levels`.
  double* position(int k, int levels, int i) const {
    return k == levels - 1 ? values_of(position_ + i) : (*this)[at.position(k) + i];
  }
  double* gradient(int k, int levels, int i) const {
    return k == levels - 1 ? values_of(gradient_ + i) : (*this)[at.gradient(k) + i];
  }
  double* log_density(int k, int levels, int part) const {
    return k == levels - 1 ? values_of(log_density_ + part) : (*this)[at.log_density(k) + part];
  }
  double* label(int k, int levels) const { return (*this)[at.label(k == levels - 1 ? LadderRows::most - 1 : k)]; }

  void zero_sums() const { std::fill((*this)[at.sums()], (*this)[at.all()], 0.0); }

 private:
  double* values_of(std::int64_t row) const { return values_ + row * static_cast<std::int64_t>(chains); }

  double* values_;
  std::int64_t position_ = -1, log_density_ = -1, gradient_ = -1, ladder_ = -1;
};

/// The reference at the replicas of a temperature.
struct ReferenceThere {
  std::vector<double> log_density;          ///< [chain] without LadderRows::log_constant()
  std::vector<std::vector<double>> shares;  ///< [part][chain] of it
};

inline ReferenceThere reference_at(const Ladders& rows, int k, int levels) {
  const int parts = static_cast<int>(rows.shared(rows.at.parts()));
  ReferenceThere there;
  std::vector<double> largest(rows.chains, -HUGE_VAL), total(rows.chains);
  for (int j = 0; j < parts; ++j) {
    std::vector<double> logs(rows.chains, rows.shared(rows.at.log_weight(j)));
    for (int i = 0; i < rows.at.dimension; ++i) {
      const double mean = rows.shared(rows.at.mean(j) + i), inverse = rows.shared(rows.at.inverse_sd(j) + i);
      const double* const x = rows.position(k, levels, i);
      for (std::size_t c = 0; c < rows.chains; ++c) logs[c] -= 0.5 * std::pow((x[c] - mean) * inverse, 2);
    }
    for (std::size_t c = 0; c < rows.chains; ++c) largest[c] = std::max(largest[c], logs[c]);
    there.shares.push_back(std::move(logs));
  }
  for (std::vector<double>& part : there.shares)
    for (std::size_t c = 0; c < rows.chains; ++c) total[c] += part[c] = std::exp(part[c] - largest[c]);
  for (std::vector<double>& part : there.shares)
    for (std::size_t c = 0; c < rows.chains; ++c) part[c] /= total[c];
  for (std::size_t c = 0; c < rows.chains; ++c) there.log_density.push_back(largest[c] + std::log(total[c]));
  return there;
}

/// log p - log q of each chain's replica.
inline std::vector<double> log_ratios(const Ladders& rows, int k, int levels) {
  std::vector<double> ratios = reference_at(rows, k, levels).log_density;
  const double* const sum = rows.log_density(k, levels, 0);
  const double* const error = rows.log_density(k, levels, 1);
  for (std::size_t c = 0; c < rows.chains; ++c)
    ratios[c] = sum[c] + (std::isfinite(error[c]) ? error[c] : 0) - ratios[c] - rows.shared(rows.at.log_constant());
  return ratios;
}

}  // namespace manychain
