// Vector intermediates: values that are computed once and used as often as one likes. As Let, each is a local variable
// and nothing else; its elements are nodes, which collect adjoints. The destructor passes these on. All that is kept is
// of this kind: let(), constrained vectors, factors and solutions of linear systems, the states of scan() and of
// differential equations.
#pragma once

#include "manychain/model/matrices/parameter_vectors.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Values and adjoints of a vector intermediate: in registers when its size is fixed and small, else in the arena of
/// the target, which gives and takes memory in the order of declarations. LayoutTarget counts the size of the arena by
/// the same calls (Layout::scratch). Self is the class that is derived from it.
template <class Self, class R, class N, bool Gradient>
class IntermediateVector {
  static constexpr bool in_registers = is_unrolled<N>;
  using Memory = std::conditional_t<in_registers, Registers<R, N::fixed ? N::compile_time : 1>, Strided<R>>;

 public:
  /// Expressions hold this of it.
  struct Reference {
    const IntermediateVector* vector;
    template <class Index>
    MANYCHAIN_HD auto operator[](Index i) const {
      if constexpr (checks_bounds) checks::require_there(vector);
      return (*vector)[i];
    }
    MANYCHAIN_HD N size() const { return vector->size(); }
    MANYCHAIN_HD Reference view() const { return *this; }
  };
  MANYCHAIN_HD Reference view() const { return {this}; }
  MANYCHAIN_HD N size() const { return size_; }
  MANYCHAIN_HD auto operator[](int i) const {
    if constexpr (Gradient)
      return Variable<R, 1, checks_bounds>(value_[i], &adjoint_[i]);
    else
      return Constant<R>(value_[i]);
  }
  template <int K>
  MANYCHAIN_HD auto operator[](RowRange<K> j) const {
    return elements(j);
  }
  template <int K>
  MANYCHAIN_HD auto operator[](const RowNumbers<int, K>& j) const {
    return elements(j);
  }
  template <class L>
  MANYCHAIN_HD auto operator[](const LaneIndex<L>&) const {
    static_assert(!std::is_same_v<L, L>, "a minibatch may not index parameters: leave out minibatches = true");
    return (*this)[0];
  }
  template <class Index>
  requires detail::NoIndex<Index> MANYCHAIN_HD auto operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }

 protected:
  MANYCHAIN_HD IntermediateVector(N size, Arena<R>& arena) : size_(size), arena_(&arena) {
    if constexpr (!in_registers) {
      value_ = arena_->take(size.value());
      if constexpr (Gradient) adjoint_ = arena_->take(size.value());
    }
    if constexpr (checks_bounds) note(checks::note_made);
  }
  MANYCHAIN_HD ~IntermediateVector() {
    if constexpr (checks_bounds) note(checks::note_gone);
    if constexpr (!in_registers) arena_->give_back((Gradient ? 2 : 1) * size_.value());
  }
  MANYCHAIN_HD IntermediateVector(const IntermediateVector& other) : size_(other.size_), arena_(other.arena_) {
    refuse_copy<Self>();
  }
  MANYCHAIN_HD IntermediateVector& operator=(const IntermediateVector&) { return refuse_copy<Self>(), *this; }

  /// Before any element is handed out.
  MANYCHAIN_HD void clear_adjoints() {
    if constexpr (Gradient) for_each(size_, [&](int i) { adjoint_[i] = R(0); });
  }
  MANYCHAIN_HD Memory& values() { return value_; }
  MANYCHAIN_HD Memory& adjoints() { return adjoint_; }

 private:
  template <class Several>
  MANYCHAIN_HD auto elements(const Several& j) const {
    const Shifted<const Memory> values{&value_, 0};
    if constexpr (Gradient)
      return selected_elements<R>(j, values, Shifted<Memory>{&adjoint_, 0});
    else
      return selected_elements<R>(j, values, nullptr);
  }
  void note(void (*made_or_gone)(const void*, std::size_t)) const {
    made_or_gone(this, sizeof(IntermediateVector));
    if constexpr (Gradient && !in_registers)
      made_or_gone(&adjoint_[0], static_cast<std::size_t>(size_.value()) * sizeof(R));
  }

  N size_;
  Arena<R>* arena_;
  Memory value_;
  mutable Memory adjoint_;
};

