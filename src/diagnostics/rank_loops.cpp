// The ranks of sorted draws, and of their distances from the median. No template of the standard library, whose body
// the linker might take for other units, too.
#include "diagnostics/normal_scores.hpp"
#include "diagnostics/tile_loops.hpp"

namespace manychain::diagnostics {
namespace {

/// The rank of a run of equal draws.
class Ranks {
 public:
  Ranks(std::size_t size, double* between) : size_(size), between_(between) {}

  RankCode operator()(std::size_t less, std::size_t equal) {
    if (equal % 2 == 1) return static_cast<RankCode>(less + equal / 2);
    between_[count_] = static_cast<double>(2 * less + equal + 1);
    return static_cast<RankCode>(size_ + count_++);
  }
  std::size_t between() const { return count_; }

 private:
  std::size_t size_, count_ = 0;
  double* between_;
};

template <class Number>
std::size_t rank_all(const Number* sorted, const std::uint32_t* place, std::size_t size, RankCode* rank,
                     double* between) {
  Ranks ranks(size, between);
  for (std::size_t i = 0; i < size;) {
    std::size_t next = i + 1;
    if (next == size || sorted[next] != sorted[i]) {
      rank[place[i]] = static_cast<RankCode>(i);
    } else {
      while (next < size && sorted[next] == sorted[i]) ++next;
      const RankCode code = ranks(i, next - i);
      for (std::size_t k = i; k < next; ++k) rank[place[k]] = code;
    }
    i = next;
  }
  return ranks.between();
}

/// True if neighbours are equal. Where many are, the first of them tell.
bool have_ties(const std::uint64_t* __restrict ascending, std::size_t count) {
  constexpr std::size_t some = 128;
  std::uint64_t ties = 0;
  for (std::size_t i = 1; i < count && i < some; ++i) ties |= std::uint64_t(ascending[i] == ascending[i - 1]);
  if (ties != 0) return true;
  for (std::size_t i = some; i < count; ++i) ties |= std::uint64_t(ascending[i] == ascending[i - 1]);
  return ties != 0;
}

/// Writes the ranks from `first` on to the places of `count` sorted draws.
void write_in_turn(const std::uint32_t* __restrict from, std::size_t count, std::size_t first,
                   const std::uint32_t* __restrict place, RankCode* __restrict rank) {
  for (std::size_t i = 0; i < count; ++i) rank[place[from[i]]] = static_cast<RankCode>(first + i);
}

/// Merges the distances from the median of the draws below it, backwards, with those of the others, a block of the
/// result at a time. Which side comes next is as good as chance, and a branch on it costs more than all else: here it
/// is arithmetic. Each step waits for the one before it, so that several parts of the block are merged abreast.
template <class Number>
class FoldedMerge {
 public:
  FoldedMerge(const Number* sorted, std::size_t size, std::size_t below, double median)
      : sorted_(sorted), size_(size), below_(below), above_(size - below), median_(median) {}

  std::size_t write(const std::uint32_t* place, RankCode* rank, double* between) {
    Ranks ranks(size_, between);
    std::size_t i = 0;
    for (std::size_t begin = 0; begin < size_; begin += block) {
      const std::size_t end = begin + block < size_ ? begin + block : size_;
      const std::size_t next_i = lower_before(end), j = begin - i, next_j = end - next_i;
      read(i, next_i, j, next_j);
      merge(next_i - i, next_j - j);
      write_block(begin, end, i, next_i, place, rank, ranks);
      i = next_i;
    }
    return ranks.between();
  }

 private:
  static constexpr std::size_t abreast = 8, part = 256, block = abreast * part;
  using Bits = std::uint64_t;  // of a double that is not negative: in its order

  static Bits bits_of(double x) { return __builtin_bit_cast(Bits, __builtin_fabs(x)); }
  Bits lower(std::size_t i) const { return bits_of(static_cast<double>(sorted_[below_ - 1 - i]) - median_); }
  Bits upper(std::size_t j) const { return bits_of(static_cast<double>(sorted_[below_ + j]) - median_); }

  /// Number of draws below the median among the first `count` distances; of equal distances theirs come first.
  std::size_t lower_before(std::size_t count) const {
    return merged_from_first(
        count > above_ ? count - above_ : 0, count < below_ ? count : below_, count,
        [this](std::size_t i) { return lower(i); }, [this](std::size_t j) { return upper(j); });
  }

  /// Draws at a smaller distance, or up to it.
  std::size_t closer(Bits distance, bool or_equal) const {
    const auto count = [&](std::size_t size, const auto& at) {
      std::size_t least = 0;
      for (std::size_t most = size; least < most;) {
        const std::size_t probe = least + (most - least) / 2;
        const Bits x = at(probe);
        if (x < distance || (or_equal && x == distance)) {
          least = probe + 1;
        } else {
          most = probe;
        }
      }
      return least;
    };
    return count(below_, [&](std::size_t i) { return lower(i); }) +
           count(above_, [&](std::size_t j) { return upper(j); });
  }

  /// The distances of both sides that a block takes, and behind each what is larger than all.
  void read(std::size_t i, std::size_t end_i, std::size_t j, std::size_t end_j) {
    const Number* from = sorted_ + below_ - end_i;
    for (std::size_t k = 0; k < end_i - i; ++k)
      low_[end_i - i - 1 - k] = bits_of(static_cast<double>(from[k]) - median_);
    from = sorted_ + below_ + j;
    for (std::size_t k = 0; k < end_j - j; ++k) high_[k] = bits_of(static_cast<double>(from[k]) - median_);
    // The parts' last steps look one behind the end.
    low_[end_i - i] = high_[end_j - j] = ~Bits(0);
    from_below_ = static_cast<std::uint32_t>(below_ - 1 - i);
    from_above_ = static_cast<std::uint32_t>(below_ + j);
  }

