// Checks of options that several commands have.
#pragma once

#include <string>
#include <vector>

namespace manychain::cli {

/// For the parser: empty if `word` is a whole number below 2^64, else what is wrong. Its own conversion lets -3 and
/// 2^64 wrap around.
std::string whole_number(const std::string& word);

/// The bytes that --memory says. Throws BadInput for none.
double memory_bytes(std::size_t megabytes);

/// The words between commas, except those within brackets: "mu,m[1,2]" are two.
std::vector<std::string> listed(const std::string& words);

/// Throws BadInput unless each of `names` is one of `rows` or, without its index, a vector among them: "theta" of
/// "theta[1]"; or a pattern that one of them matches. Says which was probably meant.
void require_rows(const char* option, const std::vector<std::string>& names, const std::vector<std::string>& rows);

/// For the parser: empty if `word` is one of `words`, else what is wrong, with the one that was probably meant.
std::string not_one_of(const std::vector<std::string>& words, const std::string& word);

}  // namespace manychain::cli
