// The figures as they are printed, and as they are written.
#pragma once

#include <string>
#include <vector>

#include "bias.hpp"
#include "cases.hpp"
#include "compare.hpp"

namespace manychain::bench {

struct Context {
  std::string device, driver, compiler, commit, isa, date;
  int threads = 0;
  Peak peak;
};

Context context_of(const Options& options, const Peak& peak);
void print_context(const Context& context, const Options& options);
void print_heading(Kind kind);
void print_figure(const Figure& figure);
void print_comparison(const Comparison& comparison);
/// Throws BadInput when the file cannot be written.
void write_json(const std::string& path, const Context& context, const Options& options,
                const std::vector<Figure>& figures, const std::vector<Comparison>& comparisons,
                const std::vector<BiasFigure>& biases);

}  // namespace manychain::bench
