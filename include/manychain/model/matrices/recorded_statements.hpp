// The values that a model records beside its parameters: derived quantities and predictions.
#pragma once

#include "manychain/model/matrices/matrix_expression.hpp"
#include "manychain/model/matrices/predictions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Base of Target. `records`: an evaluation of outputs; in any other these are nothing.
template <class Self, class R, bool records>
class RecordedStatements {
 public:
  /// A scalar computed from the parameters, recorded beside them.
  template <Operand E>
  MANYCHAIN_HD void derived(const char*, const E& expression) {
    if constexpr (records) self().record(R(as_node(expression).value()));
  }
  template <ModelVector V>
  MANYCHAIN_HD void derived(const char* name, const V& vector) {
    derived(name, vector.size(), [&](int j) { return vector[j]; });
  }
  /// A matrix computed from the parameters, with its shape: row by row.
  template <ModelMatrix M>
  MANYCHAIN_HD void derived(const char* name, const M& matrix) {
    if constexpr (records) {
      // As vectors, whose size may be fixed: a loop over an index would take elements out of registers.
      if constexpr (requires { matrix.elements(); })
        derived(name, matrix.elements());
      else if constexpr (requires { std::remove_cvref_t<M>::lower_triangular; })  // square
        for_each(matrix.columns(), [&](int i) { derived(name, matrix[i]); });
      else
        for (int i = 0; i < matrix.rows(); ++i) derived(name, matrix[i]);
    }
  }
  /// A vector computed from the parameters: body(j) is element j.
  template <class N, class Body>
  MANYCHAIN_HD void derived(const char*, N n, const Body& body) {
    if constexpr (records) for_each(as_size(n), [&](int j) { self().record(R(as_node(body(j)).value())); });
  }

  /// A posterior predictive draw: one from a distribution (model/distributions/sampled_distributions.hpp) with these
  /// parameters, recorded beside them.
  template <class Distribution>
  MANYCHAIN_HD void predict(const char*, const Distribution& distribution) {
    if constexpr (records)
      detail::draw_prediction(distribution, self().variates(), self().arena(), [&](R x) { self().record(x); });
  }
  /// Several of them: body(j) is the distribution of element j, or of row j.
  template <class N, class Body>
  MANYCHAIN_HD void predict(const char* name, N n, const Body& body) {
    if constexpr (records) for_each(as_size(n), [&](int j) { predict(name, body(j)); });
  }

 private:
  MANYCHAIN_HD Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
