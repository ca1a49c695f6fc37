#include "manychain/chain/generated_model.hpp"

#include <algorithm>

#include "manychain/core/error.hpp"
#include "manychain/core/size.hpp"
#include "manychain/model/data/mixture_choice.hpp"
#include "manychain/random/stream.hpp"

namespace manychain {
namespace {

class GeneratedBinding final : public ModelBinding {
 public:
  GeneratedBinding(const char* model_name, const Data& data, const ProgramUnits& units, const ModelFunctions& functions)
      : data_(data), units_(units), functions_(functions) {
    std::erase_if(units_.cuda, [](const ProgramUnit& u) { return !u.float32 && !u.float64; });  // MANYCHAIN_CUDA_MODELS
    const auto none_has = [this](auto precision) {
      return std::none_of(units_.cpu.begin(), units_.cpu.end(), [=](const ProgramUnit& u) { return u.*precision; });
    };
    functions_.require_instruction_set();  // before anything of the model's units runs
    std::vector<DependentScale> dependent_scales;
    const std::size_t mixtures_before = checks::mixtures_evaluated();
    if (functions_.check) dependent_scales = functions_.check(data_);
    mixes_ = checks::mixtures_evaluated() > mixtures_before;
    const UnitFacts facts = functions_.facts(data_);
    static_cast<ModelFacts&>(*this) = facts;
    name = model_name;
    runs_on_cuda = !units_.cuda.empty();
    double_only = none_has(&ProgramUnit::float32) && !none_has(&ProgramUnit::float64);
    single_only = none_has(&ProgramUnit::float64) && !none_has(&ProgramUnit::float32);
    layout.dependent_scales = std::move(dependent_scales);
    any_size_ = layout;
    any_size_.scratch = facts.scratch;
    if (facts.class_dimension != dynamic && layout.dimension != static_cast<std::size_t>(facts.class_dimension))
      throw BadInput("model " + name + " says dimension = " + std::to_string(facts.class_dimension) +
                     ", but its parameters have " + std::to_string(layout.dimension) + " components");
    for (const ProgramUnit& unit : units_.cuda)
      if (unit.deals_terms && unit.deals_terms(data_)) cuda_threads_per_chain = layout.threads_per_chain();
  }

  const SamplerInfo* sampler(const std::string& called) const override {
    if (const SamplerInfo* const found = find_sampler(called)) return found;
    for (const SamplerInfo* const own : functions_.samplers)
      if (called == own->name) return own;
    return nullptr;
  }

  std::unique_ptr<PointOperations> operations() const override { return functions_.points(data_, any_size_); }
  const Data* bound_data() const override { return &data_; }

  std::vector<bool> unconstrain(const Data& given, std::vector<double>& position) const override {
    return functions_.unconstrain(data_, given, position);
  }
  std::shared_ptr<const ModelBinding> bound_to(const Data& other) const override {
    return std::make_shared<GeneratedBinding>(name.c_str(), other, units_, functions_);
  }
  std::unique_ptr<ModelTerms> terms() const override {
    return functions_.terms ? functions_.terms(data_, any_size_) : nullptr;
  }
  std::unique_ptr<MixtureParts> mixture_parts() const override {
    return mixes_ ? std::unique_ptr<MixtureParts>(dynamic_cast<MixtureParts*>(terms().release())) : nullptr;
  }

  std::unique_ptr<Program<float>> single_program(const std::string& sampler, ProgramChoice choice) const override {
    return program(&ProgramUnit::float32, functions_.words_single, sampler, choice);
  }
  std::unique_ptr<Program<double>> double_program(const std::string& sampler, ProgramChoice choice) const override {
    return program(&ProgramUnit::float64, functions_.words_double, sampler, choice);
  }

 private:
  using WordCount = decltype(ModelFunctions::words_double);

  template <class Number>
  std::unique_ptr<Program<Number>> program(ProgramFactory<Number> ProgramUnit::*factory, WordCount words_of,
                                           const std::string& called, ProgramChoice choice) const {
    if (choice.cuda && units_.cuda.empty()) throw BadInput("backend cuda: model " + name + " was built without CUDA");
    std::unique_ptr<Program<Number>> made;
    for (const bool with_leaves : {true, false})
      for (const ProgramUnit& unit : choice.cuda ? units_.cuda : units_.cpu)
        if (!made && unit.*factory && unit.leaves == with_leaves && (choice.leaves || !with_leaves))
          made = (unit.*factory)(data_, layout, called, choice.scalar);
    if (!made && !sampler(called)) refuse_unknown(called);
    if (!made)
      throw BadInput("model " + name + " was not compiled for " +
                     (choice.scalar ? "one chain per lane with sampler " + called +
                                          ": say SCALAR in its manychain_add_model(), without which no header has that"
                                    : "sampler " + called + ": say SAMPLERS " + called +
                                          " in its manychain_add_model(), --sampler " + called +
                                          " to manychain build, or samplers of CompileSettings to compile_model()"));
    require_words<Number>(called, words_of);
    return made;
  }

  [[noreturn]] static void refuse_unknown(const std::string& called) {
    std::string names;
    for (const SamplerInfo& one : all_samplers()) names += (names.empty() ? "" : ", ") + std::string(one.name);
    throw BadInput("there is no sampler " + called + "; there are " + names);
  }

  /// The random words that the predictions of a draw take.
  template <class Number>
  std::uint64_t prediction_words() const {
    if constexpr (std::is_same_v<Number, float>) {
      return functions_.words_single(data_, any_size_, DrawsFrom::itself);
    } else {
      const std::vector<double> origin(layout.dimension);
      std::vector<double> outputs(layout.outputs);
      return operations()->outputs(origin.data(), 1, {}, outputs.data());
    }
  }

  /// Throws BadInput if a transition has not enough random words (chain/random_words.hpp).
  template <class Number>
  void require_words(const std::string& called, WordCount words_of) const {
    const SamplerInfo* const info = sampler(called);
    const bool derives = !layout.quantities.empty() && layout.quantities.back().derived;
    std::uint64_t words = 0;  // each part of a sampler has streams of its own
    for (const DrawsFrom source : {DrawsFrom::itself, DrawsFrom::conditionals, DrawsFrom::conditionals_at_random,
                                   DrawsFrom::proposal, DrawsFrom::model, DrawsFrom::components})
      if (source == DrawsFrom::itself ? derives : info && info->draws_variates_from(source))
        words = std::max(words,
                         source == DrawsFrom::itself ? prediction_words<Number>() : words_of(data_, any_size_, source));
    if (words < max_words) return;
    throw BadInput("model " + name + " draws " + std::to_string(words) + " random words per transition with sampler " +
                   called +
                   " or for its predictions, and there are 2^24: a gamma, beta or Dirichlet component takes "
                   "up to 264, a normal one 4; take fewer, or half of them by single precision (Settings::precision)");
  }

  Data data_;
  ProgramUnits units_;
  ModelFunctions functions_;
  Layout any_size_;
  bool mixes_ = false;  ///< it evaluated mixtures when its data were bound
};

}  // namespace

std::shared_ptr<const ModelBinding> bind_generated(const char* name, const Data& data, const ProgramUnits& units,
                                                   const ModelFunctions& functions) {
  return std::make_shared<GeneratedBinding>(name, data, units, functions);
}

}  // namespace manychain
