#include "foreign/stanli.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "manychain/core/error.hpp"

extern char** environ;

namespace manychain {
namespace {

constexpr const char* manifest_key = "__stanli";

/// Prints one line, a JSON object. Words of the package itself go to stderr.
constexpr const char* script = R"(
import json, pathlib, sys
answer = {}
try:
    import stanli
except ImportError as error:
    answer["missing"] = str(error)
else:
    path = pathlib.Path(sys.argv[1])
    try:
        code = path.read_text(encoding="utf-8")
        answer["library"] = str(pathlib.Path(stanli.__file__).parent / "_bin" / "libstanli.so")
        answer["manifest"] = {"build_id": stanli.build_id(), "mir": stanli.stan_to_mir(code, [str(path.parent)]), "name": path.stem}
    except Exception as error:
        answer["error"] = str(error) or type(error).__name__
print(json.dumps(answer))
)";

/// What the program writes to stdout; nothing if it cannot be started, or fails. Its stderr goes nowhere.
std::optional<std::string> output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int failed = ::posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  std::array<char, 65536> part{};
  for (ssize_t read = 0; failed == 0;) {
    read = ::read(ends[0], part.data(), part.size());
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) break;
    output.append(part.data(), static_cast<std::size_t>(read));
  }
  ::close(ends[0]);
  if (failed != 0) return {};
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return {};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  return output;
}

/// A compiler's message in one line, without the lines of the program that it shows: "   6:  mu ~ nrmal(0, 5);", and
/// those with a caret or of hyphens.
std::string one_line(const std::string& message) {
  std::istringstream lines(message);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    line = line.substr(begin, end - begin + 1);
    const std::size_t number = line.find_first_not_of("0123456789");
    if (line[0] == '^' || line.compare(0, 3, "---") == 0 || (number > 0 && number < line.size() && line[number] == ':'))
      continue;
    all += (all.empty() ? "" : " ") + line;
  }
  return all;
}

}  // namespace

bool names_stan_program(const std::string& file) {
  constexpr std::string_view end = ".stan";
  return file.size() > end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
}

StanliProgram compile_with_stanli(const std::string& file) {
  if (::access(file.c_str(), R_OK) != 0) throw BadInput(file + ": cannot be read: " + std::strerror(errno));
  const char* const named = std::getenv("MANYCHAIN_STANLI");
  std::vector<std::string> pythons = {"python3", "python"};
  if (named && *named) pythons = {named};
  for (const std::string& python : pythons) {
    const std::optional<std::string> output = output_of({python, "-c", script, file});
    const nlohmann::json answer = nlohmann::json::parse(output.value_or(""), nullptr, false);
    if (!answer.is_object() || answer.contains("missing")) continue;
    if (answer.contains("error")) throw BadInput(file + ": stanli: " + one_line(answer["error"].get<std::string>()));
    return {answer.at("library").get<std::string>(), answer.at("manifest").dump()};
  }
  if (named && *named)
    throw BadInput(file + ": MANYCHAIN_STANLI: " + named + " is no Python that has the package stanli: " + named +
                   " -m pip install stanli");
  throw BadInput(
      file +
      ": a Stan program is compiled by the Python package stanli, which no python3 of the PATH has: pip install "
      "stanli, or name by MANYCHAIN_STANLI a Python that has it; or compile it with BridgeStan, and give the "
      "library");
}

std::string with_manifest(const std::string& json, const StanliProgram& program) {
  const std::string begin = "{\"" + std::string(manifest_key) + "\": " + program.manifest;
  const std::size_t open = json.find('{');
  if (open == std::string::npos) return begin + "}";
  const std::string rest = json.substr(open + 1);  // as it is: it may have NaN, which is no JSON
  const std::size_t first = rest.find_first_not_of(" \t\r\n");
  return begin + (first != std::string::npos && rest[first] != '}' ? ", " : "") + rest;
}

}  // namespace manychain
