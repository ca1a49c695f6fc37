// The terms of a model class with its data (chain/model_terms.hpp), by a target that tracks the current term.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "manychain/chain/mixture_parts.hpp"
#include "manychain/chain/model_terms.hpp"
#include "manychain/chain/prior_density.hpp"
#include "manychain/chain/solver_terms.hpp"
#include "manychain/chain/term_target.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class Model>
class TermsOf final : public ModelTerms, public PriorDensity, public SolverTerms, public MixtureParts {
  using R = Scalar<typename detail::model_number<Model>::type>;

 public:
  TermsOf(const Data& data, const Layout& layout)
      : host_(data), names_(layout.unconstrained_names), memory_(2 * names_.size() + layout.scratch + 1) {}

  const std::vector<long double>& values(const double* q) override {
    values_.clear();
    places_.clear();
    TermRequest request;
    request.values = &values_;
    request.places = &places_;
    log_jacobian_ = evaluate(q, request);
    return values_;
  }
  std::vector<ConstraintJacobian> jacobians(const double* q) override {
    std::vector<ConstraintJacobian> found;
    TermRequest request;
    request.jacobians = &found;
    request.components = &names_;
    evaluate(q, request);
    return found;
  }
  long double log_jacobian() const override { return log_jacobian_; }
  void gradient(const double* q, std::size_t first, std::size_t last, double* into) override {
    TermRequest request;
    request.first = first;
    request.last = last;
    evaluate(q, request);
    for (std::size_t i = 0; i < names_.size(); ++i) into[i] = static_cast<double>(memory_[names_.size() + i].v);
  }
  std::string name(std::size_t term) const override { return places_.name(term); }
  std::vector<ScaledParameter> scaled(const double* q) override {
    std::vector<ScaledParameter> found;
    TermRequest request;
    request.scaled = &found;
    evaluate(q, request);
    return found;
  }
  void multiplier_slope(const double* q, std::size_t k, double* slope) override {
    TermRequest request;
    evaluate(q, request);
    const std::vector<R> jacobians(memory_.begin(), memory_.end());  // which are part of every gradient
    request.pushed = k;
    evaluate(q, request);
    for (std::size_t i = names_.size(); i < 2 * names_.size(); ++i)
      slope[i - names_.size()] = static_cast<double>((memory_[i] - jacobians[i]).v);
  }
  void round_scaled(std::size_t k) override { rounded_ = k; }
  double prior(const double* q, double* gradient) override {
    TermRequest request;
    request.unobserved = true;
    return sum_of_terms(q, request, gradient);
  }
  std::vector<std::string> observed(const double* q) override {
    std::vector<std::string> names;
    TermRequest request;
    request.unobserved = true;
    request.observed = &names;
    evaluate(q, request);
    return names;
  }
  std::size_t mixture_choices(const double* q) override {
    const checks::MixturesOfThread counted(&mixtures_);
    mixtures_.begin(checks::Mixtures::none);
    TermRequest request;
    request.mixtures = &mixtures_;
    request.unobserved = prior_alone_;
    evaluate(q, request);
    return mixtures_.choices();
  }
  double mixture_part(std::size_t choice, const double* q, double* gradient) override {
    const checks::MixturesOfThread chosen(&mixtures_);
    mixtures_.begin(choice);
    TermRequest request;
    request.mixtures = &mixtures_;
    request.unobserved = prior_alone_;
    return sum_of_terms(q, request, gradient);
  }
  void leave_out_observed() override { prior_alone_ = true; }
  void tighten(double factor) override { tighten_ = factor; }
  std::vector<AdaptiveSolver> solvers(const double* q) override {
    std::vector<AdaptiveSolver> found;
    TermRequest request;
    request.solvers = &found;
    evaluate(q, request);
    return found;
  }

 private:
  long double evaluate(const double* q, TermRequest request) {
    request.tighten = tighten_;
    request.rounded = rounded_;
    const std::size_t n = names_.size();
    std::fill(memory_.begin(), memory_.end(), R(0));
    for (std::size_t i = 0; i < n; ++i) memory_[i] = R(q[i]);
    const Strided<R> position{memory_.data(), 1};
    Strided<R> slope{memory_.data() + n, 1};
    TermTarget<R> target(position, slope, Arena<R>{Strided<R>{memory_.data() + 2 * n, 1}, 0}, request);
    host_.model.log_density(target);
    return static_cast<long double>(target.log_density().value().v);
  }
  double sum_of_terms(const double* q, TermRequest request, double* gradient) {
    values_.clear();
    request.last = static_cast<std::size_t>(-1);
    request.values = &values_;
    long double sum = evaluate(q, request);
    for (const long double value : values_) sum += value;
    for (std::size_t i = 0; i < names_.size(); ++i) gradient[i] = static_cast<double>(memory_[names_.size() + i].v);
    return static_cast<double>(sum);
  }

  HostModel<Model> host_;
  std::vector<std::string> names_;
  std::vector<R> memory_;
  std::vector<long double> values_;
  long double log_jacobian_ = 0;
  double tighten_ = 1;
  std::size_t rounded_ = none;
  TermPlaces places_;
  checks::Mixtures mixtures_;
  bool prior_alone_ = false;  ///< in densities of parts of mixtures
};

/// Null if the log density is not written as terms.
template <class Model>
std::unique_ptr<ModelTerms> terms_of([[maybe_unused]] const Data& data, [[maybe_unused]] const Layout& layout) {
  if constexpr (has_terms<Model>)
    return std::make_unique<TermsOf<Model>>(data, layout);
  else
    return nullptr;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
