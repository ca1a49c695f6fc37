// Constrained parameters: the transform from the unconstrained scale, its log Jacobian, and the way back for adjoints.
// Transforms: Stan Reference Manual, "Constraint transforms".
#pragma once

#include "manychain/model/autodiff/expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class B>
struct Lower {
  B bound;
};
template <class B>
struct Upper {
  B bound;
};
template <class A, class B>
struct Interval {
  A low;
  B high;
};
template <class M, class S>
struct OffsetMultiplier {
  M offset;
  S multiplier;
};
struct Unconstrained {};
struct Simplex {};
struct Ordered {};
// Constraints of square matrices (model/matrices/matrix_constraints.hpp).
struct CholeskyCorr {};
struct CholeskyCov {};
struct CorrMatrix {};
struct CovMatrix {};

// Docstrings: name(arguments): what it is. Support: which x are inside. Source: where the transform is written. A bound
// is a literal, data or an expression.

/// lower(bound): a lower bound, x = bound + exp(u). Support: x > bound. Source: Stan Reference Manual, Lower bounded
/// scalar.
template <Operand B>
MANYCHAIN_HD auto lower(const B& bound) {
  return Lower<node_of<B>>{as_node(bound)};
}
/// upper(bound): an upper bound, x = bound - exp(u). Support: x < bound. Source: Stan Reference Manual, Upper bounded
/// scalar.
template <Operand B>
MANYCHAIN_HD auto upper(const B& bound) {
  return Upper<node_of<B>>{as_node(bound)};
}
/// interval(low, high): both bounds, x = low + (high - low) inv_logit(u). Support: low < x < high. Source: Stan
/// Reference Manual, Lower and upper bounded scalar.
template <Operand A, Operand B>
MANYCHAIN_HD auto interval(const A& low, const B& high) {
  return Interval<node_of<A>, node_of<B>>{as_node(low), as_node(high)};
}
/// offset_multiplier(mu, sigma): not a bound but a location and a scale, x = mu + sigma u with sigma > 0: of
/// normal(x, mu, sigma) what is sampled is then standard normal, the non-centred parameterisation, and the density is
/// evaluated from u. mu and sigma are numbers, the same for all elements: for a vector of locations, declare the
/// deviations with mu 0 and add them. Support: all x. Source: Stan Reference Manual, Affinely transformed scalar.
template <Operand M, Operand S>
MANYCHAIN_HD auto offset_multiplier(const M& mu, const S& sigma) {
  return OffsetMultiplier<node_of<M>, node_of<S>>{as_node(mu), as_node(sigma)};
}

// For each scalar constraint: the constrained value, the log Jacobian, and reverse(), which takes the adjoint of the
// constrained value, pushes what the bounds are due and returns the adjoint of the unconstrained one. The Jacobian's
// own adjoint is one. unconstrain() is the inverse of constrain(), not finite where x is not inside.
template <Real R, class B>
MANYCHAIN_HD R constrain(const Lower<B>& c, R u) {
  return c.bound.value() + exp(u);
}
template <Real R, class B>
R unconstrain(const Lower<B>& c, R x) {
  return log(x - R(c.bound.value()));
}
template <Real R, class B>
MANYCHAIN_HD R log_jacobian(const Lower<B>&, R u) {
  return u;
}
template <Real R, class B>
MANYCHAIN_HD R reverse(const Lower<B>& c, R u, R adjoint) {
  c.bound.push(adjoint, NoMask{});
  return fma(adjoint, exp(u), R(1));
}

template <Real R, class B>
MANYCHAIN_HD R constrain(const Upper<B>& c, R u) {
  return c.bound.value() - exp(u);
}
template <Real R, class B>
R unconstrain(const Upper<B>& c, R x) {
  return log(R(c.bound.value()) - x);
}
template <Real R, class B>
MANYCHAIN_HD R log_jacobian(const Upper<B>&, R u) {
  return u;
}
template <Real R, class B>
MANYCHAIN_HD R reverse(const Upper<B>& c, R u, R adjoint) {
  c.bound.push(adjoint, NoMask{});
  return fma(-adjoint, exp(u), R(1));
}

template <Real R, class A, class B>
MANYCHAIN_HD R constrain(const Interval<A, B>& c, R u) {
  const R low = R(c.low.value()), high = R(c.high.value());
  const R e = exp(-abs(u));
  const R s = over_one_plus(e, e) * (high - low);  // measured from the nearer end, where precision is needed
  return select(u < R(0), low + s, high - s);
}
template <Real R, class A, class B>
R unconstrain(const Interval<A, B>& c, R x) {
  return log((x - R(c.low.value())) / (R(c.high.value()) - x));
}
template <Real R, class A, class B>
MANYCHAIN_HD R log_jacobian(const Interval<A, B>& c, R u) {
  const R a = abs(u);
  return log(R(c.high.value()) - R(c.low.value())) - (a + R(2) * log1p(exp(-a)));
}
template <Real R, class A, class B>
MANYCHAIN_HD R reverse(const Interval<A, B>& c, R u, R adjoint) {
  const auto [s, rest] = inv_logit_pair(u);
  const R width = R(c.high.value()) - R(c.low.value());
  const R inverse = R(1) / width;
  c.low.push(fma(adjoint, rest, -inverse), NoMask{});
  c.high.push(fma(adjoint, s, inverse), NoMask{});
  return fma(adjoint * width, s * rest, rest - s);
}

