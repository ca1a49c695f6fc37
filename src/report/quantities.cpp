// The table, and the pictures of what it shows.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>

#include "core/threads.hpp"
#include "diagnostics/at_once.hpp"
#include "diagnostics/deciding.hpp"
#include "io/diagnosis_table.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"

namespace manychain::report {
namespace {

bool is_scalar(const std::string& name) { return name.empty() || name.back() != ']'; }

/// Scalars first, then vectors in the order of the file: on a page a quantity is looked for by its name.
ShownRows rows_of(const Diagnosis& diagnosis, const TableOptions& options) {
  ShownRows shown = io::rows_of(diagnosis, options);
  if (options.show.empty() && shown.left_out() == 0) {
    std::sort(shown.rows.begin(), shown.rows.end());
    std::stable_partition(shown.rows.begin(), shown.rows.end(),
                          [&](std::size_t i) { return is_scalar(diagnosis.file.names[i]); });
  }
  return shown;
}

/// Says what speaks against the cell of a column; empty: nothing.
std::string fault_of(const Diagnosis& diagnosis, std::size_t quantity, std::size_t column) {
  constexpr std::size_t rhat = 7, ess_bulk = 8, ess_tail = 9;
  const auto& run = diagnosis.file.run;
  const diagnostics::Deciding decides =
      run ? diagnostics::Deciding{run->superchains, run->draws} : diagnostics::Deciding{};
  const diagnostics::QuantitySummary& s = diagnosis.summary[quantity];
  const auto is = [&](const std::string& name) { return name == diagnosis.file.names[quantity]; };
  if (run && std::any_of(run->constants.begin(), run->constants.end(), is)) return "";
  if (run && std::any_of(run->still.begin(), run->still.end(), is)) return "";
  if (column == rhat && !(decides.rhat(s) < diagnostics::rhat_limit))
    return fmt::format("{} is not below {}", decides.rhat_name(), diagnostics::rhat_limit);
  if (decides.too_short_for_ess()) return "";
  // As the verdict does: it judges the ESS that is shown, and only notes a tail ESS that is not defined.
  if (column == ess_bulk &&
      !(decides.shown_ess(s, diagnosis.file.chains, diagnosis.file.draws) > diagnostics::ess_limit))
    return fmt::format("bulk ESS is not above {}", diagnostics::ess_limit);
  if (column == ess_tail && s.ess_tail <= diagnostics::ess_limit)
    return fmt::format("tail ESS is not above {}", diagnostics::ess_limit);
  return "";
}

std::string whole_line(const std::string& words, std::size_t columns) {
  return fmt::format("<tr class=\"hidden\"><td colspan=\"{}\"><span>{}</span></td></tr>\n", columns, breakable(words));
}

/// Anchor of the pictures of each quantity: "q3", or "p0" of a prediction whose elements have one together.
std::vector<std::string> places_of_pictures(const Diagnosis& diagnosis, const io::Predictions& predictions,
                                            const TableOptions& options) {
  std::vector<std::string> places;
  std::map<std::string, std::size_t> together;
  for (std::size_t p = 0; p < predictions.all.size(); ++p)
    // Who asks for elements by name gets all there is of them.
    if (options.show.empty() && predictions.all[p].elements.size() >= many_elements)
      for (const std::string& element : predictions.all[p].elements) together[element] = p;
  for (std::size_t q = 0; q < diagnosis.file.names.size(); ++q) {
    const auto found = together.find(diagnosis.file.names[q]);
    places.push_back(found == together.end() ? fmt::format("q{}", q) : fmt::format("p{}", found->second));
  }
  return places;
}

std::string table_of(const Diagnosis& diagnosis, const io::DiagnosisTable& table,
                     const std::vector<std::string>& places) {
  std::string html = "<table class=\"quantities\">\n<thead><tr>";
  const std::size_t columns = table.cells[0].size();
  for (const std::string& cell : table.cells[0])
    html += cell.empty() ? "<td></td>" : fmt::format("<th scope=\"col\">{}</th>", escaped(cell));
  html += "</tr></thead>\n<tbody>\n";
  auto hidden = table.shown.hidden.begin();
  bool marked = false;
  for (std::size_t line = 0; line <= table.shown.rows.size(); ++line) {
    for (; hidden != table.shown.hidden.end() && hidden->after == line; ++hidden)
      html += whole_line(in_words(*hidden, table.rhat_name), columns);
    if (line == table.shown.rows.size()) break;
    const std::size_t quantity = table.shown.rows[line];
    const std::vector<std::string>& cells = table.cells[line + 1];
    html += fmt::format("<tr><th scope=\"row\"><a href=\"#{}\">{}</a></th>", places[quantity], breakable(cells[0]));
    for (std::size_t column = 1; column < columns; ++column) {
      const std::string fault = fault_of(diagnosis, quantity, column);
      marked = marked || !fault.empty();
      html += fault.empty()
                  ? fmt::format("<td>{}</td>", escaped(cells[column]))
                  : fmt::format("<td class=\"bad\" title=\"{}\">{}</td>", escaped(fault), escaped(cells[column]));
    }
    html += "</tr>\n";
  }
  if (const std::string words = hidden_scalars_in_words(table.shown, table.rhat_name); !words.empty())
    html += whole_line(words, columns);
  html = scrolling(html + "</tbody>\n</table>\n", "Table of quantities");
  if (table.shown.rows.size() < diagnosis.summary.size())
    html += paragraph(
        fmt::format("{} of {} quantities are shown; manychain report --show NAME,... or --rows N shows others.",
                    table.shown.rows.size(), diagnosis.summary.size()),
        "note");
  html += paragraph(
      "mcse: Monte Carlo standard error of the mean. Each number is given to the second digit of its own "
      "standard error.",
      "note");
  if (marked)
    html += paragraph(fmt::format("! {} not below {}, or an ESS not above {}.", table.rhat_name,
                                  diagnostics::rhat_limit, diagnostics::ess_limit),
                      "note");
  return html;
}

std::string how_to_read(const ChainGroups& groups) {
  std::string text =
      paragraph(
          "Distribution: how often each value occurs among all draws; above it the line reaches from the 5 to the 95 % "
          "quantile, the mark is the median, the dot the mean.",
          "note") +
      paragraph(
          "Along the draws: the mean over all chains (bold), the 5 to 95 % band of all draws, and the mean of each " +
              groups.kind + " (thin). What leaves the picture is drawn at its edge.",
          "note");
  if (groups.names.size() > 1)
    text += paragraph(
        "Ranks: all draws are ranked together, from the smallest (0 %) to the largest (100 %). A line for each " +
            groups.kind +
            " says how many of its draws have such ranks, over how many would if all were alike: where they agree, "
            "lines lie about 1; where one has larger values than others, it rises. The caption names the one that "
            "lies farthest from 1, which is bold.",
        "note");
  return text;
}

/// The elements that have one picture together, and where it is.
std::string elsewhere(const io::Predictions& predictions, const std::set<std::string>& places) {
  std::string html;
  for (std::size_t p = 0; p < predictions.all.size(); ++p) {
    const std::string place = fmt::format("p{}", p);
    if (places.count(place) == 0) continue;
    html += fmt::format(
        "<p class=\"note\">The {} elements of {} have <a href=\"#{}\">one picture</a>, beside the data.</p>\n",
        predictions.all[p].elements.size(), breakable(predictions.all[p].name), place);
  }
  return html;
}

}  // namespace

std::string quantities_section(const Diagnosis& diagnosis, const io::Predictions& predictions,
                               const TableOptions& options, int threads) {
  const io::DiagnosisTable table = io::table_of(diagnosis, rows_of(diagnosis, options));
  const ChainGroups groups = groups_of(diagnosis.file);
  const std::vector<std::string> places = places_of_pictures(diagnosis, predictions, options);
  std::set<std::string> others;  // places in another section
  std::vector<std::size_t> rows;
  for (const std::size_t row : table.shown.rows) {
    if (places[row][0] == 'p')
      others.insert(places[row]);
    else
      rows.push_back(row);
  }
  std::vector<std::string> pictures(rows.size());
  std::exception_ptr failure;
  int most = threads > 0 ? threads : omp_get_max_threads();
  if (const DrawsFile& file = diagnosis.file; file.numbers)
    most = diagnostics::at_once(double(file.draws) * double(file.chains), sizeof(double), 1, file.memory, most).threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads_for_loop(most))
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(rows.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    try {
      // A name that --show names twice has two rows, and pictures once.
      if (std::find(rows.begin(), rows.begin() + i, rows[at]) == rows.begin() + i)
        pictures[at] = quantity_pictures(diagnosis, groups, rows[at]);
    } catch (...) {  // nothing may leave a parallel region
#pragma omp critical(manychain_report)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  std::string html =
      "<section id=\"quantities\">\n<h2>Quantities</h2>\n" + table_of(diagnosis, table, places) + "</section>\n";
  html += "<section id=\"pictures\">\n<h2>Pictures</h2>\n" + how_to_read(groups);
  for (const std::string& one : pictures) html += one;
  return html + elsewhere(predictions, others) + "</section>\n";
}

}  // namespace manychain::report
