// Draws that miss a neck: where the scale of others is small it draws these together, and chains whose step is too long
// for that all stop before. They agree with each other. The density tells, through its gradient g: for a vector field V
//
//   E[V . g + div V] = 0   (Gorham and Mackey 2015, equation 3).
//
// V is along the hyper h, and along its leaves q_i so that they keep z_i = (q_i - m_i) / s_i, with m_i = m + sum_j c_ij
// q_j:
//
//   V_h = f(h)
//   V_i = f(h) u_i,   u_i = b_i (q_i - m_i) + sum_j c_ij u_j,   b_i = d log s_i / d h
//   T   = f'(h) + f(h) (g_h + sum_i (u_i g_i + b_i)).
//
// The noise of g_h is mostly that of the leaves, which cancels. f falls from 1 to 0 over the lower tail of h: draws
// above it add none. Where draws end at h_0 though the density goes on, the mean of T is -f(h_0) p(h_0): negative.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// A hyper, and how far the mean of T lies from zero.
struct Neck {
  std::size_t component = 0;
  double z = 0;  ///< in standard errors, which are those of the means of chains
};

class Necks {
 public:
  /// Takes the hypers whose leaves have densities with a known location; none for few chains, which have no normal
  /// errors. `of`: the number of chains of the whole run, where these are a part of it.
  Necks(const Layout& layout, std::size_t chains, std::size_t of);
  Necks(const Layout& layout, std::size_t chains) : Necks(layout, chains, chains) {}
  bool empty() const { return hypers_.empty(); }

  /// Takes from one point of each chain, which are no draws, between which quantiles f falls: [chain][dimension],
  /// unconstrained.
  void begin(const std::vector<double>& positions);
  /// Adds a draw of each chain, and the gradients of the log density there.
  void add(const std::vector<double>& positions, const std::vector<double>& gradients);
  /// One for each hyper; z is NaN after fewer than two draws.
  std::vector<Neck> test() const;
  /// The components whose draws end above a neck. False alarms: `level` for all hypers together.
  std::vector<std::size_t> missed(double level) const;

  /// All that begin() and add() have found.
  struct Sums {
    std::size_t draws = 0;
    std::vector<double> high, low;  ///< [hyper]
    std::vector<double> terms;      ///< [hyper][chain]
  };
  Sums sums() const;
  /// Throws BadInput if they are of other hypers or chains.
  void restore(const Sums& sums);

 private:
  struct Leaf {
    std::size_t component;
    double slope, location;
    std::vector<DependentScale::Term> terms;  ///< of its location
  };
  struct Hyper {
    std::size_t component;
    double sign;               ///< -1 where scales fall with it: h is its negative
    std::vector<Leaf> leaves;  ///< those in a location come before those whose location it is
    double high = 0, low = 0;  ///< f is 1 below `low`, 0 above `high`
    std::vector<double> sums;  ///< of T, one for each chain
  };
  static std::vector<Leaf> in_order(std::vector<Leaf> leaves, std::vector<bool>& waits);
  double term(const Hyper& hyper, const double* q, const double* g, std::vector<double>& moved) const;

  std::size_t dimension_, chains_, draws_ = 0;
  std::vector<Hyper> hypers_;
};

}  // namespace manychain
