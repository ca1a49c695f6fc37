#include "calibration/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>

#include "calibration/prior.hpp"
#include "calibration/simulated_data.hpp"
#include "core/task_pool.hpp"
#include "core/threads.hpp"
#include "manychain/chain/prior_density.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "run/defaults.hpp"
#include "sampling/judge.hpp"

namespace manychain {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_posterior_draws = 400;  // of each chain; a run ends long before

/// The results kept of one simulation.
struct Simulation {
  bool refused = false, failed = false, done = false, converged = false, diverged = false;
  std::string said;
  std::vector<std::size_t> ranks;  ///< of the parameters that are ranked, and of the log likelihood
};

class Calibrator {
 public:
  Calibrator(const Model& model, std::size_t simulations, const Settings& settings)
      : model_(model), count_(simulations), settings_(settings), replacing_(replacements(model)) {
    const Layout& layout = model.layout();
    for (std::size_t i = 0; i < layout.parameter_outputs(); ++i)
      if (layout.constant.empty() || !layout.constant[i]) ranked_.push_back(i);
    std::set<std::string> with_rows;
    for (const Observed& observed : layout.observed) with_rows.insert(observed.name);
    if (!with_rows.empty()) likelihood_ = "log likelihood";
    if (with_rows.size() < replacing_.size() && !with_rows.empty())
      likelihood_ += fmt::format(" of {}", fmt::join(with_rows, ", "));
    complete_settings();
  }

  Calibration operator()(const std::function<void(std::size_t)>& progress) {
    const Clock::time_point start = Clock::now();
    const Model prior = prior_of(model_);
    const std::vector<double> points = prior_draws(prior, count_, of_prior(), &prior_divergences_);
    outputs_ = outputs_at(model_.bound(), points, count_, settings_.seed);
    if (const auto other = bound_to_other_data()) {
      require_same_prior(points, *other);
      require_own_predictions(points, *other);
    }
    simulations_.resize(count_);
    run(progress);
    Calibration calibration = judged();
    calibration.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return calibration;
  }

 private:
  void complete_settings() {
    if (settings_.chains == 0) settings_.chains = most_default_chains;  // ranks among few chains are coarse
    if (settings_.chains < 64 || settings_.chains % 64 != 0)
      throw BadInput(fmt::format("Settings::chains: {} is not allowed; ranks need a multiple of 64", settings_.chains));
    const ModelBinding& bound = model_.bound();
    if (settings_.precision == Precision::automatic)
      settings_.precision = bound.single_only ? Precision::single_precision : Precision::double_precision;
    settings_.backend = Backend::cpu;
    settings_.output.keep_draws = true;
    settings_.output.keep_sample_stats = false;
    if (!settings_.sampling.draws) {
      settings_.sampling.draws = std::min(most_posterior_draws, most_draws(settings_.chains, model_.layout().outputs));
      if (!settings_.sampling.target_ess) settings_.sampling.target_ess = default_target_ess;
    }
    settings_.progress = nullptr;
    settings_.validate();
  }

  Settings of_prior() const {
    Settings of;
    of.seed = settings_.seed;
    of.threads = settings_.threads;
    of.cancel = settings_.cancel;
    return of;
  }

  Data data_of(std::size_t k) const { return simulated(*model_.bound().bound_data(), replacing_, outputs_, k); }
  std::shared_ptr<const ModelBinding> bound_to(const Data& data) const {
    auto bound = model_.bound().bound_to(data);
    if (!bound) throw BadInput("model " + model_.name() + " cannot be bound to other data");
    const Layout &own = model_.layout(), &others = bound->layout;
    if (others.unconstrained_names != own.unconstrained_names || others.output_names() != own.output_names())
      throw BadInput(
          fmt::format("model {} has other parameters or outputs for other {}: how many there are must not follow from "
                      "what is observed",
                      model_.name(), replacing_[0].variable));
    return bound;
  }

  /// To the first of a few simulated data that the model takes; null: to none, which is counted where they are sampled.
  std::shared_ptr<const ModelBinding> bound_to_other_data() const {
    for (std::size_t k = 0; k < std::min<std::size_t>(count_, 4); ++k) {
      try {
        return bound_to(data_of(k));
      } catch (const BadInput&) {
      }
    }
    return nullptr;
  }

