#include "sampling/necks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/inverse_normal_cdf.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

// Means of fewer chains have no normal errors.
constexpr std::size_t fewest_chains = 32;
// f is 1 below the quantile of this probability and 0 above that. On centred hierarchies whose neck is missed |z| is
// largest with these: it is a third smaller from 5 % to 50 %, and from 2 % to 15 %.
constexpr double all_of_it = 0.01, none_of_it = 0.3;

}  // namespace

Necks::Necks(const Layout& layout, std::size_t chains, std::size_t of) : dimension_(layout.dimension), chains_(chains) {
  if (of < fewest_chains) return;
  std::map<std::size_t, std::vector<Leaf>> leaves_of;
  for (const DependentScale& leaf : layout.dependent_scales)
    for (std::size_t k = 0; k < leaf.slopes.size(); ++k)
      if (leaf.slopes[k] != 0) {
        std::vector<Leaf>& leaves = leaves_of[leaf.hypers[k]];
        if (!leaves.empty() && leaves.back().component == leaf.component) leaves.pop_back();  // its datum draws it
        leaves.push_back({leaf.component, leaf.slopes[k], leaf.location, leaf.location_terms});
      }
  std::vector<bool> waits(layout.dimension, false);
  for (auto& [h, leaves] : leaves_of) {
    for (const Leaf& leaf : leaves) waits[leaf.component] = true;
    const std::vector<Leaf> ordered = in_order(leaves, waits);
    for (const Leaf& leaf : leaves) waits[leaf.component] = false;
    double slopes = 0;
    for (const Leaf& leaf : ordered) slopes += leaf.slope;
    if (slopes == 0) continue;  // scales that grow and scales that fall: it has no neck
    const double sign = slopes < 0 ? -1 : 1;
    Hyper hyper{h, sign, {}, 0, 0, std::vector<double>(chains, 0)};
    hyper.leaves = ordered;
    for (Leaf& leaf : hyper.leaves) leaf.slope *= sign;
    hypers_.push_back(std::move(hyper));
  }
}

/// Leaves whose location holds other leaves come after them. Those that are left in the end have a location in a
/// circle.
std::vector<Necks::Leaf> Necks::in_order(std::vector<Leaf> leaves, std::vector<bool>& waits) {
  std::vector<Leaf> ordered;
  for (std::size_t before = leaves.size() + 1; leaves.size() < before;) {
    before = leaves.size();
    std::vector<Leaf> later;
    for (const Leaf& leaf : leaves) {
      const bool may = std::none_of(leaf.terms.begin(), leaf.terms.end(),
                                    [&](const DependentScale::Term& t) { return waits[t.component]; });
      if (may) waits[leaf.component] = false;
      (may ? ordered : later).push_back(leaf);
    }
    leaves = std::move(later);
  }
  return ordered;
}

void Necks::begin(const std::vector<double>& positions) {
  std::vector<double> values(chains_);
  for (Hyper& hyper : hypers_) {
    for (std::size_t c = 0; c < chains_; ++c) values[c] = hyper.sign * positions[c * dimension_ + hyper.component];
    std::sort(values.begin(), values.end());
    const auto quantile = [&](double p) { return values[static_cast<std::size_t>(p * static_cast<double>(chains_))]; };
    hyper.low = quantile(all_of_it);
    hyper.high = quantile(none_of_it);
  }
}

double Necks::term(const Hyper& hyper, const double* q, const double* g, std::vector<double>& moved) const {
  const double h = hyper.sign * q[hyper.component];
  if (h >= hyper.high || hyper.low >= hyper.high) return 0;  // chains in one place do not say where the tail is
  const double width = hyper.high - hyper.low;
  const double f = std::min((hyper.high - h) / width, 1.0), slope = h > hyper.low ? -1 / width : 0;
  double sum = hyper.sign * g[hyper.component];
  for (const Leaf& leaf : hyper.leaves) {
    double location = leaf.location, u = 0;
    for (const DependentScale::Term& t : leaf.terms) {
      location += t.coefficient * q[t.component];
      u += t.coefficient * moved[t.component];
    }
    u += leaf.slope * (q[leaf.component] - location);
    moved[leaf.component] = u;
    sum += u * g[leaf.component] + leaf.slope;
  }
  for (const Leaf& leaf : hyper.leaves) moved[leaf.component] = 0;
  return slope + f * sum;
}

void Necks::add(const std::vector<double>& positions, const std::vector<double>& gradients) {
  std::vector<double> moved(dimension_, 0);
  for (std::size_t c = 0; c < chains_; ++c)
    for (Hyper& hyper : hypers_)
      hyper.sums[c] += term(hyper, &positions[c * dimension_], &gradients[c * dimension_], moved);
  ++draws_;
}

Necks::Sums Necks::sums() const {
  Sums all{draws_, {}, {}, {}};
  for (const Hyper& hyper : hypers_) {
    all.high.push_back(hyper.high);
    all.low.push_back(hyper.low);
    all.terms.insert(all.terms.end(), hyper.sums.begin(), hyper.sums.end());
  }
  return all;
}

void Necks::restore(const Sums& sums) {
  const std::size_t hypers = hypers_.size();
  if (sums.high.size() != hypers || sums.low.size() != hypers || sums.terms.size() != hypers * chains_)
    throw BadInput("sums over other chains cannot be restored");
  draws_ = sums.draws;
  for (std::size_t k = 0; k < hypers; ++k) {
    hypers_[k].high = sums.high[k];
    hypers_[k].low = sums.low[k];
    std::copy_n(sums.terms.begin() + static_cast<std::ptrdiff_t>(k * chains_), chains_, hypers_[k].sums.begin());
  }
}

std::vector<Neck> Necks::test() const {
  std::vector<Neck> necks;
  for (const Hyper& hyper : hypers_) {
    const double n = static_cast<double>(chains_);
    double mean = 0, squares = 0;
    for (const double sum : hyper.sums) mean += sum / n;
    for (const double sum : hyper.sums) squares += (sum - mean) * (sum - mean);
    const double error = std::sqrt(squares / (n - 1) / n);
    necks.push_back({hyper.component, draws_ < 2 ? std::numeric_limits<double>::quiet_NaN() : mean / error});
  }
  return necks;
}

std::vector<std::size_t> Necks::missed(double level) const {
  std::vector<std::size_t> components;
  if (hypers_.empty()) return components;
  const double tail = level / static_cast<double>(hypers_.size());
  const double limit = inverse_normal_cdf(tail - 0.5, tail);
  for (const Neck& t : test())
    if (t.z < limit) components.push_back(t.component);
  return components;
}

}  // namespace manychain
