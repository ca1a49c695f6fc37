#include "sampling/parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "manychain/core/error.hpp"

namespace manychain {
namespace {

constexpr std::size_t widest_pack = 16;  // chains

/// The columns of some chains, of rows of all.
template <class Rows>
Rows columns(const Rows& rows, std::size_t all, const ChainRange& chains) {
  Rows some;
  some.reserve(rows.size() / all * chains.count);
  for (auto row = rows.begin(); row != rows.end(); row += static_cast<std::ptrdiff_t>(all)) {
    const auto first = row + static_cast<std::ptrdiff_t>(chains.first);
    some.insert(some.end(), first, first + static_cast<std::ptrdiff_t>(chains.count));
  }
  return some;
}

/// The reverse: puts the columns of some chains into rows of all.
template <class To, class From>
void put_columns(To& rows, std::size_t all, const From& some, const ChainRange& chains) {
  for (std::size_t row = 0; row < some.size() / chains.count; ++row)
    std::copy_n(some.begin() + static_cast<std::ptrdiff_t>(row * chains.count), chains.count,
                rows.begin() + static_cast<std::ptrdiff_t>(row * all + chains.first));
}

/// Every vector of a state that has one number, or rows of numbers, for each chain: visit(vector of `a`, vector of
/// `b`).
template <class State, class Visit>
void visit_chains(State& a, const StateOfRun& b, const Visit& visit) {
  visit(a.chains.values, b.chains.values);
  visit(a.necks.looks.sums.terms, b.necks.looks.sums.terms);
  if (a.necks.before && b.necks.before) visit(a.necks.before->sums.terms, b.necks.before->sums.terms);
}

/// The groups in which chains lie.
Stretch groups_of(const Settings& whole, const ChainRange& chains) {
  const std::size_t of_group = whole.chains / whole.groups, first = chains.first / of_group;
  return {first, std::max<std::size_t>(chains.count / of_group, 1)};
}

std::string in_words(const RunPart& part) { return fmt::format("part {} of {}", part.number, part.of); }

void require_one_run(const std::vector<StateOfRun>& states) {
  if (states.empty()) throw BadInput("there are no parts to merge");
  std::vector<std::size_t> times;
  for (const StateOfRun& state : states) {
    if (!state.part) throw BadInput("a run of all chains is no part: there is nothing to merge it with");
    const StateOfRun& first = states.front();
    const RunPart& part = state.part->part;
    if (state.part->warm != first.part->warm)
      throw BadInput(fmt::format("{} and {} are of runs that differ, in their warm-up or their settings",
                                 in_words(first.part->part), in_words(part)));
    if (part.of != first.part->part.of)
      throw BadInput(fmt::format("{} and {} are of one run that was cut in two ways; merge parts of one cut",
                                 in_words(first.part->part), in_words(part)));
    if (state.draws != *state.settings.sampling.draws)
      throw BadInput(fmt::format("{} has {} of its {} draws of each chain: resume it first", in_words(part),
                                 state.draws, *state.settings.sampling.draws));
    if (state.draws != first.draws)
      throw BadInput(fmt::format("{} has {} draws of each chain and {} has {}: resume one of them with as many",
                                 in_words(first.part->part), first.draws, in_words(part), state.draws));
    require_same_place(first.identity, state.identity);
    times.resize(part.of);
    ++times[part.number - 1];
  }
  std::vector<std::size_t> missing;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (times[k] > 1) throw BadInput(fmt::format("part {} is there {} times", k + 1, times[k]));
    if (times[k] == 0) missing.push_back(k + 1);
  }
  if (!missing.empty())
    throw BadInput(fmt::format("of {} parts {} {} missing: {}", times.size(), missing.size(),
                               missing.size() == 1 ? "is" : "are", fmt::join(missing, ", ")));
}

/// The draws of some chains.
class DrawsOfChains : public DrawsSource {
 public:
  DrawsOfChains(std::shared_ptr<const DrawsSource> all, const ChainRange& chains)
      : all_(std::move(all)), chains_(chains) {}

  Shape shape() const override {
    Shape shape = all_->shape();
    shape.chains = chains_.count;
    return shape;
  }
  Draws draws(Stretch draws, Stretch variables) const override { return own(all_->draws(draws, variables)); }
  Draws sample_stats(Stretch draws, Stretch variables) const override {
    return own(all_->sample_stats(draws, variables));
  }

 private:
  Draws own(const Draws& all) const {
    Draws some;
    some.draws = all.draws;
    some.variables = all.variables;
    some.chains = chains_.count;
    some.float32 = columns(all.float32, all.chains, chains_);
    some.float64 = columns(all.float64, all.chains, chains_);
    return some;
  }

  std::shared_ptr<const DrawsSource> all_;
  ChainRange chains_;
};

/// The draws of parts, side by side.
class DrawsOfParts : public DrawsSource {
 public:
  explicit DrawsOfParts(std::size_t chains) { shape_.chains = chains; }
  void add(std::shared_ptr<const DrawsSource> part, const ChainRange& chains) {
    const std::size_t all = shape_.chains;
    shape_ = part->shape();
    shape_.chains = all;
    parts_.emplace_back(std::move(part), chains);
  }

  Shape shape() const override { return shape_; }
  Draws draws(Stretch draws, Stretch variables) const override {
    return together([&](const DrawsSource& part) { return part.draws(draws, variables); });
  }
  Draws sample_stats(Stretch draws, Stretch variables) const override {
    return together([&](const DrawsSource& part) { return part.sample_stats(draws, variables); });
  }

