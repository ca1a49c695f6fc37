// A folder for stores of tests, results to be stored, and the comparison of what is read.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "hand_made_result.hpp"
#include "io/zarr_store.hpp"
#include "manychain/io/draws_file.hpp"

namespace manychain::testing_zarr {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing_io::hand_made_result;

/// A short run of so many draws.
inline Settings short_run(std::size_t draws) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.warmup.transitions = 40;
  s.sampling.draws = draws;
  s.seed = 6;
  return s;
}

class ZarrStoreTest : public testing::Test {
 protected:
  ZarrStoreTest() {
    // In memory where that can be: a sync of each of many files waits for a disk.
    const std::string memory = "/dev/shm/";
    folder_ = (access(memory.c_str(), W_OK) == 0 ? memory : testing::TempDir()) + "manychain_zarr_" +
              std::to_string(getpid()) + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = folder_ + "/run.zarr";
  }
  ~ZarrStoreTest() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  static std::string text(const std::string& path) {
    std::stringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  Json json(const std::string& name) const { return Json::parse(text(file(name))); }

  std::string folder_, path_;
};

/// Draws from `first` to `end` of a result.
inline Draws part(const Draws& all, std::size_t first, std::size_t end) {
  Draws some;
  some.draws = end - first;
  some.variables = all.variables;
  some.chains = all.chains;
  const std::size_t row = all.variables * all.chains;
  const auto cut = [&](const auto& from, auto& to) {
    if (!from.empty()) to.assign(from.begin() + long(first * row), from.begin() + long(end * row));
  };
  cut(all.float32, some.float32);
  cut(all.float64, some.float64);
  return some;
}

/// The facts of a run that has no draws yet.
inline Result facts_of(const Result& whole) {
  Result facts = whole;
  facts.draws = {};
  facts.sample_stats = {};
  facts.sampling.leapfrogs.clear();
  return facts;
}

inline void append(io::ZarrStore& store, const Result& whole, std::size_t end, const std::string& state) {
  const std::size_t first = store.draws();
  store.append(first, part(whole.draws, first, end), part(whole.sample_stats, first, end), state);
}

/// With predictions, data, groups of log likelihoods and names of dimensions.
inline Result rich_result(std::size_t chains, std::size_t draws, Precision precision) {
  Result result = hand_made_result(chains, draws, precision);
  result.layout.quantities.back().predicted = true;
  result.layout.observed = {{"total", 1}, {"z", 2}};
  result.settings.superchains = 2;
  result.output.log_likelihood_draws = {1, 3};
  Draws& rows = result.output.log_likelihood;
  rows.draws = 2;
  rows.variables = 3;
  rows.chains = chains;
  for (std::size_t i = 0; i < 2 * 3 * chains; ++i) {
    if (precision == Precision::single_precision)
      rows.float32.push_back(float(i) / 3);
    else
      rows.float64.push_back(double(i) / 3);
  }
  result.data = std::make_shared<Data>(Data::from_json(
      R"({"N": 3, "total": 4.5, "sigma": [0.5, 1.5, 2.5], "x": [[1, 2], [3, 4]],
          "dims": {"theta": ["school"]}, "coords": {"school": ["Ä", "B b", ""]}})"));
  return result;
}

inline void expect_same_file(const DrawsFile& a, const DrawsFile& b) {
  ASSERT_EQ(a.names, b.names);
  ASSERT_EQ(a.stat_names, b.stat_names);
  ASSERT_EQ(a.chains, b.chains);
  ASSERT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.chain_names, b.chain_names);
  EXPECT_EQ(a.draws_planned, b.draws_planned);
  EXPECT_EQ(a.faults, b.faults);
  EXPECT_EQ(a.run.has_value(), b.run.has_value());
  const std::size_t rows = a.chains * a.draws;
  EXPECT_EQ(std::memcmp(a.values.get(), b.values.get(), rows * a.names.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(a.stats.get(), b.stats.get(), rows * a.stat_names.size() * sizeof(double)), 0);
  const auto without_time = [](NamedTexts about) {
    for (auto& [name, value] : about)
      if (name == "created_at") value.clear();
    return about;
  };
  EXPECT_EQ(without_time(a.about), without_time(b.about));
}

}  // namespace manychain::testing_zarr
