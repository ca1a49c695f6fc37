#include "cli/commands.hpp"

int main(int argc, char** argv) { return manychain::cli::command_line(argc, argv); }
