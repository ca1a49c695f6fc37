// The program manychain-gallery: what `manychain gallery` starts, with the words after it.
#include "cli/commands.hpp"

int main(int argc, char** argv) {
  return manychain::cli::run_one_command("gallery", argc, argv, manychain::cli::gallery_command);
}
