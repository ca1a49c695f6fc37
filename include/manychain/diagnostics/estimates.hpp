// Estimates of the distribution of a quantity from its draws: moments, quantiles, running means.
//
// A NaN or an infinity among the draws, or no draw at all, gives NaN. Nothing here throws but for a probability.
#pragma once

#include <vector>

#include "manychain/diagnostics/quantity_view.hpp"

namespace manychain::diagnostics {

double mean(const QuantityView& x);

/// Sample standard deviation over the draws of all chains (divisor S - 1); NaN for one draw, 0 for constant ones.
double sd(const QuantityView& x);

/// Median absolute deviation from the median, times 1.4826, which makes it the sd of a normal (R's mad()).
double mad(const QuantityView& x);

/// Quantile of type 7 (Hyndman and Fan 1996; the default of R and NumPy). Throws BadInput unless 0 <= p <= 1.
double quantile(const QuantityView& x, double p);

/// Ergodic averages: element t is the mean of the draws 0 to t of all chains. `draws` elements, NaN from the first draw
/// on that is not finite. Of one chain: ergodic_averages(x.chain(c)).
std::vector<double> ergodic_averages(const QuantityView& x);

}  // namespace manychain::diagnostics
