// A Zarr store of this library, read as NetcdfReader reads a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/zarr_folder.hpp"
#include "manychain/io/draws_file.hpp"
#include "run/draws_source.hpp"

namespace manychain::io {

/// Numbers in memory of this process.
class OwnNumbers {
 public:
  explicit OwnNumbers(std::string path) : path_(std::move(path)) {}
  /// Throws BadInput that names the file.
  double* create(std::size_t count);
  std::shared_ptr<const double[]> view(std::size_t count) const;

 private:
  std::string path_;
  std::shared_ptr<double[]> numbers_;
  std::size_t count_ = 0;
};

/// The store, and one of its groups. Throws BadInput.
class ZarrReader {
 public:
  explicit ZarrReader(const std::string& path) : store_(path) {}

  /// False if there is no such group.
  bool open_group(const char* name);
  std::string attribute(const char* name) const;
  /// Texts, and single numbers as words, in their order.
  NamedTexts attributes() const;
  std::optional<unsigned long long> count(const char* name) const;
  std::vector<double> of_chains(const char* name, std::size_t chains) const;
  int variables() const { return static_cast<int>(group_->arrays.size()); }
  std::string name(int variable) const { return at(variable).name; }
  bool is_drawn(int variable) const { return is_numeric(variable) && at(variable).is_drawn(); }
  std::vector<std::size_t> shape(int variable) const { return at(variable).shape; }
  bool is_numeric(int variable) const { return at(variable).type != ZarrType::string; }
  std::size_t draws_of_chunk(int variable) const { return at(variable).chunk[1]; }
  void require_stored(int variable) const;
  /// [chain][draw][element] of some draws; of what has none, all.
  void values(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
              double* to) const;

  /// [element][chain][draw] of some elements of a variable of a group, of the first `draws` draws, and of these the
  /// last one of each `thin`. May be called from several threads.
  void elements(const std::string& group, int variable, Stretch elements, std::size_t draws, std::size_t thin,
                double* to) const;

  const ZarrFolder& store() const { return store_; }

 private:
  const ZarrArray& at(int variable) const { return group_->arrays[static_cast<std::size_t>(variable)]; }
  bool is_constant(const ZarrArray& array, const std::string& group) const;

  ZarrFolder store_;
  std::string name_;
  const ZarrFolder::Group* group_ = nullptr;
};

}  // namespace manychain::io
