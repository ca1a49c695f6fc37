// The target that learns what a model consists of: names, shapes, sizes. On the host, before anything runs.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/model/data/layout_builder.hpp"
#include "manychain/model/data/layout_checks.hpp"
#include "manychain/model/distributions/visitors.hpp"
#include "manychain/model/language/evaluate.hpp"
#include "manychain/model/language/named_matrices.hpp"
#include "manychain/model/language/named_vectors.hpp"
#include "manychain/model/language/prediction_shapes.hpp"
#include "manychain/model/matrices/row_constraints.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Speaks the language of Target and evaluates no density. Parameters have the values that are given; else the value
/// that 0 has on the unconstrained scale, and integers their smallest one.
template <class Number>
class LayoutTarget : public MatrixStatements<LayoutTarget<Number>>, public OdeFunctions<LayoutTarget<Number>> {
 public:
  using R = Scalar<Number>;
  using real_type = R;
  static constexpr bool outputs = false;

  LayoutTarget() = default;
  /// Parameters named in `given`, which must outlive this, have its values, on their constrained scale; their
  /// constraints are inverted. Values by name become starting points so (set_initial_points()).
  explicit LayoutTarget(const Data& given) : builder_(given) {}
  virtual ~LayoutTarget() = default;
  LayoutTarget(const LayoutTarget&) = delete;
  LayoutTarget& operator=(const LayoutTarget&) = delete;

