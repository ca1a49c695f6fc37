// The measured limits of the machine itself: the bounds that every figure stands beside.
#pragma once

#include <string>

#include "manychain/run/settings.hpp"

namespace manychain::bench {

struct Peak {
  double multiply_adds = 0;  ///< a second, in the precision of the run, all threads together
  double bytes = 0;          ///< a second, read and written by a copy that no cache holds
};

/// By `threads` threads with packs of the instruction set that chain code is compiled for.
Peak cpu_peak(int threads, Precision precision);
/// The instruction set of chain code: "avx512", "avx2" or "baseline".
std::string chain_isa();
/// Chains of one pack.
int chain_lanes(Precision precision);

// In a build without CUDA these throw BadInput.
Peak cuda_peak(Precision precision);
std::string cuda_driver();

}  // namespace manychain::bench
