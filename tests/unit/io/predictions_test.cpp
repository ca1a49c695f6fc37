// Predictions and the data that they predict, and what files say of their runs: ours, and such as ArviZ writes.
#include "io/predictions.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <cstdio>
#include <numeric>

#include "hand_made_result.hpp"
#include "manychain/io/output.hpp"

namespace {

using namespace manychain;
using namespace manychain::testing_io;

class File {
 public:
  File() : path_(testing::TempDir() + "manychain_predictions_" + std::to_string(getpid()) + ".nc") {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string said(const DrawsFile& file, const std::string& name) {
  for (const auto& [key, text] : file.about)
    if (key == name) return text;
  return "nothing";
}

void good(int status) { ASSERT_EQ(status, NC_NOERR) << nc_strerror(status); }

/// A variable with the numbers 0, 1, 2, ... plus `first`.
void put(int group, const char* name, const std::vector<std::size_t>& shape, double first) {
  std::vector<int> dims;
  const char* const names[] = {"chain", "draw", "dim"};
  std::size_t axis = shape.size() == 1 ? 2 : 0, size = 1;
  for (const std::size_t extent : shape) {
    const std::string dim = axis < 2 ? names[axis] : std::string(name) + "_dim";
    int id = 0;
    if (nc_inq_dimid(group, dim.c_str(), &id) != NC_NOERR) good(nc_def_dim(group, dim.c_str(), extent, &id));
    dims.push_back(id);
    size *= extent;
    ++axis;
  }
  int id = 0;
  good(nc_def_var(group, name, NC_DOUBLE, int(dims.size()), dims.data(), &id));
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), first);
  good(nc_put_var_double(group, id, values.data()));
}

TEST(Predictions, OfArvizsFilesAreReadApart) {
  const File at;
  int file = 0, group = 0;
  good(nc_create(at.path().c_str(), NC_NETCDF4 | NC_CLOBBER, &file));
  good(nc_def_grp(file, "posterior", &group));
  put(group, "mu", {2, 10}, 0);
  good(nc_put_att_text(group, NC_GLOBAL, "inference_library", 4, "pymc"));
  const double time = 1.5;
  const long long below = -3;
  const char* words = "in a string";
  good(nc_put_att_double(group, NC_GLOBAL, "sampling_time", NC_DOUBLE, 1, &time));
  good(nc_put_att_longlong(group, NC_GLOBAL, "below", NC_INT64, 1, &below));
  good(nc_put_att_string(group, NC_GLOBAL, "string", 1, &words));
  good(nc_def_grp(file, "posterior_predictive", &group));
  put(group, "y", {3, 4, 2}, 100);  // of other chains and draws than the posterior
  put(group, "z_rep", {3, 4}, 500);
  put(group, "longer", {3, 4, 5}, 0);
  put(group, "unseen_rep", {3, 4}, 0);
  good(nc_def_grp(file, "observed_data", &group));
  put(group, "y", {2}, 7);
  put(group, "z", {1}, 9);
  put(group, "longer", {4}, 0);
  good(nc_def_grp(file, "log_likelihood", &group));
  put(group, "y", {2, 10, 2}, 0);
  good(nc_close(file));

  const DrawsFile draws = read_draws({at.path()});
  EXPECT_EQ(draws.names, (std::vector<std::string>{"mu"}));
  EXPECT_EQ(said(draws, "inference_library"), "pymc");
  EXPECT_EQ(said(draws, "sampling_time"), "1.5");
  EXPECT_EQ(said(draws, "below"), "-3");
  EXPECT_EQ(said(draws, "string"), "in a string");
  const io::Predictions found = io::read_predictions(draws);
  EXPECT_EQ(found.log_likelihoods, (std::vector<std::string>{"y"}));
  ASSERT_EQ(found.all.size(), 2u) << "not what has another size, nor what nobody observed";
  const io::Prediction &y = found.all[0], &z = found.all[1];
  EXPECT_EQ(y.name, "y");
  EXPECT_EQ(y.elements, (std::vector<std::string>{"y[1]", "y[2]"}));
  EXPECT_EQ(y.observed, (std::vector<double>{7, 8}));
  EXPECT_EQ(y.chains, 3u);
  EXPECT_EQ(y.draws, 4u);
  for (std::size_t e = 0; e < 2; ++e)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 4; ++d)
        EXPECT_EQ(y.values[(e * 3 + c) * 4 + d], 100 + double((c * 4 + d) * 2 + e)) << e << c << d;
  EXPECT_EQ(z.name, "z_rep");
  EXPECT_EQ(z.of, "z");
  EXPECT_EQ(z.observed, (std::vector<double>{9}));
  EXPECT_EQ(z.values[11], 511);
}

TEST(Predictions, OfOursAreThoseThatTheDrawsHave) {
  const File at;
  Result result = hand_made_result(4, 6, Precision::single_precision);
  result.layout.quantities.back().predicted = true;
  result.layout.quantities.back().name = "y_rep";
  result.layout.observed = {{"y", 1}};
  result.data = std::make_shared<Data>(Data::from_json(R"({"y": [3.5], "N": 1})"));
  write_netcdf(at.path(), result);
  const DrawsFile draws = read_draws({at.path()});
  const io::Predictions found = io::read_predictions(draws);
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(found.all[0].name, "y_rep");
  EXPECT_EQ(found.all[0].observed, (std::vector<double>{3.5}));
  EXPECT_EQ(found.all[0].values.get(), draws.values.get() + (draws.names.size() - 1) * 24) << "they are read once";
  EXPECT_EQ(said(draws, "model"), "hand_made");
  EXPECT_EQ(said(draws, "seed"), "18446744073709551615");
  EXPECT_NE(said(draws, "settings").find("--seed 18446744073709551615"), std::string::npos);
  EXPECT_EQ(said(draws, "manychain_run"), "nothing") << "it is no word for people";
}

TEST(Predictions, OfStanCsvThereAreNone) {
  const std::string path = MANYCHAIN_TEST_DATA "/diagnostics/bern1.csv";
  const DrawsFile draws = read_draws({path});
  EXPECT_EQ(said(draws, "model"), "bernoulli_model");
  EXPECT_TRUE(io::read_predictions(draws).all.empty());
}

}  // namespace
