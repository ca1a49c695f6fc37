// Adaptations on the CPU.
#pragma once

#include "manychain/adaptation/list.hpp"
#include "manychain/chain/adapter.hpp"

namespace manychain {

template <Adaptation A, class Tuning, class Number>
class CpuAdapter final : public AdapterCore<A, Number> {
  using Statistic = typename A::Statistic;

 public:
  using AdapterCore<A, Number>::AdapterCore;
  void pool(const AdapterArrays<Number>& arrays, int pass, std::int64_t first, std::int64_t count) const override {
    const AdapterLook<A, Tuning, Number> look{arrays, pass};
    const std::int64_t items = A::items(pass, arrays.dimension), partials = arrays.partials_per_item();
    for (std::int64_t task = first; task < first + count; ++task) {
      const std::int64_t k = task % partials, item = task / partials % items, g = task / partials / items;
      Statistic sum{};
      for (std::int64_t c = look.first_chain(g, k); c < look.end_chain(g, k); ++c)
        sum.merge(look.observe(g, static_cast<int>(item), c));
      static_cast<Statistic*>(arrays.partials)[task] = sum;
    }
  }
  void finish(const AdapterArrays<Number>& arrays, int pass) const override {
    const AdapterLook<A, Tuning, Number> look{arrays, pass};
    const std::int64_t items = A::items(pass, arrays.dimension), partials = arrays.partials_per_item();
    for (std::int64_t i = 0; i < arrays.groups * items; ++i) {
      Statistic sum{};
      for (std::int64_t k = 0; k < partials; ++k)
        sum.merge(static_cast<const Statistic*>(arrays.partials)[i * partials + k]);
      static_cast<Statistic*>(arrays.pooled[pass])[i] = sum;
    }
    for (std::int64_t g = 0; g < arrays.groups && pass == A::passes - 1; ++g) {
      Tuning& tuning = static_cast<Tuning*>(arrays.tuning)[g];
      static_cast<A*>(arrays.records)[g].update(look.group(g), tuning);
      for (std::int64_t i = g * arrays.dimension; i < (g + 1) * arrays.dimension; ++i)
        arrays.step[i] = tuning.step_size * arrays.scale[i];
    }
  }
};

/// The adaptation of that name for samplers with that tuning. Null: there is none, or it does not suit the tuning.
template <class Tuning, class Number, class... A>
std::unique_ptr<AdapterOn<Number>> make_cpu_adapter(const std::string& name, int groups, AdaptationList<A...>) {
  std::unique_ptr<AdapterOn<Number>> made;
  const auto consider = [&]<class One>(std::type_identity<One>) {
    if constexpr (adapts<One, Tuning>)
      if (name == One::info.name) made = std::make_unique<CpuAdapter<One, Tuning, Number>>(groups);
  };
  (consider(std::type_identity<A>{}), ...);
  return made;
}
extern template std::unique_ptr<AdapterOn<float>> make_cpu_adapter<StepTuning<float>, float>(const std::string&, int,
                                                                                             AllAdaptations);
extern template std::unique_ptr<AdapterOn<double>> make_cpu_adapter<StepTuning<double>, double>(const std::string&, int,
                                                                                                AllAdaptations);
extern template std::unique_ptr<AdapterOn<float>> make_cpu_adapter<TrajectoryTuning<float>, float>(const std::string&,
                                                                                                   int, AllAdaptations);
extern template std::unique_ptr<AdapterOn<double>> make_cpu_adapter<TrajectoryTuning<double>, double>(
    const std::string&, int, AllAdaptations);

}  // namespace manychain
