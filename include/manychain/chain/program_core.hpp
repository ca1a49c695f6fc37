// The part that the programs of both backends share.
#pragma once

#include "manychain/chain/chains_on_clocks.hpp"
#include "manychain/chain/program.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The part of a program that depends neither on the backend nor on the model.
template <class Sampler, class Number>
class ProgramCore : public Program<Number> {
  using Tuning = typename Sampler::template Tuning<Number>;

  static_assert(manychain::Sampler<Sampler>,
                "a sampler has info, Fields, Tuning<Number>, work_vectors (samplers/sampler.hpp)");
  static_assert(fields_in_order<typename Sampler::Fields>,
                "the fields of a sampler begin with Position, LogDensity, then Gradient if there is one");
  static_assert(has_clock<Sampler> == (Sampler::info.most_steps != nullptr) &&
                    has_clock<Sampler> == (Sampler::info.words_per_step > 0) &&
                    !(has_clock<Sampler> && Sampler::info.shows_proposal),
                "a sampler with the field Clock says info.most_steps and info.words_per_step, and shows no proposal");
  static_assert(
      Sampler::info.brings_adaptations == requires { typename Sampler::Adaptations; },
      "info.brings_adaptations says that a sampler has a list Adaptations");

 public:
  /// `leaves`: masses may depend on position.
  ProgramCore(std::size_t dimension, std::size_t workspace, bool leaves)
      : dimension_(dimension), leaves_(leaves && Sampler::info.directions), workspace_(workspace) {}
  std::size_t workspace_reals() const final { return workspace_; }
  std::vector<FieldInfo> fields() const final {
    return fields_of<typename Sampler::Fields::template State<Scalar<float>, Size<1>>>(
        static_cast<std::int64_t>(dimension_));
  }
  bool has_leaves() const final { return leaves_; }
  std::size_t tuning_bytes() const final { return sizeof(Tuning); }
  const SamplerInfo& info() const final { return Sampler::info; }
  void write_tuning(const GroupTuning& tuning, const TuningArrays<Number>& arrays, void* record) const final {
    *static_cast<Tuning*>(record) = Tuning::of(tuning, arrays);
  }
  void read_tuning(const void* record, GroupTuning& tuning) const final {
    static_cast<const Tuning*>(record)->to(tuning);
  }

 private:
  std::size_t dimension_;
  bool leaves_;
  std::size_t workspace_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
