// Files that lie beside a file and begin with its name.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace manychain::testing_io {

inline std::vector<std::string> parts_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path())) {
    const std::string name = entry.path().string();
    if (name != path && name.compare(0, path.size(), path) == 0) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace manychain::testing_io
