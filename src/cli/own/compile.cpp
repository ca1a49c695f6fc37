#include "cli/own/compile.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "cli/files.hpp"
#include "cli/own/compiler_words.hpp"
#include "cli/own/compiling_line.hpp"
#include "cli/own/model_classes.hpp"
#include "cli/own/processes.hpp"
#include "cli/own/toolchain.hpp"
#include "cli/own/units.hpp"
#include "manychain/core/error.hpp"

// docs/functions.md.
extern const char* const manychain_function_table;

namespace manychain::cli {

namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

/// Cores that this process may run on.
std::size_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

/// The header, the compiler, and the folder where they meet.
struct Workplace {
  const Toolchain& toolchain;
  std::string header;  ///< as the user names it
  fs::path folder;
  CompilingLine& shown;
  std::string class_name = "";  ///< once it is known

  /// Throws BadInput where one fails: what it says goes to stderr, for it is of the user's code. `units` of them, the
  /// last, are counted on the terminal.
  void run(const std::vector<Process>& processes, const char* fault = "it does not compile",
           std::size_t units = 0) const {
    const std::size_t others = processes.size() - std::min(units, processes.size());
    const ProcessesEnded ended = run_processes(
        processes, folder, cores(), [&](std::size_t done) { shown.show(done - std::min(done, others), units); });
    if (!ended.failed) return;
    shown.leave();
    if (!ended.started)
      throw BadInput(fmt::format("{} cannot be started: {}; manychain was built with it, and models are compiled by it",
                                 ended.failed->words.front(), ended.words));
    const std::string words = said_of_header(ended.words);
    std::fwrite(words.data(), 1, words.size(), stderr);
    if (const std::string error = first_error_line(words); !error.empty()) throw BadInput(error);
    throw BadInput(fmt::format("{}: {}; the first error stands above", header, fault));
  }
  /// "model.hpp:27: SENTENCE", with the name that the user gave; empty if there is none. The user's files are the
  /// header and what lies beside it or below.
  std::string first_error_line(const std::string& words) const {
    std::error_code none;
    const std::string beside = fs::canonical(fs::absolute(header).parent_path(), none).string() + "/";
    const auto is_users = [&](const std::string& file) {
      return file.compare(0, beside.size(), beside) == 0 && !toolchain.is_ours(file);
    };
    const FirstError error = first_error(words, is_users, LanguageNames(manychain_function_table));
    if (error.message.empty()) return "";
    if (error.line.empty()) return fmt::format("{}{}: {}", header, line_of_class(error.message), error.message);
    const fs::path file = fs::path(header).parent_path() / error.file.substr(beside.size());
    return fmt::format("{}:{}: {}", file.string(), error.line, error.message);
  }
  /// ":12", of a sentence about the whole class: where that begins, or log_density where it is of that; empty: not in
  /// the header.
  std::string line_of_class(const std::string& message) const {
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
  std::string said_of_header(const std::string& words) const {
    if (words.find(fs::path(header).filename().string()) != std::string::npos) return words;
    const ProcessesEnded alone = run_processes({syntax_check()}, folder, 1);
    return alone.failed && alone.started ? alone.words : words;
  }
  Process syntax_check() const {
    std::vector<std::string> line = toolchain.compiler();
    line.insert(line.end(), toolchain.words("chain").begin(), toolchain.words("chain").end());
    line.insert(line.end(), {"-fsyntax-only", "header.cpp"});
    return {line, {}};
  }
};

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The names in `#include "name"`, whatever conditions they stand under: another unit may meet these.
std::vector<std::string> quoted_includes(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    const std::size_t begin = line.find('"', at), end = line.find('"', begin + 1);
    if (begin != std::string::npos && end != std::string::npos)
      names.push_back(line.substr(begin + 1, end - begin - 1));
  }
  return names;
}

/// What the header says once everything is included.
struct HeaderRead {
  std::vector<ClassFound> classes;
  std::string digest;  ///< of every file of the user's that takes part, and of the compiler's
  bool includes_library = false;
};

HeaderRead read_header(const Workplace& at, const std::string& path) {
  write(at.folder / "header.cpp", fmt::format("#include \"{}\"\n", path));
  const fs::path output = at.folder / "header.ii";
  at.run({{joined(joined(at.toolchain.compiler(), at.toolchain.words("chain")), {"-E", "header.cpp"}), output}});
  HeaderRead read;
  std::set<std::string> files, others;
  const auto is_users = [&](const std::string& file, bool system) {
    read.includes_library |= at.toolchain.is_ours(file);  // a prefix may be a folder of the system's
    if (system) {
      others.insert(file);
      return false;
    }
    if (file != path && (file.empty() || file[0] != '/' || at.toolchain.is_ours(file))) return false;
    files.insert(file);
    return true;
  };
  read.classes = classes_in(contents(output), is_users);
  std::vector<std::string> left(files.begin(), files.end());
  std::string all;
  for (const std::string& file : others) all += file_stamp(file) + "\n";
  while (!left.empty()) {
    const std::string file = left.back(), text = contents(file);
    left.pop_back();
    all += fmt::format("{} {}\n{}", file, text.size(), text);
    for (const std::string& name : quoted_includes(text)) {
      const std::string other = (fs::path(file).parent_path() / name).lexically_normal().string();
      std::error_code none;
      if (fs::is_regular_file(other, none) && files.insert(other).second) left.push_back(other);
    }
  }
  read.digest = digest_of(all);
  return read;
}

/// The class that is the model. A header in which there is none to be found may have an error before it.
std::string model_class(const Workplace& at, const HeaderRead& read, const std::string& wanted) {
  const std::string name = choose_class(read.classes, wanted, at.header);
  if (!name.empty()) return name;
  at.run({at.syntax_check()});
  throw BadInput(at.header +
                 " has no model: that is a class template with a member log_density; `manychain new NAME` writes one");
}

/// What a unit is called once it is compiled, and by which command.
struct Compiled {
  std::string name;
  std::vector<std::string> command;
  std::string source;
};

/// A header that includes nothing of the library is not to compile by what is precompiled: elsewhere it would not.
Compiled compiled(const Unit& unit, const Toolchain& toolchain, const ModelProgram& wanted, const std::string& digest,
                  bool includes_library) {
  Compiled made;
  std::string precompiled;
  if (unit.kind == Unit::Kind::cuda) {
    made.command = toolchain.cuda_compiler(wanted.architectures.front());
    for (std::size_t i = 1; i < wanted.architectures.size(); ++i)
      made.command.push_back(toolchain.cuda_compiler(wanted.architectures[i]).back());
  } else {
    const char* const kind = unit.kind == Unit::Kind::check ? "check" : "chain";
    made.command = joined(toolchain.compiler(), toolchain.words(kind));
    if (const std::string header = toolchain.precompiled(kind); includes_library && !header.empty()) {
      made.command.insert(made.command.end(), {"-include", header});
      precompiled = file_stamp(header + ".gch");
    }
  }
  made.name =
      digest_of(fmt::format("{}\n{}\n{}\n{}", digest, precompiled, fmt::join(made.command, "\n"), unit.text)) + ".o";
  made.source = unit.file;
  made.command = joined(made.command, {"-c", made.source, "-o", made.name});
  return made;
}

/// "hmc, in single precision, for the CPU and CUDA 90"
std::string described(const ModelProgram& wanted) {
  return fmt::format("{}{}, for the CPU{}", fmt::join(wanted.samplers, ", "),
                     wanted.precision == Precision::single_precision   ? " in single precision"
                     : wanted.precision == Precision::double_precision ? " in double precision"
                                                                       : " in both precisions",
                     wanted.architectures.empty() ? std::string()
                                                  : fmt::format(" and CUDA {}", fmt::join(wanted.architectures, ", ")));
}

}  // namespace

