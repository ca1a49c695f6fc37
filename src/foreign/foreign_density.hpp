// Log densities that others have compiled, as models: one chain per lane, double precision, on the CPU.
//
// A std::function, a callback of C and a function of many points (compiled_density.cpp), a Stan model through the C
// interface of BridgeStan and the prior of a model (calibration/prior.cpp) are classes derived from ForeignDensity. One
// model class with a gradient and outputs of its own brings them into the chain program (foreign_density.cpp). For Stan
// models stan_library.cpp finds the functions, stan_names.cpp makes quantities with shapes of flat names, and
// stan_model.cpp joins them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/rejections.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// Called from several threads at once, unless ForeignTraits::one_thread says why not. Every position is finite.
class ForeignDensity {
 public:
  virtual ~ForeignDensity() = default;
  /// The log density; its gradient into gradient[0 .. dimension - 1]. Not finite: the proposal is rejected. A class
  /// that meets an error makes the gradient NaN, so that the trajectory ends there.
  virtual double value_and_gradient(const double* position, double* gradient) const = 0;
  /// Log densities and gradients at `count` points, [point][dimension], of a density that takes many points at once
  /// (ForeignTraits::batched).
  virtual void values_and_gradients(const double*, std::size_t /*count*/, double*, double*) const {}
  /// Likewise in single precision (ForeignTraits::in_single).
  virtual void values_and_gradients(const float*, std::size_t /*count*/, float*, float*) const {}
  /// The outputs of a draw in the order of the layout; what is random in them follows from `seed`. Called only with
  /// ForeignTraits::own_outputs.
  virtual void outputs(const double*, std::uint32_t /*seed*/, double*) const {}
  /// As ModelBinding::unconstrain(). This one is for outputs that are the position.
  virtual std::vector<bool> unconstrain(const Data& given, std::vector<double>& position, const Layout& layout) const;
  /// As ModelBinding::mixture_parts().
  virtual std::unique_ptr<MixtureParts> mixture_parts() const { return nullptr; }
  /// Its rejections since this was last called. They are counted beside the chains, and a run reads them between its
  /// phases.
  virtual Rejections take_rejections() const { return {}; }
};

/// Facts about a model of that kind: its layout is without `scratch`.
struct ForeignTraits : ModelFacts {
  bool own_outputs = false;  ///< false: the outputs are the position
  bool in_single = false;    ///< of a batched density: it is there in single precision, too
};

/// Throws BadInput where names do not tell quantities apart.
std::shared_ptr<const Model::Bound> bind_foreign(std::shared_ptr<const ForeignDensity> density, ForeignTraits traits);

/// The layout of a density without constraints: `parameters`, one name per dimension, or q[1], q[2], ... if there are
/// none. Names of all elements of an array become one quantity: quantities_of().
Layout unconstrained_layout(std::size_t dimension, const std::vector<std::string>& parameters);

/// Throws BadInput if values[name] of the quantity do not fill it.
void require_values(const Quantity& quantity, const Data::Variable& values);

/// Rejections, counted by several threads.
class RejectionLog {
 public:
  void evaluation(const std::string& message);
  void outputs(const std::string& message);
  Rejections take();

 private:
  void keep(const std::string& message);
  std::mutex mutex_;
  Rejections all_;
};

/// Calls foreign code. What it throws becomes SamplingFailed, with the exception nested; an Error stays as it is.
template <class Call>
auto call_foreign(const Call& call) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    std::throw_with_nested(SamplingFailed(std::string("the compiled density threw: ") + error.what()));
  } catch (...) {
    std::throw_with_nested(SamplingFailed("the compiled density threw an exception of unknown type"));
  }
}

}  // namespace manychain
