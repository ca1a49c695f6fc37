#include "cli/own/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cli/interrupt.hpp"
#include "manychain/core/error.hpp"

extern char** environ;

namespace manychain::cli {

namespace fs = std::filesystem;

namespace {

struct Running {
  pid_t id = 0;
  const Process* process = nullptr;
  fs::path errors;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// That of this process, with messages in English: what compilers say is read (compiler_words.hpp).
std::vector<char*> environment() {
  static char english[] = "LC_ALL=C";
  std::vector<char*> variables = {english};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Each leads a process group, so that what it starts can be ended with it. Returns an error number.
int start(const Process& process, const fs::path& folder, Running& running) {
  std::vector<char*> words;
  for (const std::string& word : process.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string output = process.output.empty() ? "/dev/null" : process.output.string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, running.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const int error = ::posix_spawnp(&running.id, words[0], &actions, &attributes, words.data(), environment().data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void end(std::vector<Running>& all) {
  for (const Running& running : all) ::kill(-running.id, SIGTERM);
  for (const Running& running : all) ::waitpid(running.id, nullptr, 0);
  all.clear();
}

}  // namespace

ProcessesEnded run_processes(const std::vector<Process>& processes, const fs::path& folder, std::size_t at_once,
                             const std::function<void(std::size_t done)>& look) {
  const InterruptGuard guard;
  std::vector<Running> all;
  ProcessesEnded ended;
  std::size_t next = 0, done = 0;
  while (!ended.failed && (next < processes.size() || !all.empty())) {
    if (next < processes.size() && all.size() < at_once) {
      Running running{0, &processes[next], folder / fmt::format("{}.err", next)};
      ++next;
      if (const int error = start(*running.process, folder, running)) {
        end(all);
        return {running.process, false, std::strerror(error)};
      }
      all.push_back(running);
      continue;
    }
    // By asking, since a handler that interrupts a wait would have to be another one than that of a run.
    ::usleep(5000);
    if (look) look(done);
    if (InterruptGuard::requested) {
      end(all);
      throw Error("interrupted while a model was compiled");
    }
    for (auto at = all.begin(); at != all.end() && !ended.failed;) {
      int status = 0;
      if (::waitpid(at->id, &status, WNOHANG) == 0) {
        ++at;
        continue;
      }
      if (status != 0) ended = {at->process, true, contents(at->errors)};
      at = all.erase(at);
      ++done;
    }
  }
  end(all);
  return ended;
}

}  // namespace manychain::cli
