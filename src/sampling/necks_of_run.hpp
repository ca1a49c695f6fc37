// Necks of hierarchies, looked at while a run goes on.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/settings.hpp"
#include "sampling/necks.hpp"

namespace manychain {

class NecksOfRun {
 public:
  /// Takes the chains as they stand for those that say where necks are: to be made after warm-up. Looks at nothing
  /// where no scale depends on a parameter, or the sampler's chains carry no gradient of the whole density.
  NecksOfRun(const Layout& layout, const SamplerInfo& sampler, std::size_t chains, const Engine& engine);

  /// The draw after which to look next: `until` at most. Which they are depends on no clock.
  std::size_t next(std::size_t draws, std::size_t until) const;
  /// Looks at the chains, which stand at a draw.
  void look();
  /// A run that would end goes on: one of 100 right ones at each look.
  bool go_on() const;
  /// The components whose draws end above a neck: false in one run of 1000.
  std::vector<std::string> missed() const;

 private:
  const Layout& layout_;
  const Engine& engine_;
  std::size_t chains_, apart_;
  Necks necks_;
};

}  // namespace manychain