/// An element with an offset and a multiplier.
template <class R>
MANYCHAIN_HD R scaled_element(R multiplier, R u, R offset) {
  const R x = fma(multiplier, u, offset);
  if constexpr (checks_bounds && is_scalar<R>)
    return R(static_cast<number_of<R>>(checks::held_element(x.v)));
  else
    return x;
}
template <Real R, class M, class S>
MANYCHAIN_HD R constrain(const OffsetMultiplier<M, S>& c, R u) {
  return scaled_element(R(c.multiplier.value()), u, R(c.offset.value()));
}
template <Real R, class M, class S>
R unconstrain(const OffsetMultiplier<M, S>& c, R x) {
  return (x - R(c.offset.value())) / R(c.multiplier.value());
}
template <Real R, class M, class S>
MANYCHAIN_HD R log_jacobian(const OffsetMultiplier<M, S>& c, R) {
  return log(R(c.multiplier.value()));
}

/// A constrained scalar. An intermediate: see Let.
template <class Constraint, class R, bool Gradient>
class ConstrainedScalar : public NoNumber<IntermediateTag, ConstrainedScalar<Constraint, R, Gradient>> {
 public:
  MANYCHAIN_HD ConstrainedScalar(const Constraint& constraint, R unconstrained, R* slot)
      : constraint_(constraint),
        u_(unconstrained),
        slot_(slot),
        value_(constrain(constraint, unconstrained)),
        adjoint_{0, 0} {
    if constexpr (checks_bounds) checks::note_made(this, sizeof(ConstrainedScalar));
  }
  MANYCHAIN_HD ~ConstrainedScalar() {
    if constexpr (Gradient) *slot_ += reverse(constraint_, u_, adjoint_[0] + adjoint_[1]);
    if constexpr (checks_bounds) checks::note_gone(this, sizeof(ConstrainedScalar));
  }
  MANYCHAIN_HD ConstrainedScalar(const ConstrainedScalar& other)
      : ConstrainedScalar(other.constraint_, other.u_, other.slot_) {
    refuse_copy<ConstrainedScalar>();
  }
  MANYCHAIN_HD ConstrainedScalar& operator=(const ConstrainedScalar&) {
    return refuse_copy<ConstrainedScalar>(), *this;
  }
  MANYCHAIN_HD auto node() const {
    if constexpr (Gradient)
      return Variable<R, 2, checks_bounds>(value_, adjoint_);
    else
      return Constant<R>(value_);
  }

 private:
  Constraint constraint_;
  R u_;
  R* slot_;
  R value_;
  mutable R adjoint_[2];
};

// For each vector constraint: how many unconstrained components a vector of n has, the smallest n that makes sense,
// forward() which fills x and returns the log Jacobian, and backward() which adds what the adjoints and the Jacobian
// give to the unconstrained gradient. unconstrain() fills u from x; a component is not finite where x is not inside.
// violation() says what is wrong with an x that unconstrain() takes for another one, or gives null.
MANYCHAIN_HD int unconstrained_size(const Simplex&, int n) { return n - 1; }
MANYCHAIN_HD int unconstrained_size(const CholeskyCorr&, int n) { return n * (n - 1) / 2; }
MANYCHAIN_HD int unconstrained_size(const CholeskyCov&, int n) { return n * (n + 1) / 2; }
MANYCHAIN_HD int unconstrained_size(const CorrMatrix&, int n) { return n * (n - 1) / 2; }
MANYCHAIN_HD int unconstrained_size(const CovMatrix&, int n) { return n * (n + 1) / 2; }
template <class C>
MANYCHAIN_HD int unconstrained_size(const C&, int n) {
  return n;
}
/// True if element (i, j) of such a matrix is a constant, whatever the unconstrained numbers: it is recorded with the
/// others, and no R-hat is asked of it.
inline bool is_fixed_element(const CholeskyCorr&, int i, int j) { return j > i || i + j == 0; }
inline bool is_fixed_element(const CholeskyCov&, int i, int j) { return j > i; }
inline bool is_fixed_element(const CorrMatrix&, int i, int j) { return i == j; }
inline bool is_fixed_element(const CovMatrix&, int, int) { return false; }
constexpr int smallest_size(const Simplex&) { return 1; }
template <class C>
constexpr int smallest_size(const C&) {
  return 0;
}
inline const char* violation(const Simplex&, int n, const double* x) {
  double sum = -1;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum < 1e-6 && sum > -1e-6 ? nullptr : "its elements must add up to 1";
}
template <class C>
const char* violation(const C&, int, const double*) {
  return nullptr;
}

