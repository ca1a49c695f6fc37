// The target that learns what a model consists of: names, shapes, sizes. On the host, before anything runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/model/distributions/visitors.hpp"
#include "manychain/model/language/evaluate.hpp"
#include "manychain/model/language/layout_checks.hpp"
#include "manychain/model/language/named_matrices.hpp"
#include "manychain/model/language/named_vectors.hpp"

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
  explicit LayoutTarget(const Data& given) : given_(&given) {}
  virtual ~LayoutTarget() = default;
  LayoutTarget(const LayoutTarget&) = delete;
  LayoutTarget& operator=(const LayoutTarget&) = delete;

  auto real(const char* name) {
    declare(name, {}, 1);
    const double* const x = given(name, 1, true);
    return Constant<R>(x ? start(name, R(Number(*x))) : R(0));
  }
  template <class C>
  auto real(const char* name, const C& constraint) {
    declare(name, {}, 1);
    const double* const x = given(name, 1, true);
    const R u = x ? start(name, unconstrain(constraint, R(Number(*x)))) : R(0);
    return ConstrainedScalar<C, R, false>(constraint, u, nullptr);
  }
  template <class N>
  auto vector(const char* name, N n) {
    detail::check_size(name, as_size(n).value(), 0);
    declare(name, {extent(n)}, as_size(n).value());
    const auto x = named(name, n, 0);
    start_values(name);
    return x;
  }
  template <class N, class C>
  auto vector(const char* name, N n, const C& constraint) {
    detail::check_size(name, as_size(n).value(), smallest_size(constraint));
    const int size = as_size(n).value(), components = unconstrained_size(constraint, size);
    declare(name, {extent(n)}, components);
    if (components == 0) mark_constants([](std::size_t) { return true; });  // a simplex of one element
    work_for(as_size(n));
    const auto x = named(name, n, 0);
    std::vector<R> u(extent(n), R(0));
    if (const double* const values = given(name, extent(n), false)) {
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
    detail::check_shape(name, as_size(rows).value(), as_size(columns).value());
    vector(name, multiply_sizes(as_size(rows), as_size(columns)));
    return shaped(name, rows, columns);
  }
  template <class Rows, class Columns, class C>
  auto matrix(const char* name, Rows rows, Columns columns, const C& constraint) {
    detail::check_shape(name, as_size(rows).value(), as_size(columns).value());
    vector(name, multiply_sizes(as_size(rows), as_size(columns)), constraint);
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
    detail::check_size(name, n.value(), 1);
    detail::check_shape(name, n.value(), n.value());
    const int components = unconstrained_size(constraint, n.value());
    declare(name, {extent(n), extent(n)}, components);
    mark_constants([&](std::size_t i) {
      return is_fixed_element(constraint, static_cast<int>(i) / n.value(), static_cast<int>(i) % n.value());
    });
    work_for(detail::factor_size(n));
    if (detail::is_product_matrix<C>) work_for(detail::triangle_size(n));
    std::vector<R> u(static_cast<std::size_t>(components), R(0));
    if (const Data::Variable* const found = given_ ? given_->find(name) : nullptr) {
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
    if (problem.method.adaptive) layout_.scratch += extent(n);  // the length of a step for each interval
    return path(problem.method.name, n, problem.first,
                [problem](std::vector<R>& values) { problem.template solve<R>(values, [](int, R) {}); });
  }
  template <class N>
  auto integers(const char* name, N n, int low, int high) {
    detail::check_size(name, as_size(n).value(), 0);
    detail::check_range(name, low, high);
    declare(name, {extent(n)}, as_size(n).value());
    mark_integers(extent(n), low, high);
    const auto x = named(name, n, low);
    start_integers(name, low, high);
    return x;
  }
  template <class N>
  auto latent_integers(const char* name, N n, int low, int high) {
    detail::check_size(name, as_size(n).value(), 0);
    detail::check_range(name, low, high);
    latent_.emplace_back(name);
    components(name, true, as_size(n).value());
    mark_integers(extent(n), low, high);
    const auto x = named(name, n, low);
    start_integers(name, low, high);
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
    count_terms(extent(each.size));
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
    layout_.observed.push_back({name, extent(n)});
    sum_over(n, body);
  }
  template <VectorDensity D>
  void observe(const char* name, const D& of_rows) {
    const auto each = detail::by_rows(of_rows);
    layout_.observed.push_back({name, extent(each.size)});
    count_terms(extent(each.size));
  }
  /// Also a vector, which Target refuses in a sentence.
  template <class E>
  requires(Operand<E> || ModelVector<E>) void observe(const char* name, const E&) {
    layout_.observed.push_back({name, 1, true});
  }
  /// The states may be kept.
  template <class N, class First, class Step, class Body>
  void observe(const char* name, N n, const First& first, const Step&, const Body&) {
    layout_.observed.push_back({name, extent(n)});
    work_for(detail::scan_size(as_size(n), first));
  }
  template <class N, class Body>
  void sum_over(N n, const Body&) {
    count_terms(extent(n));
  }
  template <Operand E>
  void derived(const char* name, const E&) {
    derived_.push_back({name, {}, 0, true});
  }
  template <ModelVector V>
  void derived(const char* name, const V& vector) {
    derived_.push_back({name, {extent(vector.size())}, 0, true});
  }
  template <ModelMatrix M>
  void derived(const char* name, const M& matrix) {
    derived_.push_back({name, {extent(matrix.rows()), extent(matrix.columns())}, 0, true});
  }
  template <class N, class Body>
  void derived(const char* name, N n, const Body&) {
    derived_.push_back({name, {extent(n)}, 0, true});
  }

  template <class Distribution>
  void predict(const char* name, const Distribution& distribution) {
    derived_.push_back({name, detail::prediction_shape<R>(distribution, layout_.scratch), 0, true, true});
  }
  template <class N, class Body>
  void predict(const char* name, N n, const Body& body) {
    derived_.push_back({name, detail::predictions_shape<R>(extent(n), body, layout_.scratch), 0, true, true});
  }

  virtual void made(const char*, const std::function<void()>&) {}  // an intermediate, for who evaluates all
  /// Throws BadInput where names do not tell quantities apart.
  Layout finish() {
    layout_.integer.resize(layout_.dimension, false);
    layout_.lowest.resize(layout_.dimension);
    layout_.highest.resize(layout_.dimension);
    start_.resize(layout_.dimension, R(0));
    was_given_.resize(layout_.dimension, false);
    for (const Quantity& quantity : derived_) {
      layout_.quantities.push_back(quantity);
      layout_.quantities.back().offset = layout_.outputs;
      layout_.outputs += quantity.size();
    }
    if (!layout_.constant.empty()) layout_.constant.resize(layout_.outputs, false);
    check_names(layout_, latent_);
    return layout_;
  }
  /// After finish(): a state, on the unconstrained scale, that has those values.
  const std::vector<R>& start() const { return start_; }
  /// After finish(), one per dimension: whether its value was given.
  const std::vector<bool>& was_given() const { return was_given_; }

 private:
  /// Adds the working memory of a vector intermediate: values and adjoints.
  template <class N>
  void work_for(N n) {
    if (!is_unrolled<N>) layout_.scratch += 2 * extent(n);
  }
  template <class N, class First, class Fill>
  auto path(const char* name, N n, const First& first, const Fill& fill) {
    return LazyPath<R, N, First, Fill>(name, n, first, fill, values_.emplace_back());
  }
  /// The vector that was declared last is a matrix.
  template <class Rows, class Columns>
  auto shaped(const char* name, Rows rows, Columns columns) {
    layout_.quantities.back().shape = {extent(rows), extent(columns)};
    return NamedMatrix<R, decltype(as_size(columns))>(name, values_.back().data(), as_size(rows).value(),
                                                      as_size(columns));
  }
  void count_terms(std::size_t n) {
    if (n > register_components) layout_.terms += n;
  }
  /// The given value of a parameter with `size` elements; null if there is none.
  const double* given(const char* name, std::size_t size, bool scalar) {
    const Data::Variable* const found = given_ ? given_->find(name) : nullptr;
    if (!found) return nullptr;
    if (found->values.size() != size || (!scalar && found->shape.empty()))
      throw BadInput(
          "initial value of " + std::string(name) + ": " +
          (scalar ? std::string("one number is needed") : "a vector of " + std::to_string(size) + " is needed") +
          ", found " + std::to_string(found->values.size()));
    return found->values.data();
  }
  /// The next component of the state.
  R start(const char* name, R u) {
    if (!(u.v - u.v == 0))
      throw BadInput("initial value of " + std::string(name) +
                     ": it must lie inside of its constraint, not on its edge");
    start_.push_back(u);
    was_given_.push_back(true);
    return u;
  }
  /// The starting values of the vector that was named last, without a transform.
  void start_values(const char* name) {
    if (const double* const x = given(name, values_.back().size(), false))
      for (std::size_t i = 0; i < values_.back().size(); ++i) values_.back()[i] = start(name, R(Number(x[i])));
  }
  void start_integers(const char* name, int low, int high) {
    start_.resize(layout_.dimension - values_.back().size(), R(0));
    was_given_.resize(start_.size(), false);
    if (const double* const x = given(name, values_.back().size(), false)) {
      for (std::size_t i = 0; i < values_.back().size(); ++i)
        if (!(x[i] >= low && x[i] <= high && x[i] == std::floor(x[i])))
          throw BadInput("initial value of " + std::string(name) + ": whole numbers from " + std::to_string(low) +
                         " to " + std::to_string(high) + " are needed");
      start_values(name);
    } else {
      start_.resize(layout_.dimension, R(low));
      was_given_.resize(layout_.dimension, false);
    }
  }
  /// Elements of the parameter that was declared last to which its constraint leaves one value.
  template <class Fixed>
  void mark_constants(const Fixed& fixed) {
    const Quantity& last = layout_.quantities.back();
    for (std::size_t i = 0; i < last.size(); ++i) {
      if (!fixed(i)) continue;
      layout_.constant.resize(last.offset + i, false);
      layout_.constant.push_back(true);
    }
  }
  /// The last `count` components that were declared.
  void mark_integers(std::size_t count, int low, int high) {
    layout_.integers += count;
    layout_.integer.resize(layout_.dimension - count, false);
    layout_.integer.resize(layout_.dimension, true);
    layout_.lowest.resize(layout_.dimension - count);
    layout_.lowest.resize(layout_.dimension, low);
    layout_.highest.resize(layout_.dimension - count);
    layout_.highest.resize(layout_.dimension, high);
  }
  template <class N>
  auto named(const char* name, N n, int value) {
    const std::vector<R>& values = values_.emplace_back(extent(n), R(value));
    return NamedVector<R, decltype(as_size(n))>(name, values.data(), as_size(n));
  }
  template <class N>
  static std::size_t extent(N n) {
    return detail::counted(as_size(n).value());
  }
  void declare(const char* name, std::vector<std::size_t> shape, int unconstrained) {
    layout_.quantities.push_back({name, std::move(shape), layout_.outputs, false});
    layout_.outputs += layout_.quantities.back().size();
    components(name, !layout_.quantities.back().shape.empty(), unconstrained);
  }
  void components(const char* name, bool indexed, int count) {
    start_.resize(layout_.dimension, R(0));
    was_given_.resize(layout_.dimension, false);
    layout_.dimension += static_cast<std::size_t>(count);
    detail::check_dimension(name, layout_.dimension);
    for (int i = 0; i < count; ++i)
      layout_.unconstrained_names.push_back(indexed ? std::string(name) + "[" + std::to_string(i + 1) + "]"
                                                    : std::string(name));
  }

  Layout layout_;
  std::vector<Quantity> derived_;
  std::vector<std::string> latent_;
  std::deque<std::vector<R>> values_;  // of vectors; where they lie, vectors point to
  std::vector<R> start_;
  std::vector<bool> was_given_;
  const Data* given_ = nullptr;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
