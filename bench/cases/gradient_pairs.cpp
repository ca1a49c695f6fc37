// The gradient from one definition beside the one written by hand: the same packs, the same flags, one core.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "compare.hpp"
#include "hand_posteriors.hpp"
#include "hand_written.hpp"
#include "manychain/chain/chain_program.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/pack.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/variants.hpp"

namespace manychain::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A point, its gradient and working memory: in registers, or where the dimension is not known.
template <class R, class N>
struct Point {
  Registers<R, N::compile_time> q, g;
  Point(const Layout&, N) {}
  Arena<R> arena() { return {}; }
};
template <class R>
struct Point<R, Size<dynamic>> {
  std::vector<R> position, slope, scratch;
  Strided<R> q, g;
  Point(const Layout& layout, Size<dynamic>)
      : position(layout.dimension),
        slope(layout.dimension),
        scratch(layout.scratch + 1),
        q{position.data(), 1},
        g{slope.data(), 1} {}
  Arena<R> arena() { return {Strided<R>{scratch.data(), 1}, 0}; }
};
template <class N>
N size_for(const Layout& layout) {
  if constexpr (N::fixed)
    return {};
  else
    return N(static_cast<int>(layout.dimension));
}

/// `count` evaluations, each a little further along its own gradient, as leapfrogs are.
template <Request request, class R, class Model, class N>
[[gnu::noinline, gnu::flatten]] number_of<R> evaluations(const Model& model, const Layout& layout, N n,
                                                         std::uint32_t count) {
  Point<R, N> point(layout, n);
  auto& q = point.q;
  auto& g = point.g;
  for_each(n, [&](int i) { q[i] = g[i] = R(number_of<R>(0.1)); });
  R sum = R(0);
  for (std::uint32_t k = 0; k < count; ++k) {
    const Compensated<R> lp = evaluate<request, R>(model, n, q, g, point.arena());
    if constexpr (request == Request::value_and_gradient) sum += lp.value();
    for_each(n, [&](int i) { q[i] = fma(R(number_of<R>(1e-7)), g[i], q[i]); });
  }
  for_each(n, [&](int i) { sum += q[i]; });
  number_of<R> first[R::lanes] __attribute__((aligned(64)));
  store(sum, first);
  return first[0];
}

Data data_of(const std::string& name) {
  if (name == "garch") return garch_data();
  if (name == "item_response") return item_response_data();
  for (const ModelInfo& info : builtin_models())
    if (info.name == name) return Data::from_json(info.unit->data());
  throw BadInput("there is no model " + name);
}

template <Request request, class R, class ModelType>
Contender contender(const std::string& name, const std::string& data) {
  struct State {
    HostModel<ModelType> host;
    Layout layout;
    std::uint32_t count = 1;
    volatile number_of<R> sink = 0;
    explicit State(const std::string& of) : host(data_of(of)), layout(layout_of(host.model)) {}
    double run() {
      const Clock::time_point start = Clock::now();
      sink = evaluations<request, R>(host.model, layout, size_for<SizeOf<ModelType>>(layout), count);
      return double(count) * R::lanes / std::chrono::duration<double>(Clock::now() - start).count();
    }
  };
  const auto state = std::make_shared<std::unique_ptr<State>>();
  return {name,
          [=](double seconds) {
            *state = std::make_unique<State>(data);
            for (double elapsed = 0; elapsed < seconds / 8;) {
              elapsed = (*state)->count * R::lanes / (*state)->run();
              (*state)->count = static_cast<std::uint32_t>(
                  std::clamp((*state)->count * seconds / elapsed, 1.0, std::min(16.0 * (*state)->count, 1e9)));
            }
          },
          [=] { return (*state)->run(); }};
}

/// Throws if the two do not agree: then a comparison of their speed would say nothing.
template <class Definition, class Hand>
void require_equal(const std::string& name, const std::string& data) {
  using R = Scalar<double>;
  const HostModel<Definition> definition(data_of(data));
  const HostModel<Hand> hand(data_of(data));
  const Layout layout = layout_of(definition.model);
  const auto n = size_for<SizeOf<Definition>>(layout);
  Point<R, SizeOf<Definition>> defined(layout, n), by_hand(layout, n);
  auto &q = defined.q, &g = defined.g, &h = by_hand.g;
  for_each(n, [&](int i) { q[i] = R(0.3 * std::cos(1.0 + i)); });
  const R a = evaluate<Request::value_and_gradient, R>(definition.model, n, q, g, defined.arena()).value();
  const R b = evaluate<Request::value_and_gradient, R>(hand.model, n, q, h, by_hand.arena()).value();
  double worst = std::fabs(a.v - b.v) / std::max(1.0, std::fabs(a.v));
  for_each(n, [&](int i) { worst = std::max(worst, std::fabs(g[i].v - h[i].v) / std::max(1.0, std::fabs(g[i].v))); });
  if (!(worst < 1e-9)) throw Error(name + ": the model written by hand does not agree with its definition");
}

template <class Number, template <class> class Definition, template <class> class Hand>
void add(std::vector<Pair>& pairs, const std::string& name, const std::string& data, const std::string& by_hand) {
  using R = Pack<Number>;
  require_equal<Definition<double>, Hand<double>>(name, data);
  pairs.push_back({"definition_to_hand/value_and_gradient/" + name,
                   contender<Request::value_and_gradient, R, Definition<Number>>("definition", data),
                   contender<Request::value_and_gradient, R, Hand<Number>>(by_hand, data), 0, "gradients/s"});
  pairs.push_back({"definition_to_hand/gradient/" + name,
                   contender<Request::gradient, R, Definition<Number>>("definition", data),
                   contender<Request::gradient, R, Hand<Number>>(by_hand, data), 0.95, "gradients/s"});
}

template <class Number>
using Normal10 = models::Normal<Number, 10>;
template <class Number>
using HandNormal10 = HandNormal<Number, 10>;
template <class Number>
using Schools = models::EightSchools<Number, 8>;
template <class Number>
using HandSchools = HandEightSchools<Number, 8>;
template <class Number>
using Logistic = models::LogisticRegression<Number, 25>;
template <class Number>
using LogisticByRow = HandLogistic<Number, 25, 1>;
template <class Number>
using LogisticByEight = HandLogistic<Number, 25, 8>;

template <class Number>
std::vector<Pair> pairs_in() {
  std::vector<Pair> pairs;
  add<Number, Normal10, HandNormal10>(pairs, "normal_10", "normal", "by hand");
  add<Number, Schools, HandSchools>(pairs, "eight_schools", "eight_schools", "by hand");
  add<Number, Logistic, LogisticByRow>(pairs, "logistic_regression", "logistic_regression", "by hand, row by row");
  add<Number, Logistic, LogisticByEight>(pairs, "logistic_regression_blocked", "logistic_regression",
                                         "by hand, 8 rows at once");
  add<Number, Garch, HandGarch>(pairs, "garch", "garch", "by hand");
  add<Number, ItemResponse, HandItemResponse>(pairs, "item_response", "item_response", "by hand");
  return pairs;
}

}  // namespace

std::vector<Pair> gradient_pairs(Precision precision) {
  return precision == Precision::single_precision ? pairs_in<float>() : pairs_in<double>();
}

}  // namespace manychain::bench
