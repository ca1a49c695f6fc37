// The command line as a function of the shared library.
#include "cli/commands.hpp"
#include "manychain/shared_library.h"
#include "own_model/toolchain.hpp"

extern "C" int manychain_command_line(int argc, char** argv) { return manychain::cli::command_line(argc, argv); }

extern "C" void manychain_find_share(int (*find)(char* text, size_t size)) {
  manychain::own_model::find_share_by(find);
}
