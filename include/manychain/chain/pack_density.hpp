// The density of a model as functions of packs of chains: the part of a chain program that is compiled for each model
// of any size. The library has the rest, the loops over transitions and leapfrogs (chain/density_programs.hpp).
#pragma once

#include "manychain/chain/chain_program.hpp"
#include "manychain/random/variates.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Stores the first `count` lanes of x, each `apart` numbers behind the one before.
template <class R>
void store_lanes(R x, std::size_t count, double* to, std::size_t apart) {
  alignas(alignof(R)) double lane[static_cast<std::size_t>(R::lanes)];
  store(x, lane);
  for (std::size_t l = 0; l < count; ++l) to[l * apart] = lane[l];
}

/// The functions that samplers which move by the density and its gradient call. R: a pack of chains, or one. Vectors
/// have a component for each of the `dimension` unconstrained parameters.
template <class R>
class PackDensity {
 public:
  using V = Vector<R, Size<dynamic>>;
  using Sink = detail::RecordingSink<R, number_of<R>, detail::AllChains>;

  virtual ~PackDensity() = default;
  /// The value alone of a model without a gradient.
  virtual Compensated<R> value_and_gradient(int dimension, const V& q, V& gradient, const Arena<R>& arena) const = 0;
  virtual void gradient(int dimension, const V& q, V& gradient, const Arena<R>& arena) const = 0;
  /// As manychain::settle() has it.
  virtual void settle(const V& spread, V& q, const Arena<R>& arena) const = 0;
  /// The outputs of the draw at q.
  virtual void outputs(const V& q, const Arena<R>& arena, int first_derived, const Sink& sink,
                       Variates<R>& variates) const = 0;
};

/// The functions that operations at points call (chain/operations.hpp).
template <class R>
class PointDensity : public PackDensity<R> {
 public:
  using typename PackDensity<R>::V;

  /// Row i goes to to[i * stride], a lane after the other, the first `count` lanes.
  struct RowSink {
    double* to;
    std::size_t stride, count;
    void operator()(int row, R x) const { store_lanes(x, count, to + static_cast<std::size_t>(row) * stride, 1); }
  };

  /// `gradient` is memory that may be written to.
  virtual Compensated<R> value(int dimension, const V& q, V& gradient, const Arena<R>& arena) const = 0;
  /// Pointwise log likelihoods, from the outputs of the parameters. Returns how many of these were read; -1: the model
  /// is not written as terms.
  virtual int rows(const V& outputs, const Arena<R>& arena, const RowSink& sink) const = 0;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
