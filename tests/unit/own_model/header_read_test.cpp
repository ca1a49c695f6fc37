// A header is read by the preprocessor once, and again whenever anything that it was read from may be another.
#include "own_model/header_read.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "own_model/contents.hpp"

namespace manychain::own_model {
namespace {

namespace fs = std::filesystem;

/// A toolchain whose compiler notes each run of it.
class HeaderReadTest : public testing::Test {
 protected:
  HeaderReadTest() {
    std::string name = testing::TempDir() + "header_read.XXXXXX";
    folder_ = ::mkdtemp(name.data());
    for (const char* part : {"share", "cache", "work"}) fs::create_directories(folder_ / part);
    for (const char* file : {"toolchain.txt", "link.txt", "headers.txt"})
      fs::copy_file(share_beside_program() / file, folder_ / "share" / file);
    std::string words = contents(folder_ / "share" / "toolchain.txt");
    const std::size_t at = words.find("compiler /"), end = words.find('\n', at);
    if (at == std::string::npos) throw std::logic_error("there is no compiler in toolchain.txt");
    const std::string compiler = words.substr(at + 9, end - at - 9), script = (folder_ / "compiler.sh").string();
    write_file(script, "#!/bin/sh\necho run >> " + log().string() + "\nexec " + compiler + " \"$@\"\n");
    fs::permissions(script, fs::perms::owner_all);
    write_file(folder_ / "share" / "toolchain.txt", words.replace(at + 9, end - at - 9, script));
    write_header("");
    write_file(folder_ / "beside.hpp", density("First"));
  }
  ~HeaderReadTest() override { fs::remove_all(folder_); }

  fs::path log() const { return folder_ / "log"; }
  std::size_t runs() const { return contents(log()).size() / 4; }
  std::string header() const { return (folder_ / name_).string(); }
  static std::string density(const std::string& name) {
    return "template <class Number>\nstruct " + name + " {\n  template <class T>\n  void log_density(T&) const;\n};\n";
  }
  void write_header(const std::string& more) const {
    write_file(header(), "#pragma once\n#include <cmath>\n#include \"beside.hpp\"\n" + more);
  }
  HeaderRead read() const {
    const Toolchain toolchain(folder_ / "share");
    Listener listener;
    Cache cache((folder_ / "cache").string());
    const Workplace at{toolchain, header(), folder_ / "work", listener};
    const HeaderRead found = read_header_or_note(at, header(), "stamp", cache);
    keep(found.note, at, cache);
    return found;
  }
  /// Reads, and expects `more` runs of the compiler, and a class of that name.
  std::string digest(std::size_t more, const std::string& name) const {
    const std::size_t before = runs();
    const HeaderRead found = read();
    EXPECT_EQ(runs() - before, more);
    EXPECT_EQ(found.classes.size(), 1u);
    if (found.classes.size() == 1) {
      EXPECT_EQ(found.classes[0].name, name);
      EXPECT_TRUE(found.classes[0].density);
      EXPECT_TRUE(found.classes[0].is_template);
    }
    EXPECT_FALSE(found.includes_library);
    return found.digest;
  }

  fs::path folder_;
  std::string name_ = "model.hpp";
};

TEST_F(HeaderReadTest, IsKnownTheSecondTime) {
  const std::string first = digest(1, "First");
  EXPECT_EQ(digest(0, "First"), first);
  EXPECT_EQ(digest(0, "First"), first);
}

// Size and time stay as they are.
TEST_F(HeaderReadTest, IsReadAgainWhereAFileHasChanged) {
  const std::string first = digest(1, "First");
  const fs::path beside = folder_ / "beside.hpp";
  const auto time = fs::last_write_time(beside);
  write_file(beside, density("Other"));
  fs::last_write_time(beside, time);
  const std::string other = digest(1, "Other");
  EXPECT_NE(other, first);
  EXPECT_EQ(digest(0, "Other"), other);
  write_file(beside, density("First"));
  EXPECT_EQ(digest(1, "First"), first);
}

TEST_F(HeaderReadTest, IsReadAgainWhereAFileAppears) {
  write_header("#ifdef SOMETIMES\n#include \"later.hpp\"\n#endif\n");
  const std::string first = digest(1, "First");
  EXPECT_EQ(digest(0, "First"), first);
  write_file(folder_ / "later.hpp", "");
  EXPECT_NE(digest(1, "First"), first);
  digest(0, "First");
  fs::remove(folder_ / "later.hpp");
  EXPECT_EQ(digest(1, "First"), first);
}

TEST_F(HeaderReadTest, IsReadEachTimeWhereNoNoteCanTell) {
  digest(1, "First");
  ::setenv("CPATH", folder_.c_str(), 1);
  digest(1, "First");
  digest(1, "First");
  ::unsetenv("CPATH");
  digest(0, "First");
  write_header("#if __has_include(\"more.hpp\")\n#endif\n");
  digest(1, "First");
  digest(1, "First");
}

// A path that is no UTF-8 cannot be noted.
TEST_F(HeaderReadTest, IsReadInAnyFolder) {
  fs::rename(folder_ / "model.hpp", folder_ / "model\xff.hpp");
  name_ = "model\xff.hpp";
  const std::string first = digest(1, "First");
  EXPECT_EQ(digest(1, "First"), first);
}

TEST_F(HeaderReadTest, IsReadAgainWhereItsNoteIsDamaged) {
  const std::string first = digest(1, "First");
  std::size_t notes = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
    if (entry.path().extension() != ".note") continue;
    ++notes;
    std::string text = contents(entry.path());
    text.replace(text.find("First"), 5, "Wrong");
    write_file(entry.path(), text);
  }
  EXPECT_EQ(notes, 1u);
  EXPECT_EQ(digest(1, "First"), first);
}

}  // namespace
}  // namespace manychain::own_model