 private:
  template <class Read>
  Draws together(const Read& read) const {
    Draws all;
    for (const auto& [part, range] : parts_) {
      const Draws some = read(*part);
      all.draws = some.draws;
      all.variables = some.variables;
      all.chains = shape_.chains;
      const auto put = [&, chains = range](const auto& from, auto& to) {
        if (from.empty()) return;
        to.resize(some.draws * some.variables * shape_.chains);
        put_columns(to, shape_.chains, from, chains);
      };
      put(some.float32, all.float32);
      put(some.float64, all.float64);
    }
    return all;
  }

  Shape shape_;
  std::vector<std::pair<std::shared_ptr<const DrawsSource>, ChainRange>> parts_;
};

}  // namespace

ChainRange chains_of(const RunPart& part, std::size_t chains, std::size_t groups) {
  if (part.number < 1 || part.number > part.of)
    throw BadInput(fmt::format("part {} of {}: parts are counted from 1", part.number, part.of));
  if (part.of > chains) throw BadInput(fmt::format("{} parts are more than the {} chains", part.of, chains));
  const std::size_t k = part.number - 1, of_group = chains / groups;
  if (part.of < groups) {
    const std::size_t first = groups * k / part.of, end = groups * (k + 1) / part.of;
    return {first * of_group, (end - first) * of_group};
  }
  std::size_t group = 0;  // in which the part lies
  const auto first_part = [&](std::size_t g) { return part.of * g / groups; };
  while (first_part(group + 1) <= k) ++group;
  const std::size_t parts = first_part(group + 1) - first_part(group);
  std::size_t pack = widest_pack;
  while (of_group / pack < parts) pack /= 2;
  const auto begin = [&](std::size_t i) { return i == parts ? of_group : of_group / pack * i / parts * pack; };
  const std::size_t i = k - first_part(group);
  return {group * of_group + begin(i), begin(i + 1) - begin(i)};
}

ChainRange chains_of(const StateOfRun& state) {
  const Settings& whole = state.settings;
  return state.part ? chains_of(state.part->part, whole.chains, whole.groups) : ChainRange{0, whole.chains};
}

std::shared_ptr<const DrawsSource> chains_of(std::shared_ptr<const DrawsSource> all, const ChainRange& chains) {
  return std::make_shared<DrawsOfChains>(std::move(all), chains);
}

Settings settings_of(const Settings& whole, const ChainRange& chains) {
  Settings settings = whole;
  settings.chains = chains.count;
  settings.groups = groups_of(whole, chains).count;
  settings.first_chain = whole.first_chain + chains.first;
  settings.superchains = 0;
  settings.warmup.initial_points.clear();  // behind all chains
  return settings;
}

StateOfRun part_of(StateOfRun whole, const RunPart& part, const std::string& digest) {
  if (whole.part)
    throw BadInput(fmt::format("the run is {} of another one already: it goes on as that", in_words(whole.part->part)));
  if (!whole.sampling)
    throw BadInput("the run was stored before its warm-up had ended: resume it to there first, by --warmup-only");
  if (whole.draws > 0)
    throw BadInput(fmt::format("the run has {} draws of each chain: parts begin at the end of warm-up", whole.draws));
  StateOfRun some = whole;
  some.part = PartOfRun{part, digest, whole.facts.gradients};
  const ChainRange chains = chains_of(some);
  const Stretch groups = groups_of(whole.settings, chains);
  const auto first = whole.groups.begin() + static_cast<std::ptrdiff_t>(groups.first);
  some.groups.assign(first, first + static_cast<std::ptrdiff_t>(groups.count));
  visit_chains(some, whole, [&](std::vector<double>& to, const std::vector<double>& from) {
    to = columns(from, whole.settings.chains, chains);
  });
  return some;
}

StateOfRun merged(const std::vector<StateOfRun>& states, std::vector<StoredRun>& parts, StoredRun& all) {
  require_one_run(states);
  StateOfRun whole = states.front();
  const std::size_t chains = whole.settings.chains;
  visit_chains(whole, states.front(), [&](std::vector<double>& to, const std::vector<double>& from) {
    to.assign(from.size() / chains_of(states.front()).count * chains, 0);
  });
  whole.groups.resize(whole.settings.groups);
  const auto draws = std::make_shared<DrawsOfParts>(chains), warmup = std::make_shared<DrawsOfParts>(chains);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const StateOfRun& part = states[k];
    const ChainRange range = chains_of(part);
    const Stretch groups = groups_of(whole.settings, range);
    if (part.groups.size() != groups.count) throw BadInput(in_words(part.part->part) + ": its state is damaged");
    std::copy(part.groups.begin(), part.groups.end(), whole.groups.begin() + static_cast<std::ptrdiff_t>(groups.first));
    visit_chains(whole, part, [&](std::vector<double>& to, const std::vector<double>& from) {
      put_columns(to, chains, from, range);
    });
    if (k > 0) {
      whole.facts.gradients += part.facts.gradients - part.part->gradients;
      whole.seconds = std::max(whole.seconds, part.seconds);
      add_rejections(whole.facts.sampling.rejected, part.facts.sampling.rejected);
    }
    draws->add(source_of(parts[k]), range);
    if (parts[k].warmup) warmup->add(std::move(parts[k].warmup), range);
  }
  all.source = draws;
  if (whole.settings.output.save_warmup) all.warmup = warmup;
  whole.part.reset();
  return whole;
}

}  // namespace manychain
