#include "own_model/process_group.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace manychain::own_model {
namespace {

/// Closes all descriptors from `first` on. Kernels before Linux 5.9, and sandboxes, have no close_range().
void close_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
  constexpr long most = 1 << 16;  // a limit may be a thousand million
  const long limit = ::sysconf(_SC_OPEN_MAX);
  for (int id = first; id < (limit > 0 && limit < most ? limit : most); ++id) ::close(id);
}

/// Runs in a copy of this process, which may have had other threads: calls only what a signal handler may. `alive` is
/// its copy of the end of the pipe that closes with this process.
[[noreturn]] void watch(int pipe, int alive) {
  ::close(alive);  // the end of the file that is read below must come whatever close_from() can do
  ::setpgid(0, 0);
  if (::getpgrp() != ::getpid()) ::_exit(1);  // never the group of who started us
  ::prctl(PR_SET_NAME, "compiler-watch");     // `killall -9 manychain` is for the other one
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) ::signal(signal, SIG_IGN);
  // Nobody shall wait for the end of a file that is open here.
  ::dup2(pipe, 0);
  close_from(1);
  char byte;
  while (::read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  // A compiler removes what it has begun to write, and then has had its time.
  ::kill(0, SIGTERM);
  const timespec pause = {0, 300'000'000};
  ::nanosleep(&pause, nullptr);
  ::kill(0, SIGKILL);
  ::_exit(0);
}

}  // namespace

ProcessGroup::ProcessGroup() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t process = ::fork();
  if (process == 0) watch(ends[0], ends[1]);
  ::close(ends[0]);
  alive_ = ends[1];
  if (process < 0) return;
  ::setpgid(process, process);  // whoever comes first
  leader_ = process;
}

ProcessGroup::~ProcessGroup() {
  if (leader_ > 0) {
    ::kill(leader_, SIGKILL);
    while (::waitpid(leader_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (alive_ >= 0) ::close(alive_);
}

}  // namespace manychain::own_model
