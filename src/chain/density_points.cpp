#include "chain/density_points.hpp"

#include "manychain/chain/density_programs.hpp"
#include "manychain/random/philox_pack.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

std::unique_ptr<PointOperations> point_operations(std::unique_ptr<const PointDensity<Pack<double>>> density,
                                                  const Layout& layout) {
  return std::make_unique<DensityPoints<Pack<double>>>(std::move(density), layout);
}
std::unique_ptr<PointOperations> point_operations(std::unique_ptr<const PointDensity<Scalar<double>>> density,
                                                  const Layout& layout) {
  return std::make_unique<DensityPoints<Scalar<double>>>(std::move(density), layout);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
