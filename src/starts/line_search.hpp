// A line search for quasi-Newton methods.
#pragma once

#include <cstddef>
#include <functional>

#include "core/eigen.hpp"
#include "starts/measured_hessian.hpp"

namespace manychain {

/// A function and its derivative at a step along a line.
struct LinePoint {
  double step = 0, value = 0, slope = 0;
};

struct LineResult {
  LinePoint at;            ///< the accepted point; the one it started from where nothing was better
  bool wolfe = false;      ///< it fulfils the Wolfe conditions: there is positive curvature up to it
  bool unbounded = false;  ///< it falls as far as the search went
};

/// Searches for a step that fulfils the strong Wolfe conditions, or the approximate ones where rounding hides the
/// decrease (Hager and Zhang 2005, SIAM J. Optim. 16, 170, section 4). `evaluate` gives value and slope at a step; not
/// finite means outside of the support. `start.slope` must be negative, `first` positive. A bracket is cut by the
/// minimiser of the cubic through both ends (Nocedal and Wright 2006, equation 3.59).
LineResult search_line(const std::function<LinePoint(double)>& evaluate, LinePoint start, double first,
                       std::size_t max_evaluations = 25);

/// The point that a search finds along a direction in which the function falls; the point where it starts if nothing is
/// lower.
DensityPoint step_along(const std::function<DensityPoint(const Eigen::VectorXd&)>& function, const DensityPoint& start,
                        const Eigen::VectorXd& direction, LineResult& result);

}  // namespace manychain
