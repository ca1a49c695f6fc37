// Many data sets of one model: each a run of its own, in one thread where there are more sets than threads.
#include "sampling/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "core/reuse_large_memory.hpp"
#include "core/task_pool.hpp"
#include "core/threads.hpp"
#include "diagnostics/deciding.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/defaults.hpp"
#include "sampling/judge.hpp"
#include "sampling/run_state.hpp"
#include "sampling/stored.hpp"

namespace manychain {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The quantities of sets, one object for all sets of the same sizes.
class SharedQuantities {
 public:
  std::shared_ptr<const SetQuantities> of(const Layout& layout) {
    const std::vector<Quantity> observed = rows_of(layout);
    for (auto known = known_.rbegin(); known != known_.rend(); ++known)
      if (same((*known)->quantities, layout.quantities) && same((*known)->observed, observed)) return *known;
    known_.push_back(
        std::make_shared<SetQuantities>(SetQuantities{layout.quantities, layout.output_names(), observed}));
    return known_.back();
  }

 private:
  static std::vector<Quantity> rows_of(const Layout& layout) {
    std::vector<Quantity> rows;
    std::size_t offset = 0;
    for (const Observed& observed : layout.observed) {
      if (observed.rows > 0) rows.push_back({observed.name, observed.shape(), offset});
      offset += observed.rows;
    }
    return rows;
  }
  static bool same(const std::vector<Quantity>& a, const std::vector<Quantity>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Quantity& x, const Quantity& y) {
      return x.name == y.name && x.shape == y.shape && x.derived == y.derived && x.predicted == y.predicted;
    });
  }
  std::vector<std::shared_ptr<const SetQuantities>> known_;
};

void summarise_run(const Result& result, SetSummary& set) {
  set.state = SetState::sampled;
  set.converged = result.converged;
  if (!result.converged) set.said = reasons(result);
  set.warmup = result.warmup.transitions;
  set.draws = result.kept;
  set.single_precision = result.settings.precision == Precision::single_precision;
  set.gradients = result.gradients;
  set.divergences = result.sampling.divergences;
  set.seconds = result.seconds.total;
  const diagnostics::Deciding decides = deciding(result.settings);
  const std::vector<bool> still = still_outputs(result);
  const VariableSummary* worst = nullptr;
  set.smallest_ess = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < result.summary.size(); ++i) {
    const VariableSummary& s = result.summary[i].statistics;
    set.summary.push_back(s);
    if (i < still.size() && still[i]) continue;
    const double ess = decides.shown_ess(s, result.settings.chains, result.kept);
    if (!(ess >= set.smallest_ess)) set.smallest_ess = ess;
    if (worst && !decides.worse(s, *worst)) continue;
    worst = &s;
    set.worst = result.summary[i].name;
    set.largest_rhat = decides.rhat(s);
  }
}

std::size_t bytes_of(const Draws& draws) {
  return draws.float32.size() * sizeof(float) + draws.float64.size() * sizeof(double);
}

std::string refusal(const DataSet& set, const std::string& what) {
  return fmt::format("set {}: {}", set.name, with_lines(set, what));
}
[[noreturn]] void refuse_all(const std::vector<DataSet>& sets, const std::string& first) {
  throw BadInput(fmt::format("the model takes none of {} data sets; the first, {}", sets.size(), first));
}

struct FreeKeptMemory {
  ~FreeKeptMemory() { free_kept_memory(); }
};

class SetsRun {
 public:
  SetsRun(ModelOfSet model_of, const std::vector<DataSet>& sets, const Settings& settings, const SetsWanted& wanted,
          SetsToSample which = {})
      : model_of_(std::move(model_of)), sets_(sets), wanted_(wanted), which_(std::move(which)), settings_(settings) {}

