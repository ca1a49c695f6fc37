// Stan CSV, as CmdStan, RStan and others write it: comments with settings, names, one draw per line, a file per chain.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "io/read_formats.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

/// The cells of a line. A comma in quotes or in brackets is no border: R writes "theta[1,2]".
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ',';
    if (c == '"') quoted = !quoted;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (i < line.size() && (c != ',' || quoted || depth > 0)) continue;
    cells.push_back(trim(line.substr(begin, i - begin)));
    begin = i + 1;
  }
  return cells;
}

/// Any of the ways to write a real number; nan and inf among them.
bool parse(std::string_view cell, double& value) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  const char* const end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, value);
  if (cell.empty() || rest != end) return false;
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(cell).c_str(), nullptr);
  return error == std::errc() || error == std::errc::result_out_of_range;
}

/// theta.1.2 in words of this library: theta[1,2].
std::string bracketed(std::string_view name) {
  std::size_t end = name.size();
  std::string indices;
  while (true) {
    const std::size_t dot = name.substr(0, end).rfind('.');
    if (dot == std::string_view::npos || dot + 1 == end || dot == 0) break;
    const std::string_view index = name.substr(dot + 1, end - dot - 1);
    if (!std::all_of(index.begin(), index.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) break;
    indices = indices.empty() ? std::string(index) : fmt::format("{},{}", index, indices);
    end = dot;
  }
  return indices.empty() ? std::string(name) : fmt::format("{}[{}]", name.substr(0, end), indices);
}

/// Stan's own columns end with two underscores; the log density is of interest as a quantity.
bool is_stat(const std::string& column) {
  return column != "lp__" && column.size() > 2 && column.compare(column.size() - 2, 2, "__") == 0;
}

std::string stat_name(const std::string& column) {
  static const std::map<std::string, std::string> names = {{"accept_stat__", "acceptance_rate"},
                                                           {"stepsize__", "step_size"},
                                                           {"treedepth__", "tree_depth"},
                                                           {"n_leapfrog__", "n_steps"},
                                                           {"divergent__", "diverging"}};
  const auto known = names.find(column);
  return known == names.end() ? column.substr(0, column.size() - 2) : known->second;
}

struct OneChain {
  std::string path, label;                      // label: what its column of chains says; empty: there is none
  std::map<std::string, std::string> settings;  // of the comments
  std::vector<std::string> columns;
  std::vector<double> cells;  // [line][column], warm-up left out
  std::size_t draws = 0;
  std::vector<std::string> faults;

  explicit OneChain(const std::string& path_) : path(path_) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw BadInput(path + ": cannot be read: " + std::strerror(errno));
    std::string line;
    bool ended = true;
    while (std::getline(file, line)) {
      ++number_;
      ended = !file.eof();
      const std::string_view text = trim(line);
      if (text.empty()) continue;
      if (text.front() == '#') {
        comment(text.substr(1));
      } else if (columns.empty()) {
        header(line);
      } else {
        row(line);
        if (!ended) fault("its last line has no end, so that its last number may be cut");
      }
    }
    if (file.bad()) throw BadInput(path + ": cannot be read: " + std::strerror(errno));
    finish();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw BadInput(fmt::format("{}: line {}: {}", path, number_, why));
  }
  void fault(const std::string& what) { faults.push_back(fmt::format("{}: {}.", path, what)); }

  std::optional<double> setting(const char* key) const {
    const auto found = settings.find(key);
    if (found == settings.end()) return {};
    double value = 0;
    if (found->second == "true") return 1;
    if (found->second == "false") return 0;
    // All settings that are asked for are counts.
    const bool count = parse(found->second, value) && value >= 0 && value < 1e15;
    return count ? std::optional<double>(value) : std::nullopt;
  }

  void comment(std::string_view text) {
    if (text.find("Adaptation terminated") != std::string_view::npos) warmup_ = draws;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !columns.empty()) return;
    std::string_view value = trim(text.substr(equals + 1));
    if (const std::size_t mark = value.find(" (Default)"); mark != std::string_view::npos)
      value = value.substr(0, mark);
    settings[std::string(trim(text.substr(0, equals)))] = std::string(trim(value));
  }

  void header(const std::string& line) {
    std::set<std::string> seen;
    for (const std::string_view cell : split(line)) {
      double value = 0;
      if (parse(cell, value) && columns.empty()) refuse("a header with the names of the columns is missing");
      if (cell.empty() && columns.empty() && !row_names_) {  // write.csv of R: names of rows, under no name
        row_names_ = true;
        continue;
      }
      if (cell.empty())
        refuse(fmt::format("column {} of the header has no name", columns.size() + 1 + (row_names_ ? 1 : 0)));
      if (!seen.insert(std::string(cell)).second) refuse(fmt::format("two columns are called {}", cell));
      columns.emplace_back(cell);
    }
  }

  void row(const std::string& line) {
    std::size_t count = 0;
    bool row_name = row_names_;
    for (const std::string_view cell : split(line)) {
      double value = 0;
      if (row_name) {
        row_name = false;
        continue;
      }
      if (count < columns.size()) {
        if (!parse(cell, value)) {
          refuse(fmt::format("{} is \"{}\", which is not a number{}", columns[count], cell.substr(0, 40),
                             columns[count] == "Parameter" ? "; give a column for each quantity, not a line" : ""));
        }
        cells.push_back(value);
      }
      ++count;
    }
    if (count != columns.size()) {
      refuse(fmt::format("it has {} values, the header {} names; the line is cut, or the file damaged", count,
                         columns.size()));
    }
    ++draws;
  }

  void finish() {
    if (columns.empty()) {
      throw BadInput(fmt::format("{}: has no header; is it Stan CSV, or NetCDF with draws?", path));
    }
    const auto method = settings.find("method");
    for (const char* other : {"optimize", "variational", "pathfinder", "laplace"}) {
      if (method != settings.end() && method->second == other) {
        throw BadInput(fmt::format("{}: comes from method {}: its lines are no draws of a Markov chain", path, other));
      }
    }
    const double thin = std::max(setting("thin").value_or(1), 1.0);
    const std::optional<double> warmup = setting("num_warmup") ? setting("num_warmup") : setting("warmup");
    std::optional<double> samples = setting("num_samples");
    if (!samples && setting("iter")) samples = std::max(*setting("iter") - warmup.value_or(0), 0.0);  // RStan's
    // CmdStan marks the end of warm-up where it adapts; a sampler that does not adapt leaves no mark.
    std::size_t leave = warmup_;
    if (leave == 0 && setting("save_warmup").value_or(0) != 0) {
      leave = static_cast<std::size_t>(std::ceil(warmup.value_or(0) / thin));
    }
    if (leave >= draws) throw BadInput(path + ": has no draws after warm-up; the run ended before");
    cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(leave * columns.size()));
    draws -= leave;
    if (!samples) return;
    const auto expected = static_cast<std::size_t>(std::ceil(*samples / thin));
    if (draws < expected) fault(fmt::format("has {} of {} draws; the run did not come to its end", draws, expected));
    if (draws > expected) fault(fmt::format("has {} draws, and its header says {}", draws, expected));
  }

  std::size_t number_ = 0;  // of the line
  bool row_names_ = false;  // the first column has no name
  std::size_t warmup_ = 0;  // draws before the end of adaptation
};

