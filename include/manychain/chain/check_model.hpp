// One pass over a whole model with its data, on the host, before anything runs: every index and every size is checked.
// For the unit of a model that is compiled with MANYCHAIN_CHECKED (model/data/checks.hpp).
#pragma once

#include <random>
#include <string>
#include <vector>

#include "manychain/chain/outlives.hpp"
#include "manychain/chain/scales_of_model.hpp"
#include "manychain/chain/term_target.hpp"
#include "manychain/model/data/checks.hpp"
#include "manychain/model/data/layout_checks.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/variants.hpp"

namespace manychain {

namespace checks {
[[noreturn]] void throw_target_in_body();  // BadInput
[[noreturn]] void throw_let_in_body(const char* what);
[[noreturn]] void throw_times(int index, double before, double at);  // of a differential equation
[[noreturn]] void throw_method(const char* what, double value);
}  // namespace checks

inline namespace MANYCHAIN_ISA {

/// Random numbers that are the same in every pass, but vary within it: a rejection sampler must reach one that it
/// accepts.
template <>
class Variates<Scalar<CheckedNumber>> {
  using R = Scalar<CheckedNumber>;

 public:
  R uniform() { return R((static_cast<CheckedNumber>(engine_() >> 11) + 0.5L) * 0x1p-53L); }  // in (0, 1)
  R normal() { return R(std::normal_distribution<CheckedNumber>()(engine_)); }
  R exponential() { return -log(uniform()); }
  R gamma(R a) { return a > R(0) ? R(std::gamma_distribution<CheckedNumber>(a.v)(engine_)) : a; }
  R log_gamma(R a) { return log(gamma(a)); }
  R beta(R a, R b) {
    const R x = gamma(a), y = gamma(b);
    return x / (x + y);
  }
  template <class Body>
  void trials(int, Body body) {
    for (int k = 0; k < 1000 && !body(); ++k) {
    }
  }
  std::uint32_t blocks() const { return 0; }
  Bits<R> word() { return {static_cast<std::uint32_t>(engine_() >> 32)}; }

 private:
  std::mt19937_64 engine_;
};

/// Evaluates every term, derived quantity and prediction.
template <class Number>
class CheckTarget : public LayoutTarget<Number>, public OdeFunctions<CheckTarget<Number>> {
 public:
  using R = Scalar<Number>;
  using OdeFunctions<CheckTarget>::ode_rk4;
  using OdeFunctions<CheckTarget>::ode_rk45;
  using OdeFunctions<CheckTarget>::ode_rk45_tol;
  explicit CheckTarget(checks::Pass& pass) : pass_(pass) {}

  /// The object to which the bodies of observe() and sum_over() add. They must not add to the target: with packs of
  /// rows that would count once for several of them.
  struct Row {
    CheckTarget& target;
    template <class E>
    Row& operator+=(const E& expression) {
      return target.evaluate(expression), *this;
    }
  };

  template <class E>
  CheckTarget& operator+=(const E& expression) {
    if (in_body_) checks::throw_target_in_body();
    return evaluate(expression), *this;
  }
  template <class N, class Body>
  void observe(const char* name, N n, Body&& body) {
    rows("observe", name, n, body);
  }
  template <VectorDensity D>
  void observe(const char* name, const D& of_rows) {
    pass_.enter("observe", name);
    const auto each = detail::by_rows(of_rows);
    rows("observe", name, each.size, [&](int j, auto& term) { term += each.term(j); });
  }
  template <class E>
  requires(Operand<E> || ModelVector<E>) void observe(const char* name, const E& expression) {
    if (in_body_) checks::throw_target_in_body();
    pass_.enter("observe", name);
    evaluate(expression);
    pass_.leave();
  }
  template <CompoundTerm T>
  void observe(const char*, const T& term) {
    *this += term;
  }
  template <class N, class First, class Step, class Body>
  void observe(const char* name, N n, const First& first, const Step& step, const Body& body) {
    const auto path = scan(n, first, step);
    rows("observe", name, n, [&](int t, auto& term) {
      if constexpr (Operand<First>)
        detail::StateShape<detail::held_state<First>>::apply(body, t, segment(path, t, 1), term);
      else
        detail::StateShape<detail::held_state<First>>::apply(body, t, path[t], term);
    });
  }
  template <class N, class Body>
  void sum_over(N n, Body&& body) {
    rows("sum_over", nullptr, n, body);
  }
  template <Expression E>
  Let<E> let(const E& expression) {
    return LayoutTarget<Number>::let(expression);
  }
  template <ModelVector V>
  auto let(const V& expression) {
    if (in_body_) checks::throw_let_in_body("let");
    terms("let", nullptr, expression.size(), [&](int i) { evaluate(expression[i]); });
    return LayoutTarget<Number>::let(expression);
  }
  template <ModelMatrix M>
  auto let(const M& expression) {
    let(detail::flat_matrix(expression));
    return detail::hold_matrix(expression);
  }
  void made(const char* what, const std::function<void()>& evaluate) override {
    if (in_body_) checks::throw_let_in_body(what);
    pass_.enter(what, nullptr);
    evaluate();
    pass_.leave();
  }
  template <class N, class First, class Step>
  auto scan(N n, const First& first, const Step& step) {
    if (in_body_) checks::throw_let_in_body("scan");
    if (as_size(n).value() < 0) checks::throw_component("scan() of", as_size(n).value(), 0, 0);
    const auto noted = [&](int t, const auto&... before) {
      pass_.term(t);
      return detail::outlives([&] { return step(t, before...); });
    };
    const auto path = LayoutTarget<Number>::scan(n, first, noted);
    pass_.enter("scan", nullptr);
    if (as_size(n).value() > 0) path[0];
    pass_.leave();
    return LayoutTarget<Number>::scan(n, first, step);
  }
  template <class Problem>
  auto ode(const Problem& problem) {
    if (in_body_) checks::throw_let_in_body(problem.method.name);
    pass_.enter(problem.method.name, nullptr);
    check(problem.method);
    for (int i = 0; i < problem.count(); ++i) {
      pass_.term(i);
      const R before = problem.template time<R>(i), at = problem.template time<R>(i + 1);
      if (!(before <= at)) checks::throw_times(i, static_cast<double>(before.v), static_cast<double>(at.v));
    }
    pass_.term(-1);
    const auto solution = LayoutTarget<Number>::ode(problem);
    if (problem.count() > 0) solution[0];
    pass_.leave();
    return solution;
  }
  template <Operand E>
  void derived(const char* name, const E& expression) {
    LayoutTarget<Number>::derived(name, expression);
    as_node(expression).value();
  }
  template <ModelVector V>
  void derived(const char* name, const V& vector) {
    derived(name, vector.size(), [&](int j) { return vector[j]; });
  }
  template <ModelMatrix M>
  void derived(const char* name, const M& matrix) {
    LayoutTarget<Number>::derived(name, matrix);
    terms("derived", name, matrix.rows(), [&](int i) {
      for (int j = 0; j < matrix.columns().value(); ++j) as_node(matrix[i][j]).value();
    });
  }
  template <class N, class Body>
  void derived(const char* name, N n, const Body& body) {
    LayoutTarget<Number>::derived(name, n, body);
    terms("derived", name, n, [&](int j) { as_node(body(j)).value(); });
  }
  template <class Distribution>
  void predict(const char* name, const Distribution& distribution) {
    LayoutTarget<Number>::predict(name, distribution);
    pass_.enter("predict", name);
    draw(distribution);
    pass_.leave();
  }
  template <class N, class Body>
  void predict(const char* name, N n, const Body& body) {
    LayoutTarget<Number>::predict(name, n, body);
    std::vector<std::size_t> first;
    terms("predict", name, n, [&](int j) {
      const auto distribution = body(j);
      std::size_t memory = 0;
      const std::vector<std::size_t> shape = detail::prediction_shape<R>(distribution, memory);
      if (j == 0) first = shape;
      if (shape != first) checks::throw_prediction_size(shape[0], first[0]);
      draw(distribution);
    });
  }

 private:
  template <class Distribution>
  void draw(const Distribution& distribution) {
    std::vector<R> memory(checks::counted(detail::prediction_memory<R>(distribution)) + 1);
    Arena<R> arena{Strided<R>{memory.data(), 1}, 0};
    detail::draw_prediction(distribution, variates_, arena, [](R) {});
  }
  static void check(const RungeKutta4& method) {
    if (method.steps < 1) checks::throw_method("a step or more between two times is needed", method.steps);
  }
  static void check(const DormandPrince45& method) {
    if (!(method.relative >= 0)) checks::throw_method("the relative tolerance must not be negative", method.relative);
    if (!(method.absolute > 0)) checks::throw_method("the absolute tolerance must be above zero", method.absolute);
    if (method.max_steps < 1) checks::throw_method("max_steps must be 1 or more", method.max_steps);
  }
  template <Operand E>
  void evaluate(const E& expression) {
    as_node(expression).value();
  }
  template <ModelVector V>
  void evaluate(const V&) {
    detail::refuse_vector_term<V>();
  }
  template <CompoundTerm T>
  void evaluate(const T& term) {
    term.add_to(*this);
  }
  template <class N, class Term>
  void evaluate(const EachElement<N, Term>& each) {
    detail::refuse_mixture<Term>();
    for (int i = 0; i < each.size.value(); ++i) evaluate(each.term(i));
  }
  template <class A, class B>
  void evaluate(const DensitySum<A, B>& sum) {
    evaluate(sum.first), evaluate(sum.second);
  }
  template <class N, class Body>
  void rows(const char* what, const char* name, N n, Body&& body) {
    Row row{*this};
    static_assert(std::is_void_v<decltype(body(0, row))>,
                  "what the body of observe() and sum_over() returns is lost: add to what it is given, term += ...");
    in_body_ = true;
    terms(what, name, n, [&](int j) { body(j, row); });
    in_body_ = false;
  }
  template <class N, class F>
  void terms(const char* what, const char* name, N n, F f) {
    pass_.enter(what, name);
    const int size = static_cast<int>(checks::counted(as_size(n).value()));
    for (int j = 0; j < size; ++j) {
      pass_.term(j);
      f(j);
    }
    pass_.leave();
  }

  checks::Pass& pass_;
  Variates<R> variates_;
  bool in_body_ = false;
};

namespace detail {

/// A state that checks its indices.
template <class R>
struct CheckedState {
  std::vector<R>* components;
  R& operator[](int i) const {
    const int n = static_cast<int>(components->size());
    if (i < 0 || i >= n) checks::throw_component("component", i, 1, n);
    return (*components)[static_cast<std::size_t>(i)];
  }
};

/// Draws from every distribution, and evaluates its density if it has one.
template <class R>
struct CheckVisitor {
  checks::Pass& pass;
  CheckedState<R> from, to;
  Variates<R> variates;

  template <class Distribution>
  void component(int i, Distribution distribution) {
    put(i, distribution(from));
  }
  template <class N, class Distribution>
  void components(int first, N n, Distribution distribution) {
    for (int i = 0; i < as_size(n).value(); ++i) {
      pass.term(i);
      put(first + i, distribution(i, from));
    }
    pass.term(-1);
  }
  template <class N, class Distribution>
  void block(int first, N n, Distribution distribution) {
    const int count = as_size(n).value(), dimension = static_cast<int>(to.components->size());
    if (first < 0 || count < 0 || first + count > dimension) checks::throw_component("block", first, count, dimension);
    const auto of_block = distribution(from);
    Segment<const CheckedState<R>> out{&to, first};
    of_block.template draw<R>(variates, out);
    if constexpr (requires { of_block.template log_density<R>(out); }) of_block.template log_density<R>(out);
  }

 private:
  template <class L>
  void put(int i, const L& distribution) {
    const R x = distribution.template draw<R>(variates);
    to[i] = x;
    if constexpr (requires { distribution.log_density(x); }) distribution.log_density(x);
  }
};

}  // namespace detail

/// Throws BadInput if a model with these data reads an element that is not there, combines vectors of unlike sizes
/// element by element, or fails check_terms(). Gives the scales that depend on parameters.
template <class Model>
std::vector<DependentScale> check_model(const std::string& name, const Data& data) {
  static_assert(checks_bounds && sizeof(Model) > 0, "define MANYCHAIN_CHECKED before anything is included");
  using Number = typename detail::model_number<Model>::type;
  using R = Scalar<Number>;
  checks::Pass pass(name);
  const HostModel<Model> host(data);
  CheckTarget<Number> target(pass);
  {
    const checks::Remembering remembering;
    if constexpr (gives_log_density<Model>)
      host.model.log_density(target);
    else
      host.model.parameters(target);
  }
  const Layout layout = target.finish();
  std::vector<R> start;
  for (double component : target.start()) start.push_back(R(Number(component)));
  if constexpr (has_terms<Model>) check_terms(host.model, layout, start, pass);

  [[maybe_unused]] const auto visit = [&](const char* what, auto run) {
    pass.enter(what, nullptr);
    std::vector<R> from = start, to = start;
    detail::CheckVisitor<R> checking{pass, {&from}, {&to}, {}};
    run(checking);
    pass.leave();
  };
  if constexpr (gives_conditionals<Model>) visit("conditionals()", [&](auto& s) { host.model.conditionals(s); });
  if constexpr (gives_proposal<Model>) visit("proposal()", [&](auto& s) { host.model.proposal(s); });
  if constexpr (gives_draws<Model>) visit("draw()", [&](auto& s) { host.model.draw(s); });

  if constexpr (has_terms<Model>) return dependent_scales(host.model, layout, std::type_identity<R>{});
  return {};
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
