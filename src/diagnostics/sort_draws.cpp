// Compiled for the instruction set of chain code: no template of the standard library, whose body the linker might take
// for other units, too.
#include "diagnostics/sort_draws.hpp"

namespace manychain::diagnostics {
namespace {

constexpr std::size_t bucket_draws = 2048;
constexpr int digit_bits = 10;  // eight such digits are more than 64 bits
constexpr std::size_t digits = std::size_t(1) << digit_bits;
constexpr int leading_bits = 9;  // of each of two passes: few draws of a bucket agree in all of them
constexpr std::size_t leading_digits = std::size_t(1) << leading_bits;

// The order of floating-point numbers as one of unsigned integers.
std::uint32_t key_of(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  return bits ^ (static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31) | 0x80000000u);
}
std::uint64_t key_of(double x) {
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  return bits ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63) | 0x8000000000000000u);
}
float number_of(std::uint32_t key) { return __builtin_bit_cast(float, key ^ (key >> 31 ? 0x80000000u : 0xffffffffu)); }
double number_of(std::uint64_t key) {
  return __builtin_bit_cast(double, key ^ (key >> 63 ? 0x8000000000000000u : 0xffffffffffffffffu));
}

std::uint64_t entry(std::uint32_t key, std::uint32_t place) { return std::uint64_t(key) << 32 | place; }
WideEntry entry(std::uint64_t key, std::uint32_t place) { return {key, place}; }
std::uint32_t key_in(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }
std::uint64_t key_in(const WideEntry& entry) { return entry.key; }
std::uint32_t place_in(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }
std::uint32_t place_in(const WideEntry& entry) { return entry.place; }

int bit_width(std::uint64_t x) { return x == 0 ? 0 : 64 - __builtin_clzll(x); }

/// By radix, the least significant digit first, in so many passes; `digit` bits of the keys less `least` at a time.
template <int passes, class Entry, class Number>
void sort_digits(Entry* entries, Entry* scratch, std::size_t count, decltype(key_in(Entry())) least, int digit,
                 Number* sorted, std::uint32_t* place) {
  const std::size_t used = std::size_t(1) << digit, mask = used - 1;
  std::uint32_t at[passes][digits];
  for (int p = 0; p < passes; ++p) {
    for (std::size_t d = 0; d < used; ++d) at[p][d] = 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto key = key_in(entries[i]) - least;
    for (int p = 0; p < passes; ++p) ++at[p][key >> p * digit & mask];
  }
  for (int p = 0; p < passes; ++p) {
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < used; ++d) {
      const std::uint32_t here = at[p][d];
      at[p][d] = sum;
      sum += here;
    }
  }
  Entry *from = entries, *to = scratch;
  for (int p = 0; p + 1 < passes; ++p) {
    for (std::size_t i = 0; i < count; ++i) {
      const Entry e = from[i];
      to[at[p][(key_in(e) - least) >> p * digit & mask]++] = e;
    }
    Entry* const swapped = from;
    from = to;
    to = swapped;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Entry e = from[i];
    const std::size_t k = at[passes - 1][(key_in(e) - least) >> (passes - 1) * digit & mask]++;
    sorted[k] = number_of(key_in(e));
    place[k] = place_in(e);
  }
}

/// `bits` of the keys less `least` differ.
template <class Entry, class Number>
void sort_all_digits(Entry* entries, Entry* scratch, std::size_t count, decltype(key_in(Entry())) least, int bits,
                     Number* sorted, std::uint32_t* place) {
  const int passes = bits > digit_bits ? (bits + digit_bits - 1) / digit_bits : 1;
  const int digit = (bits + passes - 1) / passes;
  const auto sort = [&](auto sorter) { sorter(entries, scratch, count, least, digit, sorted, place); };
  switch (passes) {
    case 1:
      return sort(sort_digits<1, Entry, Number>);
    case 2:
      return sort(sort_digits<2, Entry, Number>);
    case 3:
      return sort(sort_digits<3, Entry, Number>);
    case 4:
      return sort(sort_digits<4, Entry, Number>);
    case 5:
      return sort(sort_digits<5, Entry, Number>);
    case 6:
      return sort(sort_digits<6, Entry, Number>);
    case 7:
      return sort(sort_digits<7, Entry, Number>);
    default:
      return sort(sort_digits<8, Entry, Number>);
  }
}

void sort_bucket(std::uint64_t* entries, std::uint64_t* scratch, std::size_t count, std::uint32_t least, int bits,
                 float* sorted, std::uint32_t* place) {
  sort_all_digits(entries, scratch, count, least, bits, sorted, place);
}

/// Turns the counts of two digits into where each value of them begins.
void begin_digits(std::uint32_t (&at)[2][leading_digits]) {
  std::uint32_t sum[2] = {0, 0};
  for (std::size_t d = 0; d < leading_digits; ++d) {
    for (int p = 0; p < 2; ++p) {
      const std::uint32_t here = at[p][d];
      at[p][d] = sum[p];
      sum[p] += here;
    }
  }
}