  auto real(const char* name) {
    builder_.declare(name, {}, 1);
    const double* const x = builder_.given(name, 1, true);
    return Constant<R>(R(Number(x ? builder_.start(name, *x) : 0)));
  }
  template <class C>
  auto real(const char* name, const C& constraint) {
    builder_.declare(name, {}, 1);
    const double* const x = builder_.given(name, 1, true);
    const R u = x ? unconstrain(constraint, R(Number(*x))) : R(0);
    if (x) start(name, u);
    return ConstrainedScalar<C, R, false>(constraint, u, nullptr);
  }
  template <class N>
  auto vector(const char* name, N n) {
    checks::require_vector_size(name, as_size(n).value(), 0);
    builder_.declare(name, {extent(n)}, as_size(n).value());
    const auto x = named(name, n, 0);
    take(builder_.start_values(name, extent(n)));
    return x;
  }
  template <class N, class C>
  auto vector(const char* name, N n, const C& constraint) {
    checks::require_vector_size(name, as_size(n).value(), smallest_size(constraint));
    const int size = as_size(n).value(), components = unconstrained_size(constraint, size);
    builder_.declare(name, {extent(n)}, components);
    for (std::size_t i = 0; components == 0 && i < extent(n); ++i)
      builder_.mark_constant(i);  // a simplex of one element
    work_for(as_size(n));
    const auto x = named(name, n, 0);
    std::vector<R> u(extent(n), R(0));
    if (const double* const values = builder_.given(name, extent(n), false)) {
      unconstrain<R>(constraint, size, values, u);
      if (const char* const wrong = violation(constraint, size, values))
        throw BadInput("initial value of " + std::string(name) + ": " + wrong);
      for (int i = 0; i < components; ++i) start(name, u[static_cast<std::size_t>(i)]);
    }
    forward<R>(constraint, Size<dynamic>(size), u, values_.back());
    return x;
  }
  template <class Rows, class Columns>
  auto matrix(const char* name, Rows rows, Columns columns) {
    checks::require_matrix_shape(name, as_size(rows).value(), as_size(columns).value());
    vector(name, multiply_sizes(as_size(rows), as_size(columns)));
    return shaped(name, rows, columns);
  }
  template <class Rows, class Columns, class C>
  auto matrix(const char* name, Rows rows, Columns columns, const C& constraint) {
    checks::require_matrix_shape(name, as_size(rows).value(), as_size(columns).value());
    checks::require_columns(name, as_size(columns).value(), smallest_size(constraint));
    vector(name, multiply_sizes(as_size(rows), as_size(columns)),
           detail::constraint_of_elements(constraint, as_size(columns)));
    return shaped(name, rows, columns);
  }
  template <Expression E>
  Let<E> let(const E& expression) {
    return Let<E>(expression);
  }
  /// Working memory for its elements; they are computed where one is asked for.
  template <ModelVector V>
  auto let(const V& expression) {
    work_for(expression.size());
    return expression.view();
  }
  template <ModelMatrix M>
  auto let(const M& expression) {
    let(detail::flat_matrix(expression));
    return detail::hold_matrix(expression);
  }
  /// An intermediate of `size` numbers, which fill(Strided) computes.
  template <class N, class Fill>
  auto intermediate(const char* what, N size, const Fill& fill) {
    work_for(size);
    const LazyVector<R, N, Fill> lazy(what, size, fill, values_.emplace_back());
    made(what, [&] { lazy.evaluate(); });
    return lazy;
  }
  template <class N, class C>
  auto square_matrix(const char* name, N n, const C& constraint) {
    checks::require_vector_size(name, n.value(), 1);
    checks::require_matrix_shape(name, n.value(), n.value());
    const int components = unconstrained_size(constraint, n.value());
    builder_.declare(name, {extent(n), extent(n)}, components);
    for (int i = 0; i < n.value(); ++i)
      for (int j = 0; j < n.value(); ++j)
        if (is_fixed_element(constraint, i, j)) builder_.mark_constant(static_cast<std::size_t>(i * n.value() + j));
    work_for(detail::factor_size(n));
    if (detail::is_product_matrix<C>) work_for(detail::triangle_size(n));
    std::vector<R> u(static_cast<std::size_t>(components), R(0));
    if (const Data::Variable* const found = builder_.find_given(name)) {
      detail::read_square_matrix(name, n.value(), *found, constraint, u);
      for (const R& x : u) start(name, x);
    }
    return detail::named_square_matrix(name, n, constraint, u, values_.emplace_back());
  }
  template <class N, class First, class Step>
  auto scan(N n, const First& first, const Step& step) {
    work_for(detail::scan_size(as_size(n), first));
    const auto held = detail::hold_state(first);
    return path("scan()", as_size(n), held, [size = as_size(n), held, step](std::vector<R>& values) {
      detail::scan_forward<R>(size, held, step, values);
    });
  }
  template <class Problem>
  auto ode(const Problem& problem) {
    const Size<dynamic> n(problem.count());
    work_for(Size<dynamic>(n.value() * Problem::states));
    if (problem.method.adaptive) builder_.scratch() += extent(n);  // the length of a step for each interval
    return path(problem.method.name, n, problem.first,
                [problem](std::vector<R>& values) { problem.template solve<R>(values, [](int, R) {}); });
  }
  template <class N>
  auto integers(const char* name, N n, int low, int high) {
    checks::require_vector_size(name, as_size(n).value(), 0);
    checks::require_integer_range(name, low, high);
    builder_.declare(name, {extent(n)}, as_size(n).value());
    builder_.mark_integers(extent(n), low, high);
    const auto x = named(name, n, low);
    take(builder_.start_integers(name, extent(n), low, high));
    return x;
  }
  template <class N>
  auto latent_integers(const char* name, N n, int low, int high) {
    checks::require_vector_size(name, as_size(n).value(), 0);
    checks::require_integer_range(name, low, high);
    builder_.declare_latent(name, as_size(n).value());
    builder_.mark_integers(extent(n), low, high);
    const auto x = named(name, n, low);
    take(builder_.start_integers(name, extent(n), low, high));
    return x;
  }
  template <class N>
  auto simplex(const char* name, N n) {
    return vector(name, n, Simplex{});
  }
  template <class N>
  auto ordered(const char* name, N n) {
    return vector(name, n, Ordered{});
  }

