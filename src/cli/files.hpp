// Output of the program, and the files that a run leaves. The files are looked at before the run starts: a run of an
// hour must not end at a missing folder.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace manychain::cli {

/// Prints what is for people. A stream that cannot be written, a full disk behind `2> FILE`, throws nothing: it must
/// not end a run. The stream remembers it, see flush_stdout().
template <class... Arguments>
void say(std::FILE* to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), to);
}

/// A message of the library as one line of bounded length, with the options of the command line for its settings and
/// without control characters, whatever the file holds that it quotes.
std::string sentence(const std::string& message);

/// True if stdout or stderr writes to that file.
bool is_standard_stream(const std::string& path);

/// Throws BadInput unless a file of that name can be written. Leaves nothing behind.
void require_writable(const std::string& path);

/// Throws BadInput if stdout or stderr writes to that file: it cannot be replaced by another one.
void require_no_standard_stream(const std::string& path);

/// Writes `text` and a line end; the file appears under its name when it is whole. What stdout or stderr already writes
/// to gets it through that stream. Throws Error if that fails.
void write_text(const std::string& path, const std::string& text);

/// "1.5 MB", of a folder with all in it, or nothing if there is no such file.
std::string size_of_file(const std::string& path);

/// Throws Error unless all that was printed has got to where it goes: a full disk behind `> FILE` is no success. Where
/// its reader has gone (`| head -1`) the program ends by SIGPIPE, as if it had not outlived it.
void flush_stdout();

}  // namespace manychain::cli
