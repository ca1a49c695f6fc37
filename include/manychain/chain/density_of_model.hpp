// The density of a model class (chain/pack_density.hpp).
#pragma once

#include <type_traits>

#include "manychain/chain/density_programs.hpp"
#include "manychain/chain/pack_density.hpp"
#include "manychain/core/pack.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/random/philox_pack.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The functions of PackDensity for the class M. Host: made from a source (the data), holds the model.
template <class M, class R, class Base, class Host>
class DensityFunctions : public Base {
 public:
  using typename Base::V;
  using Sink = typename PackDensity<R>::Sink;

  template <class Source>
  explicit DensityFunctions(const Source& source) : host_(source) {}
  Compensated<R> value_and_gradient(int dimension, const V& q, V& gradient, const Arena<R>& arena) const final {
    constexpr Request request = model_has_gradient<M>() ? Request::value_and_gradient : Request::value;
    return evaluate<request, R>(host_.model, Size<dynamic>(dimension), q, gradient, arena);
  }
  MANYCHAIN_FLATTEN void gradient(int dimension, const V& q, V& gradient, const Arena<R>& arena) const final {
    if constexpr (model_has_gradient<M>())
      evaluate<Request::gradient, R>(host_.model, Size<dynamic>(dimension), q, gradient, arena);
  }
  void settle(const V& spread, V& q, const Arena<R>& arena) const final {
    manychain::settle<R>(host_.model, spread, q, arena);
  }
  MANYCHAIN_FLATTEN void outputs(const V& q, const Arena<R>& arena, int first_derived, const Sink& sink,
                                 Variates<R>& variates) const final {
    // In a register: in memory it would be written for each output, between stores that miss the caches.
    mask_of<R> finite = *sink.finite;
    const Sink of_this_draw{sink.draw, sink.stride, &finite, {}};
    evaluate_outputs<R>(host_.model, q, arena, first_derived, of_this_draw, variates);
    *sink.finite = finite;
  }

 protected:
  const M& model() const { return host_.model; }

 private:
  Host host_;
};

/// The functions of PointDensity for the class M.
template <class M, class R, class Host = HostModel<M>>
class PointDensityOf final : public DensityFunctions<M, R, PointDensity<R>, Host> {
 public:
  using typename PointDensity<R>::V;
  using typename PointDensity<R>::RowSink;
  using DensityFunctions<M, R, PointDensity<R>, Host>::DensityFunctions;

  Compensated<R> value(int dimension, const V& q, V& gradient, const Arena<R>& arena) const override {
    return evaluate<Request::value, R>(this->model(), Size<dynamic>(dimension), q, gradient, arena);
  }
  int rows(const V& outputs, const Arena<R>& arena, const RowSink& sink) const override {
    if constexpr (gives_log_density<M>) {
      V unused = outputs;
      Target<R, const V, V, Request::pointwise, RowSink> target(outputs, unused, arena, 0, sink);
      this->model().log_density(target);
      return target.taken();
    } else {
      return -1;
    }
  }
};

/// The density for chain programs. In double it is that of operations at points, so that its functions are compiled
/// once.
template <class M, class R>
using DensityOf = std::conditional_t<std::is_same_v<number_of<R>, double>, PointDensityOf<M, R>,
                                     DensityFunctions<M, R, PackDensity<R>, HostModel<M>>>;

/// The operations at points of a model class, the variants of which are `Variants`: a point a lane, or one by one.
template <class Variants>
std::unique_ptr<PointOperations> points_of(const Data& data, const Layout& layout) {
  using M = AnySize<Variants>;
  using R = std::conditional_t<model_branches<M>(), Scalar<double>, Pack<double>>;
  return point_operations(std::make_unique<PointDensityOf<M, R>>(data), layout);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
