#include "own_model/compile.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "core/digest.hpp"
#include "manychain/core/error.hpp"
#include "own_model/contents.hpp"
#include "own_model/model_classes.hpp"
#include "own_model/units.hpp"
#include "own_model/workplace.hpp"

namespace manychain::own_model {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The class that is the model. A header in which there is none to be found may have an error before it.
std::string model_class(const Workplace& at, const HeaderRead& read, const std::string& wanted) {
  const std::string name = choose_class(read.classes, wanted, at.header);
  if (!name.empty()) return name;
  at.run({at.syntax_check()});
  throw BadInput(at.header +
                 " has no model: that is a class template with a member log_density; `manychain new NAME` writes one");
}

/// "hmc in single precision, for the CPU and CUDA 90"
std::string described(const ModelCode& wanted) {
  return fmt::format("{}{}, for the CPU{}", fmt::join(wanted.samplers, ", "),
                     wanted.precision == Precision::single_precision   ? " in single precision"
                     : wanted.precision == Precision::double_precision ? " in double precision"
                                                                       : " in both precisions",
                     wanted.architectures.empty() ? std::string()
                                                  : fmt::format(" and CUDA {}", fmt::join(wanted.architectures, ", ")));
}

constexpr const char* refusal_file = "refusal.txt";

}  // namespace

// A header that includes nothing of the library is not to compile by what is precompiled: elsewhere it would not.
Compilation::Compiled Compilation::compiled(Unit unit, const std::string& digest, bool includes_library) const {
  const Toolchain& toolchain = at_.toolchain;
  Compiled made;
  std::string stamp;
  if (unit.kind == Unit::Kind::cuda) {
    made.command = toolchain.cuda_compiler(wanted_.architectures.front());
    for (std::size_t i = 1; i < wanted_.architectures.size(); ++i)
      made.command.push_back(toolchain.cuda_compiler(wanted_.architectures[i]).back());
  } else {
    const char* const kind = unit.kind == Unit::Kind::check ? "check" : "chain";
    made.command = joined(toolchain.compiler(), toolchain.words(kind));
    if (includes_library) made.precompiled = toolchain.precompiled(kind);
    if (!made.precompiled.empty()) stamp = made.precompiled + "\n" + file_stamp(made.precompiled + ".gch");
  }
  made.name = digest_of(fmt::format("{}\n{}\n{}\n{}", digest, stamp, fmt::join(made.command, "\n"), unit.text)) + ".o";
  made.end_of_command = {"-c", unit.file, "-o", made.name};
  made.unit = std::move(unit);
  return made;
}

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

// No other unit need be compiled for data that the model refuses.
void Compilation::bind_aside(const Compiled& check, const std::vector<std::string>& data,
                             std::vector<Process>& processes) const {
  const Toolchain& toolchain = at_.toolchain;
  const std::string program = (at_.folder / "bind").string();
  Process link{toolchain.linked(
      joined(joined(joined({check.object}, toolchain.words("bind")), toolchain.words("link")), {"-o", program}))};
  link.aside = true;
  link.after = check.place;
  Process bind{joined({program, (at_.folder / refusal_file).string()}, data)};
  bind.folder = fs::current_path();
  bind.aside = true;
  bind.after = processes.size();
  bind.refusal = data_refused;
  processes.push_back(link);
  processes.push_back(bind);
}

// The class is looked at by a script; then what is not kept is compiled, the check first, and what that says of the
// data comes while the others compile.
std::vector<Process> Compilation::to_compile(const DataToBind& data) {
  std::vector<Process> processes;
  if (const std::string awk = at_.toolchain.word("awk"); !awk.empty())
    processes.push_back({{awk, "-v", "class=" + at_.class_name.substr(at_.class_name.rfind(':') + 1), "-f",
                          (at_.toolchain.templates() / "check_model_header.awk").string(), path_}});
  std::map<std::string, bool> whole;
  for (Compiled& made : units_) {
    made.object = cache_.find(made.name);
    if (made.object.empty()) {
      const std::string& header = made.precompiled;
      if (const auto seen = whole.find(header); seen == whole.end())
        whole[header] = !header.empty() && precompiled_is_whole(header);
      if (whole[header]) made.command = joined(made.command, {"-include", header});
      made.object = (at_.folder / made.name).string();
      made.place = processes.size();
      write_file(at_.folder / made.unit.file, made.unit.text);
      processes.push_back({joined(made.command, made.end_of_command)});
    }
    if (made.unit.kind == Unit::Kind::check && data.files) bind_aside(made, *data.files, processes);
  }
  return processes;
}

