#include "modes/tail.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "modes/ascent.hpp"
#include "modes/chains_from.hpp"
#include "modes/mass_on_sphere.hpp"
#include "modes/whitened.hpp"
#include "modes/wide_points.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t walkers = 16, radii = 16, steps_of_walker = 16;
constexpr std::size_t most_chains = 128;  // of which the mass is known
constexpr double beyond_chains = 3, beyond_most = 1.5,
                 to_next_radius = 1.25;  // of the first radius above sqrt(d); of radii
constexpr double same = 0.1;             // distance of walkers, in parts of their radius, of which one goes on
constexpr double lowest = 16;            // a walker ends so far below the highest log density of a chain
constexpr double stiffness = 4;          // holds a walker at its distance
constexpr double least_widening = 0.1;
constexpr double last_part = 0.1;  // of `widens`, between the last two radii, at most
constexpr double far_out = 0.9;    // of `widens` lies behind
constexpr double least_accepted = 0.3, accepted = 0.6, shortest_step = 0.125;
constexpr std::size_t few_transitions = 4, many_transitions = 32;
constexpr double fewest_visits = 1e-6;
constexpr std::size_t most_tails = 3;  // in which chains are followed
constexpr std::uint64_t first_chain_in_tail = first_path_of_look + (std::uint64_t{1} << 21);

double norm(const Numbers& z) { return std::sqrt(std::inner_product(z.begin(), z.end(), z.begin(), 0.0)); }

/// Follows a tail outwards.
struct Walker {
  Numbers x;
  double radius = 0, density = 0;  ///< there: of the posterior's mass by distance
  double share = 0, widens = 0;    ///< that it has passed; as in FoundTail
  std::vector<Numbers> passed = {};
  Numbers widens_to = {};  ///< `widens` up to each point that it has passed

  void go_to(const double* to, std::size_t d, double next_radius, double next_density) {
    if (radius > 0) {
      // The density falls like an exponential function between two radii.
      const double fall = std::log(density / next_density),
                   mean = std::fabs(fall) < 1e-6 ? density : (density - next_density) / fall;
      const double halfway = 0.5 * (radius + next_radius), mass = mean * (next_radius - radius);
      share += mass;
      widens += mass * halfway * halfway;
    }
    x.assign(to, to + d);
    radius = next_radius, density = next_density;
    passed.push_back(x);
    widens_to.push_back(widens);
  }
  /// True if the variance has no end as far as the tail was followed: densities there fall like a power.
  bool grows() const {
    const std::size_t n = widens_to.size();
    return n == radii && widens - widens_to[n - 2] > last_part * widens;
  }
  /// The first point with so large a part of `widens` behind it.
  const Numbers& behind(double part) const {
    const auto at = std::lower_bound(widens_to.begin(), widens_to.end(), part * widens);
    return passed[static_cast<std::size_t>(at - widens_to.begin())];
  }
};

class TailSearch {
 public:
  TailSearch(const DensityEvaluator& density, const Place& place, const TailWanted& wanted, std::size_t& evaluations)
      : density_(density),
        place_(place),
        wanted_(wanted),
        evaluations_(evaluations),
        before_(evaluations),
        white_(place),
        d_(place.dimension()) {}

  std::optional<FoundTail> operator()() {
    know_chains();
    std::vector<Walker> moving = outermost(), ended;
    double radius = std::sqrt(static_cast<double>(d_)) + beyond_chains;
    for (std::size_t k = 0; k < radii && !moving.empty() && !spent(); ++k, radius *= to_next_radius) {
      climb(moving, radius);
      const auto lost = [&](const Walker& w) { return w.radius < radius; };
      std::copy_if(moving.begin(), moving.end(), std::back_inserter(ended), lost);
      std::erase_if(moving, lost);
      leave_one_of_each(moving);
    }
    ended.insert(ended.end(), moving.begin(), moving.end());
    std::erase_if(ended, [](const Walker& w) { return !(w.widens > least_widening) || w.grows(); });
    std::sort(ended.begin(), ended.end(), [](const Walker& a, const Walker& b) { return a.widens > b.widens; });
    ended.resize(std::min(ended.size(), most_tails));
    double shorter = 1;
    std::vector<ChainsSeen> with_whole_steps;
    for (const Walker& w : ended) {
      with_whole_steps.push_back(chains_at(w.behind(0.5), 1, many_transitions));
      shorter = std::min(shorter, shorter_step(w, with_whole_steps.back().leaves));
    }
    std::optional<FoundTail> worst;
    for (std::size_t k = 0; k < ended.size(); ++k) {
      if (spent()) return std::nullopt;
      const Walker& w = ended[k];
      const double acceptance = chains_at(w.behind(far_out), shorter, few_transitions).acceptance;
      const ChainsSeen inside =
          shorter == 1 ? with_whole_steps[k] : chains_at(w.behind(0.5), shorter, many_transitions);
      FoundTail tail;
      tail.share = w.share / (1 + w.share), tail.widens = w.widens;
      tail.shorter = shorter, tail.refused = shorter < 1 && acceptance < least_accepted;
      tail.acceptance = acceptance, tail.leaves = inside.leaves, tail.none_left = inside.none_left;
      tail.middle = w.behind(0.5);
      if (!worst || sd_error_of_tail(tail, 1) > sd_error_of_tail(*worst, 1)) worst = tail;
    }
    if (worst && worst->refused) worst->shorter = 1;
    return worst;
  }

 private:
  bool spent() const { return evaluations_ - before_ > wanted_.evaluations; }

