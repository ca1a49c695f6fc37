// Annealing behind looks for modes: a later one begins where the annealing before it has led.
#pragma once

#include <cstddef>
#include <functional>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"

namespace manychain {

struct AnnealedWay {
  FoundReference found;
  AnnealingSchedule schedule;
  Annealed annealed;
  std::size_t evaluations = 0;  ///< of density and gradient, in double, all together
};

/// Anneals from the reference that find_reference() gives, and looks for modes again (modes/look.hpp) from the
/// particles: they spread as the posterior does, where the first look had the normal at one peak. Where a mode that has
/// no particle on its side holds some of the posterior, it joins the reference, and particles go again, three times at
/// most. `reference` makes what is annealed from of what was found; empty: its reference. What fails behind the first
/// annealing leaves its result. A function of its arguments; threads change nothing. Throws SamplingFailed as anneal()
/// does, and where `paths.cancel` becomes true.
AnnealedWay anneal_behind_looks(const Model& model, const ReferenceWanted& paths, const AnnealingWanted& wanted,
                                const std::function<Reference(const FoundReference&)>& reference = {});

}  // namespace manychain
