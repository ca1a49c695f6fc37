// What is known of each sequence, and what all of them together say: moments, and the effective sample size.
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
#pragma once

#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/memory.h>
#include <thrust/transform.h>

#include <cstddef>
#include <vector>

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
  static constexpr int lags = 8;

  explicit SequencePool(const SequenceLayout& layout)
      : layout_(layout), blocks_((layout.chains + chains_per_partial - 1) / chains_per_partial) {
    mean_.resize(layout_.padded);
    squares_.resize(layout_.padded);
    products_.resize(lags * layout_.padded);
    partials_.resize(lags * blocks_);
    host_partials_.resize(lags * blocks_);
  }

  /// Rows of numbers, one per sequence, that loops write: means, sums of squares about them, and `lags` rows of
  /// products.
  double* mean() { return raw<Backend, double>(mean_); }
  double* squares() { return raw<Backend, double>(squares_); }
  double* products() { return raw<Backend, double>(products_); }

  /// Sums of rows over all chains: a partial for each block of consecutive chains, added in order.
  template <class Term>
  void sum(const Term& term, std::size_t rows, double* sums) {
    const std::size_t count = rows * blocks_;
    const thrust::counting_iterator<std::size_t> begin(0);
    thrust::transform(Backend::policy(), begin, begin + static_cast<std::ptrdiff_t>(count), partials_.begin(),
                      PartialSum<Term>{term, layout_.chains, blocks_});
    thrust::copy(partials_.begin(), partials_.begin() + static_cast<std::ptrdiff_t>(count), host_partials_.begin());
    for (std::size_t row = 0; row < rows; ++row) {
      sums[row] = 0;
      for (std::size_t b = 0; b < blocks_; ++b) sums[row] += host_partials_[row * blocks_ + b];
    }
  }
  template <class Term>
  double sum(const Term& term) {
    double result = 0;
    sum(term, 1, &result);
    return result;
  }

  /// Pooled from means and squares.
  ArrayMoments moments() {
    ArrayMoments m;
    m.chains = static_cast<double>(layout_.sequences());
    m.draws = layout_.length;
    mean_of_means_ = sum(OfChain{mean(), layout_}) / m.chains;
    if (layout_.sequences() > 1) {
      m.variance_of_means = sum(OfChainSquared{mean(), mean_of_means_, layout_}) / (m.chains - 1);
    }
    sum_of_squares_ = sum(OfChain{squares(), layout_});
    m.autocovariance_0 = sum_of_squares_ / m.chains / static_cast<double>(m.draws);
    return m;
  }
  /// What moments() found on its way.
  double mean_of_means() const { return mean_of_means_; }
  double sum_of_squares() const { return sum_of_squares_; }

  /// Effective sample size. `products(first)` writes the rows of products at the lags from `first` on. Once
  /// `direct_lags` are done, `spectrum()` gives the sums of the products at all lags at once.
  template <class Products, class Spectrum>
  double ess(const ArrayMoments& m, const Products& products, std::size_t direct_lags, const Spectrum& spectrum) {
    Autocovariances<Products, Spectrum> at{*this, products, direct_lags, spectrum};
    return effective_sample_size(m, at);
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

  /// Means and sums of squares of the sequences, for the host.
  std::vector<double> host_means() const { return host(mean_); }
  std::vector<double> host_squares() const { return host(squares_); }

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
        pool.sum(OfChain{pool.products(), pool.layout_}, lags, sums);
      }
      return sums[lag - first] / scale;
    }
  };

  std::vector<double> host(const Row& row) const {
    std::vector<double> result(layout_.sequences());
    thrust::copy(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(result.size()), result.begin());
    return result;
  }

  SequenceLayout layout_;
  std::size_t blocks_;
  Row mean_, squares_, products_, partials_;
  std::vector<double> host_partials_;
  double mean_of_means_ = 0;
  double sum_of_squares_ = 0;
};

}  // namespace manychain::diagnostics
