// The C interface: a header that is compiled and loaded. compile_model_test.cpp has more of the compiler.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "manychain/manychain.h"

namespace {

namespace fs = std::filesystem;

/// The watch of a compilation, and its user.
struct Watched {
  std::vector<std::string> lines;
  size_t times = 0, end_after = static_cast<size_t>(-1);
  std::thread::id thread;
};
int watch(const char* line, void* user) {
  auto& seen = *static_cast<Watched*>(user);
  seen.thread = std::this_thread::get_id();
  if (line) seen.lines.emplace_back(line);
  return ++seen.times > seen.end_after;
}

class HeaderModel : public testing::Test {
 protected:
  HeaderModel() {
    std::string name = testing::TempDir() + "header_model.XXXXXX";
    folder_ = ::mkdtemp(name.data());
    header_ = (folder_ / "centred.hpp").string();
    cache_ = (folder_ / "cache").string();
    compile_.cache = cache_.c_str();
    compile_.precision = "single";
    compile_.watch = watch;
    compile_.watch_user = &watched_;
  }
  ~HeaderModel() override {
    manychain_model_free(model_);
    fs::remove_all(folder_);
  }
  void write(const std::string& density) const {
    std::ofstream(header_) << "#include \"manychain/model.hpp\"\n"
                              "template <class Number>\n"
                              "struct Centred {\n"
                              "  template <class Target>\n"
                              "  MANYCHAIN_HD void log_density(Target& target) const {\n"
                              "    auto x = target.real(\"x\");\n"
                              "    target += "
                           << density << "(x, 1, 1);\n  }\n};\n";
  }
  manychain_status make() { return manychain_header_model(header_.c_str(), &compile_, nullptr, &model_); }

  fs::path folder_;
  std::string header_, cache_;
  manychain_compile compile_{};
  Watched watched_;
  manychain_model* model_ = nullptr;
};

TEST_F(HeaderModel, IsSampled) {
  write("normal");
  ASSERT_EQ(make(), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_STREQ(manychain_compiler_words(), "");
  EXPECT_STREQ(manychain_model_name(model_), "centred");
  ASSERT_FALSE(watched_.lines.empty());
  EXPECT_EQ(watched_.lines.front(), "Compiling " + header_ + ": hmc in single precision, for the CPU");
  EXPECT_GT(watched_.times, watched_.lines.size());
  EXPECT_EQ(watched_.thread, std::this_thread::get_id());
  manychain_result* result = nullptr;
  EXPECT_EQ(manychain_sample_model(model_, nullptr, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_converged(result), 1) << manychain_table(result);
  manychain_free(result);
}

TEST_F(HeaderModel, HasTheWordsOfTheCompiler) {
  write("nromal");
  EXPECT_EQ(make(), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(model_, nullptr);
  EXPECT_EQ(manychain_last_error(), header_ + ":7: there is no nromal: did you mean normal(x, mu, sigma)?");
  EXPECT_NE(std::strstr(manychain_compiler_words(), "nromal"), nullptr);
  write("normal");
  compile_.class_name = "Centre";
  EXPECT_EQ(make(), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_last_error(),
            "class_name: there is no class Centre in " + header_ + "; did you mean Centred?; there are Centred");
  EXPECT_STREQ(manychain_compiler_words(), "");  // it was not asked
  compile_.class_name = nullptr;
  compile_.samplers = "hmc,mla";
  EXPECT_EQ(make(), MANYCHAIN_BAD_INPUT);
  EXPECT_STREQ(manychain_last_error(), "samplers: there is no mla; did you mean mala?");
  compile_.samplers = nullptr;
  compile_.precision = "half";
  EXPECT_EQ(make(), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_header_model(nullptr, nullptr, nullptr, &model_), MANYCHAIN_BAD_INPUT);
}

TEST_F(HeaderModel, EndsTheCompilers) {
  write("normal");
  watched_.end_after = 2;
  EXPECT_EQ(make(), MANYCHAIN_SAMPLING_FAILED);
  EXPECT_STREQ(manychain_last_error(), "interrupted while a model was compiled");
  EXPECT_EQ(model_, nullptr);
}

}  // namespace
