// A compiled adaptation as the engines see it: one adaptation, one kind of tuning, one precision, one backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "manychain/adaptation/adaptation.hpp"
#include "manychain/adaptation/pooled.hpp"

namespace manychain {

/// The memory of the chains and of their pooled statistics on a backend. Group g has the chains from
/// g * chains_per_group to the next group or `chains`.
template <class Number>
struct AdapterArrays {
  const Number* acceptances = nullptr;  ///< [stride]
  const Number* observed[4] = {};       ///< ChainArrays::observed
  std::int64_t chains = 0, stride = 0, chains_per_group = 0;
  int groups = 1, dimension = 0;
  std::uint64_t transition = 0;   ///< number of the last one
  const Number* scale = nullptr;  ///< [group][dimension]
  Number* step = nullptr;         ///< [group][dimension]
  void* tuning = nullptr;         ///< [group] of the sampler
  void* records = nullptr;        ///< [group] of the adaptation
  void* partials = nullptr;       ///< [group][item][partial] statistics of the pass
  void* pooled[2] = {};           ///< [group][item] statistics of each pass
  double* notes = nullptr;        ///< [stride] of adaptations that observe
  double* memory = nullptr;       ///< [group][memory_of(dimension)]
  /// [group][item] of the pass, then [group]: number of blocks of a GPU that have arrived. Zero between passes.
  std::uint32_t* tickets = nullptr;

  MANYCHAIN_HD std::int64_t partials_per_item() const {
    return partials_of(chains < chains_per_group ? chains : chains_per_group);
  }
};

/// The part of an adaptation on the host. One record for each group.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual AdaptationInfo info() const = 0;
  virtual std::vector<WarmupPhase> phases(const AdaptationPlan& plan) const = 0;
  virtual void begin(const WarmupPhase& phase, const AdaptationPlan& plan, int group, GroupTuning& tuning) = 0;
  virtual void end(const WarmupPhase& phase, int group, GroupTuning& tuning) = 0;

  virtual std::size_t record_bytes() const = 0;
  virtual std::size_t statistic_bytes() const = 0;
  virtual std::byte* records() = 0;  ///< of all groups, on the host
  virtual int passes() const = 0;
  virtual int items(int pass, int dimension) const = 0;
  virtual int memory(int dimension) const = 0;  ///< numbers beside each record
};

/// The part on the backend of the chains. After each interval, for each pass: pool() of all its partials, in any order
/// and by any threads, then finish().
template <class Number>
class AdapterOn : public Adapter {
 public:
  /// Partials `first` to `first + count` of a pass: [group][item][partial].
  virtual void pool(const AdapterArrays<Number>& arrays, int pass, std::int64_t first, std::int64_t count) const = 0;
  /// Merges the partials in order and, after the last pass, updates each group's record and tuning. Does nothing if
  /// pool() does this with the last partial.
  virtual void finish(const AdapterArrays<Number>& arrays, int pass) const = 0;
};

/// The host's part, common to all backends.
template <Adaptation A, class Number>
class AdapterCore : public AdapterOn<Number> {
 public:
  explicit AdapterCore(int groups) : records_(static_cast<std::size_t>(groups)) {}
  AdaptationInfo info() const final { return A::info; }
  std::vector<WarmupPhase> phases(const AdaptationPlan& plan) const final { return A::phases(plan); }
  void begin(const WarmupPhase& phase, const AdaptationPlan& plan, int group, GroupTuning& tuning) final {
    records_[static_cast<std::size_t>(group)].begin(phase, plan, tuning);
  }
  void end(const WarmupPhase& phase, int group, GroupTuning& tuning) final {
    records_[static_cast<std::size_t>(group)].end(phase, tuning);
  }
  std::size_t record_bytes() const final { return sizeof(A); }
  std::size_t statistic_bytes() const final { return sizeof(typename A::Statistic); }
  std::byte* records() final { return reinterpret_cast<std::byte*>(records_.data()); }
  int passes() const final { return A::passes; }
  int items(int pass, int dimension) const final { return A::items(pass, dimension); }
  int memory(int dimension) const final { return memory_of<A>(dimension); }

 private:
  std::vector<A> records_;
};

/// One observation of the chains by an adaptation, common to both backends.
template <class A, class Tuning, class Number>
struct AdapterLook {
  using Statistic = typename A::Statistic;
  const AdapterArrays<Number>& arrays;
  int pass;

  MANYCHAIN_HD const A& record(std::int64_t group) const { return static_cast<const A*>(arrays.records)[group]; }
  MANYCHAIN_HD ObservedGroup<Number, Statistic> group(std::int64_t g) const {
    ObservedGroup<Number, Statistic> group{
        arrays.scale + g * arrays.dimension, {}, arrays.transition, arrays.dimension};
    if constexpr (requires(const Tuning& tuning) { tuning.metric; })
      group.metric = static_cast<const Tuning*>(arrays.tuning)[g].metric;
    group.memory = arrays.memory + g * memory_of<A>(arrays.dimension);
    for (int p = 0; p < A::passes; ++p)
      group.pooled[p] = static_cast<const Statistic*>(arrays.pooled[p]) + g * A::items(p, arrays.dimension);
    return group;
  }
  /// Partial k of a group has the chains from first_chain() to end_chain() - 1.
  MANYCHAIN_HD std::int64_t first_chain(std::int64_t g, std::int64_t k) const {
    return g * arrays.chains_per_group + k * chains_per_partial;
  }
  MANYCHAIN_HD std::int64_t end_chain(std::int64_t g, std::int64_t k) const {
    std::int64_t end = first_chain(g, k) + chains_per_partial;
    const std::int64_t of_group = (g + 1) * arrays.chains_per_group;
    if (end > of_group) end = of_group;
    return end < arrays.chains ? end : arrays.chains;
  }
  MANYCHAIN_HD Statistic observe(std::int64_t g, int item, std::int64_t chain) const {
    return record(g).observe(
        pass, item,
        ObservedChain<Number>{arrays.acceptances,
                              {arrays.observed[0], arrays.observed[1], arrays.observed[2], arrays.observed[3]},
                              arrays.stride,
                              chain,
                              arrays.notes},
        group(g));
  }
};

}  // namespace manychain
