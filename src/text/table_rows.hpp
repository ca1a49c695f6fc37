// Which rows of a long table are shown.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace manychain {

/// The rows that a table shows of many.
struct ShownRows {
  std::vector<std::size_t> rows;  ///< places in the names
  /// Number of elements of a vector that are left out, behind which of `rows`: rows[0 .. after) stand above that line.
  struct Hidden {
    std::size_t after = 0, count = 0;
    std::string vector;
  };
  std::vector<Hidden> hidden;
  std::size_t hidden_scalars = 0;  ///< only if there are more scalars than rows

  std::size_t left_out() const;
};

/// At most `most` rows (0: all) are all shown, in their order. Of more, the scalars come first, in their order: all
/// of them, or the worst `most`. What room they leave the vectors share, in their order: of each the elements that are
/// `worse` than its others, the worst first, or all where they fit into its share. Vectors for which there is no row at
/// all are told in one line, with "" for their name. Of the vectors that are called `few` three elements are enough.
ShownRows rows_to_show(const std::vector<std::string>& names, std::size_t most,
                       const std::function<bool(std::size_t, std::size_t)>& worse,
                       const std::vector<std::string>& few = {});

/// Places of `name` itself, or of all elements of a vector of that name; of a pattern with * (any letters) and ? (any
/// one) all of which that holds. Empty if there is none.
std::vector<std::size_t> rows_called(const std::string& name, const std::vector<std::string>& names);

/// "... 60 more of x, none with a larger R-hat". `what`: by what rows are worse than others, "R-hat".
std::string in_words(const ShownRows::Hidden& hidden, const std::string& what);
/// Like in_words(), for scalars; empty if none is left out.
std::string hidden_scalars_in_words(const ShownRows& shown, const std::string& what);

/// The lines of a table, its header first, with those that tell what is left out between them. `what`: by what rows are
/// worse than others, "R-hat".
std::string with_hidden(const std::string& table, const ShownRows& shown, const std::string& what);

}  // namespace manychain