  void merge(std::size_t lows, std::size_t highs) {
    if (lows + highs == block) return merge_parts(lows, highs, part);
    merge_parts(lows, highs, (lows + highs) / abreast);
  }

  /// Parts of `length`, and what they leave.
  void merge_parts(std::size_t lows, std::size_t highs, std::size_t length) {
    std::uint32_t i[abreast], j[abreast];
    for (std::size_t p = 0; p < abreast; ++p) {
      const std::size_t first = p * length;
      const std::size_t least = merged_from_first(
          first > highs ? first - highs : 0, first < lows ? first : lows, first,
          [this](std::size_t l) { return low_[l]; }, [this](std::size_t h) { return high_[h]; });
      i[p] = static_cast<std::uint32_t>(least);
      j[p] = static_cast<std::uint32_t>(first - least);
    }
    const auto step = [&](std::size_t p, std::size_t k) {
      const Bits low = low_[i[p]], high = high_[j[p]];
      const std::uint32_t lower = low <= high;
      distance_[k] = lower ? low : high;
      const std::uint32_t low_at = from_below_ - i[p], high_at = from_above_ + j[p];
      from_[k] = high_at ^ ((high_at ^ low_at) & (0 - lower));
      i[p] += lower;
      j[p] += 1 - lower;
    };
    for (std::size_t k = 0; k < length; ++k) {
      for (std::size_t p = 0; p < abreast; ++p) step(p, p * length + k);
    }
    for (std::size_t k = abreast * length; k < lows + highs; ++k) step(abreast - 1, k);
  }

  void write_block(std::size_t begin, std::size_t end, std::size_t i, std::size_t next_i, const std::uint32_t* place,
                   RankCode* rank, Ranks& ranks) {
    const std::size_t count = end - begin, j = begin - i, next_j = end - next_i;
    const Bits first = distance_[0], last = distance_[count - 1];
    // Equal distances in other blocks.
    const bool begun = (i > 0 && lower(i - 1) == first) || (j > 0 && upper(j - 1) == first);
    const bool goes_on = (next_i < below_ && lower(next_i) == last) || (next_j < above_ && upper(next_j) == last);
    std::size_t first_run = 1;
    while (first_run < count && distance_[first_run] == first) ++first_run;
    for (std::size_t k = 0; k < count;) {
      // Behind the first run, as the one that two draws about the median make, there mostly is no other in the block.
      if (k == first_run && !goes_on && !have_ties(distance_ + k, count - k))
        return write_in_turn(from_ + k, count - k, begin + k, place, rank);
      std::size_t next = k + 1;
      while (next < count && distance_[next] == distance_[k]) ++next;
      std::size_t less = begin + k, equal = next - k;
      const bool cut = (k == 0 && begun) || (next == count && goes_on);
      if (k == 0 && begun) less = closer(distance_[k], false);
      if (cut) equal = closer(distance_[k], true) - less;
      if (equal == 1) {
        rank[place[from_[k]]] = static_cast<RankCode>(less);
        k = next;
        continue;
      }
      const RankCode code = ranks(less, equal);
      for (; k < next; ++k) rank[place[from_[k]]] = code;
    }
  }

  const Number* sorted_;
  std::size_t size_, below_, above_;
  double median_;
  std::uint32_t from_below_ = 0, from_above_ = 0;  // where the draws of a block begin among the sorted ones
  Bits low_[block + 1], high_[block + 1], distance_[block];
  std::uint32_t from_[block];  // which of the sorted draws
};

/// The product that normal_score() begins with: p - 1/2.
double from_middle(double twice_rank, double size) { return 0.5 * (twice_rank - (size + 1)) / (size + 0.25); }

}  // namespace

void write_normal_scores(double* twice_rank, std::size_t count, std::size_t size) {
  constexpr std::size_t block = 64;
  const auto S = static_cast<double>(size);
  double score[block];
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t here = begin + block < count ? block : count - begin;
    double* const at = twice_rank + begin;
    // Most are in the middle, where there is neither a branch nor a logarithm.
    for (std::size_t k = 0; k < here; ++k) score[k] = central_inverse_normal_cdf(from_middle(at[k], S));
    for (std::size_t k = 0; k < here; ++k)
      at[k] = __builtin_fabs(from_middle(at[k], S)) <= 0.425 ? score[k] : normal_score(at[k], S);
  }
}

void write_score_table(double* table, std::size_t begin, std::size_t end, std::size_t size) {
  for (std::size_t less = begin; less < end; ++less) table[less] = static_cast<double>(2 * less + 2);
  write_normal_scores(table + begin, end - begin, size);
}

std::size_t write_ranks(const float* sorted, const std::uint32_t* place, std::size_t size, RankCode* rank,
                        double* between) {
  return rank_all(sorted, place, size, rank, between);
}
std::size_t write_ranks(const double* sorted, const std::uint32_t* place, std::size_t size, RankCode* rank,
                        double* between) {
  return rank_all(sorted, place, size, rank, between);
}

std::size_t write_folded_ranks(const float* sorted, const std::uint32_t* place, std::size_t size, std::size_t below,
                               double median, RankCode* rank, double* between) {
  return FoldedMerge<float>(sorted, size, below, median).write(place, rank, between);
}
std::size_t write_folded_ranks(const double* sorted, const std::uint32_t* place, std::size_t size, std::size_t below,
                               double median, RankCode* rank, double* between) {
  return FoldedMerge<double>(sorted, size, below, median).write(place, rank, between);
}

}  // namespace manychain::diagnostics
