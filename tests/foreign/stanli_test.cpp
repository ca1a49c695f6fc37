// Stan programs that the package stanli compiles. A script answers in place of a Python that has it; tests/python has
// the package's own answer, where it is installed.
#include "foreign/stanli.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "manychain/chain/program.hpp"
#include "manychain/manychain.hpp"

namespace manychain {
namespace {

namespace fs = std::filesystem;

/// A Stan program, and a Python that answers as it is told.
class StanliTest : public testing::Test {
 protected:
  StanliTest() {
    std::string name = testing::TempDir() + "stanli.XXXXXX";
    folder_ = ::mkdtemp(name.data());
    program_ = (folder_ / "fake.stan").string();
    std::ofstream(program_) << "parameters { real mu; }\n";
    ::setenv("MANYCHAIN_STANLI", (folder_ / "python").c_str(), 1);
  }
  ~StanliTest() override {
    ::unsetenv("MANYCHAIN_STANLI");
    fs::remove_all(folder_);
  }
  void answer(const std::string& words, int status = 0) const {
    std::ofstream(folder_ / "python") << "#!/bin/sh\n[ \"$3\" = '" << program_ << "' ] || exit 1\ncat <<'END'\n"
                                      << words << "\nEND\nexit " << status << "\n";
    fs::permissions(folder_ / "python", fs::perms::owner_all);
  }
  std::string refusal(const std::string& file) const {
    try {
      load_stan(file, R"({"location": 3})", 1);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "nothing is thrown";
  }

  fs::path folder_;
  std::string program_;
};

TEST_F(StanliTest, GivesTheModelWithTheData) {
  answer(R"({"library": ")" MANYCHAIN_FOREIGN R"(/fake_model.so", "manifest": {"name": "fake"}})");
  const std::vector<double> q(8, 0.5);
  const Model direct = load_stan(MANYCHAIN_FOREIGN "/fake_model.so", R"({"location": 3})", 1);
  EXPECT_EQ(load_stan(program_, R"({"location": 3})", 1).bound().density(q.data(), nullptr),
            direct.bound().density(q.data(), nullptr));
}

TEST_F(StanliTest, SaysWhatIsWrong) {
  answer(R"({"error": "Semantic error in line 6:\n   ----\n     6:  mu ~ nrmal(0, 5);\n     ^\n   ----\n\n)"
         R"(No function \"nrmal_lpdf\".\n"})");
  EXPECT_EQ(refusal(program_), program_ + ": stanli: Semantic error in line 6: No function \"nrmal_lpdf\".");
  const std::string python = (folder_ / "python").string();
  const std::string none = program_ + ": MANYCHAIN_STANLI: " + python +
                           " is no Python that has the package stanli: " + python + " -m pip install stanli";
  answer(R"({"missing": "No module named 'stanli'"})");
  EXPECT_EQ(refusal(program_), none);
  answer("some words");
  EXPECT_EQ(refusal(program_), none);
  answer("{}", 1);
  EXPECT_EQ(refusal(program_), none);
  fs::remove(python);
  EXPECT_EQ(refusal(program_), none);
  EXPECT_EQ(refusal("/no/model.stan"), "/no/model.stan: cannot be read: No such file or directory");
}

TEST_F(StanliTest, LooksInThePath) {
  ::unsetenv("MANYCHAIN_STANLI");
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", folder_.c_str(), 1);
  EXPECT_NE(refusal(program_).find("pip install stanli"), std::string::npos) << refusal(program_);
  ::setenv("PATH", path.c_str(), 1);
}

TEST(Stanli, ManifestStandsBesideTheData) {
  const StanliProgram program{"", R"({"name": "m"})"};
  const std::string begin = R"({"__stanli": {"name": "m"})";
  EXPECT_EQ(with_manifest("", program), begin + "}");
  EXPECT_EQ(with_manifest("{}", program), begin + "}");
  EXPECT_EQ(with_manifest(" { }\n", program), begin + " }\n");
  EXPECT_EQ(with_manifest(R"({"y": [1, NaN]})", program), begin + R"(, "y": [1, NaN]})");
}

TEST(Stanli, ProgramsHaveAName) {
  EXPECT_TRUE(names_stan_program("a/b.stan"));
  EXPECT_FALSE(names_stan_program(".stan"));
  EXPECT_FALSE(names_stan_program("b.stan.so"));
}

}  // namespace
}  // namespace manychain
