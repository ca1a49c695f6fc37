#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "cli/files.hpp"
#include "cli/terminal.hpp"

namespace manychain::cli {
namespace {

constexpr std::chrono::milliseconds terminal_pause(100);
constexpr std::chrono::seconds plain_pause(5);
constexpr std::size_t bar_width = 20;

std::string short_number(double value) {
  for (const char* unit : {"", " k", " M", " G"}) {
    if (value < 1000) return fmt::format("{:.3g}{}", value, unit);
    value /= 1000;
  }
  return fmt::format("{:.3g} T", value);
}

bool in_diagnostics(const Progress& p) { return p.phase == std::string_view("diagnostics"); }

std::string describe(const Progress& p, bool bar) {
  if (in_diagnostics(p)) return "diagnostics (Ctrl-C: leave the rest out)";
  const double share = p.total > 0 ? std::min(1.0, double(p.transitions) / double(p.total)) : 0;
  // The most important part comes first: a narrow terminal cuts the end off.
  std::string text = fmt::format("{:<8}", p.phase);
  if (bar) {
    const auto full = std::size_t(share * bar_width);
    text += fmt::format(" [{}{}]", std::string(full, '='), std::string(bar_width - full, ' '));
  }
  text += fmt::format(" {:3.0f} %", 100 * share);
  if (share > 0 && share < 1 && p.seconds > 0) text += fmt::format("  {:.0f} s left", p.seconds * (1 - share) / share);
  if (p.transitions > 0) text += fmt::format("  accept {:.2f}", p.acceptance_rate);
  if (p.largest_rhat > 0) text += fmt::format("  R-hat {:.3f}", p.largest_rhat);
  if (p.stuck_chains > 0) text += fmt::format("  stuck {} of {}", p.stuck_chains, p.chains);
  if (p.divergences > 0) text += fmt::format("  divergent {}", p.divergences);
  if (p.draws > 0) text += fmt::format("  {} draws", p.draws * p.chains);
  text += fmt::format("  {} transitions/s", short_number(p.transitions_per_second));
  if (p.transitions > 0) text += fmt::format("  step {:.3g}", p.step_size);
  return text;
}

}  // namespace

ProgressLine::ProgressLine(const std::atomic<bool>& cancel)
    : cancel_(cancel), terminal_(draws_on_terminal()), last_(std::chrono::steady_clock::now()) {}

void ProgressLine::show(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  // The diagnostics say nothing until they end: say that they have begun, unless all went in a moment.
  const bool silence = in_diagnostics(progress) && (terminal_ || progress.seconds > 0.1);
  if (!silence && now - last_ < (terminal_ ? std::chrono::milliseconds(terminal_pause) : plain_pause)) return;
  last_ = now;
  std::string text = describe(progress, terminal_);
  if (cancel_) text = "stopping (Ctrl-C again: at once)  " + text;
  if (!terminal_) {
    say(stderr, "{}\n", text);
    return;
  }
  text.resize(std::min(text.size(), terminal_width() - 1));  // a wrapped line could not be rewritten
  say(stderr, "\r{}\x1b[K", text);
  std::fflush(stderr);
  on_screen_ = true;
}

void ProgressLine::clear() {
  if (!on_screen_) return;
  say(stderr, "\r\x1b[K");
  std::fflush(stderr);
  on_screen_ = false;
}

}  // namespace manychain::cli
