// Paths of a quasi-Newton method on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/defaults.hpp"
#include "starts/shared_evaluator.hpp"
#include "starts/starts.hpp"

namespace manychain {
namespace detail {

/// An evaluator for which a point where `evaluate` throws has a density of zero.
inline DensityEvaluator zero_where_it_throws(DensityEvaluator evaluate, std::size_t dimension) {
  return [evaluate = std::move(evaluate), dimension](const double* points, std::size_t count, double* log_densities,
                                                     double* gradients) {
    try {
      evaluate(points, count, log_densities, gradients);
      return;
    } catch (const SamplingFailed&) {
    }
    for (std::size_t k = 0; k < count; ++k) {
      double* const gradient = gradients ? gradients + k * dimension : nullptr;
      try {
        evaluate(points + k * dimension, 1, log_densities + k, gradient);
      } catch (const SamplingFailed&) {
        log_densities[k] = -std::numeric_limits<double>::infinity();
        if (gradient) std::fill_n(gradient, dimension, 0.0);
      }
    }
  };
}

/// An evaluator of which every density is NaN once the run is cancelled, which ends a path.
inline DensityEvaluator unless_cancelled(DensityEvaluator evaluator, const std::atomic<bool>* cancel) {
  return [evaluate = std::move(evaluator), cancel](const double* points, std::size_t count, double* log_densities,
                                                   double* gradients) {
    if (cancel && cancel->load())
      std::fill_n(log_densities, count, std::numeric_limits<double>::quiet_NaN());
    else
      evaluate(points, count, log_densities, gradients);
  };
}

/// The density evaluator of a path.
inline DensityEvaluator evaluator_of(const Model& model, const StartsWanted& wanted) {
  DensityEvaluator evaluate = model.bound().evaluator();
  if (wanted.throws_outside) evaluate = zero_where_it_throws(std::move(evaluate), model.layout().dimension);
  return unless_cancelled(std::move(evaluate), wanted.cancel);
}

/// Keeps the first exception of several threads.
class FirstError {
 public:
  template <class Work>
  void watch(const Work& work) {
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }
  bool failed() const { return failed_; }
  /// Call once the threads are joined.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

}  // namespace detail

/// Does work for each path of `wanted.from` on several threads. Each thread makes its own evaluator, once: for a large
/// data set this takes as long as some gradients. Results do not depend on the number of threads.
class PathTeam {
 public:
  PathTeam(const Model& model, const StartsWanted& wanted)
      : model_(model),
        wanted_(wanted),
        paths_(wanted.from.size()),
        evaluators_(std::min(paths_, static_cast<std::size_t>(std::max(wanted.threads, 1)))) {}

  /// Calls work(p, density) for each path p.
  template <class Work>
  void operator()(const Work& work) {
    if (evaluators_.size() < paths_ && model_.bound().foreign.empty() && has_expensive_gradient(model_))
      together(work);
    else
      apart(work);
  }

 private:
  const DensityEvaluator& evaluator(std::size_t thread) {
    DensityEvaluator& mine = evaluators_[thread];
    if (!mine) mine = detail::evaluator_of(model_, wanted_);
    return mine;
  }

  /// Each thread takes the next path that is left. Results do not depend on which thread takes a path.
  template <class Work>
  void apart(const Work& work) {
    std::atomic<std::size_t> next{0};
    detail::FirstError error;
    const auto loop = [&](std::size_t thread) {
      error.watch([&] {
        const DensityEvaluator& density = evaluator(thread);
        for (std::size_t p; (p = next++) < paths_ && !error.failed();) work(p, density);
      });
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < evaluators_.size(); ++t)
      if (!add_thread(others, [&loop, t] { loop(t); })) break;
    loop(0);
    for (std::thread& thread : others) thread.join();
    error.rethrow();
  }

  /// For densities of which one point takes as long as a pack: each path has a thread, and paths wait for each other so
  /// that their points are evaluated together, in as many groups as there are evaluators.
  template <class Work>
  void together(const Work& work) {
    const std::size_t count = evaluators_.size();
    std::vector<std::unique_ptr<SharedEvaluator>> groups;
    for (std::size_t g = 0; g < count; ++g) {
      const DensityEvaluator late = [this, g](const double* points, std::size_t n, double* values, double* gradients) {
        evaluator(g)(points, n, values, gradients);  // made by the first thread of the group that evaluates
      };
      groups.push_back(
          std::make_unique<SharedEvaluator>(late, model_.layout().dimension, (paths_ - g + count - 1) / count));
    }
    detail::FirstError error;
    const auto run = [&](std::size_t p, const DensityEvaluator& density) {
      error.watch([&] {
        if (!error.failed()) work(p, density);
      });
    };
    const auto take_part = [&](std::size_t p) {
      SharedEvaluator& group = *groups[p % count];
      run(p, [&group](auto... asked) { group(asked...); });
      group.leave();
    };
    std::vector<std::thread> others;
    std::vector<std::size_t> alone;
    for (std::size_t p = 1; p < paths_; ++p) {
      if (add_thread(others, [&take_part, p] { take_part(p); })) continue;
      groups[p % count]->leave();
      alone.push_back(p);
    }
    take_part(0);
    for (std::thread& thread : others) thread.join();
    for (const std::size_t p : alone) run(p, evaluator(0));
    error.rethrow();
  }

  const Model& model_;
  const StartsWanted& wanted_;
  std::size_t paths_;
  std::vector<DensityEvaluator> evaluators_;
};

}  // namespace manychain