/// The column that says the chain, iteration or draw of each line, as posterior of R (.chain) and others call it;
/// as many as there are columns: none.
std::size_t index_column(const OneChain& file, const std::string& what) {
  std::size_t found = file.columns.size();
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    std::string name = file.columns[i];
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    if (name != what && name != "." + what) continue;
    if (found < file.columns.size())
      throw BadInput(fmt::format("{}: {} and {} both say the {}; leave one out", file.path, file.columns[found],
                                 file.columns[i], what));
    found = i;
  }
  return found;
}

/// The chains of one file: where columns say chain and iteration of each line, the lines of each chain in the order of
/// its iterations, without these columns. Files with the settings of Stan have names of a model alone.
std::vector<OneChain> chains_of(OneChain file) {
  const std::size_t columns = file.columns.size();
  if (!file.settings.empty()) return {std::move(file)};
  const std::size_t chain = index_column(file, "chain"), iteration = index_column(file, "iteration");
  std::size_t draw = index_column(file, "draw");
  // Alone it may be a quantity; posterior writes it with a dot.
  if (draw < columns && file.columns[draw] != ".draw" && chain == columns && iteration == columns) draw = columns;
  if (chain == columns && iteration == columns && draw == columns) return {std::move(file)};
  // Apart from `file`, which each chain begins as a copy of.
  const std::vector<double> cells = std::move(file.cells);
  file.cells.clear();
  const auto at = [&](std::size_t t, std::size_t column) { return cells[t * columns + column]; };
  for (const std::size_t column : {chain, iteration, draw}) {
    for (std::size_t t = 0; column < columns && t < file.draws; ++t) {
      const double value = at(t, column);
      if (!(value >= 0 && value < 1e15 && value == std::floor(value)))
        throw BadInput(
            fmt::format("{}: column {} has {:g}, which is no number of a chain, an iteration or a draw; give "
                        "it another name if it is a quantity",
                        file.path, file.columns[column], value));
    }
  }
  std::map<double, std::vector<std::size_t>> lines;  // by chain
  for (std::size_t t = 0; t < file.draws; ++t) lines[chain < columns ? at(t, chain) : 0].push_back(t);
  const std::size_t order = iteration < columns ? iteration : draw;
  std::vector<OneChain> chains;
  for (auto& [number, own] : lines) {
    if (order < columns) {
      std::stable_sort(own.begin(), own.end(),
                       [&](std::size_t a, std::size_t b) { return at(a, order) < at(b, order); });
      for (std::size_t i = 1; i < own.size(); ++i) {
        if (at(own[i - 1], order) < at(own[i], order)) continue;
        throw BadInput(fmt::format("{}: {} {:.0f} stands twice{}", file.path, file.columns[order], at(own[i], order),
                                   chain < columns ? fmt::format(" in chain {:.0f}", number)
                                                   : "; a column chain is missing that tells the chains apart"));
      }
    }
    OneChain one = file;
    one.columns.clear();
    one.draws = own.size();
    if (chain < columns) one.label = fmt::format("{:.0f}", number);
    for (std::size_t i = 0; i < columns; ++i)
      if (i != chain && i != iteration && i != draw) one.columns.push_back(file.columns[i]);
    one.cells.reserve(own.size() * one.columns.size());
    for (const std::size_t t : own)
      for (std::size_t i = 0; i < columns; ++i)
        if (i != chain && i != iteration && i != draw) one.cells.push_back(at(t, i));
    if (!chains.empty()) one.faults.clear();
    chains.push_back(std::move(one));
    if (chains.back().draws != chains.front().draws)
      throw BadInput(
          fmt::format("{}: chain {} has {} draws, chain {} has {}; leave out the chain that did not come to "
                      "its end",
                      file.path, chains.back().label, chains.back().draws, chains.front().label, chains.front().draws));
  }
  return chains;
}

