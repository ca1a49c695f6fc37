// In lanes: the chain program of a sampler with the density of any model. A source instantiates it for each of
// DensitySamplers.
#pragma once

#include <memory>
#include <utility>

#include "manychain/chain/cpu_program.hpp"
#include "manychain/chain/density_programs.hpp"
#include "manychain/random/philox_pack.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Stands for a model in a chain program, and calls the functions of its density.
template <class R>
struct CalledModel {
  const PackDensity<R>* density;
};

// Overloads of the functions that a chain program calls (model/language/evaluate.hpp).
template <Request request, class R>
Compensated<R> evaluate(const CalledModel<R>& model, Size<dynamic> n, const Vector<R, Size<dynamic>>& q,
                        Vector<R, Size<dynamic>>& gradient, const Arena<R>& arena) {
  static_assert(request != Request::value);
  if constexpr (request == Request::value_and_gradient) {
    return model.density->value_and_gradient(n.value(), q, gradient, arena);
  } else {
    model.density->gradient(n.value(), q, gradient, arena);
    return Compensated<R>();
  }
}
template <class R>
void settle(const CalledModel<R>& model, const Vector<R, Size<dynamic>>& spread, Vector<R, Size<dynamic>>& q,
            const Arena<R>& arena) {
  model.density->settle(spread, q, arena);
}
template <class R>
void evaluate_outputs(const CalledModel<R>& model, const Vector<R, Size<dynamic>>& q, const Arena<R>& arena,
                      int first_derived, const typename PackDensity<R>::Sink& sink, const Stream<R>& stream) {
  Variates<R> variates(stream);
  model.density->outputs(q, arena, first_derived, sink, variates);
}

template <class R>
struct DensityHost {
  std::shared_ptr<const PackDensity<R>> density;
  CalledModel<R> model;
  explicit DensityHost(const std::shared_ptr<const PackDensity<R>>& d) : density(d), model{d.get()} {}
};

template <class Sampler, class R>
std::unique_ptr<Program<number_of<R>>> density_program(std::unique_ptr<const PackDensity<R>> density,
                                                       const Layout& layout) {
  const std::shared_ptr<const PackDensity<R>> shared(std::move(density));
  return std::make_unique<CpuProgram<CalledModel<R>, Sampler, R, DensityHost<R>>>(shared, layout);
}

#define MANYCHAIN_DENSITY_PROGRAM(Sampler, Number)                                    \
  template std::unique_ptr<Program<Number>> density_program<Sampler, Pack<Number>>(   \
      std::unique_ptr<const PackDensity<Pack<Number>>>, const Layout&);               \
  template std::unique_ptr<Program<Number>> density_program<Sampler, Scalar<Number>>( \
      std::unique_ptr<const PackDensity<Scalar<Number>>>, const Layout&);

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
