// Values as bytes and back, in the order of memory of this machine: numbers, texts, vectors, options, and structures
// whose parts visit_parts(structure, visit) names.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "manychain/core/error.hpp"

namespace manychain {

/// Marks what is written as it lies in memory.
template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ByteWriter {
 public:
  std::string bytes;

  template <class T>
  void operator()(const T& value) {
    if constexpr (is_plain<T>)
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    else
      visit_parts(value, [this](const auto& part) { (*this)(part); });
  }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    bytes += text;
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(std::uint64_t{values.size()});
    if constexpr (is_plain<T> && !std::is_same_v<T, bool>)
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    else
      for (const auto& value : values) (*this)(static_cast<const T&>(value));
  }
};

/// Throws BadInput where bytes are missing, or cannot be what is asked for.
class ByteReader {
 public:
  /// `fault`: the message of what it throws.
  ByteReader(std::string_view bytes, std::string fault) : rest_(bytes), fault_(std::move(fault)) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = *take(1) != 0;
    else if constexpr (is_plain<T>)
      std::memcpy(&value, take(sizeof value), sizeof value);
    else
      visit_parts(value, [this](auto& part) { (*this)(part); });
  }
  void operator()(std::string& text) {
    const std::size_t size = count(1);
    text.assign(take(size), size);
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool given = false;
    (*this)(given);
    value.reset();
    if (!given) return;
    T read{};  // Clang 14 takes emplace() for none of nested structures
    (*this)(read);
    value = std::move(read);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    constexpr bool whole = is_plain<T> && !std::is_same_v<T, bool>;
    values.resize(count(whole ? sizeof(T) : 1));
    if constexpr (whole) {
      if (!values.empty()) std::memcpy(values.data(), take(values.size() * sizeof(T)), values.size() * sizeof(T));
    } else {
      for (auto&& value : values) {
        T read{};
        (*this)(read);
        value = std::move(read);
      }
    }
  }
  bool at_end() const { return rest_.empty(); }
  void require_end() const {
    if (!rest_.empty()) throw BadInput(fault_);
  }

 private:
  const char* take(std::size_t size) {
    if (size > rest_.size()) throw BadInput(fault_);
    const char* const at = rest_.data();
    rest_.remove_prefix(size);
    return at;
  }
  /// A number of things, each of `size` bytes or more.
  std::size_t count(std::size_t size) {
    std::uint64_t number = 0;
    (*this)(number);
    if (number > rest_.size() / size) throw BadInput(fault_);
    return static_cast<std::size_t>(number);
  }
  std::string_view rest_;
  std::string fault_;
};

}  // namespace manychain
