// The draws of a store, read a part at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/zarr_folder.hpp"
#include "run/draws_source.hpp"

namespace manychain::io {

/// The draws that a store has at this moment. A chunk, of all chains or those of a rank, a block of draws and a whole
/// variable, is read once for all elements of the variable that are asked for together.
class ZarrDraws : public DrawsSource {
 public:
  enum class Of { sampling, warmup };
  /// Throws BadInput, with the file, unless the variables and their chunks are all there. In warm-up predictions are
  /// not kept: they are 0.
  explicit ZarrDraws(const std::string& path, Of of = Of::sampling);

  Shape shape() const override { return shape_; }
  Draws draws(Stretch draws, Stretch variables) const override { return read(quantities_, draws, variables); }
  Draws sample_stats(Stretch draws, Stretch variables) const override { return read(stats_, draws, variables); }

  const ZarrFolder& store() const { return store_; }

 private:
  struct Stored {
    std::string group;
    const ZarrArray* array;
    std::size_t first;  ///< its place among the variables of a draw
  };
  std::string stats_group() const { return warmup_ ? "warmup_sample_stats" : "sample_stats"; }
  [[noreturn]] void refuse(const std::string& what) const;
  void find_quantities(std::size_t outputs);
  void find_stats();
  void require_drawn(const ZarrArray* array) const;
  Draws read(const std::vector<Stored>& from, Stretch draws, Stretch variables) const;

  ZarrFolder store_;
  const bool warmup_;
  Shape shape_;
  std::vector<Stored> quantities_, stats_;
};

}  // namespace manychain::io
