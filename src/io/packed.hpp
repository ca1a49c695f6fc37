// Words and counts on their way from one process to another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace manychain::io {

/// Each ends with a zero byte. What is read of a text that was cut or damaged throws std::logic_error, or makes no
/// sense.
class Packed {
 public:
  Packed() = default;
  explicit Packed(std::string text) : text_(std::move(text)) {}
  std::string text() { return std::move(text_); }

  void put(std::size_t number) { put(std::to_string(number)); }
  void put(const std::string& word) { text_.append(word.c_str()).push_back('\0'); }
  void put(const std::vector<std::string>& words) {
    put(words.size());
    for (const std::string& word : words) put(word);
  }
  std::size_t number() { return std::stoull(word()); }
  std::string word() {
    const std::size_t end = std::min(text_.find('\0', at_), text_.size());
    std::string result = text_.substr(std::min(at_, end), end - at_);
    at_ = end + 1;
    return result;
  }
  std::vector<std::string> words() {
    std::vector<std::string> result(number());
    for (std::string& one : result) one = word();
    return result;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace manychain::io
