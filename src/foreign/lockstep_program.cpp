#include "foreign/lockstep_program.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/nan.hpp"
#include "foreign/exact_pack.hpp"
#include "foreign/lockstep.hpp"
#include "manychain/chain/cpu_adapter.hpp"
#include "manychain/chain/program_core.hpp"

namespace manychain {
namespace {

/// The density of the chains of a pack, which comes with those of all others. Positions that are not finite, as a
/// trajectory has after a rejected point, are kept from it.
template <class Number>
struct AskingModel {
  Lockstep<Number>* all;
  int components;
  int chains;  // of the pack: lanes beyond them have a flat density, and ask for nothing

  template <class Target>
  void parameters(Target& target) const {
    target.vector("q", components);
  }
  template <class R, class Q, class G>
  R value_and_gradient(const Q& q, G& gradient) const {
    if constexpr (std::is_same_v<R, ExactPack<Number>>)
      return asked(q, gradient);
    else
      return R(0);  // of the Real by which it is found out what a model has
  }
  template <class R, class Q, class Sink>
  void outputs(const Q& q, Arena<R>, const Sink& sink, Variates<R>&) const {
    for (int i = 0; i < components; ++i) sink(i, R(q[i]));
  }

 private:
  template <class Q, class G>
  ExactPack<Number> asked(const Q& q, G& gradient) const {
    mask_of<ExactPack<Number>> finite = isfinite(q[0]);
    for (int i = 1; i < components; ++i) finite = finite && isfinite(q[i]);
    const ExactLanes asks(select(finite, ExactPack<Number>(1), ExactPack<Number>(0)));
    int lane[ExactPack<Number>::lanes], count = 0;
    ExactLanes values{ExactPack<Number>(nan)};
    for (int l = 0; l < ExactPack<Number>::lanes; ++l) {
      if (l >= chains)
        values.of[l] = 0;
      else if (asks.of[l] > 0)
        lane[count++] = l;
    }
    const ExactLanes unasked = values;
    typename Lockstep<Number>::Answers found;
    if (count > 0) {
      Number* const points = all->points(static_cast<std::size_t>(count));
      for (int i = 0; i < components; ++i) {
        const ExactLanes x(q[i]);
        for (int k = 0; k < count; ++k) points[k * components + i] = x.of[lane[k]];
      }
      found = all->wait();
    }
    for (int k = 0; k < count; ++k) values.of[lane[k]] = found.log_densities[k];
    for (int i = 0; i < components; ++i) {
      ExactLanes slopes = unasked;
      for (int k = 0; k < count; ++k) slopes.of[lane[k]] = found.gradients[k * components + i];
      gradient[i] = slopes.pack();
    }
    return values.pack();
  }
};

template <class Sampler, class Number>
class LockstepProgram final : public ProgramCore<Sampler, Number> {
  using Asking = AskingModel<Number>;
  using R = ExactPack<Number>;
  static constexpr std::int64_t width = R::lanes;

 public:
  LockstepProgram(const ForeignDensity& density, const Layout& layout, std::int64_t chains)
      : ProgramCore<Sampler, Number>(
            layout.dimension,
            manychain::workspace_reals<Asking, Sampler>(layout.dimension, layout.scratch, layout.may_have_leaves()),
            true),
        components_(static_cast<int>(layout.dimension)),
        packs_((chains + width - 1) / width),
        lockstep_(
            layout.dimension,
            [&density](const Number* points, std::size_t count, Number* values, Number* gradients) {
              density.values_and_gradients(points, count, values, gradients);
            },
            most_points / width) {}

  /// To the engine all chains are one pack.
  int lanes() const override { return static_cast<int>(packs_ * width); }
  std::unique_ptr<AdapterOn<Number>> adapter(const std::string& name, int groups) const override {
    return make_cpu_adapter<typename Sampler::template Tuning<Number>, Number>(
        name, groups, typename adaptations_of<Sampler>::type{});
  }
  void initialise(const ChainArrays<Number>& arrays, int tries, std::int64_t first, std::int64_t count,
                  Number* workspace) const override {
    for_packs(arrays, first, count, workspace, [&](const Asking& model, std::int64_t chain, Arena<R> arena) {
      initialise_chains<keeps_gradient<Sampler>, R>(model, arrays, tries, chain, arena);
    });
  }
  void advance(const ChainArrays<Number>& arrays, const Block& block, std::int64_t first, std::int64_t count,
               Number* workspace) const override {
    for_packs(arrays, first, count, workspace, [&](const Asking& model, std::int64_t chain, Arena<R> arena) {
      advance_pack(model, arrays, block, chain, arena);
    });
  }

 private:
  MANYCHAIN_FLATTEN static void advance_pack(const Asking& model, const ChainArrays<Number>& arrays, const Block& block,
                                             std::int64_t chain, Arena<R> arena) {
    advance_chains<Sampler, Sampler::info.shows_proposal, R>(model, arrays, block, chain, arena);
  }

  /// work(model, first chain, its memory) for each pack, in lockstep.
  template <class Work>
  void for_packs(const ChainArrays<Number>& arrays, std::int64_t first, std::int64_t count, Number* workspace,
                 const Work& work) const {
    const auto memory = static_cast<std::int64_t>(std::max<std::size_t>(this->workspace_reals(), 1));
    const std::int64_t chains = std::min(count, arrays.chains - first);
    lockstep_.run((chains + width - 1) / width, [&](std::int64_t k) {
      const Asking model{&lockstep_, components_, static_cast<int>(std::min(width, chains - k * width))};
      work(model, first + k * width, {Strided<R>{reinterpret_cast<R*>(workspace) + k * memory, 1}, 0});
    });
  }

  static constexpr std::int64_t most_points = 4096;  // of a batch
  int components_;
  std::int64_t packs_;
  mutable Lockstep<Number> lockstep_;  // of the one thread that may call
};

}  // namespace

template <class Number>
std::unique_ptr<Program<Number>> lockstep_program(const ForeignDensity& density, const Layout& layout,
                                                  const std::string& sampler, std::size_t chains) {
  using Made = std::unique_ptr<Program<Number>>;
  const auto count = static_cast<std::int64_t>(std::clamp<std::size_t>(chains, 1, 1 << 30));
  return with_sampler<Made>(sampler, ForeignSamplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
    return std::make_unique<LockstepProgram<Sampler, Number>>(density, layout, count);
  });
}

template std::unique_ptr<Program<float>> lockstep_program(const ForeignDensity&, const Layout&, const std::string&,
                                                          std::size_t);
template std::unique_ptr<Program<double>> lockstep_program(const ForeignDensity&, const Layout&, const std::string&,
                                                           std::size_t);

}  // namespace manychain