  /// The mass of the density at the chains, and its highest value. Where the chains are not normal, the mass tends to
  /// be too large, and tails seem smaller than they are.
  void know_chains() {
    const std::size_t chains = std::min(wanted_.positions.size() / d_, most_chains);
    const Numbers some(wanted_.positions.begin(), wanted_.positions.begin() + static_cast<std::ptrdiff_t>(chains * d_));
    Numbers values(chains);
    density_(some.data(), chains, values.data(), nullptr);
    evaluations_ += chains;
    log_mass_ = log_mass(place_, some, values);
    highest_ = *std::max_element(values.begin(), values.end());
  }

  std::vector<Walker> outermost() {
    const std::size_t chains = wanted_.positions.size() / d_;
    std::vector<std::pair<double, const double*>> by_distance;
    for (std::size_t c = 0; c < chains; ++c) {
      const double* const x = wanted_.positions.data() + c * d_;
      by_distance.emplace_back(-place_.squared_distance(x, place_.centre().data()), x);
    }
    std::sort(by_distance.begin(), by_distance.end());
    std::vector<Walker> all;
    for (std::size_t k = 0; k < std::min(walkers, chains); ++k)
      all.push_back({Numbers(by_distance[k].second, by_distance[k].second + d_)});
    return all;
  }

  /// One of those that have come to the same place goes on.
  void leave_one_of_each(std::vector<Walker>& moving) const {
    std::vector<Walker> apart;
    for (Walker& w : moving) {
      const auto near = [&](const Walker& other) {
        return std::sqrt(place_.squared_distance(w.x.data(), other.x.data())) < same * w.radius;
      };
      if (std::none_of(apart.begin(), apart.end(), near)) apart.push_back(std::move(w));
    }
    moving = std::move(apart);
  }

  /// The density, with a spring that holds points at a distance from the centre.
  DensityEvaluator held_at(double radius) const {
    return [this, radius](const double* points, std::size_t count, double* values, double* gradients) {
      density_(points, count, values, gradients);
      for (std::size_t k = 0; k < count; ++k) {
        const Numbers out = place_.solve_difference(points + k * d_, place_.centre().data());
        const double distance = std::sqrt(place_.squared_distance(points + k * d_, place_.centre().data())),
                     force = stiffness * (distance - radius);
        values[k] -= 0.5 * force * (distance - radius);
        for (std::size_t i = 0; gradients && i < d_; ++i) gradients[k * d_ + i] -= force * out[i] / distance;
      }
    };
  }

  ChainsSeen chains_at(const Numbers& x, double shorter, std::size_t transitions) {
    ChainsWanted wanted;
    wanted.step_size = shorter * wanted_.step_size, wanted.trajectory = wanted_.trajectory;
    wanted.radius = std::sqrt(static_cast<double>(d_)) + beyond_most;
    wanted.transitions = transitions;
    wanted.seed = wanted_.seed, wanted.path = first_chain_in_tail;
    return chains_from(density_, white_, x.data(), wanted, evaluations_);
  }

  /// Halves the step until chains move far out in the tail, if they hardly do, and come there too seldom. `leaves`: the
  /// chance to leave the tail in one transition, with whole steps.
  double shorter_step(const Walker& w, double leaves) {
    const auto acceptance = [&](double shorter) {
      return chains_at(w.behind(far_out), shorter, few_transitions).acceptance;
    };
    UnreachedTail with_whole_steps;
    with_whole_steps.share = w.share, with_whole_steps.widens = w.widens, with_whole_steps.leaves = leaves;
    if (sd_error_of_tail(with_whole_steps, wanted_.transitions) < wanted_error_of_tail ||
        acceptance(1) > least_accepted)
      return 1;
    double shorter = 0.5;
    while (shorter > shortest_step && acceptance(shorter) < accepted) shorter *= 0.5;
    return shorter;
  }

  /// To the highest density at a distance, from where they are at a smaller one. Those that find none stay behind.
  void climb(std::vector<Walker>& moving, double radius) {
    Numbers from;
    for (const Walker& w : moving) {
      Numbers z = white_.z_of(w.x.data());
      const double factor = radius / norm(z);
      for (double& element : z) element *= factor;
      const Numbers x = white_.x_of(z.data());
      from.insert(from.end(), x.begin(), x.end());
    }
    const Ascended climbed = ascend(held_at(radius), place_, {}, from, moving.size() * steps_of_walker);
    evaluations_ += climbed.evaluations;
    for (std::size_t k = 0; k < moving.size(); ++k) {
      if (!(climbed.values[k] > highest_ - lowest)) continue;
      const double* const x = climbed.points.data() + k * d_;
      const double density = std::exp(log_mass_on_sphere(density_, white_, x, evaluations_) - log_mass_);
      if (!std::isnan(density)) moving[k].go_to(x, d_, radius, density);
    }
  }

  const DensityEvaluator& density_;
  const Place& place_;
  const TailWanted& wanted_;
  std::size_t& evaluations_;
  std::size_t before_;
  Whitened white_;
  std::size_t d_;
  double log_mass_ = 0, highest_ = 0;
};

}  // namespace

double sd_error_of_tail(const UnreachedTail& tail, double transitions) {
  return 0.5 * tail.widens / (1 + tail.widens) / std::sqrt(std::max(visits_of_tail(tail, transitions), fewest_visits));
}

std::optional<FoundTail> find_tail(const DensityEvaluator& density, const Place& place, const TailWanted& wanted,
                                   std::size_t& evaluations) {
  if (place.dimension() > most_dimensions_of_tail || wanted.positions.empty() || !(wanted.step_size > 0))
    return std::nullopt;
  return TailSearch(density, place, wanted, evaluations)();
}

}  // namespace manychain
