// CmdStan's JSON dialect, read event by event: no tree of the document is ever built.
#include "manychain/model/data/data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/read_file.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

using Json = nlohmann::json;

/// The text with every bare NaN, Infinity or Inf put in quotes, because JSON itself does not know these words.
struct Quoted {
  std::string text;
  std::vector<std::size_t> inserted;  // positions in `text` of the quotes that the file does not have

  explicit Quoted(std::string_view source) {
    static constexpr std::string_view words[] = {"NaN", "Infinity", "Inf"};
    text.reserve(source.size());
    bool in_string = false;
    for (std::size_t i = 0; i < source.size();) {
      const char c = source[i];
      if (in_string) {
        if (c == '\\' && i + 1 < source.size()) text += source[i++];
        if (c == '"') in_string = false;
        text += source[i++];
        continue;
      }
      std::size_t length = 0;
      const std::size_t sign = (c == '-' || c == '+') ? 1 : 0;
      for (std::string_view word : words) {
        if (source.substr(i + sign, word.size()) != word) continue;
        length = sign + word.size();
        break;
      }
      if (length > 0) {
        inserted.push_back(text.size());
        text.append("\"").append(source.substr(i, length));
        inserted.push_back(text.size());
        text += '"';
        i += length;
      } else {
        in_string = c == '"';
        text += c;
        ++i;
      }
    }
  }

  std::size_t offset_in_source(std::size_t position) const {
    std::size_t before = 0;
    while (before < inserted.size() && inserted[before] < position) ++before;
    return position - before;
  }
};

/// Collects the variables of the one object that a data file is.
class VariableReader {
 public:
  using Coordinates = std::map<std::string, Data::Coordinates>;
  VariableReader(std::map<std::string, Data::Variable>& variables, Coordinates& coords, Coordinates& dims)
      : variables_(variables), coords_(coords), dims_(dims) {}

  bool null() { return reject("null is not a number"); }
  bool boolean(bool) { return reject("boolean values are not allowed; write 0 or 1"); }
  bool binary(Json::binary_t&) { return reject("binary values are not allowed"); }
  bool number_integer(Json::number_integer_t value) {
    return list_ ? label(std::to_string(value), Data::Labels::integers) : number(static_cast<double>(value), true);
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    return list_ ? label(std::to_string(value), Data::Labels::integers) : number(static_cast<double>(value), true);
  }
  bool number_float(Json::number_float_t value, const std::string& text) {
    return list_ ? label(text, Data::Labels::reals) : number(value, false);
  }

  bool string(std::string& word) {
    if (list_) return label(word, Data::Labels::words);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (word == "NaN" || word == "-NaN" || word == "+NaN") return number(std::nan(""), false);
    if (word == "Inf" || word == "+Inf" || word == "Infinity" || word == "+Infinity") return number(infinity, false);
    if (word == "-Inf" || word == "-Infinity") return number(-infinity, false);
    return reject("string values are not allowed, found \"" + word.substr(0, 40) + "\"");
  }

  bool start_object(std::size_t) {
    if (inside_) return start_names();
    inside_ = true;
    return true;
  }
  bool end_object() {
    naming_ = nullptr;
    list_ = nullptr;
    return true;
  }

  bool key(std::string& name) {
    if (naming_) return key_of_names(name);
    name_ = name;
    if (variables_.count(name) > 0) return reject("the variable is defined twice");
    current_ = {};
    current_.integer = true;
    counts_.clear();
    leaf_depth_.reset();
    return true;
  }

  bool start_array(std::size_t) {
    require_object();
    if (list_) return open_ || !list_->labels.empty() ? reject(no_list) : (open_ = true);
    if (leaf_depth_ && counts_.size() >= *leaf_depth_) return ragged();
    counts_.push_back(0);
    if (current_.shape.size() < counts_.size()) current_.shape.push_back(unknown);  // known when the array ends
    return true;
  }

