// The parts of a report, as HTML.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/predictions.hpp"
#include "manychain/io/diagnosis.hpp"
#include "report/binning.hpp"

namespace manychain::report {

/// The style sheet, without its tags.
extern const char* const style;

/// A paragraph, its text escaped.
std::string paragraph(const std::string& text, const char* css = "");
/// Pictures (Picture::svg) with what they show above them, as HTML; empty without a picture.
std::string figure(const std::string& caption, const std::string& pictures, const char* css = "");
/// A table in a box that scrolls sideways where the window is narrower.
std::string scrolling(const std::string& table, const char* name);
/// "3 of 64 chains (bern1.csv, 7, 12, ...)": at most five are named.
std::string chains_in_words(const DrawsFile& file, const std::vector<std::size_t>& chains);

/// Says what the run was, as far as the file tells.
std::string run_section(const DrawsFile& file, const std::vector<std::string>& log_likelihoods);
/// The model, "" if the file does not name it.
std::string model_of(const DrawsFile& file);
/// "hmc, 2026-11-22 22:40:11 UTC": the sampler and the date, as far as the file says.
std::string sampler_and_date(const DrawsFile& file);

/// The table, and the pictures of all that it shows but for elements of vectors of `predictions`, which have one
/// picture together. `threads` as everywhere.
std::string quantities_section(const Diagnosis& diagnosis, const io::Predictions& predictions,
                               const TableOptions& options, int threads);
/// Pictures of one quantity, a place in `diagnosis.summary`.
std::string quantity_pictures(const Diagnosis& diagnosis, const ChainGroups& groups, std::size_t quantity);

/// Energy and divergences; empty where the file has neither.
std::string energy_section(const DrawsFile& file);

/// Predictions that have one picture together; of fewer each has pictures as any other quantity.
constexpr std::size_t many_elements = 5;
/// Shows predictions beside what was observed; empty where there is nothing of it. The part of predictions.all[i] has
/// the id "pI".
std::string predictions_section(const io::Predictions& predictions);

}  // namespace manychain::report
