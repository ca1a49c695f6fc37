// The file of many data sets, read through netCDF-C, and its JSON.
#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "io/read_formats.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/sets_output.hpp"

namespace {

using namespace manychain;

/// `mu` and theta of so many elements. Mean of output i is 10 * size + i; draw d of chain c is 100 d + 10 c + i.
SetSummary hand_made_set(const std::string& name, std::size_t size, std::size_t draws) {
  SetSummary set;
  set.name = name;
  set.state = SetState::sampled;
  set.converged = true;
  set.draws = draws;
  set.seed = 7 + size;
  auto of = std::make_shared<SetQuantities>();
  of->quantities = {{"mu", {}, 0}, {"theta", {size}, 1}};
  of->names = {"mu"};
  for (std::size_t i = 0; i < size; ++i) of->names.push_back("theta[" + std::to_string(i + 1) + "]");
  set.summary.resize(1 + size);
  for (std::size_t i = 0; i <= size; ++i) set.summary[i].mean = static_cast<double>(10 * size + i);
  set.of = std::move(of);
  set.kept.draws = draws;
  set.kept.variables = 1 + size;
  set.kept.chains = 2;
  for (std::size_t d = 0; d < draws; ++d)
    for (std::size_t i = 0; i <= size; ++i)
      for (std::size_t c = 0; c < 2; ++c) set.kept.float64.push_back(static_cast<double>(100 * d + 10 * c + i));
  return set;
}

SetsResult hand_made_sets() {
  SetsResult result;
  result.model = "some";
  result.settings.sampling.draws = 3;
  result.sets = {hand_made_set("two", 2, 3), hand_made_set("three", 3, 1), {}};
  result.sets[2].name = "bad";
  result.sets[2].state = SetState::refused;
  result.sets[2].said = "no y";
  result.sampled = result.converged = 2;
  result.refused = 1;
  return result;
}

class SetsFile {
 public:
  explicit SetsFile(const SetsResult& result)
      : path_(testing::TempDir() + "manychain_sets_" + std::to_string(getpid()) + ".nc") {
    write_netcdf(path_, result);
    EXPECT_EQ(nc_open(path_.c_str(), NC_NOWRITE, &id_), NC_NOERR);
  }
  SetsFile(const SetsFile&) = delete;
  SetsFile& operator=(const SetsFile&) = delete;
  ~SetsFile() {
    nc_close(id_);
    std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }
  bool has(const char* group) const {
    int id = 0;
    return nc_inq_grp_ncid(id_, group, &id) == NC_NOERR;
  }
  /// Numbers of a variable, and its dimensions.
  std::vector<double> numbers(const char* group, const char* name, std::vector<std::string>* dimensions = nullptr) {
    int in = 0, id = 0, axes = 0, of[8];
    EXPECT_EQ(nc_inq_grp_ncid(id_, group, &in), NC_NOERR) << group;
    EXPECT_EQ(nc_inq_varid(in, name, &id), NC_NOERR) << name;
    EXPECT_EQ(nc_inq_varndims(in, id, &axes), NC_NOERR);
    EXPECT_EQ(nc_inq_vardimid(in, id, of), NC_NOERR);
    std::size_t size = 1;
    for (int axis = 0; axis < axes; ++axis) {
      char called[NC_MAX_NAME + 1];
      std::size_t length = 0;
      EXPECT_EQ(nc_inq_dim(in, of[axis], called, &length), NC_NOERR);
      size *= length;
      if (dimensions) dimensions->push_back(called + (":" + std::to_string(length)));
    }
    std::vector<double> values(size);
    EXPECT_EQ(nc_get_var_double(in, id, values.data()), NC_NOERR);
    return values;
  }
  std::vector<std::string> words(const char* group, const char* name) {
    int in = 0, id = 0;
    EXPECT_EQ(nc_inq_grp_ncid(id_, group, &in), NC_NOERR);
    EXPECT_EQ(nc_inq_varid(in, name, &id), NC_NOERR) << name;
    std::vector<char*> found(3);
    EXPECT_EQ(nc_get_var_string(in, id, found.data()), NC_NOERR);
    const std::vector<std::string> all(found.begin(), found.end());
    nc_free_string(found.size(), found.data());
    return all;
  }