  SetsResult operator()() {
    complete_settings();
    result_.sets.resize(sets_.size());
    const int threads = threads_of_setting(settings_.threads);
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      result_.sets[k].name = sets_[k].name;
      result_.sets[k].seed = settings_.seed + k;
    }
    const std::vector<std::size_t> open = take_answers();
    threads_of_set_ = std::max<int>(1, threads / static_cast<int>(std::clamp<std::size_t>(open.size(), 1, 1 << 20)));
    const FreeKeptMemory at_end;
    do_tasks(open.size(), threads, settings_.cancel, [&](std::size_t task) {
      const ReuseLargeMemory reuse;
      sample_one(open[task]);
    });
    if (which_.part) {
      const auto first = result_.sets.begin() + static_cast<std::ptrdiff_t>(which_.part->first);
      result_.sets = {std::move_iterator(first), std::move_iterator(first + std::ptrdiff_t(which_.part->count))};
    }
    count();
    if (result_.refused == sets_.size()) refuse_all(sets_, refusal(sets_[0], result_.sets[0].said));
    result_.settings = settings_;
    result_.seconds = seconds_since(start_);
    return std::move(result_);
  }

  std::string place() {
    complete_settings();
    const Model first = first_model(model_of_, sets_, wanted_.common, settings_.seed);
    Settings small = settings_;
    small.threads = 1;
    small.sampling.draws = 1;
    small.sampling.target_ess.reset();
    fill_in_defaults(first, small);
    return identity_of(first, *make_cpu_engine(first, small)).place;
  }

 private:
  void complete_settings() {
    const auto refuse = [](const std::string& what) { throw BadInput(what); };
    if (settings_.backend == Backend::cuda || settings_.device || !settings_.devices.empty())
      refuse("Settings::backend: data sets are sampled on the CPU, several at a time; leave it and the device out");
    if (!settings_.output.keep_draws)
      refuse("Settings::output.keep_draws: the runs of data sets need their draws until they are judged; leave it out");
    if (settings_.output.keep_on_device)
      refuse("Settings::output.keep_on_device: data sets are sampled on the CPU; leave it out, or sample one set");
    if (settings_.output.save_warmup)
      refuse(
          "Settings::output.save_warmup: the file of data sets has no draws of warm-up; leave it out, or sample one "
          "set");
    if (!settings_.warmup.initial_points.empty())
      refuse("Settings::warmup.initial_points: data sets find starting points of their own; leave them out");
    settings_.backend = Backend::cpu;
    settings_.progress = nullptr;
    settings_.validate();
    const Model first = first_model(model_of_, sets_, wanted_.common, settings_.seed);
    result_.model = first.name();
    if (!wanted_.initial_values.empty()) {
      Settings filled_in = settings_;
      fill_in_for_sets(first, filled_in);
      settings_.chains = filled_in.chains;
      set_initial_points(first, wanted_.initial_values, settings_);  // and superchains that go with them
    }
    fill_in_for_sets(first, settings_);
    Settings trial = settings_;
    fill_in_defaults(first, trial);  // refuses what no set can have
    if (!first.bound().one_thread.empty()) settings_.threads = 1;
  }

  /// Returns the sets that are to be sampled.
  std::vector<std::size_t> take_answers() {
    std::vector<std::size_t> open;
    const Stretch all = which_.part.value_or(Stretch{0, sets_.size()});
    for (std::size_t k = all.first; k < all.first + all.count; ++k) {
      const auto answer = which_.answered.find(k);
      if (answer == which_.answered.end()) {
        open.push_back(k);
        continue;
      }
      SetSummary& set = result_.sets[k] = std::move(answer->second);
      Draws draws = std::exchange(set.kept, {}), rows = std::exchange(set.log_likelihood, {});
      if (set.state == SetState::sampled) keep(set, std::move(draws), std::move(rows));
    }
    return open;
  }

  double time_left() const { return *settings_.time_limit - seconds_since(start_); }

  void sample_one(std::size_t k) {
    SetSummary& set = result_.sets[k];
    Settings settings = settings_;
    settings.seed = set.seed;
    settings.threads = threads_of_set_;
    if (settings.time_limit && (settings.time_limit = time_left()) <= 0) return;
    std::optional<Model> model;
    try {
      model.emplace(model_of_(k, data_of(sets_[k], wanted_.common), set.seed));
    } catch (const BadInput& error) {
      return without_result(k, SetState::refused, with_lines(sets_[k], error.what()));
    }
    std::unique_lock<std::mutex> alone(of_one_thread_, std::defer_lock);
    if (!model->bound().one_thread.empty()) {
      alone.lock();
      settings.threads = 1;
    }
    std::optional<Result> result;
    SetState without = SetState::left_out;
    std::string said;
    try {
      if (!wanted_.initial_values.empty()) set_initial_points(*model, wanted_.initial_values, settings);
      result.emplace(sample(*model, settings));
    } catch (const EndedEarly&) {
      return;
    } catch (const SamplingFailed& error) {
      without = SetState::failed;
      said = error.what();
    } catch (const BadInput& error) {  // what the settings cannot have with these data
      without = SetState::refused;
      said = error.what();
    }
    if (!result) return without_result(k, without, said);
    if (result->cancelled) return;  // it has no answer yet
    summarise_run(*result, set);
    take(k, *result);
  }

  void without_result(std::size_t k, SetState state, const std::string& said) {
    result_.sets[k].state = state;
    result_.sets[k].said = said;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (wanted_.done) wanted_.done(k, result_.sets[k], nullptr);
  }
  void take(std::size_t k, const Result& result) {
    SetSummary& set = result_.sets[k];
    const std::lock_guard<std::mutex> lock(mutex_);
    set.of = quantities_.of(result.layout);
    keep(set, result.draws, result.output.log_likelihood);
    if (wanted_.done) wanted_.done(k, set, &result);
  }
  /// Copies the draws of a run: their memory is used by the next one. An answer without draws had no room for them.
  template <class Given>
  void keep(SetSummary& set, Given&& draws, Given&& log_likelihood) {
    if (wanted_.draw_bytes == 0 || result_.draws_left_out) return;
    draw_bytes_ += bytes_of(draws) + bytes_of(log_likelihood);
    if (!draws.empty() && draw_bytes_ <= wanted_.draw_bytes) {
      set.kept = std::forward<Given>(draws);
      set.log_likelihood = std::forward<Given>(log_likelihood);
      return;
    }
    result_.draws_left_out = true;
    for (SetSummary& one : result_.sets) one.kept = one.log_likelihood = {};
  }

  void count() {
    for (const SetSummary& set : result_.sets) {
      result_.sampled += set.state == SetState::sampled;
      result_.converged += set.converged;
      result_.refused += set.state == SetState::refused;
      result_.failed += set.state == SetState::failed;
      result_.left_out += set.state == SetState::left_out;
    }
    result_.cancelled = result_.left_out > 0;
  }

  const ModelOfSet model_of_;
  const std::vector<DataSet>& sets_;
  const SetsWanted& wanted_;
  SetsToSample which_;
  Settings settings_;
  const Clock::time_point start_ = Clock::now();
  int threads_of_set_ = 1;
  SetsResult result_;
  std::mutex of_one_thread_;  // for models that one thread alone may evaluate, beside others
  std::mutex mutex_;          // for all below, and for calls of SetsWanted::done
  SharedQuantities quantities_;
  std::size_t draw_bytes_ = 0;
};

}  // namespace

