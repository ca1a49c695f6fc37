// How heavy the tails of draws are: the shape k of a generalised Pareto distribution that is fitted to the outermost
// draws. A distribution with the shape k has moments of orders below 1 / k: no variance from k = 1/2 on, no mean from
// k = 1 on. Zhang and Stephens (2009), "A new and efficient estimation method for the generalized Pareto distribution",
// Technometrics 51(3); Vehtari, Simpson, Gelman, Yao and Gabry (2024), "Pareto smoothed importance sampling", JMLR 25.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// The shape k of `count` excesses over a threshold, in any order, after Zhang and Stephens, pulled towards 1/2 by a
/// prior that is worth ten draws (Vehtari and others, appendix C). `quartile` is the excess of rank floor(count / 4 +
/// 1/2), counted from one, `largest` the largest. NaN where the quartile is no larger than the smallest excess: ties.
double pareto_shape(const double* excesses, std::size_t count, double quartile, double largest);

/// Makes fits to the tails of draws, and keeps its memory in between. Puts the draws into another order.
class TailFits {
 public:
  /// Shape of the `most` largest draws and, with the other sign, of the `most` smallest.
  explicit TailFits(std::vector<double>& draws, std::size_t most);

  /// The larger shape of both tails of `length` <= `most` draws; that of one if the other has none. NaN without any.
  double shape(std::size_t length);

 private:
  double shape_of(std::vector<double>& tail, double outside, std::size_t length);

  std::vector<double> high_, low_, excesses_;
  double high_outside_ = 0, low_outside_ = 0;  // the next draw inwards
};

/// How much of the tails is looked at, and from which k on a moment is doubted; docs/diagnostics.md derives them.
struct TailRule {
  std::size_t inner = 0, outer = 0;  ///< draws of the long fit, and of the short one; 0: too few draws
  double outer_effective = 0;        ///< what the short fit's draws are worth
  double no_sd = 0, no_mean = 0;     ///< the limits of k

  /// For `all` draws, whose tail ESS may be NaN.
  TailRule(std::size_t all, double ess_tail);
};

/// The k-hat of a summary, of draws that are put into another order: the shape of the long tails or, where the short
/// ones are clearly lighter, theirs. NaN where it is not defined.
double tail_shape(std::vector<double>& draws, const TailRule& rule);

/// The moment that the tails of a quantity of `all` draws speak against; without a mean there is no sd either.
enum class Doubt { nothing, sd, mean };
Doubt doubt_of(const VariableSummary& s, std::size_t all);

/// Appends to a table, whose header is its first line, a column of k-hat if one of these quantities is in doubt:
/// "0.12", "0.55 sd?", "1.03 mean?".
void add_tail_column(std::vector<std::vector<std::string>>& cells,
                     const std::vector<const VariableSummary*>& quantities, std::size_t all);

}  // namespace manychain::diagnostics
