// In place of the generated unit of a sampler, for a program that needs none: `manychain check model.hpp`.
#include "manychain/chain/program_unit.hpp"

namespace {
template <class Number>
std::unique_ptr<manychain::Program<Number>> none(const manychain::Data&, const manychain::Layout&, const std::string&,
                                                 bool) {
  return nullptr;
}
}  // namespace

manychain::ProgramUnit manychain_cpu_own();
manychain::ProgramUnit manychain_cpu_own() { return {none<float>, none<double>}; }
