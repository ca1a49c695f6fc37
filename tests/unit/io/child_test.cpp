// Work in a child process: what comes back, and what a crash there becomes.
#include "io/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>
#include <vector>

#include "io/shared_numbers.hpp"
#include "limits.hpp"

namespace {

using namespace manychain;
using io::in_child;

int signal_of(const std::function<std::string()>& work, io::ChildLimits limits = {}) {
  try {
    in_child(work, limits);
  } catch (const io::ChildDied& died) {
    return died.signal();
  }
  return -1;
}

std::string error_of(const std::function<std::string()>& work) {
  try {
    in_child(work);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Child, AnswersFromAnotherProcess) {
  const pid_t here = getpid();
  int touched = 0;
  const std::string answer = in_child([&] {
    touched = 1;
    return std::string(getpid() == here ? "here" : "there") + std::string(1, '\0') + std::string(3'000'000, 'x');
  });
  EXPECT_EQ(answer, std::string("there") + std::string(1, '\0') + std::string(3'000'000, 'x'));
  EXPECT_EQ(touched, 0);
  EXPECT_EQ(in_child([] { return std::string(); }), "");
}

TEST(Child, ThrowsHereWhatIsThrownThere) {
  EXPECT_THROW(in_child([]() -> std::string { throw BadInput("a"); }), BadInput);
  EXPECT_THROW(in_child([]() -> std::string { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(error_of([]() -> std::string { throw BadInput("bad"); }), "bad");
  EXPECT_EQ(error_of([]() -> std::string { throw std::runtime_error("other"); }), "other");
}

TEST(Child, ACrashIsAnError) {
  EXPECT_EQ(signal_of([]() -> std::string { std::abort(); }), SIGABRT);
  EXPECT_EQ(signal_of([]() -> std::string {
              std::raise(SIGSEGV);
              return "";
            }),
            SIGSEGV);
  EXPECT_EQ(signal_of([]() -> std::string { _exit(0); }), 0);
  EXPECT_NE(error_of([]() -> std::string { std::abort(); }).find("signal 6 (Aborted)"), std::string::npos);
}

TEST(Child, RunningInCirclesIsAnError) {
  std::atomic<bool> ever{false};
  const auto forever = [&] {
    while (!ever) {
    }
    return std::string();
  };
  io::ChildLimits limits;
  limits.seconds = 1;
  EXPECT_EQ(signal_of(forever, limits), SIGXCPU);
}

#ifdef __linux__
// A parent that is killed takes the child with it: the last copy of the pipe's end is closed long before the child
// would close it.
TEST(Child, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    in_child([&] {
      const bool told = write(ends[1], "x", 1) == 1;
      sleep(60);
      return std::string(told ? "told" : "");
    });
    _exit(0);
  }
  close(ends[1]);
  char begun = 0;
  EXPECT_EQ(read(ends[0], &begun, 1), 1);
  kill(parent, SIGKILL);
  EXPECT_EQ(waitpid(parent, nullptr, 0), parent);
  pollfd closed{ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&closed, 1, 20'000), 1) << "20 s later the child is still there";
  close(ends[0]);
}

// An answer for which the parent has no memory, but the child, which may use more.
TEST(Child, LeavesNothingBehindWhenThereIsNoMemoryForItsAnswer) {
  if (under_sanitizer()) GTEST_SKIP() << "limits of memory are not for sanitizers";
  const auto lowest_free = [] {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(file);
    return file;
  };
  const int before = lowest_free();
  {
    const Limited memory(RLIMIT_DATA, 200 << 20);
    io::ChildLimits limits;
    limits.bytes = std::size_t(4) << 30;
    EXPECT_THROW(in_child([] { return std::string(300 << 20, 'x'); }, limits), std::bad_alloc);
  }
  EXPECT_EQ(lowest_free(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// Memory of the parent does not count for the child: a model with gigabytes of data can examine a small file.
TEST(Child, MayUseItsMemoryBesideThatOfItsParent) {
  if (under_sanitizer()) GTEST_SKIP() << "limits of memory are not for sanitizers";
  const std::vector<char> held(300 << 20, 'x');
  io::ChildLimits limits;
  limits.bytes = 100 << 20;
  const auto take = [&](std::size_t bytes) {
    return in_child([&] { return std::to_string(std::string(bytes, held.back()).size()); }, limits);
  };
  EXPECT_EQ(take(50 << 20), std::to_string(50 << 20));
  EXPECT_THROW(take(200 << 20), std::bad_alloc);
}

TEST(SharedNumbers, AreNoLargerThanAFileMayBe) {
  io::SharedNumbers memory;
  const std::string why = error_of([&] {
    const Limited files(RLIMIT_FSIZE, 1000);
    memory.create(1'000'000);
    return std::string();
  });
  EXPECT_EQ(why, "it needs 8 MB of shared memory, and no file may be larger than 1 kB here (ulimit -f)");
}
#endif

TEST(SharedNumbers, WhatTheChildWritesIsHere) {
  constexpr std::size_t count = 1'000'000;
  io::SharedNumbers memory;
  in_child([&] {
    double* const numbers = memory.create(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = double(i);
    return std::string();
  });
  const auto numbers = memory.view(count);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += numbers[std::ptrdiff_t(i)] != double(i);
  EXPECT_EQ(wrong, 0u);
  EXPECT_THROW(memory.view(count + 1), Error);
}

TEST(Child, WorksBesideThisProcessAndHearsOfItAtTheEnd) {
  io::ChildTask task([](const io::ChildTask::Told& told) { return "heard " + told(); });
  EXPECT_EQ(task.finish(std::string(300'000, 'x')), "heard " + std::string(300'000, 'x'));
}

TEST(Child, ThatEndsBeforeItIsToldSaysWhy) {
  io::ChildTask task([](const io::ChildTask::Told&) -> std::string { throw BadInput("at once"); });
  EXPECT_THROW(task.finish(std::string(3'000'000, 'x')), BadInput);
  io::ChildTask crash([](const io::ChildTask::Told&) -> std::string { std::abort(); });
  EXPECT_THROW(crash.finish("word"), io::ChildDied);
}

TEST(Child, IsEndedWhenNobodyWaits) {
  {
    io::ChildTask task([](const io::ChildTask::Told& told) { return told(); });
  }
  EXPECT_LT(waitpid(-1, nullptr, WNOHANG), 0);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
