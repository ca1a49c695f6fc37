// A second look for modes, from where an annealing has led.
#pragma once

#include <optional>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"

namespace manychain {

/// The reference with modes beside those of `known`, to which a look (modes/look.hpp) leads from the particles of an
/// annealing of that: they spread as the posterior does, where the first look had the normal at one peak. Empty: no
/// mode was found in which no particle is, or none that holds some of the posterior. The evaluations of `known` count,
/// too. A function of its arguments; threads change nothing.
std::optional<FoundReference> reference_with_more(const Model& model, const ReferenceWanted& wanted,
                                                  const FoundReference& known, const Annealed& annealed);

}  // namespace manychain
