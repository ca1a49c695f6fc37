// A text as words, and words as a text.
#include <algorithm>
#include <array>
#include <string>

#include "manychain/markov/language_model.hpp"

namespace manychain::markov {
namespace {

// Not those of <cctype>: they depend on the locale, and a text must not.
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_control(char c) { return (c >= '\0' && c < ' ') || c == 127; }

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& set) {
  return std::find(set.begin(), set.end(), word) != set.end();
}

// The marks of printed English outside ASCII; every other byte above 127 is part of a letter.
constexpr std::array<std::string_view, 7> printed_marks = {"–", "—", "‘", "’", "“", "”", "…"};
constexpr std::array<std::string_view, 4> terminators = {".", "!", "?", "…"};
constexpr std::array<std::string_view, 7> closing_marks = {"\"", "'", ")", "]", "}", "’", "”"};
constexpr std::array<std::string_view, 3> word_marks = {"'", "-", "’"};
constexpr std::array<std::string_view, 3> number_marks = {".", ",", ":"};

/// The punctuation mark at the begin of a text that is not empty, or nothing.
std::string_view mark_at(std::string_view text) {
  for (std::string_view mark : printed_marks) {
    if (text.substr(0, mark.size()) == mark) return mark;
  }
  const char c = text[0];
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
  const bool ascii = static_cast<unsigned char>(c) < 128;
  return letter || !ascii || is_space(c) || is_control(c) ? text.substr(0, 0) : text.substr(0, 1);
}

bool letter_at(std::string_view text) {
  return !text.empty() && !is_space(text[0]) && !is_control(text[0]) && mark_at(text).empty();
}

/// The length of the word at the begin of a text, 0 if there is none. Marks inside it belong to it: don't, well-known,
/// 3.14, 10,000, 12:30.
std::size_t word_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (letter_at(text.substr(i))) {
      ++i;
      continue;
    }
    const std::string_view mark = mark_at(text.substr(i)), rest = text.substr(i + mark.size());
    const bool in_word = is_one_of(mark, word_marks) && letter_at(rest);
    const bool in_number =
        is_one_of(mark, number_marks) && !rest.empty() && is_digit(rest[0]) && i > 0 && is_digit(text[i - 1]);
    if (i == 0 || !(in_word || in_number)) break;
    i += mark.size();
  }
  return i;
}

}  // namespace

std::vector<Sentence> tokenize(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // a byte order mark is no word
  std::vector<Sentence> sentences;
  Sentence sentence;
  const auto take = [&](std::size_t length) {
    sentence.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  };
  const auto end_sentence = [&] {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
    sentence.clear();
  };
  const auto take_all_of = [&](const auto& marks) {
    while (!text.empty() && is_one_of(mark_at(text), marks)) take(mark_at(text).size());
  };
  while (!text.empty()) {
    const std::size_t length = word_length(text);
    if (length > 0) {
      take(length);
    } else if (const std::string_view mark = mark_at(text); !mark.empty()) {
      const bool terminates = is_one_of(mark, terminators);
      take(mark.size());
      if (!terminates) continue;
      take_all_of(terminators);
      take_all_of(closing_marks);
      end_sentence();
    } else {  // white space, or a control character, which is no text
      std::size_t lines = 0, i = 0;
      for (; i < text.size() && (is_space(text[i]) || is_control(text[i])); ++i) lines += text[i] == '\n';
      if (lines > 1) end_sentence();
      text.remove_prefix(i);
    }
  }
  end_sentence();
  return sentences;
}

std::string join_words(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 13> no_space_before = {".", ",", ";", ":", "!", "?", "…",
                                                                       ")", "]", "}", "%", "’", "”"};
  static constexpr std::array<std::string_view, 5> no_space_after = {"(", "[", "{", "‘", "“"};
  std::string text;
  bool quoted = false, glued = true;
  for (const std::string& word : words) {
    const bool quote = word == "\"";  // which opens and closes in turn
    if (!glued && !is_one_of(word, no_space_before) && !(quote && quoted)) text += ' ';
    text += word;
    glued = is_one_of(word, no_space_after) || (quote && !quoted);
    if (quote) quoted = !quoted;
  }
  return text;
}

}  // namespace manychain::markov
