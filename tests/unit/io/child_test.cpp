// Work in a child process: what comes back, and what a crash there becomes.
#include "io/child.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>

#include "io/shared_numbers.hpp"

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

}  // namespace
