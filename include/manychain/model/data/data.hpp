// The data of a model: named arrays, read from CmdStan's JSON or from CSV, or set by a program; and names of
// dimensions.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
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

  enum class Labels { words, integers, reals };
  /// The labels of one dimension, and what all of them are.
  struct Coordinates {
    std::vector<std::string> labels;
    Labels kind = Labels::words;
  };

  Data() = default;

  /// Reads one JSON object in CmdStan's dialect: matrices as arrays of rows; "NaN", "Inf", "-Infinity" as strings or
  /// bare; [] for any empty array. The objects "coords" and "dims" name dimensions, as in ArviZ's from_dict():
  /// {"coords": {"school": ["A", "B"]}, "dims": {"theta": ["school"]}}.
  /// Throws BadInput, with the offset of a syntax error or the name of the variable.
  static Data from_json(std::string_view text);
  /// A table as RFC 4180 describes it, whose first line names its columns: each becomes a vector, in which the rows are
  /// counted from 1. A column without a name, as R writes one for the names of rows, is left out. Missing values (an
  /// empty cell, NA, NaN) and words stop only a model that asks for their column. Throws BadInput with the line.
  static Data from_csv(std::string_view text);
  /// CSV if the path ends with .csv, else JSON; the message begins with the path.
  static Data from_file(const std::string& path);
  /// The variables of several files together. Throws BadInput as add() does.
  static Data from_files(const std::vector<std::string>& paths);
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

  /// Labels of a dimension, which quantities have by set_dims().
  void set_coords(const std::string& dimension, std::vector<std::string> labels);
  /// Names the dimensions of a quantity of the model, of an observe(), or of a variable of the data: in files of draws
  /// they are called so, and have the labels of set_coords(). Their sizes are checked when a model is bound.
  void set_dims(const std::string& name, std::vector<std::string> dimensions);
  const std::map<std::string, Coordinates>& coords() const { return coords_; }
  const std::map<std::string, std::vector<std::string>>& dims() const { return dims_; }

  /// Takes all of `other` in, too. Throws BadInput where both have a variable, a column or labels of one name.
  void add(const Data& other);

  /// Rows of the tables of which columns were read, if they all have as many: what a model gets that asks for a size N
  /// where no variable has that name.
  std::optional<std::size_t> rows() const;
  /// The rows of each table that was read.
  const std::vector<std::size_t>& rows_of_tables() const { return rows_; }
  /// Why a column of that name is no vector of numbers, as a sentence. Null: there is no such column.
  const std::string* fault(const std::string& name) const;

  /// The variable of that name, or null.
  const Variable* find(const std::string& name) const;
  std::vector<std::string> names() const;  ///< of all variables, sorted
  bool empty() const { return variables_.empty() && faults_.empty(); }
  /// The file that they were read from; empty if a program set them.
  const std::string& file() const { return file_; }

 private:
  void set_integer(const std::string& name, double value);
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::string> faults_;  // of columns
  std::vector<std::size_t> rows_;              // of tables
  std::map<std::string, Coordinates> coords_;
  std::map<std::string, std::vector<std::string>> dims_;
  std::string file_;
};

}  // namespace manychain
