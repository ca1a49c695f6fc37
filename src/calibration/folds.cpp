// K-fold cross-validation through sample_sets(), and PSIS-LOO beside it.
#include "calibration/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "calibration/rows.hpp"
#include "diagnostics/smoothed_weights.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "sampling/stored.hpp"

namespace manychain {
namespace {

constexpr std::size_t draws_at_once = 64;
constexpr double most_khat = 0.7;  // Vehtari and others 2024

/// log mean exp of what is added.
class LogMean {
 public:
  void add(double x) {
    ++count_;
    if (x == -HUGE_VAL) return;
    if (x > largest_) {
      sum_ = sum_ * std::exp(largest_ - x) + 1;
      largest_ = x;
    } else {
      sum_ += std::exp(x - largest_);
    }
  }
  double value() const { return largest_ + std::log(sum_ / static_cast<double>(count_)); }

 private:
  double largest_ = -HUGE_VAL, sum_ = 0;
  std::size_t count_ = 0;
};

PredictiveDensity sum_of(std::vector<double> rows) {
  PredictiveDensity density;
  const auto n = static_cast<double>(rows.size());
  density.elpd = std::accumulate(rows.begin(), rows.end(), 0.0);
  double squares = 0;
  for (const double x : rows) squares += (x - density.elpd / n) * (x - density.elpd / n);
  density.error = std::sqrt(n / (n - 1) * squares);
  density.rows = std::move(rows);
  return density;
}

/// Log likelihoods of rows at draws: visit(values of all rows of one draw).
template <class Visit>
void visit_rows(const Model& model, const Draws& draws, std::size_t most, const Visit& visit) {
  const auto operations = model.bound().operations();
  const std::size_t parameters = model.layout().parameter_outputs(), rows = model.layout().observed_rows();
  std::vector<double> at(parameters * draws_at_once), values(rows * draws_at_once), row(rows);
  const std::size_t all = std::min(draws.draws * draws.chains, most);
  for (std::size_t begin = 0; begin < all; begin += draws_at_once) {
    const std::size_t count = std::min(draws_at_once, all - begin);
    for (std::size_t i = 0; i < parameters; ++i)
      for (std::size_t k = 0; k < count; ++k)
        at[i * draws_at_once + k] = draws((begin + k) / draws.chains, i, (begin + k) % draws.chains);
    operations->rows(at.data(), draws_at_once, count, values.data(), draws_at_once);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t r = 0; r < rows; ++r) row[r] = values[r * draws_at_once + k];
      visit(row);
    }
  }
}

class CrossValidator {
 public:
  CrossValidator(const Model& model, std::size_t folds, const Settings& settings)
      : model_(model), settings_(settings), rows_(observed_rows_of(model)) {
    if (folds < 2 || folds > rows_.count)
      throw BadInput(
          fmt::format("folds: {} is not allowed; there are {} rows, and 2 to as many folds", folds, rows_.count));
    made_.model = model.name();
    made_.folds = folds;
    for (const std::string& name : rows_.names) made_.observed += (made_.observed.empty() ? "" : ", ") + name;
    deal();
  }

  CrossValidation operator()(const std::function<void(std::size_t)>& done) {
    std::vector<DataSet> sets = {{"all", with_rows(data(), rows_, std::vector<bool>(rows_.count, true))}};
    for (std::size_t f = 0; f < made_.folds; ++f)
      sets.push_back({fmt::format("without fold {}", f + 1), with_rows(data(), rows_, kept_in(f))});
    for (const DataSet& set : sets) require_same_parameters(set);
    refitted_.resize(rows_.count);
    std::size_t fitted = 0;
    SetsWanted wanted;
    wanted.done = [&](std::size_t set, const SetSummary& summary, const Result* result) {
      if (!result) throw SamplingFailed(fmt::format("the fit {}: {}", summary.name, summary.said));
      if (set == 0)
        smooth(result->draws);
      else
        predict(set - 1, sets[set].data, result->draws);
      ++fitted;
      if (done) done(fitted);
    };
    made_.fits = sample_sets(model_, sets, settings_, wanted);
    if (made_.fits.cancelled) throw EndedEarly("cancelled before all folds were fitted");
    made_.converged = made_.fits.converged == sets.size();
    made_.refitted = sum_of(std::move(refitted_));
    return std::move(made_);
  }

 private:
  const Data& data() const { return *model_.bound().bound_data(); }

