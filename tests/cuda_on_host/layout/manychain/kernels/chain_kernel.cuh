// Found in the place of the chain kernel by the generated unit of a model: instead of kernels that sample, it makes one
// kernel for each variant of the model, with the model as its parameter. What the host says of the sizes is kept in a
// table, what nvcc says of them stands in the PTX (layout_test.cpp).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <typeinfo>

#include "manychain/chain/program_unit.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/samplers/list.hpp"

namespace layout {

/// The size of each parameter on the host, by the name of its type as typeid tells it.
inline std::map<std::string, std::size_t>& sizes_on_host() {
  static std::map<std::string, std::size_t> sizes;
  return sizes;
}

#if defined(__CUDACC__)
template <class Parameter>
__global__ void parameter_kernel(const __grid_constant__ Parameter parameter, char* out) {
  *out = reinterpret_cast<const char*>(&parameter)[threadIdx.x];
}
#endif

template <class Parameter>
bool listed() {
#if defined(__CUDACC__)
  void (*kernel)(Parameter, char*) = parameter_kernel<Parameter>;
  return kernel != nullptr;
#else
  return sizes_on_host().emplace(typeid(Parameter).name(), sizeof(Parameter)).second;
#endif
}
template <class... Models>
bool all_listed(manychain::VariantList<Models...>) {
  return (listed<Models>() && ...);
}
/// Initialised before main().
template <class Variants>
inline const bool variants_listed = all_listed(Variants{});

}  // namespace layout

namespace manychain {

template <class Single, class Double, SamplerName...>
ProgramUnit cuda_unit() {
  static_cast<void>(layout::variants_listed<Single>);
  static_cast<void>(layout::variants_listed<Double>);
  return {nullptr, nullptr};
}
template <class Variants>
bool variant_deals_terms(const Data&) {
  return false;
}

}  // namespace manychain
