// Outputs that a command may write: nothing that it reads, and in place of a file only one of the same kind.
#pragma once

#include <string>
#include <vector>

namespace manychain::cli {

/// A kind of files that the program writes.
struct FileKind {
  const char* name;                        ///< "file of draws"
  bool (*holds)(const std::string& path);  ///< whether the file at `path`, which is not empty, is one
  bool replaces_alone = false;             ///< it is put in the place of a file and never written to a stream
};

/// `--json` of any command: it is replaced where manychain wrote it.
extern const FileKind json_file;
/// A diagram for Graphviz.
extern const FileKind dot_file;

struct Output {
  const char* option;  ///< which names it
  std::string path;    ///< empty or "-": none
  const FileKind* kind;
};

/// Throws BadInput, with the option that names another file, unless each of `outputs` can be written and destroys
/// nothing: it is none of the files `inputs`, under whatever name; no other output; and what lies there is empty, a
/// stream (a pipe, a device, what stdout writes to) or of its kind. Leaves nothing behind.
void require_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

}  // namespace manychain::cli
