#include "cli/own/process_group.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace manychain::cli {
namespace {

/// Runs in a copy of this process, which may have had other threads: calls only what a signal handler may.
[[noreturn]] void watch(int pipe) {
  ::setpgid(0, 0);
  if (::getpgrp() != ::getpid()) ::_exit(1);  // never the group of who started us
  ::prctl(PR_SET_NAME, "compiler-watch");     // `killall -9 manychain` is for the other one
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) ::signal(signal, SIG_IGN);
  // Nobody shall wait for the end of a file that is open here.
  ::dup2(pipe, 0);
  ::close_range(1, ~0U, 0);
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
  if (process == 0) watch(ends[0]);  // its copy of the other end is closed by close_range()
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

}  // namespace manychain::cli