  bool end_array() {
    if (list_) {
      open_ = false;
      return true;
    }
    const std::size_t level = counts_.size() - 1;
    const std::size_t found = counts_.back();
    counts_.pop_back();
    std::size_t& extent = current_.shape[level];
    if (extent == unknown) {
      extent = found;
    } else if (extent != found) {
      return ragged();
    }
    if (found == 0 && !leaf_depth_) leaf_depth_ = level + 1;
    return finish_element();
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    position_ = position == 0 ? 0 : position - 1;
    std::string text = error.what();  // "[id] parse error at line 1, column 5: syntax error while ..."
    text.erase(0, text.find("] ") + 2);
    if (text.rfind("parse error", 0) == 0) text.erase(0, text.find(": ") + 2);
    if (text.size() > 160) text.resize(160);
    message_ = text;
    return false;
  }

  std::size_t position() const { return position_; }
  const std::string& message() const { return message_; }

 private:
  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
  static constexpr const char* no_list = "a list of labels is needed, [\"A\", \"B\"]";

  /// "coords" and "dims", which hold lists of words under names.
  bool start_names() {
    if (naming_ || !counts_.empty() || (name_ != "coords" && name_ != "dims"))
      return reject("nested objects are not allowed");
    naming_ = name_ == "coords" ? &coords_ : &dims_;
    if (!naming_->empty()) return reject("it stands twice");
    return true;
  }
  bool key_of_names(const std::string& name) {
    if (naming_->count(name) > 0) return reject("it has " + name + " twice");
    list_ = &(*naming_)[name];
    list_->kind = Data::Labels::integers;
    open_ = false;
    return true;
  }
  bool label(const std::string& text, Data::Labels kind) {
    if (!open_ && !list_->labels.empty()) return reject(no_list);
    const Data::Labels before = list_->kind;
    list_->labels.push_back(text);
    const bool words = kind == Data::Labels::words || before == Data::Labels::words;
    list_->kind = words                                                          ? Data::Labels::words
                  : kind == Data::Labels::reals || before == Data::Labels::reals ? Data::Labels::reals
                                                                                 : Data::Labels::integers;
    return true;
  }

  bool number(double value, bool integer) {
    require_object();
    if (!leaf_depth_) leaf_depth_ = counts_.size();
    if (counts_.size() != *leaf_depth_) return ragged();
    current_.values.push_back(value);
    current_.integer = current_.integer && integer;
    return finish_element();
  }

  bool finish_element() {
    if (!counts_.empty()) {
      ++counts_.back();
    } else {
      variables_.emplace(name_, std::move(current_));
    }
    return true;
  }

  void require_object() const {
    if (!inside_) throw BadInput("JSON: offset 0: a data file is one object, {\"name\": value, ...}");
  }

  bool ragged() const { return reject("non-rectangular array"); }
  bool reject(const std::string& what) const {
    require_object();
    std::string text = "JSON: variable: " + name_ + ", error: " + what;
    for (char& c : text) c = c >= '\0' && c < ' ' ? ' ' : c;  // an error is one line, whatever the file holds
    throw BadInput(text);
  }

  std::map<std::string, Data::Variable>& variables_;
  Coordinates &coords_, &dims_;
  Coordinates* naming_ = nullptr;      // which of the two is being read
  Data::Coordinates* list_ = nullptr;  // and which of its lists
  bool open_ = false;                  // within the brackets of that
  bool inside_ = false;
  std::string name_;
  Data::Variable current_;
  std::vector<std::size_t> counts_;        // elements seen so far in each array that is open
  std::optional<std::size_t> leaf_depth_;  // number of arrays around a number of this variable
  std::size_t position_ = 0;
  std::string message_;
};

template <class Read>
auto named_in_errors(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const BadInput& error) {
    throw BadInput(path + ": " + error.what());
  }
}

}  // namespace

Data Data::from_json(std::string_view text) {
  Data data;
  const Quoted quoted(text);
  VariableReader::Coordinates dims;
  VariableReader reader(data.variables_, data.coords_, dims);
  if (!Json::sax_parse(quoted.text, &reader)) {
    throw BadInput("JSON: offset " + std::to_string(quoted.offset_in_source(reader.position())) + ": " +
                   reader.message());
  }
  for (auto& [name, list] : dims) data.dims_[name] = std::move(list.labels);
  return data;
}