  template <class E>
  LayoutTarget& operator+=(const E&) {
    return *this;
  }
  template <class N, class Term>
  LayoutTarget& operator+=(const EachElement<N, Term>& each) {
    detail::refuse_mixture<Term>();
    builder_.add_terms(extent(each.size));
    return *this;
  }
  template <class A, class B>
  LayoutTarget& operator+=(const DensitySum<A, B>& sum) {
    return *this += sum.first, *this += sum.second;
  }
  template <CompoundTerm T>
  LayoutTarget& operator+=(const T& term) {
    term.add_to(*this);
    return *this;
  }
  template <CompoundTerm T>
  void observe(const char*, const T& term) {
    *this += term;
  }
  template <class N, class Body>
  void observe(const char* name, N n, const Body& body) {
    builder_.observe(name, extent(n));
    sum_over(n, body);
  }
  template <VectorDensity D>
  void observe(const char* name, const D& of_rows) {
    const auto each = detail::by_rows(of_rows);
    builder_.observe(name, extent(each.size));
    builder_.add_terms(extent(each.size));
  }
  /// Also a vector, which Target refuses in a sentence.
  template <class E>
  requires(Operand<E> || ModelVector<E>) void observe(const char* name, const E&) { builder_.observe(name, 1, true); }
  /// The states may be kept.
  template <class N, class First, class Step, class Body>
  void observe(const char* name, N n, const First& first, const Step&, const Body&) {
    builder_.observe(name, extent(n));
    work_for(detail::scan_size(as_size(n), first));
  }
  template <class N, class Body>
  void sum_over(N n, const Body&) {
    builder_.add_terms(extent(n));
  }
  template <Operand E>
  void derived(const char* name, const E&) {
    builder_.derive(name, {});
  }
  template <ModelVector V>
  void derived(const char* name, const V& vector) {
    builder_.derive(name, {extent(vector.size())});
  }
  template <ModelMatrix M>
  void derived(const char* name, const M& matrix) {
    builder_.derive(name, {extent(matrix.rows()), extent(matrix.columns())});
  }
  template <class N, class Body>
  void derived(const char* name, N n, const Body&) {
    builder_.derive(name, {extent(n)});
  }

  template <class Distribution>
  void predict(const char* name, const Distribution& distribution) {
    builder_.derive(name, detail::prediction_shape<R>(distribution, builder_.scratch()), true);
  }
  template <class N, class Body>
  void predict(const char* name, N n, const Body& body) {
    builder_.derive(name, detail::predictions_shape<R>(extent(n), body, builder_.scratch()), true);
  }

  virtual void made(const char*, const std::function<void()>&) {}  // an intermediate, for who evaluates all
  /// Throws BadInput where names do not tell quantities apart.
  Layout finish() { return builder_.finish(); }
  /// After finish(): a state, on the unconstrained scale, that has those values.
  const std::vector<double>& start() const { return builder_.start(); }
  /// After finish(), one per dimension: whether its value was given.
  const std::vector<bool>& was_given() const { return builder_.was_given(); }

 private:
  /// Adds the working memory of a vector intermediate: values and adjoints.
  template <class N>
  void work_for(N n) {
    if (!is_unrolled<N>) builder_.scratch() += 2 * extent(n);
  }
  template <class N, class First, class Fill>
  auto path(const char* name, N n, const First& first, const Fill& fill) {
    return LazyPath<R, N, First, Fill>(name, n, first, fill, values_.emplace_back());
  }
  /// The vector that was declared last is a matrix.
  template <class Rows, class Columns>
  auto shaped(const char* name, Rows rows, Columns columns) {
    builder_.reshape(extent(rows), extent(columns));
    return NamedMatrix<R, decltype(as_size(columns))>(name, values_.back().data(), as_size(rows).value(),
                                                      as_size(columns));
  }
  void start(const char* name, const R& component) { builder_.start(name, static_cast<double>(component.v)); }
  /// The vector that was named last has these values, if there are any.
  void take(const double* values) {
    for (std::size_t i = 0; values && i < values_.back().size(); ++i) values_.back()[i] = R(Number(values[i]));
  }
  template <class N>
  auto named(const char* name, N n, int value) {
    const std::vector<R>& values = values_.emplace_back(extent(n), R(value));
    return NamedVector<R, decltype(as_size(n))>(name, values.data(), as_size(n));
  }
  template <class N>
  static std::size_t extent(N n) {
    return checks::counted(as_size(n).value());
  }

  LayoutBuilder builder_;
  std::deque<std::vector<R>> values_;  // of vectors; where they lie, vectors point to
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
