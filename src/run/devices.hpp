// The CUDA devices of this machine.
#pragma once

namespace manychain {

/// How many there are, usable or not; 0 in a build without CUDA.
int cuda_devices();

}  // namespace manychain
