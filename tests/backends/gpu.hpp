// The shared part of the tests of a GPU. Without a device they skip, and fail where MANYCHAIN_REQUIRE_GPU=1 says that
// there must be one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "manychain/run/engine.hpp"

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (manychain::cuda_available(&why)) return;
    const char* required = std::getenv("MANYCHAIN_REQUIRE_GPU");
    if (required && std::string(required) == "1") FAIL() << "MANYCHAIN_REQUIRE_GPU=1, but: " << why;
    GTEST_SKIP() << why;
  }
};
