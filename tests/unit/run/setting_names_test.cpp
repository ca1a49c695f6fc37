// Settings in the words of those who set them.
#include "run/setting_names.hpp"

#include <gtest/gtest.h>

namespace {

using namespace manychain;

TEST(SettingNames, BecomeOptions) {
  EXPECT_EQ(with_options("Settings::sampling.step_size: -1 is not allowed"), "--step-size: -1 is not allowed");
  EXPECT_EQ(with_options("raise Settings::sampling.draws (now 3), Settings::sampling.thin."),
            "raise --draws (now 3), --thin.");
  EXPECT_EQ(with_options("keep none (Settings::output.keep_draws)"), "keep none (--keep)");
  EXPECT_EQ(with_options("Settings::warmup.transitions, Settings::warmup.end"), "--warmup, --warmup-end");
  EXPECT_EQ(with_options("Raise Settings::chains. And Settings::warmup.initial_points"),
            "Raise --chains. And --initial_points");
  EXPECT_EQ(with_options("nothing of it"), "nothing of it");
  EXPECT_EQ(with_options(""), "");
  EXPECT_EQ(with_options("Settings::"), "--");
}

TEST(SettingNames, BecomeFieldsOfC) {
  EXPECT_EQ(with_c_fields("Settings::sampling.step_size: raise Settings::sampling.draws"), "step_size: raise draws");
  EXPECT_EQ(with_c_fields("Settings::warmup.end."), "warmup_end.");
}

}  // namespace
