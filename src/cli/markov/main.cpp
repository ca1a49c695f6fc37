// The program manychain-markov: what `manychain markov` starts, with the words after it.
#include "cli/commands.hpp"

int main(int argc, char** argv) {
  return manychain::cli::run_one_command("markov", argc, argv, manychain::cli::markov_command);
}
