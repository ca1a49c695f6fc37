// Statistics of each sequence, and of all of them together: moments, and the effective sample size.
//
// Private: Thrust must not reach a public header. A backend is a type with
//   static auto policy();                     Thrust's execution policy
//   template <class T> using Vector = ...;    memory that this policy can reach
//   static constexpr int lanes;               sequences that one call handles side by side
//   static constexpr bool tiled;              whether these lie together in memory (a CPU's vectors and cache), or all
//                                             sequences side by side (a device's coalesced access)
//   static constexpr std::size_t merged;      draws of the folded order that one call merges
//   static constexpr bool spectral;           whether autocovariances at all lags may come from a Fourier transform,
//                                             which needs memory that the host can read
// That of a device, which SummaryBatch takes, has no tiles and no spectrum, and the host reads its memory by copies:
//   template <class T> static void fetch(T* to, const T* from, std::size_t count);
//                                             one, behind all that was asked for before
//   template <class Key, class Value> static void sort_by_key(Vector<Key>& keys, Vector<Value>& values);
//                                             stable
#pragma once

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/memory.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "diagnostics/content.hpp"
#include "diagnostics/effective_sample_size.hpp"
#include "diagnostics/sequence_layout.hpp"

namespace manychain::diagnostics {

template <class Backend, class T>
T* raw(typename Backend::template Vector<T>& v) {
  return thrust::raw_pointer_cast(v.data());
}

template <class Backend, class Function>
void for_each_index(std::size_t count, const Function& function) {
  const thrust::counting_iterator<std::size_t> begin(0);
  thrust::for_each(Backend::policy(), begin, begin + static_cast<std::ptrdiff_t>(count), function);
}

template <class Backend>
class SequencePool {
 public:
  /// Lags whose products are computed together.
  static constexpr int lags = Backend::tiled ? 8 : 16;

  explicit SequencePool(const SequenceLayout& layout)
      : layout_(layout), blocks_((layout.chains + chains_per_partial - 1) / chains_per_partial) {
    moments_.resize(2 * layout_.padded);
    products_.resize(lags * layout_.padded);
    partials_.resize((2 + lags) * blocks_);
    sums_.resize(moment_sums);
  }
  SequencePool(const SequencePool&) = delete;
  SequencePool& operator=(const SequencePool&) = delete;

  /// Rows of numbers, one per sequence, that loops write: means, sums of squares about them, and `lags` rows of
  /// products.
  double* mean() { return raw<Backend, double>(moments_); }
  double* squares() { return mean() + layout_.padded; }
  double* products() { return raw<Backend, double>(products_); }

  /// Sums of rows over all chains, left in the backend's memory: a partial for each block of consecutive chains, added
  /// in order.
  template <class Term>
  void write_sums(const Term& term, std::size_t rows, double* to) {
    const bool one = blocks_ == 1;  // then the partial sums are the sums
    double* const partials = one ? to : raw<Backend, double>(partials_);
    for_each_index<Backend>(rows * blocks_, PutPartialSum<Term>{{term, layout_.chains, blocks_}, partials});
    if (!one) for_each_index<Backend>(rows, AddPartials{partials, blocks_, to});
  }

  /// Pooled from means and squares, on the host.
  ArrayMoments moments() {
    double* const sums = raw<Backend, double>(sums_);
    write_sums(OfChain{mean(), layout_}, 2, sums + 1);
    write_sums(OfChainSquared{mean(), sums + 1, static_cast<double>(layout_.sequences()), layout_}, 1, sums);
    sum_of_squares_ = sums[2];
    return array_moments(static_cast<double>(layout_.sequences()), layout_.length, sums);
  }
  /// Sums that moments() found on its way.
  const double* sum_of_means() { return raw<Backend, double>(sums_) + 1; }
  double sum_of_squares() const { return sum_of_squares_; }

  /// Effective sample size. `products(first)` writes the rows of products at the lags from `first` on. Once
  /// `direct_lags` are done, `spectrum()` gives the sums of the products at all lags at once.
  template <class Products, class Spectrum>
  double ess(const ArrayMoments& m, const Products& products, std::size_t direct_lags, const Spectrum& spectrum) {
    return effective_sample_size(m, Autocovariances<Products, Spectrum>{*this, products, direct_lags, spectrum});
  }

  /// Autocovariances at the lags 0 to `max_lag`, divisor n, averaged over the sequences.
  template <class Products, class Spectrum>
  std::vector<double> autocovariances(const ArrayMoments& m, std::size_t max_lag, const Products& products,
                                      std::size_t direct_lags, const Spectrum& spectrum) {
    // Here it is known beforehand whether the lags are many.
    Autocovariances<Products, Spectrum> at{*this, products, max_lag > direct_lags ? 0 : direct_lags, spectrum};
    std::vector<double> result = {m.autocovariance_0};
    for (std::size_t lag = 1; lag <= max_lag; ++lag) result.push_back(at(lag));
    return result;
  }

 private:
  using Row = typename Backend::template Vector<double>;

  template <class Products, class Spectrum>
  struct Autocovariances {
    SequencePool& pool;
    const Products& products;
    std::size_t direct_lags;
    const Spectrum& spectrum;
    std::size_t first = 1;
    std::size_t known = 0;
    double sums[lags] = {};
    std::vector<double> all = {};

    double operator()(std::size_t lag) {
      const double scale = static_cast<double>(pool.layout_.sequences()) * static_cast<double>(pool.layout_.length);
      if (lag < all.size()) return all[lag] / scale;
      if (lag >= first + known) {
        if (Backend::spectral && lag > direct_lags) {
          all = spectrum();
          return all[lag] / scale;
        }
        first = lag;
        known = lags;
        products(first);
        pool.write_sums(OfChain{pool.products(), pool.layout_}, lags, sums);
      }
      return sums[lag - first] / scale;
    }
  };

  SequenceLayout layout_;
  std::size_t blocks_;
  Row moments_, products_, partials_, sums_;
  double sum_of_squares_ = 0;
};

}  // namespace manychain::diagnostics
