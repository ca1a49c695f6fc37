// The results of the runs of the posteriors, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "run.hpp"

namespace manychain::posteriors {

/// The runs of one posterior.
struct Line {
  std::string name;
  std::vector<Outcome> outcomes;
};

void print_heading();
void print_line(const Line& line);
/// The errors, each once, and what the columns mean.
void print_end(const std::vector<Line>& lines);
/// `options`: the settings that were given. Throws SamplingFailed if the file cannot be written.
void write_json(const std::string& path, const std::string& options, const std::vector<Line>& lines);

}  // namespace manychain::posteriors
