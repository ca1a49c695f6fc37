// The headers that tests include most, precompiled for all units but those that are compiled as chain code is
// (manychain_chain_sources) or check (MANYCHAIN_CHECKED).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "manychain/chain/model_unit_cpu.hpp"
#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
