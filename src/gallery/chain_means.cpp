#include "gallery/chain_means.hpp"

#include <fmt/format.h>

namespace manychain::gallery {

std::string ran(const Result& result) {
  return fmt::format("{} chains of {} draws on {}, {}.", result.settings.chains, *result.settings.sampling.draws,
                     result.backend, result.device);
}

}  // namespace manychain::gallery
