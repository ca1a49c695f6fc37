// Several data sets of one model in one file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "manychain/model/data/data.hpp"

namespace manychain {

/// One of many data sets.
struct DataSet {
  std::string name;
  Data data;
  /// The line of the file on which each row of a table begins, counted from 1. Empty for JSON.
  std::vector<std::size_t> lines = {};
};

/// Data sets in JSON: an array of objects, an object of objects, whose keys are their names, or JSON lines, an object
/// on each line. Each is what Data::from_json() reads; without names of their own they are called 1, 2, ... Throws
/// BadInput, with the set.
std::vector<DataSet> data_sets_from_json(std::string_view text);
/// Rows of a table, as Data::from_csv() reads it, that have the same word in `column` are one set, called so. Sets
/// stand in the order of their first rows; none has that column. Throws BadInput where there is no such column, or a
/// row has nothing there.
std::vector<DataSet> data_sets_from_csv(std::string_view text, const std::string& column);
/// CSV if `column` is given, else JSON; the message begins with the path. Throws BadInput where a CSV has no `column`.
std::vector<DataSet> data_sets_from_file(const std::string& path, const std::string& column = "");

/// `message` of a run of that set names rows by their lines in the file.
std::string with_lines(const DataSet& set, const std::string& message);

}  // namespace manychain