 private:
  std::string path_;
  int id_ = 0;
};

TEST(SetsNetcdf, HasADimensionForTheSet) {
  SetsFile file(hand_made_sets());
  using Words = std::vector<std::string>;
  EXPECT_EQ(file.words("data_sets", "set"), (Words{"two", "three", "bad"}));
  EXPECT_EQ(file.words("data_sets", "state"), (Words{"sampled", "sampled", "refused"}));
  EXPECT_EQ(file.words("data_sets", "said"), (Words{"", "", "no y"}));
  EXPECT_EQ(file.numbers("data_sets", "seed"), (std::vector<double>{9, 10, 0}));
  EXPECT_EQ(file.numbers("data_sets", "converged"), (std::vector<double>{1, 1, 0}));

  Words dimensions;
  const std::vector<double> theta = file.numbers("summary", "theta", &dimensions);
  EXPECT_EQ(dimensions, (Words{"set:3", "theta_dim_0:3", "statistic:12"}));
  EXPECT_EQ(theta[0], 21);
  EXPECT_EQ(theta[12], 22);
  EXPECT_TRUE(std::isnan(theta[24]));  // the set of two has no third
  EXPECT_EQ(theta[36 + 24], 33);
  EXPECT_TRUE(std::isnan(theta[72]));
  EXPECT_EQ(file.numbers("summary", "mu")[12], 30);
}

TEST(SetsNetcdf, PadsDraws) {
  SetsFile file(hand_made_sets());
  std::vector<std::string> dimensions;
  const std::vector<double> theta = file.numbers("posterior", "theta", &dimensions);
  EXPECT_EQ(dimensions, (std::vector<std::string>{"chain:2", "draw:3", "set:3", "theta_dim_0:3"}));
  const auto at = [&](std::size_t c, std::size_t d, std::size_t k, std::size_t i) {
    return theta[((c * 3 + d) * 3 + k) * 3 + i];
  };
  EXPECT_EQ(at(1, 2, 0, 1), 212);
  EXPECT_EQ(at(1, 0, 1, 2), 13);
  EXPECT_TRUE(std::isnan(at(1, 1, 1, 2)));
  EXPECT_TRUE(std::isnan(at(0, 0, 0, 2)));
  EXPECT_TRUE(std::isnan(at(0, 0, 2, 0)));
}

/// One set of fifty goes on for a hundred times as many draws.
TEST(SetsNetcdf, TakesRoomForTheDrawsThatSetsHave) {
  SetsResult result;
  result.model = "some";
  for (std::size_t k = 0; k < 50; ++k)
    result.sets.push_back(hand_made_set(std::to_string(k), 3, k == 20 ? 20000 : 200));
  std::size_t numbers = 0;
  for (const SetSummary& set : result.sets) numbers += set.kept.float64.size();
  SetsFile file(result);
  std::ifstream in(file.path(), std::ios::binary | std::ios::ate);
  const auto bytes = static_cast<double>(in.tellg());
  EXPECT_GT(bytes, 8.0 * static_cast<double>(numbers));
  EXPECT_LT(bytes, 1.6 * 8.0 * static_cast<double>(numbers) + 100'000);
  const std::vector<double> mu = file.numbers("posterior", "mu");
  const auto at = [&](std::size_t c, std::size_t d, std::size_t k) { return mu[(c * 20000 + d) * 50 + k]; };
  EXPECT_EQ(at(1, 19999, 20), 1999910);
  EXPECT_EQ(at(1, 199, 49), 19910);
  EXPECT_TRUE(std::isnan(at(0, 200, 49)));
}

TEST(SetsNetcdf, HasLogLikelihoods) {
  SetsResult result = hand_made_sets();
  for (const std::size_t k : {0, 1}) {
    SetSummary& set = result.sets[k];
    auto of = std::make_shared<SetQuantities>(*set.of);
    of->observed = {{"z", {}, 0}, {"y", {2 + k}, 1}};
    set.of = of;
    set.log_likelihood.draws = 2;
    set.log_likelihood.variables = 3 + k;
    set.log_likelihood.chains = 2;
    for (std::size_t i = 0; i < 4 * (3 + k); ++i)
      set.log_likelihood.float64.push_back(static_cast<double>(100 * k + i));
  }
  SetsFile file(result);
  std::vector<std::string> dimensions;
  const std::vector<double> y = file.numbers("log_likelihood", "y", &dimensions);
  EXPECT_EQ(dimensions, (std::vector<std::string>{"chain:2", "draw:2", "set:3", "y_dim_0:3"}));
  EXPECT_EQ(file.numbers("log_likelihood", "z", nullptr)[1], 100);
  const auto at = [&](std::size_t c, std::size_t d, std::size_t k, std::size_t i) {
    return y[((c * 2 + d) * 3 + k) * 3 + i];
  };
  EXPECT_EQ(at(1, 1, 0, 1), (1 * 3 + 2) * 2 + 1);
  EXPECT_EQ(at(0, 1, 1, 2), 100 + (1 * 4 + 3) * 2);
  EXPECT_TRUE(std::isnan(at(0, 0, 0, 2)) && std::isnan(at(0, 0, 2, 0)));
}

TEST(SetsNetcdf, LeavesOutDrawsThatThereAreNot) {
  SetsResult result = hand_made_sets();
  for (SetSummary& set : result.sets) set.kept = {};
  SetsFile file(result);
  EXPECT_FALSE(file.has("posterior"));
  EXPECT_TRUE(file.has("summary"));
  EXPECT_TRUE(io::has_sets(file.path()));
}

TEST(SetsNetcdf, RefusesAQuantityOfOtherDimensions) {
  SetsResult result = hand_made_sets();
  auto of = std::make_shared<SetQuantities>(*result.sets[1].of);
  of->quantities[1].shape = {3, 1};
  result.sets[1].of = of;
  const std::string path = testing::TempDir() + "manychain_sets_refused.nc";
  EXPECT_THROW(write_netcdf(path, result), BadInput);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(SetsJson, HasAllSets) {
  const std::string json = to_json(hand_made_sets());
  for (const char* words : {"\"sampled\": 2", "\"name\": \"bad\"", "\"said\": \"no y\"", "\"theta[3]\": {",
                            "\"mean\": 33.0", "\"q5\": null", "\"seed\": 10"})
    EXPECT_NE(json.find(words), std::string::npos) << words << '\n' << json;
}

}  // namespace
