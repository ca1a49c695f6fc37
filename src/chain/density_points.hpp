// The operations at points (chain/operations.hpp) of a density in double: a point a lane.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "manychain/chain/operations.hpp"
#include "manychain/chain/pack_density.hpp"
#include "manychain/model/data/layout.hpp"

namespace manychain {

namespace checks {
[[noreturn]] void throw_unread_parameters();  // BadInput
}  // namespace checks

inline namespace MANYCHAIN_ISA {

template <class R>
class DensityPoints : public PointOperations {
  static constexpr std::size_t lanes = static_cast<std::size_t>(R::lanes);
  using RowSink = typename PointDensity<R>::RowSink;

 public:
  DensityPoints(std::unique_ptr<const PointDensity<R>> density, const Layout& layout)
      : density_(std::move(density)),
        n_(layout.dimension),
        parameters_(layout.parameter_outputs()),
        outputs_(layout.outputs),
        first_derived_(layout.first_derived()),
        memory_(std::max(2 * n_, parameters_) + layout.scratch + 1),
        arena_{Strided<R>{memory_.data() + std::max(2 * n_, parameters_), 1}, 0} {}

  void evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) override {
    const int n = static_cast<int>(n_);
    Strided<R> slope{memory_.data() + n_, 1};
    for (std::size_t k = 0; k < count; k += lanes) {
      const std::size_t here = std::min(lanes, count - k);
      const Strided<R> position = gathered(points + k * n_, n_, 1, n_, here);
      const Compensated<R> value = gradients ? density_->value_and_gradient(n, position, slope, arena_)
                                             : density_->value(n, position, slope, arena_);
      store_lanes(value.value(), here, log_densities + k, 1);
      for (std::size_t i = 0; gradients && i < n_; ++i) store_lanes(slope.p[i], here, gradients + k * n_ + i, n_);
    }
  }

  std::uint64_t outputs(const double* points, std::size_t count, const ChainsAt& at, double* outputs) override {
    std::uint64_t blocks = 0;
    std::vector<R> memory(outputs_);  // aligned, as packs are stored
    double* const drawn = reinterpret_cast<double*>(memory.data());
    mask_of<R> finite = R(0) == R(0);
    const typename PackDensity<R>::Sink sink{drawn, static_cast<std::int64_t>(lanes), &finite, {}};
    for (std::size_t k = 0; k < count; k += lanes) {
      const std::size_t here = std::min(lanes, count - k);
      const Strided<R> position = gathered(points + k * n_, n_, 1, n_, here);
      const Stream<R> stream(at.seed, Purpose::prediction, at.first_chain + k, at.transition);
      Variates<R> variates(stream);
      density_->outputs(position, arena_, first_derived_, sink, variates);
      for (std::size_t i = 0; i < outputs_; ++i) std::copy_n(drawn + i * lanes, here, outputs + i * count + k);
      blocks = std::max<std::uint64_t>(blocks, variates.blocks());
    }
    return 4 * blocks;
  }

  void rows(const double* parameters, std::size_t stride, std::size_t count, double* rows,
            std::size_t row_stride) override {
    for (std::size_t k = 0; k < count; k += lanes) {
      const std::size_t here = std::min(lanes, count - k);
      const Strided<R> outputs = gathered(parameters + k, parameters_, stride, 1, here);
      double* const of_point = rows ? rows + k : nullptr;  // a model without rows has no memory for them
      const int read = density_->rows(outputs, arena_, RowSink{of_point, row_stride, here});
      if (read >= 0 && static_cast<std::size_t>(read) != parameters_) checks::throw_unread_parameters();
    }
  }

 private:
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

  std::unique_ptr<const PointDensity<R>> density_;
  std::size_t n_, parameters_, outputs_;
  int first_derived_;
  std::vector<R> memory_;
  Arena<R> arena_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
