// The files that a run leaves, looked at before it starts: a run of an hour must not end at a missing folder.
#pragma once

#include <string>

namespace manychain::cli {

/// Throws BadInput unless a file of that name can be written. Leaves nothing behind.
void require_writable(const std::string& path);

/// Writes `text` and a line end; the file appears under its name when it is whole. Throws Error if that fails.
void write_text(const std::string& path, const std::string& text);

/// "1.5 MB", or nothing if there is no such file.
std::string size_of_file(const std::string& path);

/// Throws Error unless all that was printed has got to where it goes: a full disk behind `> FILE` is no success.
void flush_stdout();

}  // namespace manychain::cli
