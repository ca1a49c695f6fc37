// What the generated units of a model give each other: one unit for some of its samplers on a backend, and a table that
// joins them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manychain/run/program.hpp"

namespace manychain {

/// The name of a sampler as a template argument.
struct SamplerName {
  char text[32] = {};
  template <std::size_t n>
  constexpr SamplerName(const char (&name)[n]) {
    static_assert(n <= sizeof(text), "the name of a sampler has at most 31 characters");
    for (std::size_t i = 0; i < n; ++i) text[i] = name[i];
  }
  constexpr bool operator==(std::string_view name) const { return name == std::string_view(text); }
};

/// Makes the program of a sampler; null if the unit has none of that name. `scalar`: one chain a lane, on the CPU.
template <class Number>
using ProgramFactory = std::unique_ptr<Program<Number>> (*)(const Data&, const Layout&, const std::string& sampler,
                                                            bool scalar);
/// A generated unit of chain code, in both precisions.
struct ProgramUnit {
  ProgramFactory<float> single;
  ProgramFactory<double> twice;
};
/// Those of one model. No unit for CUDA: a build without CUDA.
struct ProgramUnits {
  std::vector<ProgramUnit> cpu, cuda;
};

}  // namespace manychain
