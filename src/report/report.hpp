// A run on one page of HTML, to show and to judge it: the verdict, settings, the table, pictures. It needs nothing but
// itself: no script, no font, no file beside it.
//
// A file of draws is summarised and judged as everywhere (diagnose()). All draws of a quantity are sorted once, each
// with its group of chains, and go into bins (binning.hpp); pictures come from these (svg.hpp).
#pragma once

#include <string>

#include "io/predictions.hpp"
#include "manychain/io/diagnosis.hpp"

namespace manychain::report {

/// The page. What the table of `diagnosis` shows with `options` is shown, each with its pictures, computed with at most
/// `threads` threads (0: all there are). The same draws give the same page. Throws BadInput for a name to show that
/// there is not.
std::string page(const Diagnosis& diagnosis, const io::Predictions& predictions, const TableOptions& options,
                 int threads = 0);

/// True of a file that begins as page() does.
bool is_report(const std::string& path);

}  // namespace manychain::report
