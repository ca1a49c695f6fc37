// The data of a model: named arrays, read from CmdStan's JSON or set by a program.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace manychain {

/// Named scalars and rectangular arrays. Values are held in double; whether all of them were written as integers is
/// remembered, because a model may ask for integers.
class Data {
 public:
  struct Variable {
    std::vector<std::size_t> shape;  ///< empty for a scalar
    std::vector<double> values;      ///< row-major
    bool integer = false;            ///< every value was written as an integer
  };

  Data() = default;

  /// Reads one JSON object in CmdStan's dialect: matrices as arrays of rows; "NaN", "Inf", "-Infinity" as strings or
  /// bare; [] for any empty array. Throws BadInput, with the offset of a syntax error or the name of the variable.
  static Data from_json(std::string_view text);
  /// The same from a file; the message begins with its path.
  static Data from_file(const std::string& path);
  /// One JSON object, or an array of them. Throws BadInput likewise, and for an empty array.
  static std::vector<Data> all_from_file(const std::string& path);

  /// Sets one variable. Throws BadInput if `values` does not fill `shape`.
  void set(const std::string& name, double value);
  template <std::integral Int>
  void set(const std::string& name, Int value) {
    set_integer(name, static_cast<double>(value));
  }
  void set(const std::string& name, std::vector<double> values);
  void set(const std::string& name, std::vector<double> values, std::vector<std::size_t> shape);

  /// The variable of that name, or null.
  const Variable* find(const std::string& name) const;
  std::vector<std::string> names() const;  ///< of all variables, sorted
  bool empty() const { return variables_.empty(); }
  std::size_t values() const;  ///< numbers in all variables
  /// The file that they were read from; empty if a program set them.
  const std::string& file() const { return file_; }

 private:
  void set_integer(const std::string& name, double value);
  std::map<std::string, Variable> variables_;
  std::string file_;
};

}  // namespace manychain
