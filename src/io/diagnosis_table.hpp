// The table of quantities of draws from files, for a terminal or a page.
#pragma once

#include <string>
#include <vector>

#include "manychain/io/diagnosis.hpp"
#include "text/table_rows.hpp"

namespace manychain::io {

struct DiagnosisTable {
  ShownRows shown;                              ///< places in Diagnosis::summary
  std::vector<std::vector<std::string>> cells;  ///< the header, and a line for each of `shown.rows`
  std::string rhat_name;                        ///< what decides which elements are shown: "nested R-hat"
};

/// Which rows `options` ask for; of all of them the worst first. Throws BadInput for a name to show that there is not.
ShownRows rows_of(const Diagnosis& diagnosis, const TableOptions& options);
DiagnosisTable table_of(const Diagnosis& diagnosis, ShownRows shown);

}  // namespace manychain::io
