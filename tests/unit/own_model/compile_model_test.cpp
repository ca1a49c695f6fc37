// A header that is compiled and loaded in this process. What a cache keeps from one process to the next is tested by
// tests/consumer/header.sh.
#include "manychain/own_model.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "manychain/manychain.hpp"

namespace manychain {
namespace {

namespace fs = std::filesystem;

class CompileModelTest : public testing::Test {
 protected:
  CompileModelTest() {
    std::string name = testing::TempDir() + "compile_model.XXXXXX";
    folder_ = ::mkdtemp(name.data());
    header_ = (folder_ / "centred.hpp").string();
    settings_.cache = (folder_ / "cache").string();
    settings_.precision = Precision::single_precision;
    settings_.progress = [this](const std::string& line) { lines_.push_back(line); };
  }
  ~CompileModelTest() override { fs::remove_all(folder_); }

  /// A normal with that centre.
  void write(const std::string& centre, const std::string& density = "normal") const {
    std::ofstream(header_) << "#include \"manychain/model.hpp\"\n"
                              "template <class Number>\n"
                              "struct Centred {\n"
                              "  template <class Target>\n"
                              "  MANYCHAIN_HD void log_density(Target& target) const {\n"
                              "    auto x = target.real(\"x\");\n"
                              "    target += "
                           << density << "(x, " << centre << ", 1);\n  }\n};\n";
  }
  static void expect_centre(const ModelUnit& unit, double centre) {
    Settings settings;
    settings.chains = 256;
    settings.warmup.transitions = 100;
    settings.sampling.draws = 50;
    settings.seed = 1;
    settings.backend = Backend::cpu;
    settings.threads = 1;
    settings.precision = Precision::single_precision;
    const Result result = sample(Model(unit), settings);
    const auto& statistics = result.summary.at(0).statistics;
    EXPECT_LT(std::abs(statistics.mean - centre), 6 * statistics.mcse_mean);
  }
  /// The message of the exception.
  template <class Exception>
  std::string refusal() const {
    try {
      compile_model(header_, settings_);
    } catch (const Exception& error) {
      return error.what();
    }
    return "nothing is thrown";
  }

  fs::path folder_;
  std::string header_;
  CompileSettings settings_;
  std::vector<std::string> lines_;
};

TEST_F(CompileModelTest, IsLoadedOnce) {
  write("1");
  const ModelUnit& unit = compile_model(header_, settings_);
  expect_centre(unit, 1);
  ASSERT_FALSE(lines_.empty());
  EXPECT_EQ(lines_.front(), "Compiling " + header_ + ": hmc in single precision, for the CPU");
  lines_.clear();
  EXPECT_EQ(&compile_model(header_, settings_), &unit);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(CompileModelTest, AHeaderThatHasChangedIsAnotherModel) {
  write("3");
  // Two threads at once.
  const ModelUnit* other = nullptr;
  std::thread thread([&] {
    CompileSettings quiet = settings_;
    quiet.progress = {};
    other = &compile_model(header_, quiet);
  });
  const ModelUnit& first = compile_model(header_, settings_);
  thread.join();
  EXPECT_EQ(&first, other);
  expect_centre(first, 3);

  write("-2");
  const ModelUnit& second = compile_model(header_, settings_);
  EXPECT_NE(&first, &second);
  expect_centre(second, -2);
  expect_centre(first, 3);

  write("3");
  EXPECT_EQ(&compile_model(header_, settings_), &first);
}

// Compilers start with one text and may read another, which is not kept as the first.
TEST_F(CompileModelTest, AHeaderThatChangesWhileItIsCompiledIsCompiledAgain) {
  write("5");
  bool changed = false;
  const auto told = settings_.progress;
  settings_.progress = [&](const std::string& line) {
    told(line);
    if (!changed) write("-4");
    changed = true;
  };
  expect_centre(compile_model(header_, settings_), -4);
  EXPECT_NE(std::find(lines_.begin(), lines_.end(), header_ + " has changed while it was compiled"), lines_.end());
  write("5");
  expect_centre(compile_model(header_, settings_), 5);
}

TEST_F(CompileModelTest, AMistakeHasItsLineAndTheWordsOfTheCompiler) {
  write("3", "nromal");
  EXPECT_EQ(refusal<CompileError>(), header_ + ":7: there is no nromal: did you mean normal(x, mu, sigma)?");
  try {
    compile_model(header_, settings_);
  } catch (const CompileError& error) {
    EXPECT_NE(error.words.find("nromal"), std::string::npos);
  }
  write("3");
  settings_.samplers = {"hcm"};
  EXPECT_EQ(refusal<BadInput>(), "CompileSettings::samplers: there is no hcm; did you mean hmc?");
  settings_.samplers = {};
  EXPECT_EQ(refusal<BadInput>(), "CompileSettings::samplers: name one at least, for example hmc");
  settings_.samplers = {"hmc"};
  for (const char* size : {"", "0", "3,", ",3", "3 4", "-1", "1234567890"}) {
    settings_.sizes = {size};
    EXPECT_NE(refusal<BadInput>().find("is no size: write 8, or 3,4"), std::string::npos) << size;
  }
  settings_.sizes = {};
  settings_.class_name = "Centered";
  EXPECT_EQ(refusal<BadInput>(), "CompileSettings::class_name: there is no class Centered in " + header_ +
                                     "; did you mean Centred?; there are Centred");
  settings_.class_name = "";
  settings_.share = folder_.string();
  EXPECT_NE(refusal<BadInput>().find("toolchain.txt: cannot be read"), std::string::npos);
}

TEST_F(CompileModelTest, AnotherBuildIsRefusedBeforeAnythingIsCompiled) {
  write("3");
  for (const char* name : {"toolchain.txt", "link.txt", "headers.txt"})
    fs::copy_file(fs::path(settings_.share) / name, folder_ / name);
  std::ofstream(folder_ / "headers.txt", std::ios::app) << "header 0 manychain/another.hpp\n";
  settings_.share = folder_.string();
  EXPECT_NE(refusal<BadInput>().find("is another build of manychain than the one in this program"), std::string::npos);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(CompileModelTest, MayBeCancelled) {
  write("4");
  std::atomic<bool> cancel{false};
  settings_.cancel = &cancel;
  settings_.progress = [&](const std::string&) { cancel = true; };
  EXPECT_EQ(refusal<Error>(), "interrupted while a model was compiled");
  EXPECT_TRUE(fs::is_empty(settings_.cache));
}

// The compiler's own end would be taken for a success otherwise.
TEST_F(CompileModelTest, AnExitStatusThatIsLostIsAnError) {
  write("5");
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_NE(refusal<Error>().find("ignores SIGCHLD"), std::string::npos);
  ::signal(SIGCHLD, before);
}

}  // namespace
}  // namespace manychain
