// Compilers side by side: which starts when, what counts as a failure, and that nothing goes on behind its parent.
#include "own_model/processes.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "own_model/process_group.hpp"

namespace manychain::own_model {
namespace {

namespace fs = std::filesystem;

class ProcessesTest : public testing::Test {
 protected:
  ProcessesTest() {
    std::string name = testing::TempDir() + "processes.XXXXXX";
    folder_ = ::mkdtemp(name.data());
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent becomes a child of this process, which waits for it
  }
  ~ProcessesTest() override { fs::remove_all(folder_); }

  static Process shell(const std::string& script) { return {{"sh", "-c", script}}; }
  /// True if a process, or all of a group (-id), ends within ten seconds. It has lost its parent, or will.
  static bool ends(pid_t id) {
    for (int i = 0; i < 1000; ++i) {
      pid_t gone;
      while ((gone = ::waitpid(id, nullptr, WNOHANG)) > 0) {
      }
      if (gone < 0 && ::kill(id, 0) != 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  /// A line in the file `log` for each that came so far.
  std::string log() const {
    std::ifstream file(folder_ / "log");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(ProcessesTest, InTheOrderGivenButWhatWaitsComesAsSoonAsItCan) {
  std::vector<Process> processes = {shell("echo 0 >>log"), shell("echo 1 >>log"), shell("echo 2 >>log"),
                                    shell("echo 3 >>log")};
  processes[1].after = 0;
  processes[2].after = 1;
  processes[1].aside = processes[2].aside = true;
  const ProcessesEnded ended = run_processes(processes, folder_, 1);
  EXPECT_EQ(ended.failed, nullptr);
  EXPECT_EQ(log(), "0\n1\n2\n3\n");
  EXPECT_EQ(ended.done, std::vector<bool>(4, true));
}

TEST_F(ProcessesTest, OneAsideFailsByItsRefusalAlone) {
  for (const int status : {0, 1, 2, 3}) {
    std::vector<Process> processes = {shell("exit " + std::to_string(status)), shell("echo waited >>log"),
                                      shell("sleep 0.2")};
    processes[0].aside = processes[1].aside = true;
    processes[0].refusal = 2;
    processes[1].after = 0;
    const ProcessesEnded ended = run_processes(processes, folder_, 2);
    EXPECT_EQ(ended.failed, status == 2 ? &processes[0] : nullptr) << status;
    EXPECT_EQ(ended.done[0], status == 0);
    EXPECT_EQ(ended.done[2], status != 2);  // it was stopped
    EXPECT_EQ(log(), status == 0 ? "waited\n" : "") << status;
    fs::remove(folder_ / "log");
  }
}

TEST_F(ProcessesTest, NothingWaitsForOneAside) {
  std::vector<Process> processes = {shell("sleep 1000"), shell("exit 0"), {{"/no/such/program"}}};
  processes[0].aside = processes[2].aside = true;
  const ProcessesEnded ended = run_processes(processes, folder_, 3);
  EXPECT_EQ(ended.failed, nullptr);
  EXPECT_EQ(ended.done, (std::vector<bool>{false, true, false}));
}

TEST_F(ProcessesTest, AFailureHasItsWordsAndEndsTheOthersWithWhatTheyStarted) {
  // The pid of a grandchild, which would sleep on.
  const std::vector<Process> processes = {shell("sleep 1000 & echo $! >pid; mv pid grandchild; wait"),
                                          shell("while [ ! -e grandchild ]; do sleep 0.01; done; echo so >&2; exit 1")};
  const ProcessesEnded ended = run_processes(processes, folder_, 2);
  EXPECT_EQ(ended.failed, &processes[1]);
  EXPECT_EQ(ended.words, "so\n");
  pid_t grandchild = 0;
  std::ifstream(folder_ / "grandchild") >> grandchild;
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(ends(grandchild));
}

// However the program ends: here by kill -9, of a copy of this one.
TEST_F(ProcessesTest, NothingGoesOnBehindAProgramThatIsKilled) {
  const pid_t program = ::fork();
  if (program == 0) {
    run_processes({shell("sleep 1000 & echo $! >pid; mv pid grandchild; wait"), shell("sleep 1000")}, folder_, 2);
    ::_exit(0);
  }
  pid_t grandchild = 0;
  while (!(std::ifstream(folder_ / "grandchild") >> grandchild)) std::this_thread::yield();
  ASSERT_EQ(::kill(grandchild, 0), 0);
  const pid_t group = ::getpgid(grandchild);
  ASSERT_NE(group, ::getpgrp());
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  EXPECT_TRUE(ends(-group));  // the one that watched included
  ::kill(-group, SIGKILL);
}

/// From now on close_range() fails in this process and in all that it starts, as on an older kernel.
bool without_close_range() {
  sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter = {static_cast<unsigned short>(std::size(steps)), steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The group still ends with the program, and holds nothing open that others wait for.
TEST_F(ProcessesTest, WithoutCloseRangeNothingElseIsOpen) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t program = ::fork();
  if (program == 0) {
    if (!without_close_range()) ::_exit(77);
    const ProcessGroup group;
    ::close(pipe[1]);
    std::ofstream(folder_ / "id") << group.id() << std::endl;
    fs::rename(folder_ / "id", folder_ / "group");
    ::pause();
    ::_exit(0);
  }
  ::close(pipe[1]);
  pid_t group = 0;
  int status = 0;
  while (!(std::ifstream(folder_ / "group") >> group)) {
    if (::waitpid(program, &status, WNOHANG) == program) GTEST_SKIP() << "no system call can be forbidden here";
    std::this_thread::yield();
  }
  ASSERT_GT(group, 0);
  char byte;
  pollfd end = {pipe[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 10'000), 1);  // the end of the pipe, which the group does not hold open
  EXPECT_EQ(::kill(-group, 0), 0);
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  EXPECT_TRUE(ends(-group));
  ::kill(-group, SIGKILL);
  EXPECT_EQ(::read(pipe[0], &byte, 1), 0);
  ::close(pipe[0]);
}

}  // namespace
}  // namespace manychain::own_model
