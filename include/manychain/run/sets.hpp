// Many data sets of one model, each sampled on its own: thousands of small posteriors in one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manychain/model/data/data_sets.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// sampled: it has a summary, converged or not. refused: the model does not take the data. failed: no chain could be
/// sampled. left_out: the run was cancelled, or its time was over, before this set had its answer.
enum class SetState { sampled, refused, failed, left_out };
/// "sampled", "refused", "failed", "left out"
const char* in_words(SetState state);

/// The quantities of a set and the names of its outputs. Sets of the same sizes share it.
struct SetQuantities {
  std::vector<Quantity> quantities;
  std::vector<std::string> names;
  std::vector<Quantity> observed = {};  ///< log likelihoods of rows, as arrays in SetSummary::log_likelihood
};

/// All that is kept of a set.
struct SetSummary {
  std::string name;
  SetState state = SetState::left_out;
  /// Refused or failed: the reason. Sampled: the failures of its verdict, empty if it converged.
  std::string said;
  std::uint64_t seed = 0;  ///< a run of this set alone with this seed has the same draws
  bool converged = false;
  std::size_t warmup = 0, draws = 0;  ///< of each chain
  bool single_precision = false;
  std::uint64_t gradients = 0, divergences = 0;
  double largest_rhat = 0;  ///< of the quantities that must converge: nested R-hat, where there are superchains
  double smallest_ess = 0;  ///< bulk ESS, as the verdict has it
  std::string worst = "";   ///< the quantity with that R-hat
  double seconds = 0;       ///< of one thread
  std::shared_ptr<const SetQuantities> of;  ///< null: it was not sampled
  std::vector<VariableSummary> summary;     ///< one per name
  Draws kept;                               ///< of SetsWanted::draw_bytes
  Draws log_likelihood = {};                ///< kept with them: as Result::output.log_likelihood
};

/// Sets of a run, in their order.
struct SetsResult {
  std::string model;
  Settings settings;  ///< of every set, but for its seed; its initial_points are those of one set
  std::vector<SetSummary> sets;
  std::size_t sampled = 0, converged = 0, refused = 0, failed = 0, left_out = 0;
  bool cancelled = false;       ///< or its time was over
  bool draws_left_out = false;  ///< they were asked for, and were more than SetsWanted::draw_bytes
  double seconds = 0;           ///< by the clock

  /// Sets by what their reader should look at first: those without an answer, those that have not converged, then by
  /// R-hat.
  std::vector<std::size_t> worst_first() const;
  /// For a terminal: a verdict, then a row for each set, the worst first, at most `options.rows` (0: all), with means
  /// and sds of the quantities that it shows; without these, of the first three parameters.
  std::string table(const TableOptions& options = {}) const;
};

struct SetsWanted {
  /// Variables that all sets have beside their own.
  Data common = {};
  /// The draws of all sets are kept in the result if they take no more bytes than that.
  std::size_t draw_bytes = 0;
  /// Called when a set has been sampled, refused or failed, from any thread, one call at a time. `result` has its
  /// draws, and is gone after the call; null: it was not sampled. What it throws ends the run.
  std::function<void(std::size_t set, const SetSummary& summary, const Result* result)> done = {};
  /// Starting points of each set by name, as of set_initial_points(). A set whose parameters they do not fit is
  /// refused.
  std::vector<Data> initial_values = {};
};

/// Samples the posterior of each of `sets`, which may differ in size: with tuning, stopping and verdict of its own, on
/// the CPU. As many run at the same time as there are threads; whichever ends makes room for the next. Memory is that
/// of the runs in progress and of the summaries.
///
/// Set k, counted from 0, has the seed `settings.seed` + k, and its draws are those of a run of its own,
/// `sample(Model(unit, sets[k].data), settings)`, with that seed and the settings that the result names, bit by bit.
/// Settings::chains = 0 stands for 64 here, or fewer where a gradient is expensive, in 8 superchains; an automatic
/// precision for double unless a gradient is expensive. Settings::time_limit is that of all sets together; `progress`
/// is not called.
///
/// Sets that the model refuses, or that fail, are named in the result, and the others go on. Throws BadInput if there
/// are none, if the model refuses all of them, or if the settings cannot be: those for a GPU,
/// Settings::warmup.initial_points, or Settings::output.keep_draws = false; keep_draws here is what a run needs until
/// it is judged.
SetsResult sample_sets(const ModelUnit& unit, const std::vector<DataSet>& sets, const Settings& settings = {},
                       const SetsWanted& wanted = {});
/// Likewise, of a model that is bound to any data.
SetsResult sample_sets(const Model& model, const std::vector<DataSet>& sets, const Settings& settings = {},
                       const SetsWanted& wanted = {});
/// Makes the model of set `set`, counted from 0, of its data, those that all have beside them, and its seed. A BadInput
/// refuses the set; what else it throws ends the run. Called by several threads at once, each of which has done with
/// the model of the set before; of the first set that it does not refuse also once more, before the others.
using ModelOfSet = std::function<Model(std::size_t set, const Data& data, std::uint64_t seed)>;
/// Likewise, of models that are made for their data, such as compiled densities and Stan programs (stan_models()). One
/// set at a time is sampled if one thread alone may evaluate the first model.
SetsResult sample_sets(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings = {},
                       const SetsWanted& wanted = {});
/// Likewise, of a model class: `sample_sets<Pendulum>(sets)`.
template <template <class, int...> class ModelClass>
SetsResult sample_sets(const std::vector<DataSet>& sets, const Settings& settings = {}, const SetsWanted& wanted = {}) {
  return sample_sets(model_unit<ModelClass>(), sets, settings, wanted);
}

}  // namespace manychain
