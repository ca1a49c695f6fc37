#include "run/draws_in_ranks.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace manychain {
namespace {

/// Calls `work` with the member that holds the numbers.
template <class Work>
void with_values(const Draws& of, const Work& work) {
  if (!of.float32.empty()) work(&Draws::float32);
  if (!of.float64.empty()) work(&Draws::float64);
}

}  // namespace

DrawsSource::Shape DrawsInRanks::shape() const {
  return {own_.draws, own_.variables, static_cast<std::size_t>(share_.all()), !own_.float32.empty(),
          !own_stats_.empty()};
}

Draws DrawsInRanks::of_all(Draws own) const { return given_to(share_, std::move(own), DrawsAt::all_ranks); }

/// Each rank gives every other one its own chains of the variables of that one.
Draws DrawsInRanks::dealt(Stretch draws, const std::vector<Stretch>& variables) const {
  Draws mine;
  mine.draws = draws.count;
  mine.variables = variables[share_.here()].count;
  mine.chains = static_cast<std::size_t>(share_.all());
  with_values(own_, [&](auto values) {
    std::remove_cvref_t<decltype(own_.*values)> to;
    const std::size_t rows = mine.draws * mine.variables, number = sizeof to[0];
    std::vector<std::size_t> sent, received;
    for (std::size_t r = 0; r < share_.ranges(); ++r) {
      const Draws piece = part_of(own_, draws, variables[r]);
      to.insert(to.end(), (piece.*values).begin(), (piece.*values).end());
      sent.push_back((piece.*values).size() * number);
      received.push_back(rows * share_.size_of_range(r) * number);
    }
    (mine.*values).resize(rows * mine.chains);
    share_.ranks().exchange(to.data(), sent, (mine.*values).data(), received);
    mine.*values = share_.sorted(std::move(mine.*values), rows);
  });
  return mine;
}

Draws chains_of_rank(const Share& share, std::size_t rank, const Draws& all) {
  Draws own;
  own.draws = all.draws;
  own.variables = all.variables;
  own.chains = share.size_of_range(rank);
  with_values(all, [&](auto values) {
    (own.*values).resize(own.draws * own.variables * own.chains);
    for (std::size_t row = 0; row < own.draws * own.variables; ++row)
      std::copy_n((all.*values).begin() + static_cast<std::ptrdiff_t>(row * all.chains + share.begin_of_range(rank)),
                  own.chains, (own.*values).begin() + static_cast<std::ptrdiff_t>(row * own.chains));
  });
  return own;
}

Draws given_to(const Share& share, Draws own, DrawsAt at) {
  if (at == DrawsAt::own_rank) return own;
  const std::size_t rows = own.draws * own.variables;
  with_values(own, [&](auto values) {
    own.*values = at == DrawsAt::all_ranks ? share.gathered(std::move(own.*values), rows)
                                           : share.gathered_at_first(std::move(own.*values), rows);
  });
  own.chains = static_cast<std::size_t>(share.all());
  return own;
}

Draws given_to(const Share& share, Draws own, const std::vector<std::size_t>& ends) {
  const std::size_t rows = own.draws * own.variables, here = share.here(), width = share.size_of_range(here);
  const auto range_of = [&](std::size_t r) { return Stretch{share.begin_of_range(r), share.size_of_range(r)}; };
  const auto given = [&](std::size_t r) {
    const std::size_t first = r == 0 ? 0 : ends[r - 1];
    return Stretch{first, ends[r] - first};
  };
  const auto common = [](Stretch a, Stretch b) {
    const std::size_t first = std::max(a.first, b.first), end = std::min(a.first + a.count, b.first + b.count);
    return Stretch{first, end > first ? end - first : 0};
  };
  bool same = true;
  for (std::size_t r = 0; r < share.ranges(); ++r)
    same = same && ends[r] == share.begin_of_range(r) + share.size_of_range(r);
  if (same) return own;
  with_values(own, [&](auto values) {
    const auto from = std::move(own.*values);
    std::remove_const_t<decltype(from)> to, got(rows * given(here).count), sorted(got.size());
    std::vector<std::size_t> sent, received;
    for (std::size_t r = 0; r < share.ranges(); ++r) {
      const Stretch some = common(range_of(here), given(r));
      for (std::size_t row = 0; row < rows && some.count > 0; ++row) {
        const auto* const begin = from.data() + row * width + (some.first - share.begin_of_range(here));
        to.insert(to.end(), begin, begin + some.count);
      }
      sent.push_back(rows * some.count * sizeof from[0]);
      received.push_back(rows * common(range_of(r), given(here)).count * sizeof from[0]);
    }
    share.ranks().exchange(to.data(), sent, got.data(), received);
    const auto* next = got.data();
    for (std::size_t r = 0; r < share.ranges(); ++r) {
      const Stretch some = common(range_of(r), given(here));
      for (std::size_t row = 0; row < rows && some.count > 0; ++row, next += some.count)
        std::copy_n(next, some.count, sorted.data() + row * given(here).count + (some.first - given(here).first));
    }
    own.*values = std::move(sorted);
  });
  own.chains = given(here).count;
  return own;
}

}  // namespace manychain
