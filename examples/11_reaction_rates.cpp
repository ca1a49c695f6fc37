// Two data sets of different sizes in one table, each with a posterior of its own: reaction rates in cells treated with
// puromycin, and in others (Treloar 1974). The table is the argument of the program, or lies beside its source.
#include <cstdio>

#include "11_reaction_rates.hpp"
#include "manychain/manychain.hpp"

int main(int argc, char** argv) try {
  const char* const path = argc > 1 ? argv[1] : RATES_CSV;
  const std::vector<manychain::DataSet> sets = manychain::data_sets_from_file(path, "cells");

  manychain::SetsWanted wanted;
  wanted.done = [](std::size_t, const manychain::SetSummary& set, const manychain::Result* result) {
    if (result) std::printf("%s: %zu draws\n", set.name.c_str(), result->kept * result->settings.chains);
  };
  const manychain::SetsResult result = manychain::sample_sets<ReactionRates>(sets, {}, wanted);

  std::printf("\n%s", result.table().c_str());
  return result.converged == sets.size() ? 0 : 1;
} catch (const manychain::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
