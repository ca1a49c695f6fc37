// The chain program on the CPU: an R holds a pack of chains, or one.
#pragma once

#include "manychain/chain/cpu_adapter.hpp"
#include "manychain/chain/program_core.hpp"
#include "manychain/model/language/variants.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Host: made from a source (the data), holds the model.
template <class ModelType, class Sampler, class R, class Host = HostModel<ModelType>>
class CpuProgram : public ProgramCore<Sampler, number_of<R>> {
  using Number = number_of<R>;

 public:
  template <class Source>
  CpuProgram(const Source& source, const Layout& layout)
      : ProgramCore<Sampler, Number>(
            layout.dimension,
            manychain::workspace_reals<ModelType, Sampler>(layout.dimension, layout.scratch, layout.may_have_leaves()),
            true),
        host_(source) {}
  int lanes() const override { return R::lanes; }
  std::unique_ptr<AdapterOn<Number>> adapter(const std::string& name, int groups) const override {
    return make_cpu_adapter<typename Sampler::template Tuning<Number>, Number>(
        name, groups, typename adaptations_of<Sampler>::type{});
  }
  void initialise(const ChainArrays<Number>& arrays, int tries, std::int64_t first, std::int64_t count,
                  Number* workspace) const override {
    for (std::int64_t c = first; c < first + count; c += R::lanes)
      initialise_chains<keeps_gradient<Sampler>, R>(host_.model, arrays, tries, c, arena(workspace));
  }
  MANYCHAIN_FLATTEN void advance(const ChainArrays<Number>& arrays, const Block& block, std::int64_t first,
                                 std::int64_t count, Number* workspace) const override {
    for (std::int64_t c = first; c < first + count; c += R::lanes)
      advance_chains<Sampler, Sampler::info.shows_proposal, R>(host_.model, arrays, block, c, arena(workspace));
  }

 private:
  static Arena<R> arena(Number* workspace) { return {Strided<R>{reinterpret_cast<R*>(workspace), 1}, 0}; }
  Host host_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
