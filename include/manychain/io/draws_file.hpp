// Draws read back from files, of whichever program: Stan CSV, or NetCDF as ArviZ and this library write it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manychain/diagnostics/quantity_view.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "manychain/diagnostics/verdict.hpp"

namespace manychain {

/// Names and what stands under them.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// Numbers of a file that are read when they are asked for, from any thread. Throws BadInput where they are damaged.
class NumbersOfFile {
 public:
  virtual ~NumbersOfFile() = default;
  /// [quantity][chain][draw] of some quantities: the last one of each `thin` draws, a `thin`-th of all.
  virtual std::shared_ptr<const double[]> quantities(std::size_t first, std::size_t count,
                                                     std::size_t thin = 1) const = 0;
  virtual std::shared_ptr<const double[]> stat(std::size_t number) const = 0;  ///< [chain][draw]
};

/// The draws of one quantity, which stay as long as this does.
struct OwnedQuantity : diagnostics::QuantityView {
  std::shared_ptr<const double[]> numbers;
};

/// Draws after warm-up, and what their sampler said of each of them.
struct DrawsFile {
  std::vector<std::string> paths;
  std::size_t draws = 0;  ///< of each chain
  std::size_t chains = 0;
  std::vector<std::string> names;          ///< one per quantity, "theta[1,2]"; Stan's lp__ is one of them
  std::shared_ptr<const double[]> values;  ///< [quantity][chain][draw]; may lie in memory shared with a child process
  std::vector<std::string> stat_names;     ///< as ArviZ calls them: diverging, energy, tree_depth, acceptance_rate, ...
  std::shared_ptr<const double[]> stats;   ///< [statistic][chain][draw]
  /// In place of `values` and `stats`, of a store with too many draws for memory: open_draws().
  std::shared_ptr<const NumbersOfFile> numbers;
  double memory = 0;                     ///< bytes that draws should take at once, if there are such `numbers`
  std::vector<std::string> chain_names;  ///< "bern1.csv", or "17"
  std::optional<double> max_depth;       ///< of trees, where the file has it
  std::vector<std::string> faults;       ///< why the draws cannot be taken for a whole run; a sentence each
  bool cancelled = false;                ///< the run that made it was
  std::size_t draws_planned = 0;         ///< of each chain; 0: the file does not say
  /// The file's statements about its run, in its own words: attributes of the group posterior of NetCDF; settings in
  /// the comments of the first file of Stan CSV.
  NamedTexts about;
  /// The facts of a run of this library, as long as the file has all of its draws and no others.
  std::optional<diagnostics::RunFacts> run;

  DrawsView<double> view() const { return view_of(values.get(), names.size()); }
  /// A view of `count` quantities whose draws lie there, [quantity][chain][draw].
  DrawsView<double> view_of(const double* there, std::size_t count) const {
    DrawsView<double> all;
    all.data = there;
    all.draws = draws;
    all.variables = count;
    all.chains = chains;
    all.draw_stride = 1;
    all.variable_stride = draws * chains;
    all.chain_stride = draws;
    return all;
  }

  /// [quantity][chain][draw] of some quantities, from memory or from the file.
  std::shared_ptr<const double[]> quantities(std::size_t first, std::size_t count) const;
  /// A statistic of the sampler, if the file has it.
  std::optional<OwnedQuantity> stat(const std::string& name) const;
};

/// Reads one NetCDF file, or Stan CSV files of one chain each. Throws BadInput, with file and line, where they cannot
/// be read, disagree in columns or length, or have a line that is cut or not a number. NetCDF is read in a child
/// process: a file on which HDF5 crashes is one that cannot be read. Call it before other threads are started.
DrawsFile read_draws(const std::vector<std::string>& paths);

/// Likewise, but leaves a Zarr store whose draws take more bytes than that where it is: what is asked of the file is
/// read when it is asked. diagnose() and reports take either.
DrawsFile open_draws(const std::vector<std::string>& paths, double memory = 512e6);

}  // namespace manychain
