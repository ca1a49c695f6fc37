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
  begin_ = shown_ = Clock::now();
  if (terminal_)
    write_over("");
  else
    say(stderr, "{} ...", what_);
  std::fflush(stderr);
}

void CompilingLine::show(std::size_t done, std::size_t units) {
  if (!open_ || !terminal_ || seconds() < silence || Clock::now() - shown_ < pause) return;
  shown_ = Clock::now();
  write_over(done < units ? fmt::format(" {} of {} units, {:.0f} s", done, units, seconds())
                          : fmt::format(" linking, {:.0f} s", seconds()));
}

// A wrapped line could not be rewritten; what changes is what is looked at.
void CompilingLine::write_over(const std::string& state) const {
  const std::size_t room = terminal_width() - 1;
  std::string text = what_ + " ...";
  if (text.size() + state.size() > room) text.resize(room > state.size() ? room - state.size() : 0);
  text += state;
  text.resize(std::min(text.size(), room));
  say(stderr, "\r{}\x1b[K", text);
  std::fflush(stderr);
}

void CompilingLine::close(const std::string& end) {
  if (!open_) return;
  open_ = false;
  if (terminal_) say(stderr, "\r\x1b[K{} ...", what_);
  say(stderr, "{}\n", end);
}

void CompilingLine::end() { close(fmt::format(" {:.1f} s", seconds())); }

void CompilingLine::leave() { close(""); }

}  // namespace manychain::cli
