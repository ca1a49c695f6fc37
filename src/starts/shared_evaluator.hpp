// Densities that several threads ask for, evaluated at once.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "manychain/chain/program.hpp"

namespace manychain {

/// A generated model evaluates a pack of points in the time of one. Askers are threads that wait for each other: when
/// all of them have asked, the last one evaluates for all. What comes out for a point does not depend on the others.
class SharedEvaluator {
 public:
  SharedEvaluator(DensityEvaluator evaluate, std::size_t dimension, std::size_t askers)
      : evaluate_(std::move(evaluate)), dimension_(dimension), askers_(askers) {}

  /// As DensityEvaluator. An exception of the evaluation reaches all who asked.
  void operator()(const double* points, std::size_t count, double* log_densities, double* gradients) {
    Asked mine{points, count, log_densities, gradients};
    std::unique_lock<std::mutex> lock(mutex_);
    asked_.push_back(&mine);
    if (asked_.size() == askers_)
      answer();
    else
      answered_.wait(lock, [&] { return mine.answered; });
    if (mine.error) std::rethrow_exception(mine.error);
  }
  /// For an asker that will not ask again.
  void leave() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --askers_;
    if (!asked_.empty() && asked_.size() == askers_) answer();
  }

 private:
  struct Asked {
    const double* points;
    std::size_t count;
    double *log_densities, *gradients;
    bool answered = false;
    std::exception_ptr error = nullptr;
  };

  void answer() {
    std::exception_ptr error;
    try {
      for (const bool with_gradients : {true, false}) evaluate_those(with_gradients);
    } catch (...) {
      error = std::current_exception();
    }
    for (Asked* const one : asked_) {
      one->error = error;
      one->answered = true;
    }
    asked_.clear();
    answered_.notify_all();
  }
  void evaluate_those(bool with_gradients) {
    std::vector<double> points;
    for (const Asked* const one : asked_)
      if ((one->gradients != nullptr) == with_gradients)
        points.insert(points.end(), one->points, one->points + one->count * dimension_);
    if (points.empty()) return;
    const std::size_t count = points.size() / dimension_;
    std::vector<double> log_densities(count), gradients(with_gradients ? points.size() : 0);
    evaluate_(points.data(), count, log_densities.data(), with_gradients ? gradients.data() : nullptr);
    std::size_t first = 0;
    for (const Asked* const one : asked_) {
      if ((one->gradients != nullptr) != with_gradients) continue;
      std::copy_n(log_densities.data() + first, one->count, one->log_densities);
      if (with_gradients) std::copy_n(gradients.data() + first * dimension_, one->count * dimension_, one->gradients);
      first += one->count;
    }
  }

  DensityEvaluator evaluate_;
  std::size_t dimension_, askers_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<Asked*> asked_;
};

}  // namespace manychain
