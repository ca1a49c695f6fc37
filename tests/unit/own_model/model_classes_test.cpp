// The classes of a header that the preprocessor has read.
#include "own_model/model_classes.hpp"

#include <gtest/gtest.h>

namespace {

using namespace manychain::own_model;

std::vector<ClassFound> classes(const std::string& text) {
  return classes_in("# 1 \"model.hpp\"\n" + text, [](const std::string&, bool) { return true; });
}

TEST(ModelClasses, BehindAttributes) {
  const std::vector<ClassFound> found = classes(
      "template <class Number> struct alignas(64) Model final { template <class T> void log_density(T&) const {} };");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "Model");
  EXPECT_TRUE(found[0].density);
}

// Text whose brackets are not closed is read to its end, and the compiler says what is wrong.
TEST(ModelClasses, BracketsThatAreNotClosed) {
  for (const char* text : {"struct alignas(64 Model { };", "struct __attribute__((aligned(16)) Model { };", "struct [[",
                           "template <class Number", "struct Model {", "struct"})
    EXPECT_TRUE(classes(text).empty() || classes(text).size() == 1) << text;
}

}  // namespace
