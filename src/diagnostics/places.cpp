#include "diagnostics/places.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace manychain::diagnostics {
namespace {

constexpr double far = 3, near = 1;  // standard deviations of a chain
constexpr std::size_t most_places = 8, few_chains = 64;
constexpr double most_left_out = 0.1, least_share = 0.01;
constexpr std::size_t of_each_half = 32;  // draws
constexpr std::size_t fewest_draws = 320;

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

std::vector<ChainMoments> moments_of(const std::vector<Draws>& draws, std::size_t variable, std::size_t superchains) {
  std::vector<ChainMoments> chains;
  for (std::size_t c = 0; c < draws.front().chains; ++c)
    chains.push_back(
        moments_of_chain(c, superchains, draws.size(), [&](std::size_t k) { return draws[k](0, variable, c); }));
  return chains;
}

std::size_t nearest(const std::vector<Place>& places, double x) {
  const auto found = std::min_element(places.begin(), places.end(), [x](const Place& a, const Place& b) {
    return std::fabs(a.centre - x) < std::fabs(b.centre - x);
  });
  return static_cast<std::size_t>(found - places.begin());
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

bool most_move(const std::vector<ChainMoments>& chains) {
  const auto moving = std::count_if(chains.begin(), chains.end(), [](const ChainMoments& c) { return c.sd > 0; });
  return 2 * static_cast<std::size_t>(moving) > chains.size();
}

bool stay_apart(const std::vector<Draws>& early, const std::vector<Draws>& late, std::size_t variables,
                std::size_t superchains) {
  if (early.empty() || late.empty()) return false;
  for (std::size_t i = 0; i < variables; ++i) {
    const std::vector<ChainMoments> before = moments_of(early, i, superchains),
                                    after = moments_of(late, i, superchains);
    if (!most_move(before) || !most_move(after)) continue;
    const std::vector<Place> first = places_of(before), then = places_of(after);
    if (first.empty() || first.size() != then.size()) continue;
    bool stay = true;
    for (std::size_t c = 0; c < before.size() && stay; ++c)
      stay = nearest(first, before[c].mean) == nearest(then, after[c].mean);
    if (stay) return true;
  }
  return false;
}

DrawsToCompare some_of_halves(std::size_t draws) {
  DrawsToCompare some;
  for (std::size_t k = 0; k < of_each_half; ++k) {
    const std::size_t early = (2 * k + 1) * draws / (4 * of_each_half);
    some.early.push_back(early);
    some.late.push_back(early + draws / 2);
  }
  return some;
}

bool changes_too_rarely(std::size_t draws, std::size_t most, double target_ess) {
  constexpr double of_three = 3;
  return draws >= fewest_draws && of_three * static_cast<double>(most) < target_ess * static_cast<double>(draws);
}

}  // namespace manychain::diagnostics
