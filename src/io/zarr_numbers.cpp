// A store as a file of draws: in memory or, if it is too large for that, read when it is asked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "io/draws_reader.hpp"
#include "io/read_formats.hpp"
#include "io/zarr_reader.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

class ZarrNumbers : public NumbersOfFile {
 public:
  ZarrNumbers(std::string path, std::shared_ptr<const ZarrReader> reader, const GroupsFound& found,
              const DrawsFile& file)
      : path_(std::move(path)), reader_(std::move(reader)), chains_(file.chains), draws_(file.draws) {
    add(quantities_, "posterior", found.quantities);
    add(quantities_, "posterior_predictive", found.predicted);
    add(stats_, "sample_stats", found.stats);
  }

  std::shared_ptr<const double[]> quantities(std::size_t first, std::size_t count, std::size_t thin) const override {
    return read(quantities_, {first, count}, thin);
  }
  std::shared_ptr<const double[]> stat(std::size_t number) const override { return read(stats_, {number, 1}, 1); }

 private:
  struct Placed {
    const char* group;
    int id;
    std::size_t first, count;  // elements, among all
  };
  static void add(std::vector<Placed>& to, const char* group, const std::vector<DrawnVariable>& variables) {
    for (const DrawnVariable& one : variables)
      to.push_back({group, one.id, to.empty() ? 0 : to.back().first + to.back().count, one.elements});
  }

  std::shared_ptr<const double[]> read(const std::vector<Placed>& from, Stretch wanted, std::size_t thin) const {
    const std::size_t row = chains_ * (draws_ / thin);
    OwnNumbers memory(path_);
    double* const to = memory.create(wanted.count * row);
    for (const Placed& one : from) {
      const std::size_t begin = std::max(one.first, wanted.first);
      const std::size_t end = std::min(one.first + one.count, wanted.first + wanted.count);
      if (begin < end)
        reader_->elements(one.group, one.id, {begin - one.first, end - begin}, draws_, thin,
                          to + (begin - wanted.first) * row);
    }
    return memory.view(wanted.count * row);
  }

  std::string path_;
  std::shared_ptr<const ZarrReader> reader_;
  std::size_t chains_, draws_;
  std::vector<Placed> quantities_, stats_;
};

/// Nothing is read yet.
DrawsFile opened(const std::string& path, const std::shared_ptr<ZarrReader>& reader) {
  DrawsReader<ZarrReader> draws(path, *reader, false);
  const GroupsFound found = find_groups(path, *reader, draws);
  DrawsFile file = draws.file();
  file.numbers = std::make_shared<ZarrNumbers>(path, reader, found, file);
  return file;
}

double bytes_of(const DrawsFile& file) {
  return double(file.chains) * double(file.draws) * double(file.names.size() + file.stat_names.size()) * sizeof(double);
}

}  // namespace

DrawsFile read_zarr(const std::string& path, double memory) {
  try {
    const auto reader = std::make_shared<ZarrReader>(path);
    DrawsFile file;
    if (std::isfinite(memory)) file = opened(path, reader);
    if (bytes_of(file) > memory) {
      file.memory = memory;
    } else {
      OwnNumbers own(path);
      file = read_groups(path, *reader, [&](std::size_t count) { return own.create(count); });
      const std::size_t rows = file.chains * file.draws, values = rows * file.names.size();
      file.values = own.view(values + rows * file.stat_names.size());
      file.stats = {file.values, file.values.get() + values};
    }
    for (std::size_t c = 0; c < file.chains; ++c) file.chain_names.push_back(std::to_string(c));
    if (!reader->store().complete())
      file.faults.push_back(fmt::format("{}: its run has not ended: it has {} of {} draws.", path, file.draws,
                                        std::max(file.draws_planned, file.draws)));
    return file;
  } catch (const std::bad_alloc&) {
    throw BadInput(path + ": cannot be read: it takes more memory than there is");
  }
}

}  // namespace manychain::io
