#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/version.hpp"
#include "report/report.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"
#include "run/setting_names.hpp"

namespace manychain::report {
namespace {

using diagnostics::Finding;
using diagnostics::Severity;
using diagnostics::Verdict;

/// By which a page is known again.
constexpr std::string_view beginning =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" "
    "content=\"manychain report";

std::string verdict_section(const Verdict& verdict) {
  const char* const css = verdict.sound() ? "good" : verdict.converged ? "doubtful" : "failed";
  std::string html = fmt::format("<section id=\"verdict\" class=\"{}\">\n<p class=\"headline\">{}</p>\n", css,
                                 breakable(with_options(verdict.headline)));
  std::string list;
  for (const Finding& finding : verdict.findings) {
    constexpr const char* marks[] = {"", "warning: ", "note: "};
    list += fmt::format("<li>{}{}", marks[static_cast<int>(finding.severity)], breakable(with_options(finding.what)));
    if (!finding.advice.empty())
      list += fmt::format("<br><span class=\"advice\">{}</span>", breakable(with_options(finding.advice)));
    list += "</li>\n";
  }
  if (!list.empty()) html += "<ul>\n" + list + "</ul>\n";
  return html + "</section>\n";
}

std::string class_of(const char* css) { return *css ? fmt::format(" class=\"{}\"", css) : ""; }

}  // namespace

std::string paragraph(const std::string& text, const char* css) {
  return fmt::format("<p{}>{}</p>\n", class_of(css), breakable(text));
}

std::string figure(const std::string& caption, const std::string& pictures, const char* css) {
  if (pictures.empty()) return "";
  return fmt::format("<figure{}>\n<figcaption>{}</figcaption>\n{}</figure>\n", class_of(css), breakable(caption),
                     pictures);
}

std::string scrolling(const std::string& table, const char* name) {
  // A keyboard scrolls what can have the focus.
  return fmt::format(
      "<div class=\"scrolling\">\n<p class=\"hint\">&#8596; Scroll the table sideways to see all of its columns.</p>\n"
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}</div>\n</div>\n",
      escaped(name), table);
}

std::string chains_in_words(const DrawsFile& file, const std::vector<std::size_t>& chains) {
  constexpr std::size_t most = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(chains.size(), most); ++i)
    names += (i > 0 ? ", " : "") +
             (chains[i] < file.chain_names.size() ? file.chain_names[chains[i]] : std::to_string(chains[i]));
  return fmt::format("{} of {} chains ({}{})", chains.size(), file.chains, names, chains.size() > most ? ", ..." : "");
}

std::string page(const Diagnosis& diagnosis, const io::Predictions& predictions, const TableOptions& options,
                 int threads) {
  const DrawsFile& file = diagnosis.file;
  const std::string source = file.paths.empty() ? "" : std::filesystem::path(file.paths[0]).filename().string();
  const std::string model = model_of(file), subject = model.empty() ? source : model;
  std::string html = fmt::format("{} {}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                                 beginning, version);
  html += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{}</h1>\n",
                      escaped(subject), style, breakable(subject));
  if (const std::string when = sampler_and_date(file); !when.empty()) html += paragraph(when, "subtitle");
  html += "</header>\n" + verdict_section(diagnosis.verdict) + run_section(file, predictions.log_likelihoods) +
          quantities_section(diagnosis, predictions, options, threads) + energy_section(file) +
          predictions_section(predictions);
  html +=
      fmt::format("<footer>manychain {}, from the draws in {}{}.</footer>\n</main>\n</body>\n</html>", version,
                  breakable(source), file.paths.size() > 1 ? fmt::format(" and {} more", file.paths.size() - 1) : "");
  return html;
}

bool is_report(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(beginning.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file && start == beginning;
}

}  // namespace manychain::report
