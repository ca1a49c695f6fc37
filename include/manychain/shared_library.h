/* The C interface of the shared library alone, beside manychain.h: what makes a program or a package of it. C99.
 *
 * manychain_command_line() and manychain_find_share() are there if the library was built with the command line. */
#ifndef MANYCHAIN_SHARED_LIBRARY_H
#define MANYCHAIN_SHARED_LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The command line in the calling process: `argv` as main() has it, NULL behind the last word. Returns the exit status,
 * and prints and catches signals while it runs; for programs that do nothing else. */
int manychain_command_line(int argc, char** argv);
/* The command line finds the folder share/manychain, by which it compiles headers, by `find`: that writes the path into
 * `text`, of `size` bytes, and returns 0, or a sentence that says why there is none, and returns another number. */
void manychain_find_share(int (*find)(char* text, size_t size));

/* The file of netCDF, before the first file is written or read; the default is "libnetcdf.so.19". In the library of a
 * wheel alone (cmake/shared.cmake), which is not linked with netCDF. */
void manychain_set_netcdf(const char* path);

#ifdef __cplusplus
}
#endif

#endif
