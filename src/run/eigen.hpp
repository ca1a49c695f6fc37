// Eigen in a namespace of our own, and without threads: see markov/algebra.hpp.
#pragma once

#define EIGEN_DONT_PARALLELIZE
#define Eigen manychain_eigen
#include <Eigen/Dense>

namespace manychain {

inline Eigen::Index eigen_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace manychain
