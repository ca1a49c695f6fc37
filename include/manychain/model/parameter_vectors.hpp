// Vectors of parameters as a target hands them out, and the memory in which they lie.
#pragma once

#include "manychain/model/constraints.hpp"
#include "manychain/model/refusals.hpp"
#include "manychain/model/view.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// A vector of Reals in memory, `stride` Reals apart. On a CUDA device the chain index is fastest and the stride is the
/// number of chains; in a CPU thread's workspace the stride is one.
template <class R>
struct Strided {
  R* p = nullptr;
  std::ptrdiff_t stride = 1;
  MANYCHAIN_HD R& operator[](int i) const { return p[i * stride]; }
};

/// A vector of Reals in registers.
template <class R, int N>
struct Registers {
  R x[N > 0 ? N : 1];
  MANYCHAIN_HD R& operator[](int i) { return x[i]; }
  MANYCHAIN_HD const R& operator[](int i) const { return x[i]; }
};

/// Last-in-first-out memory of one Real's chains, for vector intermediates whose size is not known at compile time.
template <class R>
struct Arena {
  Strided<R> memory;
  int used = 0;
  MANYCHAIN_HD Strided<R> take(int n) {
    const Strided<R> piece{memory.p + used * memory.stride, memory.stride};
    used += n;
    return piece;
  }
  MANYCHAIN_HD void give_back(int n) { used -= n; }
};

/// A piece of a larger vector.
template <class V>
struct Shifted {
  V* whole;
  int offset;
  MANYCHAIN_HD decltype(auto) operator[](int i) const { return (*whole)[offset + i]; }
};

/// Unconstrained parameters of a vector.
template <class R, class Q, class G, class N, bool Gradient>
class ParameterVector {
 public:
  MANYCHAIN_HD ParameterVector(const Q* q, G* g, int offset, N size) : q_(q), g_(g), offset_(offset), size_(size) {}
  MANYCHAIN_HD auto operator[](int i) const {
    if constexpr (Gradient)
      return Variable<R>((*q_)[offset_ + i], &(*g_)[offset_ + i]);
    else
      return Constant<R>((*q_)[offset_ + i]);
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
  MANYCHAIN_HD N size() const { return size_; }
  MANYCHAIN_HD ParameterVector view() const { return *this; }

 private:
  template <class Several>
  MANYCHAIN_HD auto elements(const Several& j) const {
    const Shifted<const Q> values{q_, offset_};
    if constexpr (Gradient)
      return row_block_variable<R>(j, values, Shifted<G>{g_, offset_});
    else
      return row_block_constant<R>(j, values);
  }
  const Q* q_;
  G* g_;
  int offset_;
  N size_;
};

/// A constrained vector. As Let, it is a local variable and nothing else; its elements are nodes. Values and adjoints
/// lie in registers when the size is fixed and small, else in the arena of the target.
template <class Constraint, class R, class Q, class G, class N, bool Gradient>
class ConstrainedVector {
  static constexpr bool in_registers = is_unrolled<N>;
  using Memory = std::conditional_t<in_registers, Registers<R, N::fixed ? N::compile_time : 1>, Strided<R>>;

 public:
  template <class Target>
  MANYCHAIN_HD ConstrainedVector(const Constraint& constraint, const Q* q, G* g, int offset, N size, Target& target)
      : constraint_(constraint), q_(q), g_(g), offset_(offset), size_(size), arena_(&target.arena()) {
    if constexpr (!in_registers) {
      value_ = arena_->take(size.value());
      if constexpr (Gradient) adjoint_ = arena_->take(size.value());
    }
    target.add(forward<R>(constraint_, size_, Shifted<const Q>{q_, offset_}, value_));
    if constexpr (Target::outputs) for_each(size_, [&](int i) { target.emit(value_[i]); });
    if constexpr (Gradient) for_each(size_, [&](int i) { adjoint_[i] = R(0); });
  }
  MANYCHAIN_HD ~ConstrainedVector() {
    if constexpr (Gradient) {
      Shifted<G> g{g_, offset_};
      backward<R>(constraint_, size_, Shifted<const Q>{q_, offset_}, value_, adjoint_, g);
    }
    if constexpr (!in_registers) arena_->give_back((Gradient ? 2 : 1) * size_.value());
  }

  MANYCHAIN_HD ConstrainedVector(const ConstrainedVector& other)
      : constraint_(other.constraint_),
        q_(other.q_),
        g_(other.g_),
        offset_(other.offset_),
        size_(other.size_),
        arena_(other.arena_) {
    refuse_copy<ConstrainedVector>();
  }
  MANYCHAIN_HD ConstrainedVector& operator=(const ConstrainedVector&) {
    return refuse_copy<ConstrainedVector>(), *this;
  }

  /// What expressions hold of it.
  struct Reference {
    const ConstrainedVector* vector;
    template <class Index>
    MANYCHAIN_HD auto operator[](Index i) const {
      return (*vector)[i];
    }
    MANYCHAIN_HD N size() const { return vector->size(); }
    MANYCHAIN_HD Reference view() const { return *this; }
  };
  MANYCHAIN_HD Reference view() const { return {this}; }
  MANYCHAIN_HD N size() const { return size_; }
  MANYCHAIN_HD auto operator[](int i) const {
    if constexpr (Gradient)
      return Variable<R>(value_[i], &adjoint_[i]);
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

 private:
  template <class Several>
  MANYCHAIN_HD auto elements(const Several& j) const {
    if constexpr (Gradient)
      return row_block_variable<R>(j, value_, adjoint_);
    else
      return row_block_constant<R>(j, value_);
  }
  Constraint constraint_;
  const Q* q_;
  G* g_;
  int offset_;
  N size_;
  Arena<R>* arena_;
  Memory value_;
  mutable Memory adjoint_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
