// The target that learns what a model consists of: names, shapes, sizes. On the host, before anything runs.
#pragma once

#include <algorithm>
#include <string>

#include "manychain/core/error.hpp"
#include "manychain/model/evaluate.hpp"
#include "manychain/model/layout.hpp"
#include "manychain/samplers/sweeps.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Speaks the language of Target and evaluates no density. Parameters have the value that 0 has on the unconstrained
/// scale.
template <class Number>
class LayoutTarget {
 public:
  using R = Scalar<Number>;
  static constexpr bool outputs = false;

  LayoutTarget() = default;
  LayoutTarget(const LayoutTarget&) = delete;
  LayoutTarget& operator=(const LayoutTarget&) = delete;

  auto real(const char* name) {
    declare(name, {}, 1);
    return Constant<R>(R(0));
  }
  template <class C>
  auto real(const char* name, const C& constraint) {
    declare(name, {}, 1);
    return ConstrainedScalar<C, R, false>(constraint, R(0), nullptr);
  }
  template <class N>
  auto vector(const char* name, N n) {
    declare(name, {extent(n)}, as_size(n).value());
    return ZeroVector<decltype(as_size(n))>{as_size(n)};
  }
  template <class N, class C>
  auto vector(const char* name, N n, const C& constraint) {
    declare(name, {extent(n)}, unconstrained_size(constraint, as_size(n).value()));
    if (!(decltype(as_size(n))::fixed && decltype(as_size(n))::small)) layout_.scratch += 2 * extent(n);
    return ZeroVector<decltype(as_size(n))>{as_size(n)};
  }
  template <class N>
  auto integers(const char* name, N n, int low, int high) {
    check_range(name, low, high);
    const auto x = vector(name, n);
    mark_integers(extent(n));
    return x;
  }
  template <class N>
  auto latent_integers(const char* name, N n, int low, int high) {
    check_range(name, low, high);
    components(name, true, as_size(n).value());
    mark_integers(extent(n));
    return ZeroVector<decltype(as_size(n))>{as_size(n)};
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
  template <class N, class Body>
  void observe(const char*, N, const Body&) {}
  template <class N, class Body>
  void sum_over(N, const Body&) {}
  template <Operand E>
  void derived(const char* name, const E&) {
    derived_.push_back({name, {}, 0, true});
  }
  template <class N, class Body>
  void derived(const char* name, N n, const Body&) {
    derived_.push_back({name, {extent(n)}, 0, true});
  }

  template <class Law>
  void predict(const char* name, const Law&) {
    derived_.push_back({name, {}, 0, true});
  }
  template <class N, class Body>
  void predict(const char* name, N n, const Body&) {
    derived_.push_back({name, {extent(n)}, 0, true});
  }

  Layout finish() {
    layout_.integer.resize(layout_.dimension, false);
    for (const Quantity& quantity : derived_) {
      layout_.quantities.push_back(quantity);
      layout_.quantities.back().offset = layout_.outputs;
      layout_.outputs += quantity.size();
    }
    return layout_;
  }

 private:
  static void check_range(const char* name, int low, int high) {
    constexpr int exact = 1 << 24;  // beyond, single precision has no longer every whole number
    if (low <= high && low >= -exact && high <= exact) return;
    throw BadInput("integers " + std::string(name) + ": from " + std::to_string(low) + " to " + std::to_string(high) +
                   " is not allowed; the first must not be above the second, and both within 2^24 of zero");
  }
  /// The last `count` components that were declared.
  void mark_integers(std::size_t count) {
    layout_.integers += count;
    layout_.integer.resize(layout_.dimension - count, false);
    layout_.integer.resize(layout_.dimension, true);
  }
  template <class N>
  struct ZeroVector {
    N n;
    Constant<R> operator[](int) const { return Constant<R>(R(0)); }
    N size() const { return n; }
    ZeroVector view() const { return *this; }
  };
  template <class N>
  static std::size_t extent(N n) {
    return static_cast<std::size_t>(as_size(n).value());
  }
  void declare(const char* name, std::vector<std::size_t> shape, int unconstrained) {
    layout_.quantities.push_back({name, std::move(shape), layout_.outputs, false});
    layout_.outputs += layout_.quantities.back().size();
    components(name, !layout_.quantities.back().shape.empty(), unconstrained);
  }
  void components(const char* name, bool indexed, int count) {
    layout_.dimension += static_cast<std::size_t>(count);
    for (int i = 0; i < count; ++i)
      layout_.unconstrained_names.push_back(indexed ? std::string(name) + "[" + std::to_string(i + 1) + "]"
                                                    : std::string(name));
  }

  Layout layout_;
  std::vector<Quantity> derived_;
};

namespace detail {
/// The precision that a model class was instantiated for: its data have it, too.
template <class Model>
struct model_number {
  using type = double;
};
template <template <class, int...> class Model, class Number, int... Sizes>
struct model_number<Model<Number, Sizes...>> {
  using type = Number;
};
}  // namespace detail

/// What `model`, bound to its data, consists of.
template <class Model>
Layout layout_of(const Model& model) {
  LayoutTarget<typename detail::model_number<Model>::type> target;
  if constexpr (gives_log_density<Model>)
    model.log_density(target);
  else
    model.parameters(target);
  Layout layout = target.finish();
  layout.conditional.assign(layout.dimension, false);
  layout.proposed.assign(layout.dimension, false);
  [[maybe_unused]] const auto marks = [](std::vector<bool>& flags) {
    const auto mark = [&flags](int i) { flags.at(static_cast<std::size_t>(i)) = true; };
    return MarkingSweep<decltype(mark)>{mark};
  };
  if constexpr (gives_conditionals<Model>) {
    auto sweep = marks(layout.conditional);
    model.conditionals(sweep);
  }
  if constexpr (gives_proposal<Model>) {
    auto sweep = marks(layout.proposed);
    model.proposal(sweep);
  }
  return layout;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