Process Compilation::link() const {
  const Toolchain& toolchain = at_.toolchain;
  std::vector<std::string> words;
  for (const Compiled& unit : units_) words.push_back(unit.object);
  words = joined(words, toolchain.words(product_ == Product::program ? "program" : "entry"));
  if (product_ == Product::shared_object)
    // All other names are its own: neither this program's copy of the library nor another model has a part in them.
    words =
        joined(words, {"-shared", "-Xlinker", "--as-needed", "-Xlinker", "-u", "-Xlinker", "manychain_own_model_unit",
                       "-Xlinker", "--version-script", "-Xlinker", (toolchain.templates() / "own_model.map").string()});
  return {toolchain.linked(joined(joined(words, toolchain.words("link")), {"-o", file_}))};
}

Compilation::Compilation(const ModelCode& wanted, Product product, const Toolchain& toolchain, Cache& cache,
                         Listener& listener)
    : wanted_(wanted),
      product_(product),
      cache_(cache),
      listener_(listener),
      at_{toolchain, wanted.header, cache.workshop(), listener} {
  // One name for the file, however it is given; its folder is the real one, so that ".." in an include means the same.
  const fs::path absolute = fs::absolute(wanted.header);
  path_ = (fs::canonical(absolute.parent_path()) / absolute.filename()).string();
  read();
}

/// Reads the header, as it is now.
void Compilation::read() {
  const std::string stamp = at_.toolchain.stamp();
  const HeaderRead read = read_header_or_note(at_, path_, stamp, cache_);
  read_ = read.digest;
  note_ = read.note;
  at_.class_name = model_class(at_, read, wanted_.class_name);
  const std::string digest = digest_of(stamp + read.digest);
  units_.clear();
  std::string all;
  for (Unit& unit : generated_units(wanted_, path_, at_.class_name, at_.toolchain.templates())) {
    units_.push_back(compiled(std::move(unit), digest, read.includes_library));
    all += units_.back().name;
  }
  if (product_ == Product::shared_object) all += "shared";
  key_ = file_ = digest_of(all);
  if (product_ == Product::shared_object) file_ += ".so";
}

// Compilers may have read another text than the digest is of, and each another one.
std::string Compilation::make(const DataToBind& data) {
  constexpr int most_attempts = 3;
  for (int attempt = 1; attempt <= most_attempts; ++attempt) {
    if (const std::string kept = cache_.find(file_); !kept.empty()) {
      listener_.throw_if_stopped();
      keep(note_, at_, cache_);
      return kept;
    }
    if (data.look && attempt == 1) data.look();
    if (const std::string made = made_now(data); !made.empty()) return made;
    listener_.complain(wanted_.header + " has changed while it was compiled");
    read();
  }
  throw Error(wanted_.header + " changes whenever it is compiled; try again once it stays as it is");
}

/// As make(); empty, with nothing kept, if the header has changed meanwhile.
std::string Compilation::made_now(const DataToBind& data) {
  if (!cache_.complaint().empty()) listener_.complain(cache_.complaint());
  listener_.begin(fmt::format("Compiling {}: {}", wanted_.header, described(wanted_)));
  const std::vector<Process> processes = to_compile(data);
  const auto missing = static_cast<std::size_t>(
      std::count_if(units_.begin(), units_.end(), [](const Compiled& unit) { return unit.place.has_value(); }));
  const ProcessesEnded ended = at_.run(processes, "it does not compile", missing);
  if (!ended.failed)
    at_.run({link()}, product_ == Product::program ? "its program cannot be linked" : "it cannot be linked");
  const HeaderRead again = read_header(at_, path_);
  if (again.digest != read_) return "";
  note_.text = again.note.text;  // the header may have been saved while it was read first
  for (const Compiled& unit : units_)
    if (unit.place && ended.done[*unit.place]) cache_.keep(at_.folder / unit.name, unit.name);
  if (ended.failed) throw BadInput(contents(at_.folder / refusal_file));
  const std::string made = cache_.keep(at_.folder / file_, file_);
  keep(note_, at_, cache_);
  cache_.prune(400);
  listener_.throw_if_stopped();
  listener_.end();
  return made;
}

}  // namespace manychain::own_model
