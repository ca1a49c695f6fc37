// Commands that are programs of their own, beside this one, so that who samples need not wait for them to compile.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/files.hpp"

namespace manychain::cli {
namespace {

struct OtherProgram {
  const char* command;  // manychain-<command> is its file
  const char* description;
  const char* absent;
};

constexpr OtherProgram markov = {
    "markov", "Analyse a finite Markov chain, or model the words of a text",
    "manychain markov is a program of its own, manychain-markov, which is not beside this one; cmake --build build "
    "--target manychain_markov_cli builds it"};
constexpr OtherProgram gallery = {
    "gallery", "Problems with known answers, solved: list them, or run one",
    "the gallery is a program of its own, which is not beside this one; make gallery builds it"};

/// `words` end in a null; the first is a name.
int start(const OtherProgram& other, char** words) {
  std::error_code none;
  const auto file =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / (std::string("manychain-") + other.command);
  ::execv(file.c_str(), words);
  if (errno != ENOENT) {
    say(stderr, "manychain: {} cannot be started\n", file.string());
    return failed;
  }
  say(stderr, "manychain: {}\n", other.absent);
  return bad_input;
}

/// For the list of commands.
Command listed(CLI::App& parent, const OtherProgram& other) {
  return {add_command(parent, other.command, other.description), [&other] {
            std::string name = other.command;
            char* words[] = {name.data(), nullptr};
            return start(other, words);
          }};
}

}  // namespace

std::optional<int> start_other_program(int argc, char** argv) {
  if (argc < 2) return std::nullopt;
  char** const end = argv + argc;
  char** const command = std::find_if(argv + 1, end, [](const char* word) { return word[0] != '-'; });
  const bool asks_version = std::any_of(argv + 1, command, [](std::string_view word) { return word == "--version"; });
  if (command == end || asks_version) return std::nullopt;
  for (const OtherProgram* other : {&markov, &gallery}) {
    if (std::string_view(*command) != other->command) continue;
    std::rotate(argv + 1, command, command + 1);  // options before the command are for it: manychain --help markov
    return start(*other, argv + 1);
  }
  return std::nullopt;
}

Command markov_command(CLI::App& parent) { return listed(parent, markov); }
Command gallery_command(CLI::App& parent) { return listed(parent, gallery); }

}  // namespace manychain::cli
