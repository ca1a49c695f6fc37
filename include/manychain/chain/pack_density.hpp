// The density of a model as functions of packs of chains: the part that is compiled for each model. The loops of a
// sampler over transitions and leapfrogs are in the library, once for all models of any size
// (chain/density_programs.hpp).
#pragma once

#include "manychain/chain/chain_program.hpp"
#include "manychain/random/variates.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// What samplers that move by the density and its gradient ask of a model. R: a pack of chains, or one. Vectors have a
/// component for each of the `dimension` unconstrained parameters. A model without a gradient leaves `gradient` as it
/// is.
template <class R>
class PackDensity {
 public:
  using V = Vector<R, Size<dynamic>>;
  using Sink = detail::RecordingSink<R, number_of<R>, detail::AllChains>;

  virtual ~PackDensity() = default;
  virtual Compensated<R> value_and_gradient(int dimension, const V& q, V& gradient, const Arena<R>& arena) const = 0;
  virtual void gradient(int dimension, const V& q, V& gradient, const Arena<R>& arena) const = 0;
  /// As manychain::settle() has it.
  virtual void settle(const V& spread, V& q, const Arena<R>& arena) const = 0;
  /// The outputs of the draw at q.
  virtual void outputs(const V& q, const Arena<R>& arena, int first_derived, const Sink& sink,
                       Variates<R>& variates) const = 0;
};

/// And what operations at points ask (chain/operations.hpp).
template <class R>
class PointDensity : public PackDensity<R> {
 public:
  using typename PackDensity<R>::V;

  /// Row i of the values of a pack goes to to[i * stride], a lane after the other, those of the first `count` lanes.
  struct RowSink {
    double* to;
    std::size_t stride, count;
    void operator()(int row, R x) const {
      alignas(alignof(R)) double lane[static_cast<std::size_t>(R::lanes)];
      store(x, lane);
      for (std::size_t l = 0; l < count; ++l) to[static_cast<std::size_t>(row) * stride + l] = lane[l];
    }
  };

  virtual bool has_gradient() const = 0;
  virtual Compensated<R> value(int dimension, const V& q, V& unused, const Arena<R>& arena) const = 0;
  /// Pointwise log likelihoods, from the outputs of the parameters. Returns how many of these were read; -1: the model
  /// is not written as terms.
  virtual int rows(const V& outputs, const Arena<R>& arena, const RowSink& sink) const = 0;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