template <class R, class N, class C, class U, class X>
MANYCHAIN_HD R forward(const C& c, N n, const U& u, X& x) {
  R jacobian = R(0);
  for_each(n, [&](int i) {
    x[i] = constrain(c, u[i]);
    jacobian += log_jacobian(c, u[i]);
  });
  return jacobian;
}
template <class R, class N, class C, class U, class X, class A, class G>
MANYCHAIN_HD void backward(const C& c, N n, const U& u, const X&, const A& adjoint, G& g) {
  for_each(n, [&](int i) { g[i] += reverse(c, u[i], adjoint[i]); });
}

template <class R, class C, class X, class U>
void unconstrain(const C& c, int n, const X& x, U& u) {
  for (int i = 0; i < n; ++i) u[i] = unconstrain(c, R(number_of<R>(x[i])));
}

/// One logarithm for all elements. Parameters with offset and multiplier have classes of their own, which pass adjoints
/// back (model/autodiff/own_scale.hpp, model/matrices/intermediate_vectors.hpp): there is no reverse() and no
/// backward().
template <class R, class N, class M, class S, class U, class X>
MANYCHAIN_HD R forward(const OffsetMultiplier<M, S>& c, N n, const U& u, X& x) {
  const R mu = R(c.offset.value()), sigma = R(c.multiplier.value());
  for_each(n, [&](int i) { x[i] = fma(sigma, u[i], mu); });
  return R(n.value()) * log(sigma);
}

// ordered(name, n) of a target: x_0 = u_0, x_i = x_{i-1} + exp(u_i). Support: increasing vectors. Source: Stan
// Reference Manual, Ordered vector.
template <class R, class N, class U, class X>
MANYCHAIN_HD R forward(const Ordered&, N n, const U& u, X& x) {
  R jacobian = R(0), last = R(0);
  for_each(n, [&](int i) {
    if (i == 0) {
      last = u[i];
    } else {
      last += exp(u[i]);
      jacobian += u[i];
    }
    x[i] = last;
  });
  return jacobian;
}
template <class R, class N, class U, class X, class A, class G>
MANYCHAIN_HD void backward(const Ordered&, N n, const U& u, const X&, const A& adjoint, G& g) {
  R suffix = R(0);
  for_each(n, [&](int k) {
    const int i = n.value() - 1 - k;
    suffix += adjoint[i];
    g[i] += i == 0 ? suffix : fma(suffix, exp(u[i]), R(1));
  });
}

template <class R, class X, class U>
void unconstrain(const Ordered&, int n, const X& x, U& u) {
  for (int i = 0; i < n; ++i) u[i] = i == 0 ? R(number_of<R>(x[0])) : log(R(number_of<R>(x[i] - x[i - 1])));
}

// simplex(name, n) of a target: stick breaking, z_i = inv_logit(u_i - log(n - 1 - i)) of the rest of the stick, with
// one component fewer. Support: positive vectors with sum one. Source: Stan Reference Manual, Unit simplex (stick
// breaking).
template <class R>
MANYCHAIN_HD R stick_logit(R u, int remaining) {
  return u - log(R(remaining));
}
template <class R, class N, class U, class X>
MANYCHAIN_HD R forward(const Simplex&, N n, const U& u, X& x) {
  R jacobian = R(0), rest = R(1);
  for_each(n, [&](int i) {
    const int remaining = n.value() - 1 - i;
    if (remaining == 0) {
      x[i] = rest;
      return;
    }
    const R y = stick_logit(u[i], remaining);
    const R tail = log1p(exp(-abs(y)));
    jacobian += (min(y, R(0)) - tail) - R(remaining) * (max(y, R(0)) + tail);
    const auto [z, complement] = inv_logit_pair(y);
    x[i] = rest * z;
    rest *= complement;
  });
  return jacobian;
}
template <class R, class N, class U, class X, class A, class G>
MANYCHAIN_HD void backward(const Simplex&, N n, const U& u, const X& x, const A& adjoint, G& g) {
  R rest = R(0), rest_adjoint = R(0);
  for_each(n, [&](int k) {
    const int i = n.value() - 1 - k;
    rest += x[i];  // the stick before piece i was taken
    if (k == 0) {
      rest_adjoint = adjoint[i];
      return;
    }
    const R y = stick_logit(u[i], k);
    const auto [z, complement] = inv_logit_pair(y);
    g[i] += fma(rest * z * complement, adjoint[i] - rest_adjoint, complement - R(k) * z);
    rest_adjoint = fma(adjoint[i], z, rest_adjoint * complement);
  });
}
/// The rest of the stick is summed from its end, where the small pieces may be.
template <class R, class X, class U>
void unconstrain(const Simplex&, int n, const X& x, U& u) {
  R rest = R(number_of<R>(x[n - 1]));
  for (int i = n - 1; i-- > 0;) {
    const R piece = R(number_of<R>(x[i]));
    u[i] = log(piece / rest) + log(R(n - 1 - i));
    rest += piece;
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
