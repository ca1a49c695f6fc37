// Targets: what a model's log_density() speaks to. Which one it is decides what comes out.
#pragma once

#include "manychain/core/chain_threads.hpp"
#include "manychain/model/autodiff/vector_constraints.hpp"
#include "manychain/model/matrices/intermediate_vectors.hpp"
#include "manychain/model/matrices/matrix_statements.hpp"
#include "manychain/model/matrices/recorded_statements.hpp"
#include "manychain/model/matrices/row_constraints.hpp"
#include "manychain/model/matrices/row_targets.hpp"
#include "manychain/model/matrices/stored_matrix.hpp"
#include "manychain/model/matrices/triangular_matrix.hpp"
#include "manychain/model/recurrences/forward_scan.hpp"
#include "manychain/model/recurrences/ode.hpp"
#include "manychain/model/recurrences/scan.hpp"
#include "manychain/random/lane_index.hpp"
#include "manychain/random/variates.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The request to an evaluation of a model. `gradient` alone is for leapfrogs inside a trajectory: logarithms of
/// normalising constants are then dead code. `outputs` gives the constrained parameters and derived quantities, no
/// density. `start` moves a starting point to where it may be. `pointwise` takes the outputs of a draw for q,
/// parameters on their constrained scale, and hands the sink what each row of observe() adds, row by row.
enum class Request { value, gradient, value_and_gradient, outputs, start, pointwise };

/// Receives the outputs of a draw; this one is for evaluations that have none.
struct NoSink {
  template <class R>
  MANYCHAIN_HD void operator()(int, R) const {}
};

