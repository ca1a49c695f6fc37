// A refusal of the C interface.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "manychain/manychain.h"

namespace manychain {

/// `status` says that something asked for cannot be, and the message of this thread is that.
inline void refused(manychain_status status, const std::string& message) {
  EXPECT_EQ(status, MANYCHAIN_BAD_INPUT) << message;
  EXPECT_EQ(manychain_last_error(), message);
}

}  // namespace manychain
