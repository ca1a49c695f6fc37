#include "io/zarr_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "io/draws_reader.hpp"
#include "io/read_formats.hpp"
#include "manychain/core/error.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain::io {
namespace {

constexpr const char* constant_name = "step_size";  // the variable that may have no chunks

template <class Number>
void widen(const char* from, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, from + i * sizeof number, sizeof number);
    to[i] = static_cast<double>(number);
  }
}

void widen(ZarrType type, const char* from, std::size_t count, double* to) {
  switch (type) {
    case ZarrType::float32:
      return widen<float>(from, count, to);
    case ZarrType::float64:
      return widen<double>(from, count, to);
    case ZarrType::int32:
      return widen<std::int32_t>(from, count, to);
    case ZarrType::int64:
      return widen<std::int64_t>(from, count, to);
    case ZarrType::boolean:
      return widen<std::uint8_t>(from, count, to);
    case ZarrType::string:
      break;
  }
}

}  // namespace

double* OwnNumbers::create(std::size_t count) {
  try {
    numbers_.reset(new double[count]);
  } catch (const std::bad_alloc&) {
    throw BadInput(fmt::format("{}: cannot be read: its draws take {}, more memory than there is", path_,
                               bytes_in_words(double(count) * sizeof(double))));
  }
  count_ = count;
  return numbers_.get();
}

std::shared_ptr<const double[]> OwnNumbers::view(std::size_t count) const {
  if (count > count_) throw BadInput(path_ + ": cannot be read: there are fewer numbers than there should be");
  return numbers_;
}

bool ZarrReader::open_group(const char* name) {
  const ZarrFolder::Group* const found = store_.group(name);
  if (!found) return false;
  group_ = found;
  name_ = name;
  return true;
}

std::string ZarrReader::attribute(const char* name) const {
  const auto found = group_->attributes.find(name);
  return found != group_->attributes.end() && found->is_string() ? found->get<std::string>() : "";
}

NamedTexts ZarrReader::attributes() const {
  NamedTexts all;
  for (const auto& [name, value] : group_->attributes.items()) {
    if (value.is_string()) all.emplace_back(name, value.get<std::string>());
    if (value.is_number_unsigned()) all.emplace_back(name, std::to_string(value.get<std::uint64_t>()));
    if (value.is_number_float()) all.emplace_back(name, fmt::format("{}", unsigned_nan(value.get<double>())));
  }
  return all;
}

std::optional<unsigned long long> ZarrReader::count(const char* name) const {
  const auto found = group_->attributes.find(name);
  if (found == group_->attributes.end() || !found->is_number_unsigned()) return {};
  return found->get<std::uint64_t>();
}

std::vector<double> ZarrReader::of_chains(const char* name, std::size_t chains) const {
  const ZarrArray* const array = store_.find(name_, name);
  if (!array || array->type == ZarrType::string || array->dimensions != std::vector<std::string>{"chain"} ||
      array->shape[0] != chains)
    return {};
  const std::string chunk = store_.chunk(name_, *array, 0);
  std::vector<double> numbers(chains);
  widen(array->type, chunk.data(), chains, numbers.data());
  return numbers;
}

bool ZarrReader::is_constant(const ZarrArray& array, const std::string& group) const {
  return group == "sample_stats" && array.name == constant_name && array.fill.is_number();
}

void ZarrReader::require_stored(int variable) const {
  if (!is_constant(at(variable), name_)) store_.require_chunks(name_, at(variable));
}

void ZarrReader::values(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                        double* to) const {
  const ZarrArray& array = at(variable);
  if (!array.is_drawn()) {
    std::size_t numbers = 1;
    for (const std::size_t extent : array.shape) numbers *= extent;
    return widen(array.type, store_.chunk(name_, array, 0).data(), numbers, to);
  }
  const std::size_t elements = array.elements(), block = array.chunk[1], bytes = bytes_of(array.type);
  if (is_constant(array, name_))
    return void(std::fill_n(to, array.shape[0] * count[1] * elements, array.fill.get<double>()));
  for (std::size_t draw = start[1], end = start[1] + count[1]; draw < end;) {
    const std::size_t place = draw % block, some = std::min(block - place, end - draw);
    for (std::size_t column = 0; column < array.columns(); ++column) {
      const std::string chunk = store_.chunk(name_, array, draw / block, column);
      const Stretch chains = array.chains_of(column);
      for (std::size_t c = 0; c < chains.count; ++c)
        widen(array.type, chunk.data() + (c * block + place) * elements * bytes, some * elements,
              to + ((chains.first + c) * count[1] + draw - start[1]) * elements);
    }
    draw += some;
  }
}

void ZarrReader::elements(const std::string& group, int variable, Stretch elements, std::size_t draws, std::size_t thin,
                          double* to) const {
  const ZarrArray& array = store_.group(group)->arrays[static_cast<std::size_t>(variable)];
  const std::size_t chains = array.shape[0], all = array.elements(), block = array.chunk[1], kept = draws / thin;
  if (is_constant(array, group)) return void(std::fill_n(to, elements.count * chains * kept, array.fill.get<double>()));
  const auto put = [&](auto number, std::size_t column, std::size_t first) {
    const std::string chunk = store_.chunk(group, array, first / block, column);
    const std::size_t end = std::min(block, draws - first);
    const Stretch of = array.chains_of(column);
    for (std::size_t c = 0; c < of.count; ++c)
      for (std::size_t d = (thin - 1 - first % thin) % thin; d < end; d += thin) {
        const char* from = chunk.data() + ((c * block + d) * all + elements.first) * sizeof number;
        double* place = to + (of.first + c) * kept + (first + d) / thin;
        for (std::size_t e = 0; e < elements.count; ++e, from += sizeof number, place += chains * kept) {
          std::memcpy(&number, from, sizeof number);
          *place = static_cast<double>(number);
        }
      }
  };
  for (std::size_t first = 0; first < draws; first += block)
    for (std::size_t column = 0; column < array.columns(); ++column) {
      switch (array.type) {
        case ZarrType::float32:
          put(float{}, column, first);
          break;
        case ZarrType::float64:
          put(double{}, column, first);
          break;
        case ZarrType::int32:
          put(std::int32_t{}, column, first);
          break;
        case ZarrType::int64:
          put(std::int64_t{}, column, first);
          break;
        case ZarrType::boolean:
          put(std::uint8_t{}, column, first);
          break;
        case ZarrType::string:
          break;
      }
    }
}

RunState read_stored_state(const std::string& path) {
  const ZarrFolder store(path);
  return store.state_counts() ? store.state() : RunState();
}

}  // namespace manychain::io
