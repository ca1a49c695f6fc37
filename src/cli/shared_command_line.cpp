// The command line as a function of the shared library.
#include "cli/commands.hpp"
#include "manychain/manychain.h"

extern "C" int manychain_command_line(int argc, char** argv) { return manychain::cli::command_line(argc, argv); }
