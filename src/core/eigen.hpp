// Eigen in a namespace of our own, and without threads.
//
// Eigen's functions have the same names whatever instruction set they are compiled for. In a namespace of our own the
// linker cannot take those of a user's AVX-512 unit for this library's, or the other way round. And no threads: results
// do not depend on how many there are.
#pragma once

#define EIGEN_DONT_PARALLELIZE
#define Eigen manychain_eigen  // before any of Eigen's headers: those of decompositions come after this file
#include <Eigen/Core>
#include <cstddef>

namespace manychain {

inline Eigen::Index eigen_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace manychain
