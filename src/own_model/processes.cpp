#include "own_model/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "manychain/core/error.hpp"
#include "own_model/contents.hpp"
#include "own_model/process_group.hpp"

extern char** environ;

namespace manychain::own_model {

namespace fs = std::filesystem;

namespace {

struct Running {
  pid_t id = 0;
  std::size_t place = 0;  ///< in the list
  fs::path errors;
};

/// That of this process, with messages in English: what compilers say is read (compiler_words.hpp).
std::vector<char*> environment() {
  static char english[] = "LC_ALL=C";
  std::vector<char*> variables = {english};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Returns an error number.
int start(const Process& process, const fs::path& folder, const ProcessGroup& group, Running& running) {
  std::vector<char*> words;
  for (const std::string& word : process.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string output = process.output.empty() ? "/dev/null" : process.output.string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, (process.folder.empty() ? folder : process.folder).c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, running.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, group.id());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  sigset_t usual, none;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGXFSZ, SIGCHLD}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  sigemptyset(&none);  // a thread of the caller may block signals that end a process
  posix_spawnattr_setsigmask(&attributes, &none);
  const int error = ::posix_spawnp(&running.id, words[0], &actions, &attributes, words.data(), environment().data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// With what they have started, which is in their group.
void end(std::vector<Running>& all, const ProcessGroup& group) {
  for (const Running& running : all) ::kill(group.id() > 0 ? -group.id() : -running.id, SIGTERM);
  for (const Running& running : all) ::waitpid(running.id, nullptr, 0);
  all.clear();
}

/// Which are yet to be started.
class Waiting {
 public:
  explicit Waiting(const std::vector<Process>& processes) : processes_(processes) {
    for (std::size_t i = 0; i < processes.size(); ++i) places_.push_back(i);
  }
  /// The first that can start; nothing if there is none.
  std::optional<std::size_t> next(const std::vector<bool>& done) {
    const auto at = std::find_if(places_.begin(), places_.end(),
                                 [&](std::size_t i) { return !processes_[i].after || done[*processes_[i].after]; });
    if (at == places_.end()) return {};
    const std::size_t place = *at;
    places_.erase(at);
    return place;
  }

 private:
  const std::vector<Process>& processes_;
  std::vector<std::size_t> places_;
};

}  // namespace

ProcessesEnded run_processes(const std::vector<Process>& processes, const fs::path& folder, std::size_t at_once,
                             const std::function<void(std::size_t done)>& look) {
  const ProcessGroup group;
  std::vector<Running> all;
  ProcessesEnded ended;
  ended.done.resize(processes.size());
  Waiting waiting(processes);
  std::size_t done = 0, needed = 0;
  for (const Process& process : processes) needed += process.aside ? 0 : 1;
  while (!ended.failed && done < needed) {
    if (all.size() < at_once) {
      if (const std::optional<std::size_t> next = waiting.next(ended.done)) {
        const Process& process = processes[*next];
        Running running{0, *next, folder / fmt::format("{}.err", *next)};
        const int error = start(process, folder, group, running);
        if (error == 0) {
          all.push_back(running);
        } else if (!process.aside) {
          end(all, group);
          return {&process, false, std::strerror(error), ended.done};
        }
        continue;
      }
    }
    // By asking, since a handler that interrupts a wait would have to be another one than that of a run.
    ::usleep(5000);
    try {
      if (look) look(done);
    } catch (...) {
      end(all, group);
      throw;
    }
    for (auto at = all.begin(); at != all.end() && !ended.failed;) {
      int status = 0;
      const pid_t waited = ::waitpid(at->id, &status, WNOHANG);
      if (waited == 0 || (waited < 0 && errno == EINTR)) {
        ++at;
        continue;
      }
      if (waited < 0) {
        end(all, group);
        throw Error(
            "the exit status of a compiler is lost: this program ignores SIGCHLD, or waits for processes that others "
            "have started");
      }
      const Process& process = processes[at->place];
      ended.done[at->place] = status == 0;
      if (process.aside ? WIFEXITED(status) && WEXITSTATUS(status) == process.refusal : status != 0) {
        ended.failed = &process;
        ended.words = contents(at->errors);
      }
      done += process.aside ? 0 : 1;
      at = all.erase(at);
    }
  }
  end(all, group);
  return ended;
}

}  // namespace manychain::own_model