/// Sorts `count` entries by the leading bits of their keys, in entries in the end; equal ones keep their order.
void sort_leading(WideEntry* entries, WideEntry* scratch, std::size_t count, std::uint64_t least, int shift) {
  std::uint32_t at[2][leading_digits];
  constexpr std::uint64_t mask = leading_digits - 1;
  for (std::size_t d = 0; d < leading_digits; ++d) at[0][d] = at[1][d] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t key = (entries[i].key - least) >> shift;
    ++at[0][key & mask];
    ++at[1][key >> leading_bits & mask];
  }
  begin_digits(at);
  for (std::size_t i = 0; i < count; ++i) {
    const WideEntry e = entries[i];
    scratch[at[0][(e.key - least) >> shift & mask]++] = e;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const WideEntry e = scratch[i];
    entries[at[1][(e.key - least) >> shift >> leading_bits & mask]++] = e;
  }
}

/// In double two passes by the leading bits put nearly all draws in their order. Those that agree in these bits are
/// sorted by the others: a handful by insertion, more by radix.
void sort_bucket(WideEntry* entries, WideEntry* scratch, std::size_t count, std::uint64_t least, int bits,
                 double* sorted, std::uint32_t* place) {
  constexpr std::size_t handful = 12;
  const int shift = bits - 2 * leading_bits;
  if (shift <= 0 || count <= handful) return sort_all_digits(entries, scratch, count, least, bits, sorted, place);
  sort_leading(entries, scratch, count, least, shift);
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const std::uint64_t leading = (entries[begin].key - least) >> shift;
    for (end = begin + 1; end < count && (entries[end].key - least) >> shift == leading;) ++end;
    if (end - begin > handful) {
      const std::uint64_t first = least + (leading << shift);
      sort_all_digits(entries + begin, scratch, end - begin, first, shift, sorted + begin, place + begin);
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const WideEntry e = entries[i];
      std::size_t k = i;
      for (; k > begin && entries[k - 1].key > e.key; --k) entries[k] = entries[k - 1];
      entries[k] = e;
    }
    for (std::size_t i = begin; i < end; ++i) {
      sorted[i] = number_of(entries[i].key);
      place[i] = entries[i].place;
    }
  }
}

/// By distances from `least` in parts of the range: two passes by their leading bits leave next to nothing to
/// insertion. False, and nothing is sorted, if many draws crowd in a small part of the range, this is no number or the
/// draws are too many. `for_each` calls a function with ranges of indices, and `number_at` and `place_at` tell of one.
template <class Number, class ForEach, class NumberAt, class PlaceAt>
bool sort_scaled(const ForEach& for_each, const NumberAt& number_at, const PlaceAt& place_at, std::size_t count,
                 Number least, Number most, std::uint64_t* scaled, Number* __restrict sorted,
                 std::uint32_t* __restrict place) {
  constexpr int low = 64 - 2 * leading_bits, high = 64 - leading_bits;
  const double first = least, scale = 4294967295.0 / (static_cast<double>(most) - first);
  if (count > few_draws || !(scale > 0 && scale < 1e300)) return false;
  std::uint64_t* __restrict const from = scaled;
  std::uint64_t* __restrict const to = scaled + count;
  std::size_t next = 0;
  for_each([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto part = static_cast<std::uint32_t>((static_cast<double>(number_at(i)) - first) * scale);
      from[next + (i - begin)] = std::uint64_t(part) << 32 | static_cast<std::uint32_t>(i);
    }
    next += end - begin;
  });
  std::uint32_t at[2][leading_digits];
  for (std::size_t d = 0; d < leading_digits; ++d) at[0][d] = at[1][d] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ++at[0][from[i] >> low & (leading_digits - 1)];
    ++at[1][from[i] >> high];
  }
  begin_digits(at);
  for (std::size_t i = 0; i < count; ++i) to[at[0][from[i] >> low & (leading_digits - 1)]++] = from[i];
  for (std::size_t i = 0; i < count; ++i) from[at[1][to[i] >> high]++] = to[i];
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::uint32_t>(from[k]);
    sorted[k] = number_at(i);
    place[k] = place_at(i);
  }
  std::size_t moves_left = 2 * count;
  for (std::size_t i = 1; i < count; ++i) {
    const Number x = sorted[i];
    const auto key = key_of(x);  // -0 is before 0
    if (!(key_of(sorted[i - 1]) > key)) continue;
    const std::uint32_t at_x = place[i];
    std::size_t k = i;
    for (; k > 0 && key_of(sorted[k - 1]) > key; --k) {
      sorted[k] = sorted[k - 1];
      place[k] = place[k - 1];
    }
    sorted[k] = x;
    place[k] = at_x;
    if (i - k > moves_left) return false;
    moves_left -= i - k;
  }
  return true;
}

// One stretch of draws without a gap. Each loop is a function of its own, with nothing in memory but its arrays.

template <class Number, class Key>
void find_range(const Number* draws, std::size_t begin, std::size_t end, Key& least, Key& most) {
  Key low = least, high = most;
  for (std::size_t i = begin; i < end; ++i) {
    const Key key = key_of(draws[i]);
    low = key < low ? key : low;
    high = key > high ? key : high;
  }
  least = low;
  most = high;
}