  /// The prior of the model with simulated data must be that with its own, but for a constant.
  void require_same_prior(const std::vector<double>& points, const ModelBinding& bound) const {
    const std::size_t d = model_.layout().dimension;
    const auto here = model_.bound().terms(), there = bound.terms();
    auto& own = dynamic_cast<PriorDensity&>(*here);
    auto& others = dynamic_cast<PriorDensity&>(*there);
    std::vector<double> gradient(d);
    const auto difference = [&](std::size_t point, double& size) {
      const double a = own.prior(&points[point * d], gradient.data());
      const double b = others.prior(&points[point * d], gradient.data());
      size = std::max({1.0, std::fabs(a), std::fabs(b)});
      return a - b;
    };
    double size = 1, other_size = 1;
    const double first = difference(0, size);
    for (std::size_t point = 1; point < count_; ++point) {
      const double second = difference(point, other_size);
      if (std::fabs(second - first) <= 1e-9 * (size + other_size)) continue;
      throw BadInput(fmt::format(
          "the prior of model {} depends on {}: a statement outside of observe() has it, or a quantity that data() "
          "makes of it; what has a density of the data belongs into target.observe(\"{}\", ...)",
          model_.name(), replacing_[0].variable, replacing_[0].variable));
    }
  }

  /// Predictions must not be made of the data that they replace, as those one step ahead are: ranks of a model that is
  /// right would not be uniform.
  void require_own_predictions(const std::vector<double>& points, const ModelBinding& bound) const {
    const Draws again = outputs_at(bound, points, count_, settings_.seed);
    for (const Replacement& of : replacing_)
      for (std::size_t i = of.offset; i < of.offset + of.size; ++i)
        for (std::size_t point = 0; point < count_; ++point) {
          const double a = outputs_(0, i, point), b = again(0, i, point);
          if (std::isnan(a) || std::fabs(a - b) <= 1e-6 * std::max(1.0, std::fabs(a))) continue;
          throw BadInput(fmt::format(
              "{} of model {} is made of {} itself: predictions must follow from parameters and from what is not "
              "observed (in a recurrence from their own steps)",
              of.prediction, model_.name(), of.variable));
        }
  }

  void run(const std::function<void(std::size_t)>& progress) {
    std::mutex mutex;
    std::size_t done = 0;
    do_tasks(count_, threads_of_setting(settings_.threads), settings_.cancel, [&](std::size_t k) {
      simulate(k);
      const std::lock_guard<std::mutex> lock(mutex);
      if (progress) progress(++done);
    });
  }
  bool cancelled() const { return settings_.cancel && settings_.cancel->load(); }

  void simulate(std::size_t k) {
    Simulation& simulation = simulations_[k];
    std::optional<Model> posterior;
    try {
      posterior.emplace(bound_to(data_of(k)));
    } catch (const BadInput& error) {
      simulation.refused = true;
      simulation.said = error.what();
      return;
    }
    Settings of = settings_;
    of.threads = 1;
    of.seed = settings_.seed + 1 + k;  // the seed is a key: runs of neighbouring seeds share nothing
    try {
      const Result result = sample(*posterior, of);
      if (result.cancelled) return;
      require_finite(k);
      simulation.converged = result.converged;
      simulation.diverged = result.sampling.divergences > 0;
      if (!result.converged) simulation.said = reasons(result);
      rank(k, *posterior, result);
      simulation.done = true;
    } catch (const SamplingFailed& error) {
      if (cancelled()) return;
      simulation.failed = true;
      simulation.said = error.what();
    }
  }

  /// A NaN has no rank.
  void require_finite(std::size_t k) const {
    for (const std::size_t i : ranked_)
      if (std::isnan(outputs_(0, i, k)))
        throw SamplingFailed("at a draw of the prior " + model_.layout().output_names()[i] + " is not a number");
  }