/// Throws unless `chain` can stand beside `first`.
void require_alike(const OneChain& first, const OneChain& chain) {
  if (chain.columns.size() != first.columns.size()) {
    throw BadInput(fmt::format("{}: has {} columns, {} has {}; chains of one run have the same", chain.path,
                               chain.columns.size(), first.path, first.columns.size()));
  }
  for (std::size_t i = 0; i < chain.columns.size(); ++i) {
    if (chain.columns[i] == first.columns[i]) continue;
    throw BadInput(fmt::format("{}: column {} is {}, in {} it is {}; chains of one run have the same", chain.path,
                               i + 1, chain.columns[i], first.path, first.columns[i]));
  }
  if (chain.draws != first.draws) {
    throw BadInput(fmt::format("{}: has {} draws, {} has {}; leave out the chain that did not come to its end",
                               chain.path, chain.draws, first.path, first.draws));
  }
}

}  // namespace

DrawsFile read_stan_csv(const std::vector<std::string>& paths) {
  std::vector<OneChain> chains;
  for (const std::string& path : paths) {
    if (std::count(paths.begin(), paths.end(), path) > 1) throw BadInput(path + ": is given twice");
    for (OneChain& chain : chains_of(OneChain(path))) {
      chains.push_back(std::move(chain));
      require_alike(chains.front(), chains.back());
    }
  }
  DrawsFile file;
  file.draws = chains[0].draws;
  file.chains = chains.size();
  const auto file_name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  std::set<std::string> names;
  for (const std::string& path : paths) names.insert(file_name(path));
  for (const OneChain& chain : chains) {
    // Files of one name in several folders need their folders.
    const std::string name = names.size() == paths.size() ? file_name(chain.path) : chain.path;
    file.chain_names.push_back(chain.label.empty() ? name : paths.size() == 1 ? chain.label : name + " " + chain.label);
    file.faults.insert(file.faults.end(), chain.faults.begin(), chain.faults.end());
  }
  file.about.assign(chains[0].settings.begin(), chains[0].settings.end());
  const auto depth = chains[0].settings.find("max_depth");
  double value = 0;
  if (depth != chains[0].settings.end() && parse(depth->second, value)) file.max_depth = value;

  const std::size_t columns = chains[0].columns.size();
  const auto values = std::make_shared<std::vector<double>>(), stats = std::make_shared<std::vector<double>>();
  for (std::size_t column = 0; column < columns; ++column) {
    const std::string& name = chains[0].columns[column];
    (is_stat(name) ? file.stat_names : file.names).push_back(is_stat(name) ? stat_name(name) : bracketed(name));
    std::vector<double>& to = is_stat(name) ? *stats : *values;
    for (const OneChain& chain : chains) {
      for (std::size_t t = 0; t < chain.draws; ++t) to.push_back(chain.cells[t * columns + column]);
    }
  }
  file.values = {values, values->data()};
  file.stats = {stats, stats->data()};
  if (file.names.empty()) throw BadInput(paths[0] + ": has no column with a quantity of the model");
  return file;
}

}  // namespace manychain::io
