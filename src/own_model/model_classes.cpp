#include "own_model/model_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "manychain/core/error.hpp"
#include "own_model/words.hpp"
#include "text/suggest.hpp"

namespace manychain::own_model {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `# 12 "file" 1 3`: the file; empty: no line marker. A file of the system has the flag 3 and is given as such.
struct Marker {
  bool is = false, system = false;
  std::string file;
};
Marker marker_of(const std::string& line) {
  Marker marker;
  if (line.compare(0, 2, "# ") != 0 || line.size() < 3 || std::isdigit(static_cast<unsigned char>(line[2])) == 0)
    return marker;
  const std::size_t quote = line.find('"');
  if (quote == std::string::npos) return marker;
  marker.is = true;
  std::size_t at = quote + 1;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\') ++at;
    if (at < line.size()) marker.file += line[at];
  }
  marker.system = at < line.size() && line.find('3', at) != std::string::npos;
  return marker;
}

/// Words and marks; what is in quotes is one mark.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t end = i + 1;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    if (begins_word(c)) {
      while (end < text.size() && of_a_word(text[end])) ++end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      // with the ' between digits, which begins no character
      while (end < text.size() && (of_a_word(text[end]) || text[end] == '.' || text[end] == '\'')) ++end;
    } else if (c == '"' || c == '\'') {
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else if (text.compare(i, 2, "::") == 0) {
      end = i + 2;
    }
    tokens.push_back(text.substr(i, std::min(end, text.size()) - i));
    i = end;
  }
  return tokens;
}

bool is_word(const std::string& token) { return !token.empty() && begins_word(token[0]); }

/// Reads classes with their scopes; what it does not know it passes over.
class Reader {
 public:
  explicit Reader(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  std::vector<ClassFound> read() {
    for (; at_ < tokens_.size(); ++at_) {
      const std::string& token = tokens_[at_];
      if (token == "template" && next(1) == "<") {
        ++at_;
        skip_angles();
        after_template_ = true;
        continue;
      }
      if (token == "namespace" && in_namespace()) {
        open_namespace();
      } else if ((token == "struct" || token == "class") && in_namespace() && before() != "enum") {
        open_class();
      } else if (token == "{") {
        scopes_.push_back({Kind::other, "", none});
      } else if (token == "}") {
        if (!scopes_.empty()) scopes_.pop_back();
      } else {
        look_at_member(token);
        if (token != ";") continue;
      }
      after_template_ = false;
    }
    return classes_;
  }

 private:
  enum class Kind { name_space, model_class, other };
  struct Scope {
    Kind kind;
    std::string name;
    std::size_t found;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const std::string& next(std::size_t ahead) const {
    static const std::string end;
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : end;
  }
  const std::string& before() const {
    static const std::string begin;
    return at_ == 0 ? begin : tokens_[at_ - 1];
  }
  bool in_namespace() const {
    return std::all_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.kind == Kind::name_space; });
  }

  /// From a `<` to the `>` that closes it.
  void skip_angles() {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      depth += (tokens_[at_] == "<") - (tokens_[at_] == ">");
      if (depth == 0) return;
    }
  }

  /// `namespace a::b {`; an alias or an attribute opens nothing.
  void open_namespace() {
    std::string name;
    std::size_t ahead = 1;
    for (; is_word(next(ahead)) || next(ahead) == "::"; ++ahead)
      if (next(ahead) != "inline") name += next(ahead);
    if (next(ahead) != "{") return;
    at_ += ahead;
    scopes_.push_back({Kind::name_space, name, none});
  }

  /// `struct Name ... {`: the name is the last word before `{`, `:`, `;` or `<`, but for `final`.
  void open_class() {
    std::string name;
    std::size_t ahead = 1;
    int brackets = 0;
    for (;; ++ahead) {
      const std::string& token = next(ahead);
      if (token.empty()) break;  // the end: a bracket is not closed
      brackets += (token == "[") + (token == "(") - (token == "]") - (token == ")");
      if (brackets > 0) continue;
      if (is_word(token)) {
        if (token != "final" && token != "alignas") name = token;
      } else if (token != "]" && token != ")") {
        break;
      }
    }
    const bool specialisation = next(ahead) == "<";
    for (; !next(ahead).empty() && next(ahead) != "{" && next(ahead) != ";" && next(ahead) != "("; ++ahead) {
    }
    at_ += ahead;
    if (next(0) != "{") return;  // declared, or a variable of that class
    std::string path;
    for (const Scope& scope : scopes_)
      if (!scope.name.empty()) path += scope.name + "::";
    if (specialisation || name.empty()) {
      scopes_.push_back({Kind::other, "", none});
      return;
    }
    classes_.push_back({path + name, after_template_, false, false});
    scopes_.push_back({Kind::model_class, "", classes_.size() - 1});
  }

  void look_at_member(const std::string& token) {
    if (scopes_.empty() || scopes_.back().kind != Kind::model_class || next(1) != "(") return;
    ClassFound& found = classes_[scopes_.back().found];
    if (token == "log_density" || token == "value_and_gradient") found.density = true;
    if (token == "value" || token == "score" || token == "conditionals" || token == "draw") found.other = true;
  }

  std::vector<std::string> tokens_;
  std::size_t at_ = 0;
  bool after_template_ = false;
  std::vector<Scope> scopes_;
  std::vector<ClassFound> classes_;
};

std::string without_namespaces(const std::string& name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

}  // namespace

std::vector<ClassFound> classes_in(const std::string& text, const UsersFile& is_users) {
  std::string own;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text[at] == '#') {
      if (const Marker marker = marker_of(text.substr(at, end - at)); marker.is)
        inside = is_users(marker.file, marker.system);
    } else if (inside) {
      own.append(text, at, end - at) += '\n';
    }
    at = end + 1;
  }
  return Reader(tokens_of(own)).read();
}

std::string choose_class(const std::vector<ClassFound>& classes, const std::string& wanted, const std::string& header) {
  if (!wanted.empty()) {
    std::vector<std::string> names, fitting;
    for (const ClassFound& found : classes) {
      names.push_back(found.name);
      if (found.name == wanted || "::" + found.name == wanted) return found.name;
      if (without_namespaces(found.name) == wanted) fitting.push_back(found.name);
    }
    if (fitting.size() == 1) return fitting.front();
    if (!fitting.empty())
      throw BadInput(fmt::format("CompileSettings::class_name {}: {} has {}; give the namespace, too", wanted, header,
                                 fmt::join(fitting, " and ")));
    throw BadInput(fmt::format(
        "CompileSettings::class_name: there is no class {} in {}{}", wanted, header,
        names.empty() ? "" : fmt::format("{}; there are {}", did_you_mean(wanted, names), fmt::join(names, ", "))));
  }
  // The first kind that occurs: a class beside a model may well have a member `value`.
  std::array<std::vector<std::string>, 4> kinds;
  for (const ClassFound& found : classes) {
    if (found.density)
      kinds[found.is_template ? 0 : 2].push_back(found.name);
    else if (found.other)
      kinds[found.is_template ? 1 : 3].push_back(found.name);
  }
  for (const std::vector<std::string>& names : kinds) {
    if (names.empty()) continue;
    if (names.size() > 1)
      throw BadInput(fmt::format("{} has {} models, {}: choose one with CompileSettings::class_name", header,
                                 names.size(), fmt::join(names, ", ")));
    return names.front();
  }
  return "";
}

}  // namespace manychain::own_model
