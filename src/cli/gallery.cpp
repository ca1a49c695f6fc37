// manychain gallery: a program of its own, beside this one, so that who samples need not wait for its models to
// compile.
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/files.hpp"

namespace manychain::cli {

int start_gallery(char** arguments) {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "manychain-gallery";
  ::execv(program.c_str(), arguments);
  if (errno != ENOENT) {
    say(stderr, "manychain: {} cannot be started\n", program.string());
    return failed;
  }
  say(stderr, "manychain: the gallery is a program of its own, which is not beside this one; make gallery builds it\n");
  return bad_input;
}

// For the list of commands; main() starts the other program before anything is parsed.
Command gallery_command(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("gallery", "Problems with known answers, solved: list them, or run one");
  return {app, [] {
            char name[] = "gallery";
            char* arguments[] = {name, nullptr};
            return start_gallery(arguments);
          }};
}

}  // namespace manychain::cli