  /// Rows to folds of equal size, but for one.
  void deal() {
    std::vector<std::size_t> order(rows_.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(settings_.seed);
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
    made_.fold.resize(rows_.count);
    for (std::size_t k = 0; k < order.size(); ++k) made_.fold[order[k]] = k % made_.folds;
  }
  std::vector<bool> kept_in(std::size_t fold) const {
    std::vector<bool> keep;
    for (const std::size_t f : made_.fold) keep.push_back(f != fold);
    return keep;
  }

  Model bound_to(const Data& data) const {
    auto bound = model_.bound().bound_to(data);
    if (!bound) throw BadInput("model " + model_.name() + " cannot be bound to other data");
    return Model(std::move(bound));
  }

  void require_same_parameters(const DataSet& set) const {
    const Layout layout = bound_to(set.data).layout();
    if (layout.unconstrained_names == model_.layout().unconstrained_names) return;
    throw BadInput(
        fmt::format("rows of model {} cannot be left out: without some of them it has {} parameters in "
                    "place of {}; a row whose parameter is its own is predicted by none of the others",
                    model_.name(), layout.dimension, model_.layout().dimension));
  }

  /// A row must have the density that it has without the others.
  void require_apart(std::size_t fold, const Data& data, const Draws& draws) const {
    std::vector<double> among_all, among_some;
    visit_rows(model_, draws, 1, [&](const std::vector<double>& rows) { among_all = rows; });
    visit_rows(bound_to(data), draws, 1, [&](const std::vector<double>& rows) { among_some = rows; });
    std::size_t k = 0;
    for (std::size_t r = 0; r < among_all.size(); ++r) {
      if (made_.fold[r % rows_.count] == fold) continue;
      const double a = among_all[r], b = among_some[k++];
      if (std::fabs(a - b) <= 1e-8 * std::max({1.0, std::fabs(a), std::fabs(b)}) || a == b) continue;
      throw BadInput(
          fmt::format("rows of model {} cannot be left out: the density of {}[{}] depends on other rows, as in a "
                      "series, or by what "
                      "data() makes of all of them",
                      model_.name(), rows_.names[r / rows_.count], r % rows_.count + 1));
    }
  }

  void predict(std::size_t fold, const Data& data, const Draws& draws) {
    require_apart(fold, data, draws);
    std::vector<LogMean> means(rows_.count);
    visit_rows(model_, draws, static_cast<std::size_t>(-1), [&](const std::vector<double>& rows) {
      for (std::size_t r = 0; r < rows_.count; ++r)
        if (made_.fold[r] == fold) means[r].add(of_row(rows, r));
    });
    for (std::size_t r = 0; r < rows_.count; ++r)
      if (made_.fold[r] == fold) refitted_[r] = means[r].value();
  }
  /// Several observe() of one row are one term.
  double of_row(const std::vector<double>& rows, std::size_t r) const {
    double sum = 0;
    for (std::size_t k = r; k < rows.size(); k += rows_.count) sum += rows[k];
    return sum;
  }

  void smooth(const Draws& draws) {
    std::vector<std::vector<double>> of_rows(rows_.count);
    visit_rows(model_, draws, most_smoothed, [&](const std::vector<double>& rows) {
      for (std::size_t r = 0; r < rows_.count; ++r) of_rows[r].push_back(of_row(rows, r));
    });
    std::vector<double> values;
    for (const std::vector<double>& log_likelihood : of_rows) {
      std::vector<double> log_weights;
      for (const double x : log_likelihood) log_weights.push_back(-x);
      const double khat = diagnostics::smooth_weights(log_weights);
      LogMean weighted, weights;
      for (std::size_t k = 0; k < log_weights.size(); ++k) {
        weights.add(log_weights[k]);
        weighted.add(log_weights[k] + log_likelihood[k]);
      }
      values.push_back(weighted.value() - weights.value());
      made_.khat.push_back(khat);
      made_.bad_khat += !(khat <= most_khat);
    }
    made_.smoothed = sum_of(std::move(values));
  }

  static constexpr std::size_t most_smoothed = std::size_t{1} << 14;  // draws
  const Model& model_;
  const Settings settings_;
  const ObservedRows rows_;
  CrossValidation made_;
  std::vector<double> refitted_;
};

}  // namespace

CrossValidation cross_validate(const Model& model, std::size_t folds, const Settings& settings) {
  return cross_validate(model, folds, settings, {});
}
CrossValidation cross_validate(const Model& model, std::size_t folds, const Settings& settings,
                               const std::function<void(std::size_t)>& done) {
  return CrossValidator(model, folds, settings)(done);
}

std::string CrossValidation::table() const {
  std::string text =
      fmt::format("{} folds of {} rows of {}, each predicted by a fit without it:\n\n", folds, fold.size(), observed);
  text += fmt::format("  elpd, refitted   {:>10.2f} +- {:.2f}\n", refitted.elpd, refitted.error);
  text += fmt::format("  elpd, PSIS-LOO   {:>10.2f} +- {:.2f}\n\n", smoothed.elpd, smoothed.error);
  if (bad_khat > 0)
    text += fmt::format("PSIS-LOO is not to be trusted: {} of {} rows have k-hat above 0.7.\n", bad_khat, fold.size());
  if (folds < fold.size())
    text +=
        fmt::format("Fits have {:.0f} % of the rows: beside PSIS-LOO, whose fits lack one row, they predict less.\n",
                    100.0 * static_cast<double>(folds - 1) / static_cast<double>(folds));
  if (!converged) text += "NOT converged: some of the fits have not, and what they predict is not to be trusted.\n";
  return text + '\n' + fits.table({.rows = 5, .show = {}});
}

}  // namespace manychain