template <class Number, class Key>
void count_cells(const Number* __restrict draws, std::size_t begin, std::size_t end, Key least, int shift,
                 std::uint32_t* __restrict cell) {
  for (std::size_t i = begin; i < end; ++i) ++cell[(key_of(draws[i]) - least) >> shift];
}

template <class Number, class Key, class Entry>
void fill_buckets(const Number* __restrict draws, std::size_t begin, std::size_t end, Key least, int shift,
                  const std::uint32_t* __restrict bucket_of, std::uint32_t* __restrict bucket_end,
                  Entry* __restrict entries) {
  for (std::size_t i = begin; i < end; ++i) {
    const Key key = key_of(draws[i]);
    entries[bucket_end[bucket_of[(key - least) >> shift]]++] = entry(key, static_cast<std::uint32_t>(i));
  }
}

/// Turns the counts of cells into the numbers of their buckets, whose beginnings it writes; returns how many there are.
std::size_t cut_buckets(std::uint32_t* cell, std::size_t used, std::uint32_t* bucket_begin) {
  std::size_t buckets = 0;
  std::uint32_t before = 0, begin = 0;
  for (std::size_t c = 0; c < used; ++c) {
    const std::uint32_t here = cell[c];
    if (c == 0 || before - begin + here > bucket_draws) {
      begin = before;
      bucket_begin[buckets++] = before;
    }
    cell[c] = static_cast<std::uint32_t>(buckets - 1);
    before += here;
  }
  return buckets;
}

template <class Number>
void sort_all(const Number* draws, const TiledDraws& shape, const SortMemory<Number>& memory, Number* sorted,
              std::uint32_t* place) {
  using Key = decltype(key_of(Number()));
  const auto for_each_stretch = [&](const auto& function) {
    if (shape.full > 0) function(std::size_t(0), shape.full);
    for (std::size_t row = 0; row < (shape.rest > 0 ? shape.rows : 0); ++row) {
      const std::size_t begin = shape.full + row * shape.width;
      function(begin, begin + shape.rest);
    }
  };
  if (shape.full + shape.rows * shape.rest == 0) return;
  Key least = static_cast<Key>(-1), most = 0;
  for_each_stretch([&](std::size_t begin, std::size_t end) { find_range(draws, begin, end, least, most); });
  const int bits = bit_width(most - least);
  const std::size_t all = shape.full + shape.rows * shape.rest;
  const std::size_t cells = sort_cells_for(all);
  const auto draw_at = [draws](std::size_t i) { return draws[i]; };
  const auto itself = [](std::uint32_t i) { return i; };
  if (sort_scaled(for_each_stretch, draw_at, itself, all, number_of(least), number_of(most), memory.scaled, sorted,
                  place))
    return;
  // One bucket holds few draws. To cut more of them, no more cells are needed than there are draws.
  const int wanted = all > bucket_draws ? bit_width(all) : 1;
  const int cell_bits = wanted < sort_cell_bits ? wanted : sort_cell_bits;
  const int shift = bits > cell_bits ? bits - cell_bits : 0;
  const std::size_t used = static_cast<std::size_t>((most - least) >> shift) + 1;
  std::uint32_t* const cell = memory.cells;
  std::uint32_t* const bucket_end = memory.cells + cells / 2;
  for (std::size_t c = 0; c < used; ++c) cell[c] = 0;
  for_each_stretch([&](std::size_t begin, std::size_t end) { count_cells(draws, begin, end, least, shift, cell); });
  const std::size_t buckets = cut_buckets(cell, used, bucket_end);
  for_each_stretch([&](std::size_t begin, std::size_t end) {
    fill_buckets(draws, begin, end, least, shift, cell, bucket_end, memory.entries);
  });
  for (std::size_t b = 0, begin = 0; b < buckets; begin = bucket_end[b++]) {
    const std::size_t size = bucket_end[b] - begin;
    if (size == 0) continue;
    auto* const entries = memory.entries + begin;
    Key low = static_cast<Key>(-1), high = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const Key key = key_in(entries[i]);
      low = key < low ? key : low;
      high = key > high ? key : high;
    }
    const auto all_at_once = [size](const auto& function) { function(std::size_t(0), size); };
    const auto entry_at = [entries](std::size_t i) { return number_of(key_in(entries[i])); };
    const auto entry_place = [entries](std::uint32_t i) { return place_in(entries[i]); };
    if (!sort_scaled(all_at_once, entry_at, entry_place, size, number_of(low), number_of(high), memory.scaled,
                     sorted + begin, place + begin))
      sort_bucket(entries, memory.scratch, size, low, bit_width(high - low), sorted + begin, place + begin);
  }
}

}  // namespace

void sort_draws(const float* draws, const TiledDraws& shape, const SortMemory<float>& memory, float* sorted,
                std::uint32_t* place) {
  sort_all(draws, shape, memory, sorted, place);
}
void sort_draws(const double* draws, const TiledDraws& shape, const SortMemory<double>& memory, double* sorted,
                std::uint32_t* place) {
  sort_all(draws, shape, memory, sorted, place);
}

}  // namespace manychain::diagnostics
