#include "sampling/necks_of_run.hpp"

#include <algorithm>

namespace manychain {
namespace {

constexpr double go_on_level = 0.01, missed_level = 0.001;
// Numbers that are copied at each draw at most: a block of transitions takes longer.
constexpr std::size_t most_numbers = std::size_t{1} << 18;

bool can_show(const Layout& layout, const SamplerInfo& sampler) {
  return sampler.directions && sampler.exact && !sampler.leaves_conditionals && layout.integers == 0;
}

}  // namespace

NecksOfRun::NecksOfRun(const Layout& layout, const SamplerInfo& sampler, std::size_t chains, std::size_t of,
                       const Engine& engine)
    : layout_(layout),
      engine_(engine),
      chains_(chains),
      apart_(1 + of * layout.dimension / most_numbers),
      necks_(layout, chains, can_show(layout, sampler) ? of : 0) {
  if (!necks_.empty()) necks_.begin(engine_.points(chains_).positions);
}

std::size_t NecksOfRun::due() const {
  const std::size_t apart = apart_ * (last_ < 64 ? 1 : last_ < 256 ? 4 : 16);
  return (last_ / apart + 1) * apart;
}

std::size_t NecksOfRun::next(std::size_t until) const { return necks_.empty() ? until : std::min(until, due()); }

void NecksOfRun::look(std::size_t draw) {
  if (necks_.empty()) return;
  before_.reset();
  if (draw != due()) before_ = Looks{last_, necks_.sums()};
  necks_.add(engine_.points(chains_).positions, engine_.gradients(chains_));
  last_ = draw;
}

bool NecksOfRun::go_on() const { return !necks_.missed(go_on_level).empty(); }

std::vector<std::string> NecksOfRun::missed() const {
  std::vector<std::string> names;
  for (const std::size_t i : necks_.missed(missed_level)) names.push_back(layout_.unconstrained_names[i]);
  return names;
}

NecksOfRun::State NecksOfRun::state() const { return {{last_, necks_.sums()}, before_}; }

void NecksOfRun::restore(const State& state, const std::function<bool(std::size_t)>& asked) {
  const bool leave_out = state.before && !asked(state.looks.last);
  const Looks& looks = leave_out ? *state.before : state.looks;
  necks_.restore(looks.sums);
  last_ = looks.last;
  before_ = leave_out ? std::nullopt : state.before;
}

}  // namespace manychain
