// While manychain is built: notes the digest of FILE, a precompiled header, in FILE.digest.
#include <fstream>
#include <string>

#include "cli/own/digest.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1], digest = manychain::cli::digest_of_file(path);
  std::ofstream file(path + ".digest");
  file << digest << "\n";
  file.close();
  return file && !digest.empty() ? 0 : 1;
}
