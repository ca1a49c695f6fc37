// Necks of hierarchies, looked at while a run goes on.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/settings.hpp"
#include "sampling/necks.hpp"

namespace manychain {

class NecksOfRun {
 public:
  /// Takes the chains as they stand for those that say where necks are: to be made after warm-up. Looks at nothing
  /// where no scale depends on a parameter, or the sampler's chains carry no gradient of the whole density. `of`: the
  /// number of chains of the whole run, from which the draws to look at follow.
  NecksOfRun(const Layout& layout, const SamplerInfo& sampler, std::size_t chains, std::size_t of,
             const Engine& engine);

  /// The draw after which to look next: `until` at most. Which they are depends on no clock.
  std::size_t next(std::size_t until) const;
  /// Looks at the chains, which stand at that draw.
  void look(std::size_t draw);
  /// A run that would end goes on: one of 100 right ones at each look.
  bool go_on() const;
  /// The components whose draws end above a neck: false in one run of 1000.
  std::vector<std::string> missed() const;

  /// Sums over the looks so far.
  struct Looks {
    std::size_t last = 0;  ///< draw of the last look
    Necks::Sums sums;
  };
  struct State {
    Looks looks;
    std::optional<Looks> before;  ///< the last look, which only an `until` asked for
  };
  State state() const;
  /// Goes on behind such looks. A last one that only an `until` asked for is left out unless `asked(its draw)`. Throws
  /// BadInput if they are of another model.
  void restore(const State& state, const std::function<bool(std::size_t)>& asked);

 private:
  /// The draw after `last_` that is due whatever `until` is.
  std::size_t due() const;

  const Layout& layout_;
  const Engine& engine_;
  std::size_t chains_, apart_, last_ = 0;
  Necks necks_;
  std::optional<Looks> before_;
};

}  // namespace manychain
