// Compilers side by side: which starts when, what counts as a failure, and that nothing goes on behind its parent.
#include "cli/own/processes.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace manychain::cli {
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

}  // namespace
}  // namespace manychain::cli