/// A vector of parameters with a constraint.
template <class Constraint, class R, class Q, class G, class N, bool Gradient>
class ConstrainedVector
    : public IntermediateVector<ConstrainedVector<Constraint, R, Q, G, N, Gradient>, R, N, Gradient> {
  using Base = IntermediateVector<ConstrainedVector, R, N, Gradient>;

 public:
  template <class Target>
  MANYCHAIN_HD ConstrainedVector(const Constraint& constraint, const Q* q, G* g, int offset, N size, Target& target)
      : Base(size, target.arena()), constraint_(constraint), q_(q), g_(g), offset_(offset) {
    target.add(forward<R>(constraint_, size, Shifted<const Q>{q_, offset_}, this->values()));
    if constexpr (Target::outputs) for_each(size, [&](int i) { target.emit(this->values()[i]); });
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~ConstrainedVector() {
    if constexpr (Gradient) {
      Shifted<G> g{g_, offset_};
      backward<R>(constraint_, this->size(), Shifted<const Q>{q_, offset_}, this->values(), this->adjoints(), g);
    }
  }
  ConstrainedVector(const ConstrainedVector&) = default;  // the base refuses
  ConstrainedVector& operator=(const ConstrainedVector&) = default;

 private:
  Constraint constraint_;
  const Q* q_;
  G* g_;
  int offset_;
};

/// Like ConstrainedVector, with an offset and a multiplier: its elements also give the values that are sampled
/// (model/autodiff/own_scale.hpp).
template <class M, class S, class R, class Q, class G, class N, bool Gradient>
class ConstrainedVector<OffsetMultiplier<M, S>, R, Q, G, N, Gradient>
    : public IntermediateVector<ConstrainedVector<OffsetMultiplier<M, S>, R, Q, G, N, Gradient>, R, N, Gradient> {
  using Base = IntermediateVector<ConstrainedVector, R, N, Gradient>;
  using Scale = OffsetScale<M, S, R>;

 public:
  template <class Target>
  MANYCHAIN_HD ConstrainedVector(const OffsetMultiplier<M, S>& constraint, const Q* q, G* g, int offset, N size,
                                 Target& target)
      : Base(size, target.arena()), scale_(constraint, size.value()), unscaled_(q, g, offset, size) {
    const R mu = R(constraint.offset.value()), sigma = R(constraint.multiplier.value());
    for_each(size, [&](int i) { this->values()[i] = scaled_element(sigma, R(unscaled_[i].value()), mu); });
    target.add(R(size.value()) * scale_.log_value());
    if constexpr (Target::outputs) for_each(size, [&](int i) { target.emit(this->values()[i]); });
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~ConstrainedVector() {
    if constexpr (Gradient) {
      const R sigma = R(scale_.multiplier().value());
      R shift = R(0), stretch = scale_.stretch();
      for_each(this->size(), [&](int i) {
        const auto u = unscaled_[i];
        shift += this->adjoints()[i];
        stretch = fma(this->adjoints()[i], u.value(), stretch);
        u.push(this->adjoints()[i], sigma, NoMask{});
      });
      scale_.offset().push(shift, NoMask{});
      scale_.multiplier().push(stretch, NoMask{});
    }
  }
  ConstrainedVector(const ConstrainedVector&) = default;  // the base refuses
  ConstrainedVector& operator=(const ConstrainedVector&) = default;

  struct Reference {
    const ConstrainedVector* vector;
    template <class Index>
    MANYCHAIN_HD auto operator[](const Index& i) const {
      if constexpr (checks_bounds) checks::require_there(static_cast<const Base*>(vector));
      return (*vector)[i];
    }
    MANYCHAIN_HD N size() const { return vector->size(); }
    MANYCHAIN_HD Reference view() const { return *this; }
  };
  MANYCHAIN_HD Reference view() const { return {this}; }
  template <class Index>
  MANYCHAIN_HD auto operator[](const Index& i) const {
    if constexpr (std::is_integral_v<Index> || detail::rows_of_index < Index >> 0) {
      const auto x = Base::operator[](i);
      const auto u = unscaled_[i];
      return ScaledLeaf<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(u)>, Scale>(x, u, scale_);
    } else {
      return Base::operator[](i);  // refuses
    }
  }

 private:
  Scale scale_;
  ParameterVector<R, Q, G, N, Gradient> unscaled_;
};

/// The elements of a vector expression, each evaluated once.
template <class V, class R, class N, bool Gradient>
class LetVector : public IntermediateVector<LetVector<V, R, N, Gradient>, R, N, Gradient> {
  using Base = IntermediateVector<LetVector, R, N, Gradient>;

 public:
  template <class Target>
  MANYCHAIN_HD LetVector(const V& expression, Target& target)
      : Base(expression.size(), target.arena()), expression_(expression) {
    for_each(this->size(), [&](int i) { this->values()[i] = R(as_node(expression_[i]).value()); });
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~LetVector() {
    if constexpr (Gradient)
      for_each(this->size(), [&](int i) { as_node(expression_[i]).push(R(this->adjoints()[i]), NoMask{}); });
  }
  LetVector(const LetVector&) = default;  // the base refuses
  LetVector& operator=(const LetVector&) = default;

 private:
  V expression_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
