#include "run/share.hpp"

#include <fmt/format.h>

#include "manychain/adaptation/pooled.hpp"

namespace manychain {
namespace {

/// Bounds of `parts` ranges of `chains` chains from `first` on, without the last. Whole sums, unless the longest range
/// would then have a quarter more than its share.
void deal(std::int64_t first, std::int64_t chains, std::int64_t parts, std::vector<std::int64_t>& begin) {
  constexpr std::int64_t widest_pack = 64;
  std::int64_t unit = chains_per_partial;
  const std::int64_t sums = partials_of(chains), longest = (sums + parts - 1) / parts;
  if (4 * longest * parts > 5 * sums) unit = widest_pack;
  while (unit > 1 && chains / unit < parts) unit /= 2;
  const std::int64_t units = (chains + unit - 1) / unit;
  for (std::int64_t k = 0; k < parts; ++k) begin.push_back(first + units * k / parts * unit);
}

}  // namespace

Share::Share(const Settings& settings, Ranks* ranks)
    : ranks_(ranks), here_(ranks ? static_cast<std::size_t>(ranks->rank()) : 0) {
  const auto chains = static_cast<std::int64_t>(settings.chains), groups = static_cast<std::int64_t>(settings.groups);
  stride_ = (chains + 63) / 64 * 64;
  chains_per_group_ = stride_ / groups;  // several groups have whole packs: Settings::validate()
  const std::int64_t parts = ranks ? ranks->size() : 1;
  if (parts > chains)
    throw BadInput(
        fmt::format("{} ranks are more than the {} chains: take more Settings::chains, or fewer ranks", parts, chains));
  if (parts <= groups) {
    for (std::int64_t k = 0; k < parts; ++k) begin_.push_back(groups * k / parts * chains_per_group_);
  } else {
    for (std::int64_t g = 0; g < groups; ++g) {
      const std::int64_t first = g * chains_per_group_;
      deal(first, std::min(chains_per_group_, chains - first), parts * (g + 1) / groups - parts * g / groups, begin_);
    }
  }
  begin_.push_back(chains);
  for (const std::int64_t bound : begin_)
    if (bound < chains && bound % chains_per_group_ % chains_per_partial != 0) whole_partials_ = false;
}

void Share::deal_columns(const char* all, std::size_t rows, std::size_t size, char* mine) const {
  const std::size_t row = static_cast<std::size_t>(this->all()) * size, width = size_of_range(here_) * size;
  if (whole()) return void(std::copy_n(all, rows * row, mine));
  std::vector<std::size_t> sent(ranges(), 0), received(ranges(), 0);
  received[0] = rows * width;
  std::vector<char> to;
  for (std::size_t r = 0; r < ranges() && here_ == 0; ++r) {
    sent[r] = rows * size_of_range(r) * size;
    for (const char* from = all + begin_of_range(r) * size; from < all + rows * row; from += row)
      to.insert(to.end(), from, from + size_of_range(r) * size);
  }
  ranks_->exchange(to.data(), sent, mine, received);
}

void Share::send_from_first(char* bytes, std::size_t count) const {
  if (whole()) return;
  const std::vector<char> mine(bytes, bytes + (here_ == 0 ? count : 0));
  gather(mine.data(), bytes, [&](std::size_t r) { return r == 0 ? count : 0; });
}

}  // namespace manychain
