// The header of a model as the compiler reads it, with all that it includes.
#pragma once

#include <string>
#include <vector>

#include "own_model/cache.hpp"
#include "own_model/model_classes.hpp"
#include "own_model/workplace.hpp"

namespace manychain::own_model {

/// The part of a header that was read that is kept: see read_header_or_note().
struct HeaderNote {
  std::string name, text;  ///< one is empty: nothing
};

struct HeaderRead {
  std::vector<ClassFound> classes;
  std::string digest;  ///< of every file of the user's that takes part, and of the compiler's
  bool includes_library = false;
  HeaderNote note;  ///< that the cache lacks; read_header() gives it no name
};

/// Reads the header at this absolute path by the preprocessor, which takes some 70 ms. Throws CompileError where it
/// refuses the header.
HeaderRead read_header(const Workplace& at, const std::string& path);

/// Likewise, from a note in the cache where that is of the same header, compiler and library (`stamp`): every file that
/// was read then is there, with the same contents (of the user's) or the same size and time. Else the result has the
/// note. There is none where folders of the environment are searched for headers, or a file of the user's asks whether
/// another one is there.
HeaderRead read_header_or_note(const Workplace& at, const std::string& path, const std::string& stamp,
                               const Cache& cache);
/// A call that fails leaves nothing in the cache: the note is kept once there is a product.
void keep(const HeaderNote& note, const Workplace& at, Cache& cache);

}  // namespace manychain::own_model
