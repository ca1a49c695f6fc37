// The words of a file about its run, whichever program wrote it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "report/sections.hpp"
#include "report/svg.hpp"
#include "text/text_table.hpp"

namespace manychain::report {
namespace {

/// The text that the file has under the first of `names` that it has.
std::string said(const DrawsFile& file, std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (const auto& [key, text] : file.about)
      if (key == name) return text;
  return "";
}

std::string program_of(const DrawsFile& file) {
  std::string name = said(file, {"inference_library"});
  if (!name.empty()) {
    const std::string version = said(file, {"inference_library_version"});
    return version.empty() ? name : name + " " + version;
  }
  const std::string major = said(file, {"stan_version_major"});
  if (major.empty()) return "";
  return fmt::format("Stan {}.{}.{}", major, said(file, {"stan_version_minor"}), said(file, {"stan_version_patch"}));
}

/// "2026-11-22T22:40:11+00:00" as people write it.
std::string date_of(const DrawsFile& file) {
  std::string date = said(file, {"created_at", "start_datetime"});
  if (date.size() > 10 && date[10] == 'T') date[10] = ' ';
  const std::string utc = "+00:00";
  if (date.size() > utc.size() && date.compare(date.size() - utc.size(), utc.size(), utc) == 0)
    date.replace(date.size() - utc.size(), utc.size(), " UTC");
  return date;
}

/// Mean over all draws of what the sampler says of each; NaN if the file does not have it.
double mean_of(const DrawsFile& file, const char* stat) {
  const auto values = file.stat(stat);
  if (!values) return NAN;
  double sum = 0;
  for (std::size_t c = 0; c < file.chains; ++c)
    for (std::size_t d = 0; d < file.draws; ++d) sum += (*values)(d, c);
  return sum / (double(file.chains) * double(file.draws));
}

/// "0.28", or of chains that differ "0.28 to 0.31".
std::string step_size_of(const DrawsFile& file) {
  double smallest = INFINITY, largest = -INFINITY;
  if (const auto steps = file.stat("step_size")) {
    for (std::size_t c = 0; c < file.chains; ++c) {
      smallest = std::min(smallest, (*steps)(file.draws - 1, c));
      largest = std::max(largest, (*steps)(file.draws - 1, c));
    }
  } else if (file.run) {
    smallest = largest = file.run->step_size;
  }
  if (!std::isfinite(smallest) || !std::isfinite(largest)) return "";
  return smallest == largest ? fmt::format("{:.4g}", smallest) : fmt::format("{:.4g} to {:.4g}", smallest, largest);
}

std::string draws_of(const DrawsFile& file, std::size_t thin) {
  std::string text = std::to_string(file.draws);
  if (file.draws_planned > file.draws) text += fmt::format(" (at most {} were asked for)", file.draws_planned);
  if (thin > 1) text += fmt::format(", one in {} transitions", thin);
  return text;
}

std::string warmup_of(const DrawsFile& file) {
  const std::string asked = said(file, {"tuning_steps", "num_warmup", "warmup"}), done = said(file, {"warmup_done"});
  return done.empty() || done == asked ? asked : fmt::format("{} (at most {} were asked for)", done, asked);
}

class Facts {
 public:
  void add(const char* label, const std::string& text) {
    if (!text.empty()) html_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, breakable(text));
  }
  void add(const char* label, double value, const char* unit = "") {
    if (std::isfinite(value)) add(label, fmt::format("{:.4g}{}", value, unit));
  }
  std::string html() const { return "<dl class=\"facts\">\n" + html_ + "</dl>\n"; }

 private:
  std::string html_;
};

double number_in(const std::string& text) {
  double value = NAN;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size() ? value : NAN;
}

/// Everything the file says, for who looks for what is not above.
std::string all_said(const DrawsFile& file) {
  constexpr std::size_t longest = 300;
  std::string rows;
  for (const auto& [name, value] : file.about) {
    // The page is sent to others, who need not see the folders of this machine.
    const std::string text = value.substr(0, 1) == "/" ? std::filesystem::path(value).filename().string() : value;
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", breakable(name),
                        breakable(text.size() > longest ? text.substr(0, longest) + " ..." : text));
  }
  if (rows.empty()) return "";
  return "<details>\n<summary>All that the file says of its run</summary>\n<table class=\"said\">\n" + rows +
         "</table>\n</details>\n";
}

}  // namespace

std::string model_of(const DrawsFile& file) { return said(file, {"model", "model_name", "modelname"}); }

std::string sampler_and_date(const DrawsFile& file) {
  std::string sampler = file.run ? file.run->sampler : said(file, {"sampler", "engine"});
  const std::string date = date_of(file);
  return sampler.empty() || date.empty() ? sampler + date : sampler + ", " + date;
}

std::string run_section(const DrawsFile& file, const std::vector<std::string>& log_likelihoods) {
  const auto& run = file.run;
  Facts facts;
  facts.add("Model", model_of(file));
  facts.add("Sampler", run ? run->sampler : said(file, {"sampler", "engine", "algorithm"}));
  facts.add("Program", program_of(file));
  facts.add("Date", date_of(file));
  const std::string backend = said(file, {"backend"}), device = said(file, {"device"});
  facts.add("Ran on", backend.empty() ? "" : device.empty() ? backend : backend + ": " + device);
  if (!said(file, {"settings"}).empty() && run) facts.add("Precision", run->precision_double ? "double" : "single");
  facts.add("Chains", run && run->superchains > 1 ? fmt::format("{}, in {} superchains", file.chains, run->superchains)
                                                  : std::to_string(file.chains));
  const double thin = number_in(said(file, {"thin"}));
  facts.add("Draws of each chain", draws_of(file, run ? run->thin : thin >= 1 ? static_cast<std::size_t>(thin) : 1));
  facts.add("Warm-up", warmup_of(file));
  facts.add("Step size", step_size_of(file));
  facts.add("Acceptance rate", mean_of(file, "acceptance_rate"));
  facts.add("Leapfrogs a transition", mean_of(file, "n_steps"));
  facts.add("Seed", said(file, {"seed", "random_seed"}));
  facts.add("Sampling time", number_in(said(file, {"sampling_time"})), " s");
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(file.paths.size(), 8); ++i)
    names += (i > 0 ? ", " : "") + std::filesystem::path(file.paths[i]).filename().string();
  facts.add(file.paths.size() > 1 ? "Files" : "File", file.paths.size() > 8 ? names + ", ..." : names);
  std::string html = "<section id=\"run\">\n<h2>The run</h2>\n" + facts.html();
  if (const std::string settings = said(file, {"settings"}); !settings.empty())
    html += fmt::format(
        "<p>Its settings, as <code>manychain sample</code> takes them: <code>{}</code>. With the same model, "
        "data and version, on the same kind of device, they give the same draws.</p>\n",
        breakable(settings));
  if (!log_likelihoods.empty()) {
    std::string of;
    for (const std::string& name : log_likelihoods) of += (of.empty() ? "" : ", ") + name;
    html += paragraph("The file has pointwise log likelihoods of " + of +
                      ", for leave-one-out cross-validation by arviz.loo. They are not summed here.");
  }
  return html + all_said(file) + "</section>\n";
}

}  // namespace manychain::report
