// The words that the library was compiled and linked with: models are compiled and linked alike.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace manychain::own_model {

/// "FILE SIZE TIME", or the word alone if it is no file.
std::string file_stamp(const std::string& word);

/// True if a precompiled header, HEADER.gch, has the digest in HEADER.gch.digest. Takes some 50 ms of processor time.
bool precompiled_is_whole(const std::string& header);

/// ../share/manychain beside the folder of this program.
std::filesystem::path share_beside_program();

/// Finds such a folder: writes its path into `text`, of `size` bytes, and returns 0; else a sentence that says why
/// there is none.
using FindShare = int (*)(char* text, std::size_t size);
/// The command line of this process takes the folder that `find` finds, in place of the one beside the program.
void find_share_by(FindShare find);
/// The folder of the command line. Throws BadInput with the sentence of what finds it.
std::filesystem::path share_of_command_line();

/// Lists of words by name, from the folder share/manychain of a package or of a build tree, where
/// cmake/own_models.cmake and cmake/note_link.sh write them. In words of an installed tree "{prefix}" stands for the
/// folder above share.
class Toolchain {
 public:
  /// Throws BadInput if a file is not there.
  explicit Toolchain(const std::filesystem::path& share);

  /// Throws BadInput where a header is not the one that the libraries were compiled with. A model would be compiled
  /// with that one, and would not fit them. Contents are compared: a header may have another time.
  void require_headers_of_libraries() const;

  /// All words of that name.
  const std::vector<std::string>& words(const std::string& name) const;
  /// The first; empty if there is none.
  std::string word(const std::string& name) const;

  /// A command that links: of the compiler, or of a linker, the words "linker", which takes what stands behind
  /// -Xlinker.
  std::vector<std::string> linked(const std::vector<std::string>& words_behind) const;
  /// False where there is nothing to link a program of a model with: a wheel has shared objects alone.
  bool makes_programs() const { return !words("program").empty(); }
  /// The compiler with the options of every unit: includes, standard, what the build type says.
  std::vector<std::string> compiler() const;
  /// The compiler of CUDA units for one architecture, "90" or as MANYCHAIN_CUDA_ARCHITECTURES names it, "90-virtual".
  std::vector<std::string> cuda_compiler(const std::string& architecture) const;

  /// The header that units of "chain" or "check" may begin with, if it is precompiled and no header of the
  /// library has changed since; else empty.
  std::string precompiled(const std::string& units) const;

  bool has_cuda() const { return !word("nvcc").empty(); }
  std::filesystem::path templates() const { return word("templates"); }
  /// As build_identity() of the libraries there.
  std::string build_identity() const;
  /// A word that changes with the compiler, its options and every file that is linked.
  std::string stamp() const;
  /// True of a header that came with the library: it holds no model of the user's.
  bool is_ours(const std::string& file) const;

 private:
  /// The time of the library's newest header, when this was first asked.
  std::filesystem::file_time_type newest_header() const;

  std::map<std::string, std::vector<std::string>> lists_;
  mutable std::optional<std::filesystem::file_time_type> newest_header_;
};

}  // namespace manychain::own_model
