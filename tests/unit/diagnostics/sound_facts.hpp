// What a verdict finds nothing against.
#pragma once

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

/// Four chains of 1000 draws of two quantities with nothing against them.
inline Facts sound_facts() {
  VariableSummary s;
  s.mean = 0;
  s.sd = 1;
  s.rhat = 1.0099;
  s.ess_bulk = s.ess_tail = 401;
  Facts facts;
  facts.chains = 4;
  facts.draws = 1000;
  facts.summary = {{"a", s}, {"b", s}};
  facts.ebfmi = {0.3, 1, 1, 1};
  return facts;
}

}  // namespace manychain::diagnostics
