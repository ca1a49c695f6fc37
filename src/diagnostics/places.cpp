#include "diagnostics/places.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace manychain::diagnostics {
namespace {

constexpr double far = 3, near = 1;  // standard deviations of a chain
constexpr std::size_t most_places = 8, few_chains = 64;
constexpr double most_left_out = 0.1, least_share = 0.01;

using Chain = std::vector<ChainMoments>::const_iterator;

struct Found : Place {
  std::size_t starts = 0;
  bool agree = false;  ///< the means of its chains, as far as their own spread tells
};

Found place_of_chains(Chain begin, Chain end, double sd) {
  const double n = static_cast<double>(end - begin);
  double sum = 0, squares = 0;
  std::set<std::size_t> starts;
  for (Chain c = begin; c != end; ++c) {
    sum += c->mean - begin->mean;
    starts.insert(c->start);
  }
  const double mean = sum / n + begin->mean;
  for (Chain c = begin; c != end; ++c) squares += (c->mean - mean) * (c->mean - mean);
  return {{mean, static_cast<std::size_t>(end - begin)}, starts.size(), std::sqrt(squares / n) < near * sd};
}

}  // namespace

std::vector<Place> places_of(std::vector<ChainMoments> chains) {
  if (chains.size() < 4) return {};
  for (const ChainMoments& c : chains)
    if (!std::isfinite(c.mean) || !std::isfinite(c.sd)) return {};
  const std::size_t all = chains.size();
  std::nth_element(chains.begin(), chains.begin() + static_cast<std::ptrdiff_t>(all / 2), chains.end(),
                   [](const ChainMoments& a, const ChainMoments& b) { return a.sd < b.sd; });
  const double sd = chains[all / 2].sd;
  std::sort(chains.begin(), chains.end(), [](const ChainMoments& a, const ChainMoments& b) { return a.mean < b.mean; });
  const auto least = std::max<std::size_t>(2, static_cast<std::size_t>(std::ceil(least_share * double(all))));
  std::vector<Place> places;
  std::size_t within = 0, largest = 0, starts = 0;
  for (Chain begin = chains.begin(); begin != chains.end();) {
    Chain end = begin + 1;
    while (end != chains.end() && end->mean - (end - 1)->mean <= far * sd) ++end;
    const Found found = place_of_chains(begin, end, sd);
    begin = end;
    if (found.chains < least || !found.agree) continue;
    places.push_back(found);
    within += found.chains;
    if (found.chains > largest) largest = found.chains, starts = found.starts;
  }
  const std::size_t several = all < few_chains ? 2 : 3;
  const bool told = places.size() >= 2 && places.size() <= most_places && starts >= several &&
                    static_cast<double>(all - within) <= most_left_out * static_cast<double>(all);
  return told ? places : std::vector<Place>{};
}

}  // namespace manychain::diagnostics