const char* in_words(SetState state) {
  switch (state) {
    case SetState::sampled:
      return "sampled";
    case SetState::refused:
      return "refused";
    case SetState::failed:
      return "failed";
    case SetState::left_out:
      break;
  }
  return "left out";
}

Data data_of(const DataSet& set, const Data& common) {
  if (common.empty()) return set.data;
  Data data = set.data;
  data.add(common);
  return data;
}

Model first_model(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Data& common,
                  std::uint64_t seed) {
  if (sets.empty()) throw BadInput("there are no data sets");
  std::string first_refusal;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    try {
      return model_of(k, data_of(sets[k], common), seed + k);
    } catch (const BadInput& error) {
      if (first_refusal.empty()) first_refusal = refusal(sets[k], error.what());
    }
  }
  refuse_all(sets, first_refusal);
}

SetsResult sample_sets(const ModelUnit& unit, const std::vector<DataSet>& sets, const Settings& settings,
                       const SetsWanted& wanted) {
  return SetsRun(of_data([&](const Data& data) { return Model(unit, data); }), sets, settings, wanted)();
}

SetsResult sample_sets(const Model& model, const std::vector<DataSet>& sets, const Settings& settings,
                       const SetsWanted& wanted) {
  const auto bind = [&](const Data& data) {
    auto bound = model.bound().bound_to(data);
    if (!bound) throw BadInput("model " + model.name() + " cannot be bound to other data");
    return Model(std::move(bound));
  };
  return SetsRun(of_data(bind), sets, settings, wanted)();
}

SetsResult sample_sets(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings,
                       const SetsWanted& wanted) {
  return SetsRun(model_of, sets, settings, wanted)();
}

SetsResult sample_sets(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings,
                       const SetsWanted& wanted, SetsToSample which) {
  return SetsRun(model_of, sets, settings, wanted, std::move(which))();
}

std::string place_of_sets(const ModelOfSet& model_of, const std::vector<DataSet>& sets, const Settings& settings,
                          const SetsWanted& wanted) {
  return SetsRun(model_of, sets, settings, wanted).place();
}

}  // namespace manychain
