// Draws of one quantity in few numbers, for pictures: histograms, ranks, and how they run along the draws. All draws of
// all chains count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "manychain/diagnostics/quantity_view.hpp"
#include "manychain/io/draws_file.hpp"

namespace manychain::report {

/// Chains that pictures show together: each alone, those of a superchain, or where there are many of these, neighbours.
struct ChainGroups {
  std::vector<std::uint32_t> of;   ///< one per chain
  std::vector<std::string> names;  ///< one per group: "0", "4 to 7", "bern1.csv"
  std::string kind;                ///< what a group is: "chain", "superchain", "group of superchains"
};

/// At most 16 groups.
ChainGroups groups_of(const DrawsFile& file);

/// Equal intervals. Whole numbers, discrete quantities, stand in the middle of theirs.
struct Bins {
  double low = 0, width = 1;
  std::size_t count = 0;  ///< 0: the range is too large for a number
  bool whole = false;     ///< each holds `width` whole numbers

  double high() const { return low + width * static_cast<double>(count); }
  /// The bin of a number, of one outside the nearest.
  std::size_t place(double x) const;
};

/// From `low` to `high`, about `wanted` of them. Of few whole numbers each gets its own, at most 60.
Bins bins_between(double low, double high, std::size_t wanted, bool whole);

/// The finite draws of a quantity, ascending, each with its group.
struct SortedDraws {
  struct Draw {
    double value;
    std::uint32_t group;
  };
  std::vector<Draw> draws;
  std::size_t nans = 0, infinities = 0;
  std::vector<std::size_t> nonfinite_chains;
  std::size_t groups = 0;

  double quantile(double p) const;  ///< of type 7; there must be a draw
  double smallest() const { return draws.front().value; }
  double largest() const { return draws.back().value; }
  bool constant() const { return !draws.empty() && smallest() == largest(); }
};

SortedDraws sort_draws(const diagnostics::QuantityView& x, const ChainGroups& groups);

struct Histogram {
  Bins bins;
  std::vector<std::size_t> counts;
  double cut = 0;                    ///< bins reach from this quantile to 1 - this one; 0: all draws are in them
  std::size_t below = 0, above = 0;  ///< draws outside
};

/// Bins by Freedman and Diaconis (1981), 60 at most. Where the range is above 12 interquartile ranges it is cut at the
/// widest quantiles of a few, 5 and 95 % at the narrowest, that keep to it. Of no draw or of constants empty.
Histogram histogram_of(const SortedDraws& sorted);

/// For each group and each of `bins` equal intervals of ranks among all draws: how many of its draws lie there, over
/// how many would if all groups were alike (Vehtari and others 2021, section 5). Equal draws share their ranks evenly,
/// so that of a discrete quantity, too, all are 1 where groups are alike.
std::vector<std::vector<double>> rank_ratios(const SortedDraws& sorted, std::size_t bins);

/// The draws in at most 60 windows, one after the other. What is not finite is left out; of none it is NaN.
struct Running {
  std::vector<double> at;                     ///< middle of the window; the first draw is 1
  std::vector<double> mean, low, high;        ///< over all chains; the 5 and the 95 % quantile
  std::vector<std::vector<double>> of_group;  ///< [group][window], means
};

Running running(const diagnostics::QuantityView& x, const ChainGroups& groups);

}  // namespace manychain::report
