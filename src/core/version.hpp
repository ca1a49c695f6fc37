#pragma once

#ifndef MANYCHAIN_VERSION
#define MANYCHAIN_VERSION "0.1.0"  // what a build without CMake calls itself
#endif

namespace manychain {

inline constexpr const char* version = MANYCHAIN_VERSION;

}  // namespace manychain
