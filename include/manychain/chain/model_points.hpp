// The operations at points (chain/operations.hpp) of a model class, in double: a point a lane.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "manychain/chain/operations.hpp"
#include "manychain/core/pack.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/model/language/evaluate.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/random/philox_pack.hpp"

namespace manychain {

namespace checks {
[[noreturn]] void throw_unread_parameters();  // BadInput
}  // namespace checks

inline namespace MANYCHAIN_ISA {

/// Host: made from a source (the data), holds the model.
template <class M, class Host = HostModel<M>>
class ModelPoints : public PointOperations {
  using R = std::conditional_t<model_branches<M>(), Scalar<double>, Pack<double>>;
  static constexpr std::size_t lanes = static_cast<std::size_t>(R::lanes);

  static constexpr Request gradient_if_given = model_has_gradient<M>() ? Request::value_and_gradient : Request::value;

  /// Row i of the values of a pack goes to to[i * stride], a lane after the other.
  struct Sink {
    double* to;
    std::size_t stride, count;
    void operator()(int row, R x) const { scatter(x, count, to + static_cast<std::size_t>(row) * stride, 1); }
  };

 public:
  template <class Source>
  ModelPoints(const Source& source, const Layout& layout)
      : host_(source),
        n_(layout.dimension),
        parameters_(layout.parameter_outputs()),
        first_derived_(layout.first_derived()),
        memory_(std::max(2 * n_, parameters_) + layout.scratch + 1),
        arena_{Strided<R>{memory_.data() + std::max(2 * n_, parameters_), 1}, 0} {}

  void evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) override {
    Strided<R> slope{memory_.data() + n_, 1};
    for (std::size_t k = 0; k < count; k += lanes) {
      const std::size_t here = std::min(lanes, count - k);
      const Strided<R> position = gathered(points + k * n_, n_, 1, n_, here);
      if (gradients && model_has_gradient<M>())
        scatter(value<gradient_if_given>(position, slope), here, log_densities + k, 1);
      else
        scatter(value<Request::value>(position, slope), here, log_densities + k, 1);
      for (std::size_t i = 0; gradients && i < n_; ++i) scatter(slope.p[i], here, gradients + k * n_ + i, n_);
    }
  }

  std::uint64_t outputs(const double* points, std::size_t count, const ChainsAt& at, double* outputs) override {
    std::uint64_t blocks = 0;
    for (std::size_t k = 0; k < count; k += lanes) {
      const std::size_t here = std::min(lanes, count - k);
      const Strided<R> position = gathered(points + k * n_, n_, 1, n_, here);
      const Stream<R> stream(at.seed, Purpose::prediction, at.first_chain + k, at.transition);
      Variates<R> variates(stream);
      evaluate_outputs<R>(host_.model, position, arena_, first_derived_, Sink{outputs + k, count, here}, variates);
      blocks = std::max<std::uint64_t>(blocks, variates.blocks());
    }
    return 4 * blocks;
  }

  void rows(const double* parameters, std::size_t stride, std::size_t count, double* rows,
            std::size_t row_stride) override {
    if constexpr (gives_log_density<M>)
      for (std::size_t k = 0; k < count; k += lanes) {
        const std::size_t here = std::min(lanes, count - k);
        const Strided<R> outputs = gathered(parameters + k, parameters_, stride, 1, here);
        Strided<R> unused = outputs;
        Target<R, const Strided<R>, Strided<R>, Request::pointwise, Sink> target(outputs, unused, arena_, 0,
                                                                                 Sink{rows + k, row_stride, here});
        host_.model.log_density(target);
        if (static_cast<std::size_t>(target.taken()) != parameters_) checks::throw_unread_parameters();
      }
  }

 private:
  template <Request request>
  R value(const Strided<R>& position, Strided<R>& slope) {
    const Size<dynamic> n(static_cast<int>(n_));
    return manychain::evaluate<request, R>(host_.model, n, position, slope, arena_).value();
  }
  /// At the begin of the memory: component i of point k is from[i * component + k * point]. Lanes left over repeat the
  /// first point.
  Strided<R> gathered(const double* from, std::size_t components, std::size_t component, std::size_t point,
                      std::size_t count) {
    alignas(alignof(R)) double lane[lanes];
    for (std::size_t i = 0; i < components; ++i) {
      for (std::size_t l = 0; l < lanes; ++l) lane[l] = from[i * component + (l < count ? l : 0) * point];
      load(memory_[i], lane);
    }
    return {memory_.data(), 1};
  }
  static void scatter(R x, std::size_t count, double* to, std::size_t point) {
    alignas(alignof(R)) double lane[lanes];
    store(x, lane);
    for (std::size_t l = 0; l < count; ++l) to[l * point] = lane[l];
  }

  Host host_;
  std::size_t n_, parameters_;
  int first_derived_;
  std::vector<R> memory_;
  Arena<R> arena_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
