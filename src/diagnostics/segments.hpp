// Which draws of a streamed run are added together, and into which segment of its chain.
//
// A chain's moments are kept in a few segments of equal length. When all are full they merge in pairs, and new ones are
// twice as long: whenever the run ends, a chain has between half and all of its segments, and so halves and batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/core/block.hpp"

namespace manychain::diagnostics {

/// Some consecutive draws of one segment, and the transitions that make them.
struct Chunk {
  Block block;                ///< transitions; the last ones may make no draw
  std::uint64_t draw = 0;     ///< first one
  std::uint32_t draws = 0;    ///< of this chunk; 0: transitions alone
  std::uint32_t segment = 0;  ///< where its draws belong
  bool merge = false;         ///< segments merge in pairs before that
  bool close = false;         ///< it ends where chunks end, not where the block does
};

/// The segments of a run, a function of its settings alone: which draws share a segment never depends on the clock.
class Segments {
 public:
  Segments() = default;
  /// `draws` of each chain are planned. With many chains their means alone tell the autocorrelation; few chains need
  /// segments for batch means, too.
  Segments(std::size_t chains, std::size_t draws) : capacity_(chains < few_chains ? 32 : 8) {
    const std::uint64_t last = (std::max<std::uint64_t>(draws, 1) + capacity_ - 1) / capacity_;
    // Halved as long as a segment fills a chunk: a plan that is carried out ends with all segments full.
    std::uint64_t halvings = 0;
    while ((last >> (halvings + 1)) >= longest_chunk / 2) ++halvings;
    first_length_ = (last + (std::uint64_t{1} << halvings) - 1) >> halvings;
    const std::uint64_t wanted = (layout_draws + chains - 1) / chains;
    calibration_ = static_cast<std::uint32_t>(
        std::min({wanted, first_length_, std::uint64_t{longest_chunk}, std::max<std::uint64_t>(draws, 1)}));
  }

  static constexpr std::uint32_t longest_chunk = 32;  ///< draws that a backend holds before they are accumulated
  static constexpr std::size_t few_chains = 32;
  static constexpr std::size_t layout_draws = 1024;  ///< what maps and histograms are laid out by, about

  std::uint32_t capacity() const { return capacity_; }
  /// Draws of each chain that are held until the map of normal scores is frozen; at most a chunk.
  std::uint32_t calibration() const { return calibration_; }
  std::uint64_t length(std::uint64_t draws) const { return first_length_ << level(draws); }
  /// Segments that hold `draws` draws of a chain, the last one not full.
  std::uint32_t used(std::uint64_t draws) const {
    return static_cast<std::uint32_t>((draws + length(draws) - 1) / length(draws));
  }

  /// A block of transitions in chunks, in order.
  std::vector<Chunk> cut(const Block& block) const {
    std::vector<Chunk> chunks;
    const std::uint64_t begin = block.first_transition - block.sampling_begin, end = begin + block.count;
    for (std::uint64_t done = begin; done < end;) {
      Chunk s;
      s.block = block;
      s.block.first_transition = block.sampling_begin + done;
      s.draw = done / block.thin;
      const std::uint64_t length_now = length(s.draw + 1), segment_begin = s.draw / length_now * length_now;
      // A block that ends within a chunk must not change the order of sums: chunks end at draws of their
      // own.
      const std::uint64_t whole = (s.draw - segment_begin) / longest_chunk + 1;
      std::uint64_t stop = segment_begin + std::min(whole * longest_chunk, length_now);
      if (s.draw < calibration_) stop = std::min<std::uint64_t>(stop, calibration_);
      const std::uint64_t until = std::min(stop * block.thin, end);
      s.block.count = static_cast<std::uint32_t>(until - done);
      s.draws = static_cast<std::uint32_t>(until / block.thin - s.draw);
      s.segment = static_cast<std::uint32_t>(s.draw / length_now);
      s.close = s.draw + s.draws == stop;
      s.merge = s.draws > 0 && s.draw > 0 && level(s.draw + 1) > level(s.draw);
      chunks.push_back(s);
      done = until;
    }
    return chunks;
  }

 private:
  std::uint32_t level(std::uint64_t draws) const {
    std::uint32_t level = 0;
    while ((first_length_ << level) * capacity_ < draws) ++level;
    return level;
  }

  std::uint32_t capacity_ = 8;
  std::uint32_t calibration_ = 1;
  std::uint64_t first_length_ = 1;
};

}  // namespace manychain::diagnostics
