#include "cli/own/compiling_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/files.hpp"
#include "cli/terminal.hpp"

namespace manychain::cli {
namespace {

constexpr std::chrono::milliseconds pause(100);
constexpr double silence = 1;  // s: what takes less needs no progress

}  // namespace

void CompilingLine::begin(const std::string& what) {
  what_ = what;
  terminal_ = draws_on_terminal();
  open_ = true;
  rewritten_ = false;
  begin_ = shown_ = Clock::now();
  say(stderr, "{} ...", what_);
  std::fflush(stderr);
}

void CompilingLine::show(std::size_t done, std::size_t units) {
  if (!open_ || !terminal_ || seconds() < silence || Clock::now() - shown_ < pause) return;
  shown_ = Clock::now();
  const std::string state = done < units ? fmt::format(" {} of {} units, {:.0f} s", done, units, seconds())
                                         : fmt::format(" linking, {:.0f} s", seconds());
  std::string text = what_ + " ...";
  // A wrapped line could not be rewritten. What changes is what is looked at.
  const std::size_t room = terminal_width() - 1;
  if (text.size() + state.size() > room) text.resize(room > state.size() ? room - state.size() : 0);
  text += state;
  text.resize(std::min(text.size(), room));
  say(stderr, "\r{}\x1b[K", text);
  std::fflush(stderr);
  rewritten_ = true;
}

void CompilingLine::end() {
  if (!open_) return;
  if (rewritten_) say(stderr, "\r\x1b[K{} ...", what_);
  say(stderr, " {:.1f} s\n", seconds());
  open_ = false;
}

void CompilingLine::leave() {
  if (!open_) return;
  if (rewritten_) say(stderr, "\r\x1b[K{} ...", what_);
  say(stderr, "\n");
  open_ = false;
}

}  // namespace manychain::cli