/// One evaluation of a model's log_density(), at one point a lane.
template <class R, class Q, class G, Request request, class Sink = NoSink, class Batch = AllTerms>
class Target : public MatrixStatements<Target<R, Q, G, request, Sink, Batch>>,
               public OdeFunctions<Target<R, Q, G, request, Sink, Batch>>,
               public RecordedStatements<Target<R, Q, G, request, Sink, Batch>, R, request == Request::outputs> {
 public:
  using real_type = R;
  static constexpr bool gradient = request == Request::gradient || request == Request::value_and_gradient;
  static constexpr bool pointwise = request == Request::pointwise;
  static constexpr bool value = request == Request::value || request == Request::value_and_gradient || pointwise;
  static constexpr bool outputs = request == Request::outputs;
  static constexpr bool density = value || gradient;
  static constexpr bool deals = std::is_same_v<Batch, DealtTerms>;

  /// `gradient`: zero where the request includes it. `first_derived`: the output index of the first derived quantity.
  MANYCHAIN_HD Target(const Q& q, G& gradient_memory, Arena<R> arena, int first_derived = 0, Sink sink = {},
                      Batch batch = {})
      : q_(&q), g_(&gradient_memory), arena_(arena), sink_(sink), batch_(batch), derived_(first_derived) {}
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// A scalar parameter on the whole line.
  MANYCHAIN_HD auto real(const char*) {
    const int i = offset_++;
    emit((*q_)[i]);
    if constexpr (gradient)
      return Variable<R>((*q_)[i], &(*g_)[i]);
    else
      return Constant<R>((*q_)[i]);
  }
  /// A constrained scalar parameter, for example real("tau", lower(0)). An intermediate: see Let.
  template <class C>
  MANYCHAIN_HD auto real(const char*, const C& constraint) {
    const int i = offset_++;
    const R u = (*q_)[i];
    if constexpr (pointwise) {
      return Constant<R>(u);
    } else {
      if constexpr (outputs) emit(constrain(constraint, u));
      add(log_jacobian(constraint, u));
      return ConstrainedScalar<C, R, gradient>(constraint, u, gradient ? &(*g_)[i] : nullptr);
    }
  }
  /// A vector of n parameters on the whole line.
  template <class N>
  MANYCHAIN_HD auto vector(const char*, N n) {
    const auto size = as_size(n);
    const int offset = offset_;
    offset_ += size.value();
    if constexpr (outputs) for_each(size, [&](int i) { emit((*q_)[offset + i]); });
    return ParameterVector<R, Q, G, decltype(as_size(n)), gradient>(q_, g_, offset, size);
  }
  /// A constrained vector. An intermediate: see Let.
  template <class N, class C>
  MANYCHAIN_HD auto vector(const char* name, N n, const C& constraint) {
    if constexpr (pointwise) {
      return vector(name, n);
    } else {
      const auto size = as_size(n);
      const int offset = offset_;
      offset_ += unconstrained_size(constraint, size.value());
      return ConstrainedVector<C, R, Q, G, decltype(as_size(n)), gradient>(constraint, q_, g_, offset, size, *this);
    }
  }
  /// n whole numbers from `low` to `high`. They have no gradient: samplers of discrete states move them.
  template <class N>
  MANYCHAIN_HD auto integers(const char*, N n, int low, int high) {
    const auto size = as_size(n);
    const int offset = offset_;
    offset_ += size.value();
    if constexpr (outputs) for_each(size, [&](int i) { emit((*q_)[offset + i]); });
    settle_integers(size, offset, low, high);
    return ParameterVector<R, Q, G, decltype(as_size(n)), false>(q_, g_, offset, size);
  }
  /// Like integers(), but not recorded: for a large state of which only derived quantities are wanted.
  template <class N>
  MANYCHAIN_HD auto latent_integers(const char*, N n, int low, int high) {
    const auto size = as_size(n);
    const int offset = offset_;
    offset_ += size.value();
    settle_integers(size, offset, low, high);
    return ParameterVector<R, Q, G, decltype(as_size(n)), false>(q_, g_, offset, size);
  }
  /// A matrix of parameters, row by row; operator[] gives a row.
  template <class Rows, class Columns>
  MANYCHAIN_HD auto matrix(const char* name, Rows rows, Columns columns) {
    const auto elements = [&] { return vector(name, multiply_sizes(as_size(rows), as_size(columns))); };
    return StoredMatrix<decltype(elements()), decltype(as_size(columns))>(elements, as_size(rows).value(),
                                                                          as_size(columns));
  }
  /// A matrix parameter, each element with the constraint; each row, if it is one of a vector.
  template <class Rows, class Columns, class C>
  MANYCHAIN_HD auto matrix(const char* name, Rows rows, Columns columns, const C& constraint) {
    const auto elements = [&] {
      return vector(name, multiply_sizes(as_size(rows), as_size(columns)),
                    detail::constraint_of_elements(constraint, as_size(columns)));
    };
    return StoredMatrix<decltype(elements()), decltype(as_size(columns))>(elements, as_size(rows).value(),
                                                                          as_size(columns));
  }
  /// A square matrix with a constraint (MatrixStatements).
  template <class N, class C>
  MANYCHAIN_HD auto square_matrix(const char*, N n, const C& constraint) {
    const int offset = offset_;
    if constexpr (pointwise) {
      offset_ += n.value() * n.value();
      return make_recorded_matrix(constraint, n, q_, offset, *this);
    } else {
      offset_ += unconstrained_size(constraint, n.value());
      return make_square_matrix(constraint, n, q_, g_, offset, *this);
    }
  }
  template <class N>
  MANYCHAIN_HD auto simplex(const char* name, N n) {
    return vector(name, n, Simplex{});
  }
  template <class N>
  MANYCHAIN_HD auto ordered(const char* name, N n) {
    return vector(name, n, Ordered{});
  }

  template <Operand E>
  MANYCHAIN_HD Target& operator+=(const E& expression) {
    if constexpr (density) {
      const auto node = as_node(expression);
      static_assert(!SeveralRows<decltype(node.value())>,
                    "inside observe() and sum_over() add to what the body is given, term += ..., not to the target");
      if constexpr (deals) {
        add(weight_ * R(node.value()));
        if constexpr (gradient) node.push(weight_, NoMask{});
      } else {
        add(R(node.value()));
        if constexpr (gradient) node.push(One{}, NoMask{});
      }
    }
    return *this;
  }
  template <ModelVector V>
  MANYCHAIN_HD Target& operator+=(const V&) {
    return detail::refuse_vector_term<V>(), *this;
  }
  template <class N, class Term>
  MANYCHAIN_HD Target& operator+=(const EachElement<N, Term>& each) {
    detail::refuse_mixture<Term>();
    add_terms(each);
    return *this;
  }
  template <class A, class B>
  MANYCHAIN_HD Target& operator+=(const DensitySum<A, B>& sum) {
    return *this += sum.first, *this += sum.second;
  }
  template <CompoundTerm T>
  MANYCHAIN_HD Target& operator+=(const T& term) {
    if constexpr (density) term.add_to(*this);
    return *this;
  }

  /// A number, as let(expression) without a target.
  template <Expression E>
  MANYCHAIN_HD Let<E> let(const E& expression) {
    return Let<E>(expression);
  }
  /// A vector of which each element is computed once and used as often as you like. An intermediate: see Let.
  template <ModelVector V>
  MANYCHAIN_HD auto let(const V& expression) {
    using View = decltype(expression.view());
    return LetVector<View, R, std::remove_cvref_t<decltype(expression.size())>, gradient>(expression.view(), *this);
  }
  /// A matrix of such elements; lower triangular if the expression is.
  template <ModelMatrix M>
  MANYCHAIN_HD auto let(const M& expression) {
    const auto elements = [&] { return let(detail::flat_matrix(expression)); };
    return StoredMatrix<decltype(elements()), decltype(expression.columns()), LowerTriangular<M>>(
        elements, expression.rows(), expression.columns());
  }
  /// A recurrence: element 0 is `first`, element t is step(t, element t - 1), for t = 1 .. n - 1. An intermediate, a
  /// vector of n elements; see model/recurrences/scan.hpp, also for a state of several numbers.
  template <class N, class First, class Step>
  MANYCHAIN_HD auto scan(N n, const First& first, const Step& step) {
    return make_scan<R, gradient>(as_size(n), first, step, *this);
  }
  /// The solution of ode_rk45() and its like: see model/recurrences/ode.hpp.
  template <class Problem>
  MANYCHAIN_HD auto ode(const Problem& problem) {
    return make_ode<R, gradient>(problem, *this);
  }

  /// Data terms: body(j, term) for j = 0 .. n - 1, each of which adds to `term`.
  template <class N, class Body>
  MANYCHAIN_HD void observe(const char*, N n, Body&& body) {
    if constexpr (pointwise) {
      for (int j = 0; j < as_size(n).value(); ++j) {
        begin_row();
        body(j, *this);
        end_row();
      }
    } else if constexpr (!std::is_same_v<Batch, Minibatch<R>>) {
      sum_over(n, body);
    } else {
      static_assert(std::is_invocable_v<Body&, LaneIndex<R>, ScaledTerm<Target>&>,
                    "in a minibatch each chain has a row of its own: the body of observe() must take its index as "
                    "`auto j`; with `int j`, leave out minibatches = true");
      const int size = as_size(n).value();
      if (size == 0) return;  // there is no term to draw
      ScaledTerm<Target> term(R(number_of<R>(size) / number_of<R>(batch_.count)));
      const auto stream = batch_.stream.of(Purpose::minibatch);
      for (int k = 0; k < batch_.count; k += 4) {
        Bits<R> words[4];
        stream.words(static_cast<std::uint32_t>(observed_ + k / 4), words);
        MANYCHAIN_UNROLL
        for (int w = 0; w < 4; ++w)
          if (k + w < batch_.count) body(lane_index(words[w], size), term);
      }
      observed_ += (batch_.count + 3) / 4;
    }
  }
  /// The log density of a vector of data: observe("y", normal(y, alpha + beta * x, sigma)). Also a sum of such, and
  /// with weights.
  template <VectorDensity D>
  MANYCHAIN_HD void observe(const char* name, const D& of_rows) {
    const auto each = detail::by_rows(of_rows);
    if constexpr (pointwise || std::is_same_v<Batch, Minibatch<R>>)
      observe(name, each.size, [&](const auto& j, auto& term) { term += each.term(j); });
    else
      add_terms(each);
  }
  /// Terms along a recurrence: body(t, state, term) for t = 0 .. n - 1, where states follow as in scan(). Nothing is
  /// stored where a step is made of few parameters: twice as fast, then, as scan() and a loop over its states.
  template <class N, class First, class Step, class Body>
  MANYCHAIN_HD void observe(const char*, N n, const First& first, const Step& step, const Body& body) {
    static_assert(!std::is_same_v<Batch, Minibatch<R>>, "the terms of a recurrence are no minibatch");
    if constexpr (density) {
      using Held = detail::held_state<First>;
      const auto add_terms = [&](int t, const auto& state) {
        if constexpr (pointwise) begin_row();
        detail::StateShape<Held>::apply(body, t, state, *this);
        if constexpr (pointwise) end_row();
        after_term(t);
      };
      constexpr int leaves = detail::served_leaves<R, Held, Step>();
      const int size = as_size(n).value();
      if constexpr (leaves != detail::unknown_leaves) {
        detail::forward_sensitivities<leaves, R>(size, detail::hold_state(first), step, add_terms);
      } else {
        auto path = scan(n, first, step);
        for (int t = 0; t < size; ++t) {
          if constexpr (Operand<First>)
            add_terms(t, segment(path, t, 1));
          else
            add_terms(t, path[t]);
        }
      }
    }
  }
  /// That of a single number: observe("total", poisson(total, rate)). In a minibatch, too, it is taken as it is.
  template <Operand E>
  MANYCHAIN_HD void observe(const char*, const E& expression) {
    if constexpr (pointwise) begin_row();
    *this += expression;
    if constexpr (pointwise) end_row();
  }
  template <ModelVector V>
  MANYCHAIN_HD void observe(const char*, const V&) {
    detail::refuse_vector_term<V>();
  }
  /// One of all data together; also in a minibatch it is taken whole.
  template <CompoundTerm T>
  MANYCHAIN_HD void observe(const char*, const T& term) {
    *this += term;
  }
  /// Other long sums.
  template <class N, class Body>
  MANYCHAIN_HD void sum_over(N n, Body&& body) {
    if constexpr (!density) return;
    if constexpr (pointwise)
      if (!dealing_) return;  // of no row
    const auto size = as_size(n);
    constexpr int K = rows_at_once<R>;
    using Term = RowBlockTarget<Target, K>;
    if constexpr (deals && !is_unrolled<decltype(size)>) {
      const bool outermost = !dealing_;  // within a term that is dealt every thread takes all
      const int first = outermost ? ChainThreads::index() : 0, by = outermost ? ChainThreads::count() : 1;
      if (outermost) weight_ = R(by), dealing_ = true;
      int taken = 0;
      for (int j = first; j < size.value(); j += by) {
        body(j, *this);
        after_term(taken++);
      }
      if (outermost) weight_ = R(1), dealing_ = false;
    } else if constexpr (takes_several<decltype(size), Body, Term, K>()) {
      static_assert(renormalise_after % K == 0);
      Term term(*this);
      int j = 0;
      for (; j + K <= size.value(); j += K) {
        body(RowRange<K>{j}, term);
        after_term(j + K - 1);
      }
      for (; j < size.value(); ++j) body(j, *this);
    } else {
      for_each(size, [&](int j) {
        body(j, *this);
        after_term(j);
      });
    }
  }

  /// For constrained parameters: a log Jacobian, and a constrained value.
  MANYCHAIN_HD void add(R x) {
    if constexpr (value) lp_.add(x);
  }
  MANYCHAIN_HD void emit(R x) {
    if constexpr (outputs) sink_(parameters_++, x);
  }
  /// For RecordedStatements: the next element of derived quantities and predictions.
  MANYCHAIN_HD void record(R x) {
    if constexpr (outputs) sink_(derived_++, x);
  }
  MANYCHAIN_HD auto& variates() { return *batch_.variates; }

  MANYCHAIN_HD const Compensated<R>& log_density() const { return lp_; }
  MANYCHAIN_HD Arena<R>& arena() { return arena_; }
  /// Components of q that parameters have taken so far.
  MANYCHAIN_HD int taken() const { return offset_; }

 private:
  static constexpr int renormalise_after = 64;
  /// For Request::pointwise: what is added between the two is one row of observe().
  MANYCHAIN_HD void begin_row() {
    lp_ = {};
    dealing_ = true;
  }
  MANYCHAIN_HD void end_row() {
    sink_(observed_++, lp_.value());
    dealing_ = false;
  }
  template <class N>
  MANYCHAIN_HD void settle_integers(N size, int offset, int low, int high) {
    if constexpr (request == Request::start)
      for_each(size, [&](int i) {  // (-2, 2] to (0, 1] to one of high - low + 1 numbers
        const R u = fma(R(0.25), R((*q_)[offset + i]), R(0.5)), count = R(high - low + 1);
        (*g_)[offset + i] = R(low) + min(floor(u * count), count - R(1));
      });
  }
  template <class N, class Term>
  MANYCHAIN_HD void add_terms(const EachElement<N, Term>& each) {
    if constexpr (std::is_invocable_v<const Term&, RowRange<rows_at_once<R>>>)
      sum_over(each.size, [&](const auto& i, auto& term) { term += each.term(i); });
    else
      sum_over(each.size, [&](int i, auto& term) { term += each.term(i); });
  }
  /// An unrolled loop has nothing to gain, and a body that asks for an int takes one row at a time.
  template <class N, class Body, class Term, int K>
  static constexpr bool takes_several() {
    if constexpr (K == 1 || is_unrolled<N>)
      return false;
    else
      return std::is_invocable_v<Body&, RowRange<K>, Term&>;
  }
  MANYCHAIN_HD void after_term(int i) {
    if constexpr (value)
      if (i % renormalise_after == renormalise_after - 1) lp_.renormalise();
  }

  const Q* q_;
  G* g_;
  Arena<R> arena_;
  Sink sink_;
  Batch batch_;
  R weight_ = R(1);       // of a term that is dealt; else one
  bool dealing_ = false;  // within a term of observe() or sum_over()
  int observed_ = 0;      // blocks of random words that minibatches have used; of Request::pointwise, rows
  Compensated<R> lp_;
  int offset_ = 0, parameters_ = 0, derived_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