void require_header(const std::string& header) {
  std::error_code error;
  const fs::file_status status = fs::status(header, error);
  if (!fs::exists(status)) throw BadInput(header + ": there is no such header");
  if (fs::is_directory(status)) throw BadInput(header + ": it is a folder; give the header of a model");
  if (::access(header.c_str(), R_OK) != 0)
    throw BadInput(fmt::format("{}: cannot be read: {}", header, std::strerror(errno)));
  const std::string extension = fs::path(header).extension().string();
  if (extension != ".hpp" && extension != ".h" && extension != ".hh" && extension != ".hxx" && extension != ".cuh")
    throw BadInput(header + ": a model is the header of a C++ class, model.hpp; `manychain new NAME` writes one");
  const std::string path = fs::absolute(header, error).string();
  if (path.find_first_of("\"\\\n") != std::string::npos)
    throw BadInput(header + ": a path with quotes, backslashes or line ends cannot be included; give it another name");
}

std::string model_name(const std::string& header) {
  std::string name = fs::path(header).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  return name;
}

std::string compile_program(const ModelProgram& wanted, Cache& cache, const std::function<void()>& before) {
  require_header(wanted.header);
  const Toolchain toolchain;
  CompilingLine line;
  Workplace at{toolchain, wanted.header, cache.workshop(), line};
  // One name for the file, however it is given; its folder is the real one, so that ".." in an include means the same.
  const fs::path absolute = fs::absolute(wanted.header);
  const std::string path = (fs::canonical(absolute.parent_path()) / absolute.filename()).string();
  const HeaderRead read = read_header(at, path);
  const std::string name = model_class(at, read, wanted.class_name);
  at.class_name = name;
  const std::string digest = digest_of(toolchain.stamp() + read.digest);

  std::vector<Compiled> units;
  std::string all;
  std::vector<Unit> generated = generated_units(wanted, path, name, toolchain.templates());
  for (const Unit& unit : generated) {
    units.push_back(compiled(unit, toolchain, wanted, digest, read.includes_library));
    all += units.back().name;
  }
  const std::string program = digest_of(all);
  if (const std::string kept = cache.find(program); !kept.empty()) return kept;

  before();
  if (!cache.complaint().empty()) say(stderr, "manychain: {}\n", cache.complaint());
  line.begin(fmt::format("Compiling {}: {}", wanted.header, described(wanted)));
  std::vector<Process> processes;
  if (const std::string awk = toolchain.word("awk"); !awk.empty())
    processes.push_back({{awk, "-v", "class=" + name.substr(name.rfind(':') + 1), "-f",
                          (toolchain.templates() / "check_model_header.awk").string(), path},
                         {}});
  std::vector<std::string> link = {toolchain.word("compiler")};
  const std::size_t others = processes.size();
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string kept = cache.find(units[i].name);
    link.push_back(kept.empty() ? units[i].name : kept);
    if (!kept.empty()) continue;
    write(at.folder / units[i].source, generated[i].text);
    processes.push_back({units[i].command, {}});
  }
  at.run(processes, "it does not compile", processes.size() - others);
  at.run({{joined(joined(joined(link, toolchain.words("library")), toolchain.words("link")), {"-o", program}), {}}},
         "its program cannot be linked");
  for (const Compiled& unit : units)
    if (fs::exists(at.folder / unit.name)) cache.keep(at.folder / unit.name, unit.name);
  const std::string made = cache.keep(at.folder / program, program);
  cache.prune(400);
  line.end();
  return made;
}

}  // namespace manychain::cli
