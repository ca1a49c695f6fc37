// A model term by term (chain/model_terms.hpp): a target that tracks the current term. For the checking unit of a
// model, as it instantiates the model once more, in extended precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manychain/chain/declared_bounds.hpp"
#include "manychain/chain/model_terms.hpp"
#include "manychain/chain/solver_terms.hpp"
#include "manychain/chain/term_places.hpp"
#include "manychain/chain/terms_by_hand.hpp"
#include "manychain/model/data/checks.hpp"
#include "manychain/model/data/mixture_choice.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/variants.hpp"

namespace manychain {

namespace checks {
[[noreturn]] void throw_other_parameters();  // BadInput: of a step of a recurrence
[[noreturn]] void throw_interval(const char* parameter, double low, double high);  // BadInput
}  // namespace checks

/// The number type of a model that is checked. No chain uses it, so that code instantiated for checks cannot be taken
/// for that of chains.
using CheckedNumber = long double;

inline namespace MANYCHAIN_ISA {

/// The task of one evaluation of a TermTarget.
struct TermRequest {
  std::size_t first = 0, last = 0;                       ///< terms whose adjoints are passed on
  std::vector<long double>* values = nullptr;            ///< or null
  TermPlaces* places = nullptr;                          ///< or null
  std::vector<ConstraintJacobian>* jacobians = nullptr;  ///< or null
  const std::vector<std::string>* components = nullptr;  ///< names of all components, where jacobians are wanted
  /// Null, or notes the place of each term and checks steps of recurrences and bounds that depend on no parameter.
  checks::Pass* pass = nullptr;
  bool unobserved = false;                         ///< terms of observe() are skipped
  checks::ScaleNotes* scales = nullptr;            ///< or null: told where observe() begins and ends
  std::vector<std::string>* observed = nullptr;    ///< or null: names of all observe()
  double tighten = 1;                              ///< as SolverTerms::tighten() has it
  std::vector<AdaptiveSolver>* solvers = nullptr;  ///< or null
  std::vector<ScaledParameter>* scaled = nullptr;  ///< or null
  TermsByHand* by_hand = nullptr;  ///< or null: chooses whose adjoints are passed on, in the place of first and last
  checks::Mixtures* mixtures = nullptr;    ///< or null: told where a term ends
  std::size_t pushed = ModelTerms::none;   ///< scaled parameter: the adjoint of its log multiplier is one
  std::size_t rounded = ModelTerms::none;  ///< scaled parameter whose elements are rounded
};

namespace detail {
inline DormandPrince45 tightened(DormandPrince45 method, double factor) {
  constexpr double smallest = 1e-13;
  constexpr int most_steps = 1'000'000;
  method.relative = std::max(method.relative * factor, std::min(method.relative, smallest));
  method.absolute *= factor * factor;  // states may come close to zero, and logarithms of them count
  if (factor < 1) method.max_steps = 20 * std::min(method.max_steps, most_steps);
  return method;
}
inline RungeKutta4 tightened(RungeKutta4 method, double) { return method; }
}  // namespace detail

template <class R>
class TermTarget : public Target<R, Strided<R>, Strided<R>, Request::value_and_gradient>,
                   public OdeFunctions<TermTarget<R>> {
  using Base = Target<R, Strided<R>, Strided<R>, Request::value_and_gradient>;

 public:
  using OdeFunctions<TermTarget>::ode_rk4;
  using OdeFunctions<TermTarget>::ode_rk45;
  using OdeFunctions<TermTarget>::ode_rk45_tol;
  TermTarget(const Strided<R>& q, Strided<R>& slope, Arena<R> arena, const TermRequest& request)
      : Base(q, slope, arena), q_(q), slope_(slope), request_(request) {}

  /// The object to which bodies of observe() and sum_over() add.
  struct Row {
    TermTarget& target;
    template <class E>
    Row& operator+=(const E& expression) {
      target.each(expression, [this](const auto& e) { target.term(e); });
      return target.end_statement(), *this;
    }
  };

  template <CompoundTerm E>
  TermTarget& operator+=(const E& term) {
    const bool outside = request_.by_hand && request_.by_hand->of_library(true);
    term.add_to(*this);
    if (request_.by_hand) request_.by_hand->of_library(outside);
    end_statement();
    return *this;
  }
  template <class E>
  TermTarget& operator+=(const E& expression) {
    constexpr bool elements = !Operand<E>;
    begin(nullptr, nullptr, elements);
    each(expression, [this](const auto& e) { term(e); });
    return end_statement(), *this;
  }
  template <class N, class Body>
  void observe(const char* name, N n, Body&& body) {
    if (!passes(name)) rows("observe", name, n, body);
  }
  template <VectorDensity D>
  void observe(const char* name, const D& of_rows) {
    if (passes(name)) return;
    const auto each = detail::by_rows(of_rows);
    const auto body = [&](int j, auto& term) { term += each.term(j); };
    rows("observe", name, each.size, body);
  }
  template <class E>
  requires(Operand<E> || ModelVector<E>) void observe(const char* name, const E& expression) {
    if (passes(name)) return;
    begin("observe", name, false);
    each(expression, [this](const auto& e) { term(e); });
    end();
  }
  template <CompoundTerm E>
  void observe(const char* name, const E& term) {
    if (!passes(name)) *this += term;
  }
  template <class N, class First, class Step, class Body>
  void observe(const char* name, N n, const First& first, const Step& step, const Body& body) {
    if (passes(name)) return;
    if (request_.pass) look_at_steps(name, as_size(n).value(), first, step);
    auto path = Base::scan(n, first, step);
    const auto of_row = [&](int t, auto& term) {
      using Shape = detail::StateShape<detail::held_state<First>>;
      if constexpr (Operand<First>)
        Shape::apply(body, t, segment(path, t, 1), term);
      else
        Shape::apply(body, t, path[t], term);
    };
    rows("observe", name, n, of_row);
  }
  template <class N, class Body>
  void sum_over(N n, Body&& body) {
    rows("sum_over", nullptr, n, body);
  }

  template <class Problem>
  auto ode(const Problem& problem) {
    if constexpr (std::remove_cvref_t<decltype(problem.method)>::adaptive) {
      const auto& method = problem.method;
      if (request_.solvers)
        request_.solvers->push_back({method.name, method.relative, method.absolute, method.max_steps});
    }
    Problem solved = problem;
    solved.method = detail::tightened(problem.method, request_.tighten);
    return Base::ode(solved);
  }

  auto real(const char* name) {
    const Declares declares(*this, detail::unbounded("real", name));
    return Base::real(name);
  }
  template <class C>
  auto real(const char* name, const C& constraint) {
    look_at_bounds(name, constraint);
    if (request_.jacobians) look_at(name, constraint, Size<dynamic>(1), true);
    const Declares declares(*this, detail::declared<R>("real", name, constraint));
    const checks::RoundedElements rounded(look_at_scale(name, constraint));
    return Base::real(name, constraint);
  }
  template <class N>
  auto vector(const char* name, N n) {
    const Declares declares(*this, detail::unbounded("vector", name));
    return Base::vector(name, n);
  }
  template <class N, class C>
  auto vector(const char* name, N n, const C& constraint) {
    look_at_bounds(name, constraint);
    if (request_.jacobians) look_at(name, constraint, Size<dynamic>(as_size(n).value()), false);
    const Declares declares(*this, detail::declared<R>("vector", name, constraint));
    const checks::RoundedElements rounded(look_at_scale(name, constraint));
    return Base::vector(name, n, constraint);
  }
  template <class Rows, class Columns>
  auto matrix(const char* name, Rows rows, Columns columns) {
    const Declares declares(*this, detail::unbounded("matrix", name));
    return Base::matrix(name, rows, columns);
  }
  template <class Rows, class Columns, class C>
  auto matrix(const char* name, Rows rows, Columns columns, const C& constraint) {
    look_at_bounds(name, constraint);
    if (request_.jacobians)
      look_at(name, detail::constraint_of_elements(constraint, as_size(columns)),
              Size<dynamic>(as_size(rows).value() * as_size(columns).value()), false);
    const Declares declares(*this, detail::declared<R>("matrix", name, constraint));
    const checks::RoundedElements rounded(look_at_scale(name, constraint));
    return Base::matrix(name, rows, columns, constraint);
  }
  template <class N>
  auto simplex(const char* name, N n) {
    return vector(name, n, Simplex{});
  }
  template <class N>
  auto ordered(const char* name, N n) {
    return vector(name, n, Ordered{});
  }

 private:
  using Vector = std::vector<long double>;
  static constexpr int most_components = 200;  // of a dense Jacobian

  bool passes(const char* name) {
    if (request_.observed) request_.observed->push_back(name);
    return request_.unobserved;
  }
  void begin(const char* what, const char* name, bool elements) {
    if (request_.places) request_.places->begin(what, name, elements, next_);
    if (request_.pass) request_.pass->enter(what, name);
    if (request_.scales) request_.scales->observing(what && std::string_view(what) == "observe");
  }
  void begin_row(int j) {
    if (request_.places) request_.places->row(next_);
    if (request_.pass) request_.pass->term(j);
  }
  void end() {
    if (request_.pass) request_.pass->leave();
    if (request_.scales) request_.scales->observing(false);
  }
  template <class E, class F>
  void each(const E& expression, const F& f) {
    if constexpr (Operand<E>)
      f(expression);
    else if constexpr (ModelVector<E>)
      detail::refuse_vector_term<E>();
    else if constexpr (detail::is_density_sum<E>)
      each(expression.first, f), each(expression.second, f);
    else
      each_term(expression, f);
  }
  template <class N, class Term, class F>
  void each_term(const EachElement<N, Term>& sum, const F& f) {
    detail::refuse_mixture<Term>();
    for (int i = 0; i < sum.size.value(); ++i) f(sum.term(i));
  }
  template <Operand E>
  void term(const E& expression) {
    const std::size_t k = next_++;
    const auto node = as_node(expression);
    if (request_.values) request_.values->push_back(static_cast<long double>(R(node.value()).v));
    const bool wanted =
        request_.by_hand ? request_.by_hand->template wants<node_of<E>>() : k >= request_.first && k < request_.last;
    if (wanted) node.push(One{}, NoMask{});
    if (request_.mixtures) request_.mixtures->next_term();
  }
  void end_statement() {
    if (request_.by_hand) request_.by_hand->end_statement();
  }
  template <class N, class Body>
  void rows(const char* what, const char* name, N n, const Body& body) {
    begin(what, name, false);
    Row row{*this};
    for (int j = 0; j < as_size(n).value(); ++j) {
      begin_row(j);
      body(j, row);
    }
    end();
  }

  /// observe() carries derivatives along a recurrence only for the parameters that the first step uses. Device code
  /// cannot detect others in later steps (model/recurrences/forward_scan.hpp), so that they are found here.
  template <class First, class Step>
  void look_at_steps(const char* name, int n, const First& first, const Step& step) {
    using Held = detail::held_state<First>;
    constexpr int leaves = detail::served_leaves<R, Held, Step>();
    if constexpr (leaves != detail::unknown_leaves) {
      request_.pass->enter("observe", name);
      const int t = detail::step_of_other_leaves<leaves, R>(n, detail::hold_state(first), step);
      request_.pass->term(t);
      if (t > 0) checks::throw_other_parameters();
      request_.pass->leave();
    }
  }

  /// Notes the place of a parameter that is declared in the lifetime of this object (checks::require_range()).
  class Declares {
   public:
    Declares(const TermTarget& target, const checks::Declared& parameter)
        : target_(target), first_(target.taken()), declaration_(parameter) {}
    ~Declares() {
      if (target_.request_.pass)
        declaration_.lies(&target_.slope_[first_], sizeof(R) * static_cast<std::size_t>(target_.taken() - first_));
    }
    Declares(const Declares&) = delete;
    Declares& operator=(const Declares&) = delete;

   private:
    const TermTarget& target_;
    int first_;
    checks::Declaration declaration_;
  };
  /// Bounds that are literals or data are known when data are bound; those that depend on parameters are not.
  template <class C>
  void look_at_bounds(const char*, const C&) {}
  template <class A, class B>
  void look_at_bounds(const char* name, const Interval<A, B>& bounds) {
    if constexpr (detail::is_constant_node<A> && detail::is_constant_node<B>) {
      if (!request_.pass) return;
      const auto low = static_cast<double>(R(bounds.low.value()).v),
                 high = static_cast<double>(R(bounds.high.value()).v);
      if (!(low < high && std::isfinite(low) && std::isfinite(high))) checks::throw_interval(name, low, high);
    }
  }

  /// True if the elements of a parameter are to be rounded.
  template <class C>
  bool look_at_scale(const char*, const C&) {
    return false;
  }
  template <class M, class S>
  bool look_at_scale(const char* name, const OffsetMultiplier<M, S>& of) {
    const std::size_t k = scaled_++;
    const R multiplier = R(of.multiplier.value());
    if (request_.scaled) request_.scaled->push_back({name, static_cast<double>(log(multiplier).v)});
    if (k == request_.pushed) of.multiplier.push(R(1) / multiplier, NoMask{});
    return k == request_.rounded;
  }

  struct Given {
    const Vector* u;
    R operator[](int i) const { return R((*u)[static_cast<std::size_t>(i)]); }
  };

  template <class C>
  void look_at(const char* name, const C& constraint, Size<dynamic> n, bool scalar) {
    const std::vector<std::string>& names = *request_.components;
    const std::string first = scalar ? std::string(name) : std::string(name) + "[1]";
    const auto found = std::find(names.begin(), names.end(), first);
    const int count = scalar ? 1 : unconstrained_size(constraint, n.value());
    if (found == names.end() || count == 0) return;
    Vector u(static_cast<std::size_t>(count));
    const auto offset = static_cast<int>(found - names.begin());
    for (int i = 0; i < count; ++i) u[static_cast<std::size_t>(i)] = static_cast<long double>(q_[offset + i].v);

    const auto transform = [&](const Vector& from, Vector& x) {
      std::vector<R> out(static_cast<std::size_t>(n.value()));
      const R jacobian = forward<R>(constraint, n, Given{&from}, out);
      x.clear();
      for (int i = 0; i < n.value(); ++i)
        if (detail::is_free_element(constraint, i, n.value()))
          x.push_back(static_cast<long double>(out[static_cast<std::size_t>(i)].v));
      return jacobian;
    };
    Vector x;
    ConstraintJacobian jacobian;
    jacobian.parameter = name;
    jacobian.added = static_cast<double>(transform(u, x).v);
    jacobian.numerical = x.size() == u.size() && count <= most_components
                             ? static_cast<double>(numerical_log_jacobian(u, transform))
                             : std::numeric_limits<double>::quiet_NaN();
    request_.jacobians->push_back(std::move(jacobian));
  }

  Strided<R> q_, slope_;
  TermRequest request_;
  std::size_t next_ = 0, scaled_ = 0;  // terms and scaled parameters so far
};

/// Throws BadInput if the steps of a recurrence do not all use the same parameters, if an interval whose bounds are
/// literals or data is empty, or if a function has returned an expression of its own intermediate, so that an adjoint
/// would be lost. At q, on the unconstrained scale.
template <class Model, class R>
void check_terms(const Model& model, const Layout& layout, const std::vector<R>& q, checks::Pass& pass) {
  if constexpr (gives_conditionals<Model> || gives_proposal<Model> || gives_draws<Model>) pass.take_unconstrained();
  std::vector<R> position = q, slopes(q.size() + 1, R(0)), scratch(layout.scratch + 1, R(0));
  const Strided<R> at{position.data(), 1};
  Strided<R> slope{slopes.data(), 1};
  TermRequest request;
  request.last = static_cast<std::size_t>(-1);
  request.pass = &pass;
  TermTarget<R> target(at, slope, Arena<R>{Strided<R>{scratch.data(), 1}, 0}, request);
  model.log_density(target);
  pass.require_intermediates();
}

/// True if the log density of a model is written as terms with a gradient.
template <class Model>
inline constexpr bool has_terms = gives_log_density<Model> && !gives_own_gradient<Model> && model_has_gradient<Model>();

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