Data Data::from_file(const std::string& path) {
  const std::string text = read_file(path);
  const bool table = path.size() >= 4 && (path.ends_with(".csv") || path.ends_with(".CSV"));
  return named_in_errors(path, [&] {
    Data data = table ? from_csv(text) : from_json(text);
    data.file_ = path;
    return data;
  });
}

Data Data::from_files(const std::vector<std::string>& paths) {
  Data all;
  for (const std::string& path : paths) {
    const Data one = from_file(path);
    named_in_errors(path, [&] {
      all.add(one);
      return 0;
    });
    all.file_ += (all.file_.empty() ? "" : ", ") + path;
  }
  return all;
}

void Data::add(const Data& other) {
  const auto refuse = [](const std::string& what) { throw BadInput(what + " is defined twice"); };
  for (const std::string& name : other.names())
    if (variables_.count(name) + faults_.count(name) > 0) refuse("variable " + name);
  for (const auto& [name, fault] : other.faults_)
    if (variables_.count(name) + faults_.count(name) > 0) refuse("variable " + name);
  for (const auto& [name, labels] : other.coords_)
    if (coords_.count(name) > 0) refuse("coords of " + name);
  for (const auto& [name, dimensions] : other.dims_)
    if (dims_.count(name) > 0) refuse("dims of " + name);
  variables_.insert(other.variables_.begin(), other.variables_.end());
  faults_.insert(other.faults_.begin(), other.faults_.end());
  coords_.insert(other.coords_.begin(), other.coords_.end());
  dims_.insert(other.dims_.begin(), other.dims_.end());
  rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
}

void Data::set_coords(const std::string& dimension, std::vector<std::string> labels) {
  coords_[dimension] = {std::move(labels), Labels::words};
}
void Data::set_dims(const std::string& name, std::vector<std::string> dimensions) {
  dims_[name] = std::move(dimensions);
}

std::optional<std::size_t> Data::rows() const {
  if (rows_.empty() || std::any_of(rows_.begin(), rows_.end(), [&](std::size_t rows) { return rows != rows_[0]; }))
    return {};
  return rows_[0];
}

const std::string* Data::fault(const std::string& name) const {
  const auto found = faults_.find(name);
  return found == faults_.end() ? nullptr : &found->second;
}

std::vector<Data> Data::all_from_file(const std::string& path) {
  const std::string text = read_file(path);
  return named_in_errors(path, [&] {
    std::vector<Data> all;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || text[first] != '[') {
      all.push_back(from_json(text));
    } else {
      const Quoted quoted(text);
      try {
        for (const Json& one : Json::parse(quoted.text)) all.push_back(from_json(one.dump()));
      } catch (const Json::parse_error& error) {
        throw BadInput("JSON: offset " + std::to_string(quoted.offset_in_source(error.byte)) +
                       ": it is no array of objects");
      }
      if (all.empty()) throw BadInput("JSON: the array is empty");
    }
    for (Data& data : all) data.file_ = path;
    return all;
  });
}

std::vector<std::string> Data::names() const {
  std::vector<std::string> all;
  for (const auto& [name, variable] : variables_) all.push_back(name);
  return all;
}

void Data::set(const std::string& name, double value) { set(name, {value}, std::vector<std::size_t>{}); }

void Data::set_integer(const std::string& name, double value) { variables_[name] = {{}, {value}, true}; }

void Data::set(const std::string& name, std::vector<double> values) {
  const std::size_t size = values.size();
  set(name, std::move(values), {size});
}

void Data::set(const std::string& name, std::vector<double> values, std::vector<std::size_t> shape) {
  std::size_t product = 1;
  for (std::size_t extent : shape) product *= extent;
  if (product != values.size()) {
    std::string text;
    for (std::size_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
    throw BadInput("variable " + name + ": " + std::to_string(values.size()) + " values do not fill the shape (" +
                   text + ")");
  }
  // A program has no other way to say that these are integers than to pass whole numbers.
  bool integer = true;
  for (double value : values) integer = integer && std::trunc(value) == value && std::isfinite(value);
  variables_[name] = {std::move(shape), std::move(values), integer};
}

const Data::Variable* Data::find(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

}  // namespace manychain
