// Weight of the tails of draws: the shape k of a generalised Pareto distribution that is fitted to the outermost
// draws. A distribution with the shape k has moments of orders below 1 / k: no variance from k = 1/2 on, no mean from
// k = 1 on. Zhang and Stephens (2009), "A new and efficient estimation method for the generalized Pareto distribution",
// Technometrics 51(3); Vehtari, Simpson, Gelman, Yao and Gabry (2024), "Pareto smoothed importance sampling", JMLR 25.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "diagnostics/sort_draws.hpp"
#include "manychain/diagnostics/draws.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// The shape k of `count` excesses over a threshold, in any order, after Zhang and Stephens, shrunk towards 1/2 by a
/// prior worth ten draws (Vehtari and others, appendix C). `quartile` is the excess of rank floor(count / 4 + 1/2),
/// counted from one, `largest` the largest. NaN if the quartile is no larger than the smallest excess: ties.
double pareto_shape(const double* excesses, std::size_t count, double quartile, double largest);
/// Likewise, with the scale: the distribution has 1 - (1 + shape x / scale)^(-1 / shape) below x.
struct ParetoFit {
  double shape, scale;
};
ParetoFit pareto_fit(const double* excesses, std::size_t count, double quartile, double largest);

/// The most draws of a quantity that are used. A prime, so that chains at equal distances are of all superchains.
constexpr std::size_t most_in_tails = (std::size_t{1} << 17) - 1;

/// Lengths of the fits to the tails, and the limits of k above which moments are doubted; docs/diagnostics.md derives
/// them.
struct TailRule {
  std::size_t inner = 0, outer = 0;  ///< draws of the longest fit, and of the next one; 0: too few draws
  double efficiency = 1;             ///< independent draws that a draw is worth, at most 1
  double no_sd = 0, no_mean = 0;     ///< the limits of k

  /// For `all` draws, of which most_in_tails are used; `ess_tail` is that of all and may be NaN.
  TailRule(std::size_t all, double ess_tail);
  /// The length of the next shorter fit, half of `length`; 0 if its draws would be worth fewer than 25.
  std::size_t shorter(std::size_t length) const;
};

/// Fits to the tails of draws. Reuses its memory.
class TailFits {
 public:
  /// Takes the `most` largest draws and, with the other sign, the `most` smallest, of more draws, which it spoils. All
  /// are finite.
  void select_tails(std::vector<double>& draws, std::size_t most);
  /// Likewise of `count` draws in ascending order.
  template <class Number>
  void select_sorted_tails(const Number* sorted, std::size_t count, std::size_t most);

  /// The larger shape of the two tails of `length` <= `most` draws; that of one if the other has none; NaN without any.
  double shape(std::size_t length);
  /// The larger shape of the two tails by a rule. Each has the k of the longest fit. If that doubts a moment, and
  /// shorter fits are lighter by more than 2.5 of their standard errors, so that it is no Pareto tail, it has the
  /// smallest k of these. A mode far out is a heavy tail to a fit that begins inside the bulk, but not to one that
  /// begins inside the mode.
  double shape(const TailRule& rule);

  /// The k-hat of a summary: the shape by a rule of finite draws, which are spoilt. NaN if undefined.
  double operator()(std::vector<double>& draws, const TailRule& rule);
  /// As this, of no more than most_in_tails draws that are in order.
  template <class Number>
  double of_sorted(const Number* sorted, std::size_t count, const TailRule& rule);

 private:
  void sort(const std::vector<double>& draws);
  static void scale(std::vector<double>& tail, double& outside);
  double shape_of(const std::vector<double>& tail, double outside, std::size_t length);
  double least_shape_of(const std::vector<double>& tail, double outside, const TailRule& rule);

  // Tails in ascending order, in units of a power of two, so that no difference overflows.
  std::vector<double> high_, low_, excesses_;
  double high_outside_ = 0, low_outside_ = 0;  // the next draw inwards
  DrawValues<double> sorted_;
  DrawValues<WideEntry> entries_, scratch_;
  DrawValues<std::uint32_t> cells_, places_;
  DrawValues<std::uint64_t> scaled_;
};

/// TailFits()(draws, rule).
double tail_shape(std::vector<double>& draws, const TailRule& rule);

/// The first moment of a quantity of `all` draws that is doubted: by its tails, or because the summary of finite draws
/// has no finite value of it. Without a mean there is no sd.
enum class Doubt { nothing, sd, mean };
Doubt doubt_of(const VariableSummary& s, std::size_t all);

/// Appends a column of k-hat to a table, whose first line is its header, if one of these quantities is in doubt:
/// "0.12", "0.55 sd?", "1.03 mean?".
void add_tail_column(std::vector<std::vector<std::string>>& cells,
                     const std::vector<const VariableSummary*>& quantities, std::size_t all);

}  // namespace manychain::diagnostics