  /// Ranks the values that made the data among the last draws of all chains but the last; ties are broken at random.
  void rank(std::size_t k, const Model& posterior, const Result& result) {
    const std::size_t chains = result.draws.chains, last = result.draws.draws - 1;
    std::mt19937_64 ties(settings_.seed + k);
    const auto add = [&](double truth, const auto& draw) {
      std::size_t below = 0, same = 0;
      for (std::size_t c = 0; c + 1 < chains; ++c) {
        const double x = draw(c);
        below += x < truth;
        same += x == truth || std::isnan(x);
      }
      simulations_[k].ranks.push_back(below + static_cast<std::size_t>(ties() % (same + 1)));
    };
    for (const std::size_t i : ranked_) add(outputs_(0, i, k), [&](std::size_t c) { return result.draws(last, i, c); });

    if (likelihood_.empty()) return;
    const std::size_t parameters = posterior.layout().parameter_outputs(), rows = posterior.layout().observed_rows();
    std::vector<double> at(parameters * (chains + 1)), values(rows * (chains + 1)), sum(chains + 1, 0.0);
    for (std::size_t i = 0; i < parameters; ++i) {
      for (std::size_t c = 0; c < chains; ++c) at[i * (chains + 1) + c] = result.draws(last, i, c);
      at[i * (chains + 1) + chains] = outputs_(0, i, k);
    }
    posterior.bound().operations()->rows(at.data(), chains + 1, chains + 1, values.data(), chains + 1);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c <= chains; ++c) sum[c] += values[r * (chains + 1) + c];
    add(sum[chains], [&](std::size_t c) { return sum[c]; });
  }

  Calibration judged() const {
    Calibration made;
    made.model = model_.name();
    made.simulations = count_;
    made.chains = settings_.chains;
    made.prior_divergences = prior_divergences_;
    made.cancelled = cancelled();
    for (const Replacement& of : replacing_) made.replaced.push_back(of.variable + " by " + of.prediction);
    const std::vector<std::string> names = model_.layout().output_names();
    for (const std::size_t i : ranked_) made.quantities.push_back({names[i], {}, {}, false});
    if (!likelihood_.empty()) made.quantities.push_back({likelihood_, {}, {}, false});
    for (std::size_t k = 0; k < count_; ++k) {
      const Simulation& of = simulations_[k];
      if (of.refused && made.refused++ == 0) made.refusal = of.said;
      if (of.failed && made.failed.empty()) made.failure = of.said;
      if (of.failed) made.failed.push_back(k + 1);
      if (!of.done) continue;
      ++made.used;
      made.divergent += of.diverged;
      if (!of.converged && made.not_converged.empty()) made.problem = of.said;
      if (!of.converged) made.not_converged.push_back(k + 1);
      for (std::size_t q = 0; q < of.ranks.size(); ++q) made.quantities[q].ranks.push_back(of.ranks[q]);
    }
    if (10 * made.refused > count_)
      throw BadInput(fmt::format(
          "model {} refuses {} of {} data sets that its own {} drew: {}; predictions and what data() asks for must go "
          "together, and priors must not let the data be anything",
          model_.name(), made.refused, count_, replacing_[0].prediction, made.refusal));
    test(made);
    return made;
  }

  static void test(Calibration& made) {
    if (made.used < 16) {
      if (made.cancelled) throw SamplingFailed("cancelled before there was anything to tell");
      return;  // not passed: runs have failed
    }
    const diagnostics::RankUniformity uniformity(made.used, made.chains);
    std::vector<double> p;
    for (CalibratedQuantity& quantity : made.quantities) p.push_back((quantity.test = uniformity(quantity.ranks)).p);
    const std::vector<bool> wrong = diagnostics::significant(p, calibration_level);
    for (std::size_t q = 0; q < wrong.size(); ++q) {
      made.quantities[q].wrong = wrong[q];
      made.wrong = made.wrong || wrong[q];
    }
    made.power = uniformity.power(calibration_level / static_cast<double>(p.size()));
    made.passed = !made.wrong && made.failed.empty() && 20 * made.not_converged.size() <= made.used && !made.cancelled;
  }

  const Model& model_;
  std::size_t count_;
  Settings settings_;
  std::vector<Replacement> replacing_;
  std::vector<std::size_t> ranked_;  ///< outputs
  std::string likelihood_;           ///< what it is called; empty: no observe() has rows
  std::size_t prior_divergences_ = 0;
  Draws outputs_;  ///< of the points that the prior gave
  std::vector<Simulation> simulations_;
};

}  // namespace

bool ranks_are_enough(const ModelCheck& check) {
  return check.nonfinite.not_a_number == 0 && check.nonfinite.infinite == 0 &&
         (!check.has_gradient || check.gradient.passed || !check.gradient.conclusive) && check.jacobians.passed;
}

Calibration calibrate(const Model& model, std::size_t simulations, Settings settings,
                      const std::function<void(std::size_t)>& progress) {
  if (simulations < 20) throw BadInput("simulations: at least 20 are needed; fewer tell next to nothing");
  return Calibrator(model, simulations, settings)(progress);
}

}  // namespace manychain
