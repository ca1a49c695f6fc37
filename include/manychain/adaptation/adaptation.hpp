// The contract of an adaptation: how warm-up tunes a sampler from what all chains of a group do.
//
// An adaptation is a trivially copyable class; one object for each group of chains, which lies where the chains are.
//   info                                      an AdaptationInfo
//   Statistic                                 what is pooled; merge() adds another one
//   passes                                    how often it looks at the chains of an interval: a later pass sees what
//                                             earlier ones found (a mean first, then what is centred by it)
//   items(pass, dimension)                    how many statistics a pass pools
//   observe(pass, item, chain, group)         the Statistic of one chain
//   update(group, tuning)                     after the last pass, once per group: changes itself and the tuning
//   phases(plan)                              host: the phases of warm-up
//   begin(phase, plan, tuning), end(phase, tuning)    host: at the ends of a phase, once per group
//   memory(dimension)                         may be left out: numbers for each group beside the object
// observe() and update() run on the device, too. Statistics merge in the order of the chains, 256 consecutive ones
// first, so that no thread count and no launch shape changes a draw.
//
// Warm-up has one list of what learns from chains, its estimators (src/warmup/recipes.cpp). The estimator Adapted
// (src/warmup/adapted.hpp) is the one that calls the adaptation: an estimator acts at the ends of stages, on the host,
// an adaptation between transitions, where the chains are.
//
// It knows the tuning of the sampler and nothing of the model: those of adaptation/list.hpp are compiled once, in the
// library, for each kind of tuning.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "manychain/adaptation/schedule.hpp"
#include "manychain/samplers/tuning.hpp"

namespace manychain {

struct AdaptationInfo {
  const char* name = "";
  const char* description = "";
  double target_acceptance = 0;  ///< that it aims for; 0: the sampler's
  bool trajectory = false;       ///< tunes the length of trajectories, and needs a sampler that has them
  bool observes = false;         ///< looks at positions, proposals and momenta, which are kept for it
};

/// The warm-up that the chains of a group are asked for.
struct AdaptationPlan {
  std::size_t warmup = 0;         ///< transitions
  std::size_t max_leapfrogs = 1;  ///< of one trajectory
  double target_acceptance = 0.8;
  bool trajectory = false;  ///< the sampler has one
};

/// A sum of terms and of their weights.
struct WeightedSum {
  double sum = 0, weight = 0;
  MANYCHAIN_HD void merge(const WeightedSum& other) {
    sum += other.sum;
    weight += other.weight;
  }
  MANYCHAIN_HD double mean() const { return sum / weight; }
};

/// The observations of one chain after the transitions of an interval: the mean acceptance probability of all of them,
/// and of the last one, for adaptations that ask for it, where it began, what it proposed, and the momenta there.
/// Momenta are velocities in units of the scales, which is what samplers hold: of a diagonal metric standard normal at
/// first.
template <class Number>
struct ObservedChain {
  const Number* acceptances;  ///< [chain]
  const Number* rows[4];      ///< [dimension][stride] of chains: before, proposal, momentum, first momentum; or null
  std::int64_t stride, chain;
  double* notes;  ///< [chain] or null: a number that an item of one pass leaves for those of the next

  MANYCHAIN_HD double acceptance() const { return static_cast<double>(acceptances[chain]); }
  MANYCHAIN_HD double before(int i) const { return row(0, i); }
  MANYCHAIN_HD double proposal(int i) const { return row(1, i); }
  MANYCHAIN_HD double momentum(int i) const { return row(2, i); }        ///< at the proposal
  MANYCHAIN_HD double first_momentum(int i) const { return row(3, i); }  ///< where it began
  MANYCHAIN_HD double& note() const { return notes[chain]; }

 private:
  MANYCHAIN_HD double row(int k, int i) const { return static_cast<double>(rows[k][i * stride + chain]); }
};

/// The quantities of a group that are known while an interval is looked at.
template <class Number, class Statistic>
struct ObservedGroup {
  const Number* scale;           ///< [dimension] the square root of the inverse metric
  const Statistic* pooled[2];    ///< [item] of each pass that is done
  std::uint64_t transition = 0;  ///< the last one's number
  int dimension = 0;
  LowRank<Number> metric = {};  ///< beside the scales, of samplers that take directions
  double* memory = nullptr;     ///< [A::memory(dimension)] zero as the run begins; written by update() alone
};

/// Numbers that an adaptation keeps for each group, of that dimension.
template <class A>
MANYCHAIN_HD constexpr int memory_of(int dimension) {
  if constexpr (requires { A::memory(1); })
    return A::memory(dimension);
  else
    return 0;
}

/// The requirements on an adaptation of samplers with that tuning.
template <class A>
concept Adaptation = std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> &&
                     (A::passes == 1 || A::passes == 2) &&
                     requires(A a, const A& constant, const ObservedChain<float>& chain,
                              const ObservedGroup<float, typename A::Statistic>& group, TrajectoryTuning<float>& tuning,
                              GroupTuning& on_host, const WarmupPhase& phase, const AdaptationPlan& plan,
                              typename A::Statistic statistic) {
  { A::info } -> std::convertible_to<AdaptationInfo>;
  { A::passes } -> std::convertible_to<int>;
  { A::items(0, 1) } -> std::convertible_to<int>;
  { constant.observe(0, 0, chain, group) } -> std::same_as<typename A::Statistic>;
  statistic.merge(statistic);
  a.update(group, tuning);
  { A::phases(plan) } -> std::same_as<std::vector<WarmupPhase>>;
  a.begin(phase, plan, on_host);
  a.end(phase, on_host);
};

}  // namespace manychain
