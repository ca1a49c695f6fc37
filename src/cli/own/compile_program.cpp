#include "cli/own/compile_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "manychain/own_model.hpp"
#include "own_model/load.hpp"

namespace manychain::cli {
namespace {

constexpr std::chrono::milliseconds pause(100);
constexpr double silence = 1;  // s: what takes less needs no progress

/// A sentence with the names of the command line in place of those of the library; the compiler's words stand above it.
std::string in_words(std::string sentence) {
  const std::pair<std::string, std::string> names[] = {{std::string("in ") + own_model::compiler_words_member, "above"},
                                                       {"CompileSettings::class_name", "--class"},
                                                       {"CompileSettings::cache", "--cache"}};
  for (const auto& [name, word] : names)
    if (const std::size_t at = sentence.rfind(name); at != std::string::npos) sentence.replace(at, name.size(), word);
  return sentence;
}

/// On stderr: "Compiling model.hpp: hmc ...", and behind it, once that is done, the time that it took. On a terminal
/// the state stands there meanwhile: from the second second on, ten times a second at most, "2 of 3 units, 4 s".
class CompilingLine final : public own_model::Listener {
 public:
  CompilingLine() = default;
  ~CompilingLine() override { leave(); }

  void complain(const std::string& sentence) override {
    leave();
    say(stderr, "manychain: {}\n", in_words(sentence));
  }
  void begin(const std::string& what) override;
  void show(std::size_t done, std::size_t units) override;
  void end() override { close(fmt::format(" {:.1f} s", seconds())); }
  bool stops() override { return InterruptGuard::requested; }
  /// Something else is to be printed: the line stays, without a time.
  void leave() { close(""); }

 private:
  using Clock = std::chrono::steady_clock;
  void write_over(const std::string& state) const;
  void close(const std::string& end);
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  std::string what_;
  bool open_ = false, terminal_ = false;
  Clock::time_point begin_, shown_;
};

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

/// `use` gets the file of the product, and its key.
template <class Use>
auto compiled(const own_model::ModelCode& wanted, own_model::Product product, own_model::Cache& cache,
              const own_model::DataToBind& data, const Use& use) {
  const InterruptGuard guard;  // between processes, too
  own_model::require_header(wanted.header);
  const own_model::Toolchain toolchain = own_toolchain();
  toolchain.require_headers_of_libraries();
  CompilingLine line;
  try {
    own_model::Compilation compilation(wanted, product, toolchain, cache, line);
    const std::string file = compilation.make(data);
    return use(file, compilation.key());
  } catch (const CompileError& error) {
    line.leave();
    std::fwrite(error.words.data(), 1, error.words.size(), stderr);
    throw BadInput(in_words(error.what()));
  } catch (const BadInput& error) {
    throw BadInput(in_words(error.what()));
  }
}

}  // namespace

own_model::Toolchain own_toolchain() { return own_model::Toolchain(own_model::share_of_command_line()); }

std::string compile_program(const own_model::ModelCode& wanted, own_model::Cache& cache,
                            const own_model::DataToBind& data) {
  return compiled(wanted, own_model::Product::program, cache, data,
                  [](const std::string& file, const std::string&) { return file; });
}

const ModelUnit& compile_and_load(const own_model::ModelCode& wanted, own_model::Cache& cache,
                                  const own_model::DataToBind& data) {
  return *compiled(wanted, own_model::Product::shared_object, cache, {data.look, nullptr},
                   [](const std::string& file, const std::string& key) { return &own_model::load(file, key); });
}

}  // namespace manychain::cli
