#include "own_model/compiler_words.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "own_model/compiler_hints.hpp"

namespace manychain::own_model {
namespace {

/// A line of a file, and what is said of it.
struct Place {
  std::string file, line, text;
  explicit operator bool() const { return !line.empty(); }
};

std::string digits_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return text.substr(at, end - at);
}
bool starts(const std::string& text, const std::string& with) { return text.compare(0, with.size(), with) == 0; }

/// "FILE:LINE:COLUMN: TEXT" and "FILE:LINE: TEXT" of g++, "FILE(LINE): TEXT" of nvcc. A name may have colons and
/// brackets.
Place place_of(const std::string& line) {
  for (std::size_t at = line.find_first_of(":("); at != std::string::npos; at = line.find_first_of(":(", at + 1)) {
    const std::string number = digits_at(line, at + 1);
    std::size_t end = at + 1 + number.size();
    if (at == 0 || number.empty()) continue;
    if (line[at] == '(') {
      if (line.compare(end, 3, "): ") == 0) return {line.substr(0, at), number, line.substr(end + 3)};
      continue;
    }
    if (const std::string column = digits_at(line, end + 1); end < line.size() && line[end] == ':' && !column.empty())
      end += 1 + column.size();
    if (line.compare(end, 2, ": ") != 0) continue;
    const std::size_t text = line.find_first_not_of(' ', end + 1);
    return {line.substr(0, at), number, text == std::string::npos ? "" : line.substr(text)};
  }
  return {};
}

/// `instantiation of "..." at line 21 of FILE`, without a file where that is the one of the line before.
Place instantiation(const std::string& line, const std::string& file_before) {
  const std::string mark = "\" at line ";
  const std::size_t at = line.rfind(mark);
  if (at == std::string::npos || line.find("instantiation of \"") == std::string::npos) return {};
  const std::string number = digits_at(line, at + mark.size());
  const std::size_t end = at + mark.size() + number.size();
  if (line.compare(end, 4, " of ") != 0) return {file_before, number, ""};
  return {line.substr(end + 4), number, ""};
}

/// True if a line of g++ or Clang says what led to an error, and is no warning.
bool leads_on(const std::string& text) {
  return starts(text, "required ") || starts(text, "recursively required ") || starts(text, "in ") ||
         starts(text, "[ skipping ") ||  // in the place of "required from", where the limit of the trace cuts it
         text.find("note: in instantiation of ") != std::string::npos || starts(text, "note: (skipping ");
}

/// The code of a line that g++ shows as "   36 |     code", the others as it is.
std::string code_of(const std::string& line) {
  const std::size_t digits = line.find_first_not_of(' '), bar = line.find(" | ");
  const bool gcc = bar != std::string::npos && line.find_first_not_of("0123456789 ") == bar + 1;
  return gcc && digits != std::string::npos ? line.substr(bar + 3) : line;
}
/// Position of a mark, `^` or `~`, in a line that has nothing else.
std::size_t mark_of(const std::string& line) {
  const std::string code = code_of(line);
  const std::size_t at = code.find_first_of("^~");
  return at != std::string::npos && code.find_first_not_of(" ^~") == std::string::npos ? at : std::string::npos;
}

/// "static assertion failed: SENTENCE", of nvcc `... failed with "SENTENCE"`; of Clang "static assertion failed due to
/// requirement '...': SENTENCE", before Clang 16 `static_assert failed due to requirement '...' "SENTENCE"`. Empty: it
/// is none.
std::string asserted(const std::string& message) {
  const std::string failed = "static assertion failed", of_old_clang = "static_assert failed";
  const bool quoted = starts(message, of_old_clang) || starts(message, failed + " with \"");
  if (quoted) {
    const std::size_t first = message.find(" \""), last = message.rfind('"');
    return first != std::string::npos && last > first + 1 ? message.substr(first + 2, last - first - 2) : "";
  }
  if (!starts(message, failed)) return "";
  const std::string rest = message.substr(failed.size());
  if (starts(rest, ": ")) return rest.substr(2);
  const std::size_t at = rest.find("': ");
  return starts(rest, " due to requirement") && at != std::string::npos ? rest.substr(at + 3) : "";
}

/// A line behind an error: its code, the mark below that, or of nvcc the types that do not fit.
void read_on(const std::string& line, CompilerSays& says, int& lines_of_code) {
  if (lines_of_code > 1 || place_of(line)) return;
  if (line.find(" types are: ") != std::string::npos) {
    says.message += "; " + line.substr(line.find_first_not_of(' '));
  } else if (++lines_of_code == 1) {
    says.source = code_of(line);
  } else {
    says.begins_line = mark_of(line) == says.source.find_first_not_of(' ');
  }
}

}  // namespace

FirstError first_error(const std::string& words, const IsUsersFile& is_users, const LanguageNames& names) {
  std::istringstream stream(words);
  Place before, error, after;  // lines of the user's before and behind the error, the innermost each
  std::string file;
  CompilerSays says;
  int lines_of_code = 0;
  for (std::string line; std::getline(stream, line);) {
    if (error) read_on(line, says, lines_of_code);
    if (line.find(": In instantiation of ") != std::string::npos) before = {};  // what follows leads to another place
    const Place from = instantiation(line, file);
    const Place place = from ? from : place_of(line);
    if (!place) continue;
    if (place.file != file && !error) file = place.file;
    if (from) file = place.file;
    const std::size_t skipped = starts(place.text, "fatal error: ") ? 13 : starts(place.text, "error: ") ? 7 : 0;
    if (skipped > 0) {
      if (error) break;
      error = place;
      says.message = place.text.substr(skipped);
      file = place.file;
    } else if ((from || leads_on(place.text)) && is_users(place.file)) {
      Place& kept = error ? after : before;
      if (!kept) kept = place;
    }
  }
  if (!error) return {};
  says.users = is_users(error.file);
  const Place& nearest = says.users ? error : before ? before : after;
  if (const std::string said = asserted(says.message); !said.empty()) return {nearest.file, nearest.line, said};
  const std::string said = hint(says, names);
  if (!nearest) return {"", "", said};
  if (!said.empty()) return {nearest.file, nearest.line, said};
  return {nearest.file, nearest.line,
          says.users ? plain(says.message) : "what stands here does not compile; the first error stands above"};
}

}  // namespace manychain::own_model
