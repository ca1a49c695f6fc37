// Vectors of parameters as a target hands them out, and the memory in which they lie.
#pragma once

#include "manychain/model/autodiff/own_scale.hpp"
#include "manychain/model/autodiff/vector_expression.hpp"
#include "manychain/model/data/view.hpp"
#include "manychain/model/distributions/refusals.hpp"

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
      return selected_elements<R>(j, values, Shifted<G>{g_, offset_});
    else
      return selected_elements<R>(j, values, nullptr);
  }
  const Q* q_;
  G* g_;
  int offset_;
  N size_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
