#include "io/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MANYCHAIN_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MANYCHAIN_SANITIZED 1
#endif

namespace manychain::io {
namespace {

#ifdef MANYCHAIN_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

constexpr std::size_t longest = std::size_t(1) << 32;  // of an answer that can be meant

// The first byte of an answer.
constexpr char answered = 'a', bad_input = 'b', no_memory = 'm', error = 'e';

void limit(int resource, std::size_t most) {
  struct rlimit now {};
  getrlimit(resource, &now);
  now.rlim_cur = std::min<rlim_t>(now.rlim_max, most);
  setrlimit(resource, &now);
}

/// Gives the bytes that RLIMIT_DATA counts by now, proc(5); 0 where the system does not tell.
std::size_t data_in_use() {
  std::size_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  std::ifstream file("/proc/self/statm");
  if (!(file >> size >> resident >> shared >> text >> library >> data)) return 0;
  return data * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// A parent that is killed takes the child with it.
void end_with(pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(1);  // it has ended before that
}

/// A crash is the end of the child and nothing else: no report, no core file, nobody's handler.
void be_quiet(const ChildLimits& limits) {
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) std::signal(crash, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  limit(RLIMIT_CORE, 0);
  if (limits.seconds > 0) limit(RLIMIT_CPU, limits.seconds);
  if (sanitized) return;  // its reports are wanted
  // The limit also counts what the child has of its parent, which may hold gigabytes of data.
  if (limits.bytes > 0) limit(RLIMIT_DATA, data_in_use() + limits.bytes);
  // The C library's last words, "free(): invalid pointer".
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

std::string answer_of(const std::function<std::string()>& work) {
  try {
    return answered + work();
  } catch (const BadInput& e) {
    return bad_input + std::string(e.what());
  } catch (const std::bad_alloc&) {
    return {no_memory};
  } catch (const std::exception& e) {
    return error + std::string(e.what());
  }
}

bool write_all(int to, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(to, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int from, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = ::read(from, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

/// Empty if the child ended before its answer was whole.
std::string receive(int from) {
  std::size_t size = 0;
  if (!read_all(from, &size, sizeof size) || size > longest) return "";
  std::string answer(size, '\0');
  return read_all(from, answer.data(), size) ? answer : "";
}

}  // namespace

ChildDied::ChildDied(int signal)
    : Error(signal == 0
                ? "the process that did it ended without an answer"
                : fmt::format("the process that did it was ended by signal {} ({})", signal, strsignal(signal))),
      signal_(signal) {}

ChildTask::ChildTask(std::function<std::string(const Told&)> work, ChildLimits limits) {
  int ends[2], words[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    work_ = std::move(work);
    return;
  }
  // A socket, to which can be written without a signal when the other end is gone.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, words) != 0) words[0] = words[1] = -1;
  const pid_t parent = getpid(), process = words[0] < 0 ? -1 : fork();
  if (process == 0) {
    end_with(parent);
    close(ends[0]);
    close(words[0]);
    be_quiet(limits);
    const std::string answer = answer_of([&] { return work([&] { return receive(words[1]); }); });
    const std::size_t size = answer.size();
    const bool sent = write_all(ends[1], &size, sizeof size) && write_all(ends[1], answer.data(), size);
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  if (words[1] >= 0) close(words[1]);
  process_ = process;
  answer_ = ends[0];
  told_ = words[0];
  if (process >= 0) return;
  end();
  work_ = std::move(work);
}

ChildTask::~ChildTask() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  end();
}

/// Waits until it has ended: its status, as waitpid() has it.
int ChildTask::end() {
  for (int* const file : {&answer_, &told_}) {
    if (*file >= 0) close(*file);  // a child that still writes ends at that
    *file = -1;
  }
  int status = 0;
  while (process_ >= 0 && waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

std::string ChildTask::finish(const std::string& what) {
  if (work_) return work_([&] { return what; });
  const std::size_t size = what.size();
  std::string message(reinterpret_cast<const char*>(&size), sizeof size);
  message += what;
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t done = send(told_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;  // it has ended, and its answer says why
    sent += static_cast<std::size_t>(done);
  }
  const std::string answer = receive(answer_);
  const int status = end();
  if (answer.empty()) throw ChildDied(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  const std::string text = answer.substr(1);
  if (answer[0] == bad_input) throw BadInput(text);
  if (answer[0] == no_memory) throw std::bad_alloc();
  if (answer[0] == error) throw Error(text);
  return text;
}

std::string in_child(const std::function<std::string()>& work, ChildLimits limits) {
  return ChildTask([&](const ChildTask::Told&) { return work(); }, limits).finish("");
}

}  // namespace manychain::io
