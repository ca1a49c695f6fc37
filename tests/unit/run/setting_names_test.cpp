// Settings in the words of those who set them.
#include "run/setting_names.hpp"

#include <gtest/gtest.h>

namespace {

using namespace manychain;

TEST(SettingNames, BecomeOptions) {
  EXPECT_EQ(with_options("Settings::step_size: -1 is not allowed"), "--step-size: -1 is not allowed");
  EXPECT_EQ(with_options("raise Settings::draws (now 3), Settings::thin."), "raise --draws (now 3), --thin.");
  EXPECT_EQ(with_options("keep none (Settings::keep_draws)"), "keep none (--keep)");
  EXPECT_EQ(with_options("nothing of it"), "nothing of it");
  EXPECT_EQ(with_options(""), "");
  EXPECT_EQ(with_options("Settings::"), "--");
}

TEST(SettingNames, BecomeFieldsOfC) {
  EXPECT_EQ(with_c_fields("Settings::step_size: raise Settings::draws"), "step_size: raise draws");
}

}  // namespace
