#include "own_model/workplace.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "manychain/own_model.hpp"
#include "own_model/compiler_words.hpp"

// docs/functions.md.
extern const char* const manychain_function_table;

namespace manychain::own_model {

namespace fs = std::filesystem;

std::size_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

ProcessesEnded Workplace::run(const std::vector<Process>& processes, const char* fault, std::size_t units) const {
  const auto needed = static_cast<std::size_t>(
      std::count_if(processes.begin(), processes.end(), [](const Process& process) { return !process.aside; }));
  const std::size_t others = needed - std::min(units, needed);
  ProcessesEnded ended = run_processes(processes, folder, cores(), [&](std::size_t done) {
    listener.show(done - std::min(done, others), units);
    listener.throw_if_stopped();
  });
  if (!ended.failed || ended.failed->aside) return ended;
  if (!ended.started)
    throw BadInput(fmt::format("{} cannot be started: {}; manychain was built with it, and models are compiled by it",
                               ended.failed->words.front(), ended.words));
  const std::string words = said_of_header(ended.words);
  if (const std::string error = first_error_line(words); !error.empty()) throw CompileError(error, words);
  throw CompileError(fmt::format("{}: {}; the first error stands in {}", header, fault, compiler_words_member), words);
}

/// "model.hpp:27: SENTENCE", with the name that the user gave; empty if there is none. The user's files are the
/// header and what lies beside it or below.
std::string Workplace::first_error_line(const std::string& words) const {
  std::error_code none;
  const std::string beside = fs::canonical(fs::absolute(header).parent_path(), none).string() + "/";
  const auto is_users = [&](const std::string& file) {
    return file.compare(0, beside.size(), beside) == 0 && !toolchain.is_ours(file);
  };
  const FirstError error = own_model::first_error(words, is_users, LanguageNames(manychain_function_table));
  if (error.message.empty()) return "";
  if (error.line.empty()) return fmt::format("{}{}: {}", header, line_of_class(error.message), error.message);
  const fs::path file = fs::path(header).parent_path() / error.file.substr(beside.size());
  return fmt::format("{}:{}: {}", file.string(), error.line, error.message);
}

/// ":12", of a sentence about the whole class: where that begins, or log_density where it is of that; empty: not in
/// the header.
std::string Workplace::line_of_class(const std::string& message) const {
  std::ifstream file(header);
  const std::string member = message.compare(0, 11, "log_density") == 0 ? "log_density" : "";
  const std::string name = class_name.substr(class_name.rfind(':') + 1);
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    std::istringstream words(text.substr(0, text.find("//")));
    bool of_class = false;
    for (std::string word; words >> word; of_class = word == "struct" || word == "class")
      if (!member.empty() ? word.compare(0, member.size() + 1, member + "(") == 0
                          : of_class && !name.empty() && word.substr(0, word.find_first_of("{:")) == name)
        return fmt::format(":{}", number);
  }
  return "";
}

/// A header that ends too soon is blamed on what is included behind it: it is read alone then.
std::string Workplace::said_of_header(const std::string& words) const {
  if (words.find(fs::path(header).filename().string()) != std::string::npos) return words;
  const ProcessesEnded alone =
      run_processes({syntax_check()}, folder, 1, [&](std::size_t) { listener.throw_if_stopped(); });
  return alone.failed && alone.started ? alone.words : words;
}

Process Workplace::syntax_check() const {
  std::vector<std::string> line = toolchain.compiler();
  line.insert(line.end(), toolchain.words("chain").begin(), toolchain.words("chain").end());
  line.insert(line.end(), {"-fsyntax-only", "header.cpp"});
  return {line};
}

}  // namespace manychain::own_model
