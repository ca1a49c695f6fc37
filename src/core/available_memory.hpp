// Memory that this process can take without swapping, or being ended for it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace manychain {

/// The text of a file by its path; none: it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// In bytes: the smallest of what the machine has available (MemAvailable of /proc/meminfo, proc(5): page cache that
/// can be given back counts) and of what each control group above this process leaves (cgroups(7), versions 1 and 2):
/// its limit, less what it uses; inactive pages of files are given back and count as free. None: the files say nothing.
std::optional<double> available_memory(const ReadFile& read);

/// That of this machine; without /proc, its free pages.
double available_memory();

}  // namespace manychain
