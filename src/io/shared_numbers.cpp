#include "io/shared_numbers.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "io/partial_file.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

/// A file in memory, or a nameless one on the disk where there is no such thing.
int nameless_file() {
#ifdef MFD_CLOEXEC
  const int memory = memfd_create("manychain", MFD_CLOEXEC);
  if (memory >= 0) return memory;
#endif
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "manychain-XXXXXX").string();
  const int file = error ? -1 : mkstemp(name.data());
  if (file >= 0) unlink(name.c_str());
  return file;
}

}  // namespace

SharedNumbers::SharedNumbers() : file_(nameless_file()) {
  if (file_ < 0) throw Error(fmt::format("cannot share memory with another process: {}", std::strerror(errno)));
}

SharedNumbers::~SharedNumbers() { close(file_); }

double* SharedNumbers::create(std::size_t count) {
  const std::size_t bytes = count * sizeof(double);
  if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) {
    struct rlimit limit {};
    if (errno == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) {
      throw BadInput(fmt::format("it needs {} of shared memory, and no file may be larger than {} here (ulimit -f)",
                                 bytes_in_words(double(bytes)), bytes_in_words(double(limit.rlim_cur))));
    }
    throw std::bad_alloc();
  }
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<double*>(at);
}

std::shared_ptr<const double[]> SharedNumbers::view(std::size_t count) const {
  const std::size_t bytes = count * sizeof(double);
  struct stat status {};
  if (fstat(file_, &status) != 0 || static_cast<std::size_t>(status.st_size) < bytes) {
    throw Error("another process has shared less memory than it said");
  }
  void* const at = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<const double*>(at), [bytes](const double* p) { munmap(const_cast<double*>(p), bytes); }};
}

}  // namespace manychain::io
