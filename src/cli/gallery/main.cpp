// The program manychain-gallery: what `manychain gallery` starts, with the words after it.
#include <csignal>
#include <vector>

#include "cli/commands.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);
  std::vector<const char*> words = {"manychain", "gallery"};
  words.insert(words.end(), argv + 1, argv + argc);
  return manychain::cli::run_commands(static_cast<int>(words.size()), words.data(), {manychain::cli::gallery_command});
}
