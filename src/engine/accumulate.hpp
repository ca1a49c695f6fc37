// Accumulating held draws of one pack into streaming diagnostics, by the SIMD lanes of the CPU.
#pragma once

#include "diagnostics/streaming.hpp"

namespace manychain {

/// The chains `chain` to `chain + lanes`, of which the first `counted` are no padding. `histogram` [output][bin_count]
/// is the calling thread's own.
template <class Number>
void accumulate_pack(const diagnostics::StreamingArrays<Number>& arrays, const diagnostics::HeldDraws<Number>& held,
                     std::int64_t chain, int lanes, int counted, std::uint64_t* histogram);

}  // namespace manychain
