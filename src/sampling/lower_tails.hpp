// Draws that miss the lower tail of a scale, where its leaves are drawn together into a neck: chains that all stop
// above it agree with each other. The density tells, through its gradient g. For a vector field V that vanishes at
// infinity
//
//   E[V . g + div V] = 0   (Gorham and Mackey 2015, equation 3).
//
// With V along the hyper h and, so that leaves keep z = (q_i - m_i) / scale_i, along them,
//
//   V_h = f(h),   V_i = f(h) u_i,   u_i = b_i (q_i - m_i) + sum_j c_ij u_j   (m_i = m + sum_j c_ij q_j, b_i = d log
//   scale_i / d h) T = f'(h) + f(h) (g_h + sum_i (u_i g_i + b_i)),
//
// only what data say of the scale is left of the noise of g_h. f falls from 1 to 0 over the lower tail, so that draws
// above it add none. Where draws end at h_0 though the density goes on, the mean of T is -f(h_0) p(h_0): negative.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// A hyper, and how far the mean of T lies from zero.
struct LowerTail {
  std::size_t component = 0;
  double z = 0;  ///< in standard errors, which are those of the means of chains
};

class LowerTails {
 public:
  /// Of the hypers of a layout whose leaves have densities with a known location. Few chains have no standard errors.
  LowerTails(const Layout& layout, std::size_t chains);
  bool empty() const { return hypers_.empty(); }

  /// Where f falls, from one point of each chain, which are no draws: [chain][dimension], unconstrained.
  void begin(const std::vector<double>& positions);
  /// Adds a draw of each chain, and the gradients of the log density there.
  void add(const std::vector<double>& positions, const std::vector<double>& gradients);
  /// One for each hyper; z is NaN after fewer than two draws.
  std::vector<LowerTail> test() const;
  /// The components whose lower tail is missed. False alarms: `level` for all hypers together.
  std::vector<std::size_t> missed(double level) const;

 private:
  struct Leaf {
    std::size_t component;
    double slope, location;
    std::vector<DependentScale::Term> terms;  ///< of its location
  };
  struct Hyper {
    std::size_t component;
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
