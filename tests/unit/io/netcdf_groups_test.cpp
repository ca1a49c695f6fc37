// Groups of the file of draws beside posterior and sample_stats, and names of dimensions, read through netCDF-C.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <cstdio>
#include <filesystem>
#include <numeric>
#include <optional>

#include "hand_made_result.hpp"
#include "io/netcdf_size.hpp"
#include "manychain/io/diagnosis.hpp"
#include "manychain/io/output.hpp"
#include "run/named_dimensions.hpp"

namespace {

using namespace manychain;
using namespace manychain::testing_io;
using Names = std::vector<std::string>;

double row_value(std::size_t draw, std::size_t row, std::size_t chain) { return -draw_value(draw, row, chain) - 0.5; }

/// The result of hand_made_result() with more in it: `total` is predicted; observe("y", 4) and observe("z", 2), of
/// draws 1, 4, 7 ...
Result full_result(std::size_t chains, std::size_t draws, Precision precision, const std::string& more = "") {
  Result result = hand_made_result(chains, draws, precision);
  result.layout.quantities.back().predicted = true;
  result.layout.observed = {{"y", 4}, {"none", 0}, {"z", 2}};
  Draws& rows = result.output.log_likelihood;
  for (std::size_t d = 1; d < draws; d += 3) result.output.log_likelihood_draws.push_back(d);
  rows.draws = result.output.log_likelihood_draws.size();
  rows.variables = 6;
  rows.chains = chains;
  for (std::size_t d = 0; d < rows.draws; ++d)
    for (std::size_t v = 0; v < 6; ++v)
      for (std::size_t c = 0; c < chains; ++c) {
        if (precision == Precision::single_precision)
          rows.float32.push_back(float(row_value(d, v, c)));
        else
          rows.float64.push_back(row_value(d, v, c));
      }
  result.data = std::make_shared<Data>(Data::from_json(
      R"({"N": 4, "y": [1, 2, 3, 4], "sigma": [0.5, 1.5, 2.5], "large": 1e300, "whole": [9007199254740993, 1],
          "empty": [], "x/y": 1, "x_y": 2, "m": [[1, 2], [3, 4]])" +
      more + "}"));
  return result;
}

class File {
 public:
  explicit File(const Result& result) {
    path_ = testing::TempDir() + "manychain_groups_" + testing::UnitTest::GetInstance()->current_test_info()->name() +
            ".nc";
    write_netcdf(path_, result);
    EXPECT_EQ(nc_open(path_.c_str(), NC_NOWRITE, &id_), NC_NOERR);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    nc_close(id_);
    std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }
  bool has(const char* group) const {
    int id = 0;
    return nc_inq_grp_ncid(id_, group, &id) == NC_NOERR;
  }
  Names variables(const char* group) const {
    int count = 0;
    nc_inq_nvars(of(group), &count);
    Names names;
    for (int v = 0; v < count; ++v) {
      char name[NC_MAX_NAME + 1];
      nc_inq_varname(of(group), v, name);
      names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  Names dimensions(const char* group, const char* name) const {
    int ids[NC_MAX_VAR_DIMS], rank = 0;
    nc_inq_varndims(of(group), variable(group, name), &rank);
    nc_inq_vardimid(of(group), variable(group, name), ids);
    Names names;
    for (int i = 0; i < rank; ++i) {
      char dimension[NC_MAX_NAME + 1];
      nc_inq_dimname(of(group), ids[i], dimension);
      names.push_back(dimension);
    }
    return names;
  }
  nc_type type(const char* group, const char* name) const {
    nc_type type = NC_NAT;
    nc_inq_vartype(of(group), variable(group, name), &type);
    return type;
  }
  std::vector<double> numbers(const char* group, const char* name) const {
    std::vector<double> values(size(group, name));
    EXPECT_EQ(nc_get_var_double(of(group), variable(group, name), values.data()), NC_NOERR) << name;
    return values;
  }
  /// An attribute of a variable; empty if there is none.
  std::string text(const char* group, const char* name, const char* attribute) const {
    std::size_t length = 0;
    if (nc_inq_attlen(of(group), variable(group, name), attribute, &length) != NC_NOERR) return "";
    std::string text(length, ' ');
    EXPECT_EQ(nc_get_att_text(of(group), variable(group, name), attribute, text.data()), NC_NOERR);
    return text;
  }
  Names words(const char* group, const char* name) const {
    std::vector<char*> values(size(group, name));
    EXPECT_EQ(nc_get_var_string(of(group), variable(group, name), values.data()), NC_NOERR) << name;
    Names words(values.begin(), values.end());
    nc_free_string(values.size(), values.data());
    return words;
  }
  int of(const char* group) const {
    int id = -1;
    EXPECT_EQ(nc_inq_grp_ncid(id_, group, &id), NC_NOERR) << group;
    return id;
  }

 private:
  int variable(const char* group, const char* name) const {
    int id = -1;
    EXPECT_EQ(nc_inq_varid(of(group), name, &id), NC_NOERR) << group << "/" << name;
    return id;
  }
  std::size_t size(const char* group, const char* name) const {
    std::size_t size = 1;
    for (const std::string& dimension : dimensions(group, name)) {
      int id = 0;
      std::size_t extent = 0;
      nc_inq_dimid(of(group), dimension.c_str(), &id);
      nc_inq_dimlen(of(group), id, &extent);
      size *= extent;
    }
    return size;
  }
  std::string path_;
  int id_ = -1;
};

TEST(NetCdfGroups, PredictionsHaveTheirOwn) {
  const File file(full_result(5, 8, Precision::single_precision));
  EXPECT_EQ(file.variables("posterior"),
            (Names{"chain", "draw", "m", "m_dim_0", "m_dim_1", "mu", "theta", "theta_dim_0"}));
  EXPECT_EQ(file.variables("posterior_predictive"), (Names{"chain", "draw", "total"}));
  const std::vector<double> total = file.numbers("posterior_predictive", "total");
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t d = 0; d < 8; ++d) EXPECT_EQ(total[c * 8 + d], float(draw_value(d, 8, c)));
  // The quantities that the run judged are judged here.
  EXPECT_EQ(read_draws({file.path()}).names,
            (Names{"mu", "theta[1]", "theta[2]", "theta[3]", "m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]", "total"}));
}

TEST(NetCdfGroups, WarmUpHasItsOwn) {
  Result result = full_result(5, 8, Precision::single_precision);
  const Result longer = full_result(5, 11, Precision::single_precision);
  result.warmup.draws = longer.draws;
  result.warmup.sample_stats = longer.sample_stats;
  const File file(result);
  EXPECT_EQ(file.variables("warmup_posterior"), file.variables("posterior"));
  EXPECT_EQ(file.variables("warmup_sample_stats"),
            (Names{"acceptance_rate", "chain", "diverging", "draw", "energy", "lp"}));
  const std::vector<double> mu = file.numbers("warmup_posterior", "mu");
  ASSERT_EQ(mu.size(), 5u * 11);
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t d = 0; d < 11; ++d) EXPECT_EQ(mu[c * 11 + d], float(draw_value(d, 0, c)));
  EXPECT_EQ(file.numbers("posterior", "mu").size(), 5u * 8);
  EXPECT_EQ(read_draws({file.path()}).draws, 8u);
  EXPECT_FALSE(File(longer).has("warmup_posterior"));
}

constexpr const char* with_chains[] = {"posterior", "sample_stats", "posterior_predictive", "log_likelihood"};

// xarray reads `coordinates` of the variables. A coordinate of a dimension needs no other.
TEST(NetCdfGroups, SuperchainsAreACoordinateOfChain) {
  Result result = full_result(70, 9, Precision::single_precision);
  result.settings.superchains = 16;
  const File file(result);
  for (const char* const group : with_chains) {
    EXPECT_EQ(file.dimensions(group, "superchain"), Names{"chain"}) << group;
    EXPECT_EQ(file.type(group, "superchain"), NC_INT) << group;
    const std::vector<double> labels = file.numbers(group, "superchain");
    for (std::size_t c = 0; c < labels.size(); ++c) EXPECT_EQ(labels[c], double(c % 16)) << group;
    for (const std::string& name : file.variables(group)) {
      const bool drawn = file.dimensions(group, name.c_str()).size() > 1;
      EXPECT_EQ(file.text(group, name.c_str(), "coordinates"), drawn ? "superchain" : "") << group << "/" << name;
    }
  }
  for (const char* const group : {"observed_data", "constant_data"}) {
    const Names names = file.variables(group);
    EXPECT_EQ(std::count(names.begin(), names.end(), "superchain"), 0) << group;
  }
}

TEST(NetCdfGroups, WithoutSuperchainsThereIsNoSuchCoordinate) {
  for (const std::optional<std::size_t> superchains : {std::optional<std::size_t>(), {0}, {1}}) {
    Result result = full_result(70, 9, Precision::single_precision);
    result.settings.superchains = superchains;
    const File file(result);
    for (const char* const group : with_chains) {
      const Names names = file.variables(group);
      EXPECT_EQ(std::count(names.begin(), names.end(), "superchain"), 0) << group;
      for (const std::string& name : names) EXPECT_EQ(file.text(group, name.c_str(), "coordinates"), "") << name;
    }
  }
}

TEST(NetCdfGroups, SuperchainsLeaveTheirNameToTheModel) {
  Result quantity = full_result(70, 9, Precision::single_precision);
  quantity.layout.quantities[0].name = "superchain";
  Result dimension = full_result(70, 9, Precision::single_precision, R"(, "dims": {"theta": ["superchain"]})");
  quantity.settings.superchains = dimension.settings.superchains = 16;
  {
    const File file(quantity);
    EXPECT_EQ(file.dimensions("posterior", "superchain"), (Names{"chain", "draw"}));
    EXPECT_EQ(file.text("posterior", "theta", "coordinates"), "");
    EXPECT_EQ(file.dimensions("sample_stats", "superchain"), Names{"chain"});
    ASSERT_TRUE(read_draws({file.path()}).run);
  }
  const File file(dimension);
  EXPECT_EQ(file.dimensions("posterior", "superchain"), Names{"superchain"});
  EXPECT_EQ(file.dimensions("posterior", "theta"), (Names{"chain", "draw", "superchain"}));
  ASSERT_TRUE(read_draws({file.path()}).run);
}

/// A copy of a file whose group posterior another program has changed.
template <class Change>
DrawsFile read_changed(const File& file, const Change& change) {
  const std::string path = file.path() + ".changed";
  std::filesystem::copy_file(file.path(), path, std::filesystem::copy_options::overwrite_existing);
  int id = 0, posterior = 0;
  EXPECT_EQ(nc_open(path.c_str(), NC_WRITE, &id), NC_NOERR);
  EXPECT_EQ(nc_inq_grp_ncid(id, "posterior", &posterior), NC_NOERR);
  change(posterior);
  EXPECT_EQ(nc_close(id), NC_NOERR);
  DrawsFile draws = read_draws({path});
  std::filesystem::remove(path);
  return draws;
}

// A run's record names chains by their places: sorted by superchain, these are the places of other chains.
TEST(NetCdfGroups, ARunIsNotBelievedOfChainsInAnotherOrder) {
  Result result = full_result(70, 9, Precision::single_precision);
  result.settings.superchains = 16;
  const File file(result);
  std::vector<double> labels = file.numbers("posterior", "superchain");
  const auto put = [&](int posterior) {
    int variable = 0;
    EXPECT_EQ(nc_inq_varid(posterior, "superchain", &variable), NC_NOERR);
    EXPECT_EQ(nc_put_var_double(posterior, variable, labels.data()), NC_NOERR);
  };
  const DrawsFile before = read_changed(file, put);
  ASSERT_TRUE(before.run);
  EXPECT_EQ(before.run->superchains, 16u);
  std::sort(labels.begin(), labels.end());
  const DrawsFile after = read_changed(file, put);
  EXPECT_FALSE(after.run);
  EXPECT_TRUE(after.faults.empty());
  EXPECT_EQ(after.names, before.names);
}

// h5netcdf, by which ArviZ 0.x writes, has strings in place of characters.
TEST(NetCdfGroups, ARunIsBelievedWhoseWordsAreStrings) {
  Result result = full_result(70, 9, Precision::single_precision);
  result.settings.superchains = 16;
  const File file(result);
  const DrawsFile draws = read_changed(file, [](int posterior) {
    for (const char* const name : {"inference_library", "sampler", "manychain_run"}) {
      std::size_t length = 0;
      EXPECT_EQ(nc_inq_attlen(posterior, NC_GLOBAL, name, &length), NC_NOERR);
      std::string text(length, ' ');
      EXPECT_EQ(nc_get_att_text(posterior, NC_GLOBAL, name, text.data()), NC_NOERR);
      EXPECT_EQ(nc_del_att(posterior, NC_GLOBAL, name), NC_NOERR);
      const char* words = text.c_str();
      EXPECT_EQ(nc_put_att_string(posterior, NC_GLOBAL, name, 1, &words), NC_NOERR);
    }
  });
  ASSERT_TRUE(draws.run);
  EXPECT_EQ(draws.run->superchains, 16u);
  EXPECT_EQ(draws.names.back(), "total") << "predictions are read of our files alone";
}

TEST(NetCdfGroups, LogLikelihoodsHaveTheNumbersOfTheirDraws) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const File file(full_result(70, 9, precision));
    EXPECT_EQ(file.variables("log_likelihood"), (Names{"chain", "draw", "y", "y_dim_0", "z", "z_dim_0"}));
    EXPECT_EQ(file.dimensions("log_likelihood", "y"), (Names{"chain", "draw", "y_dim_0"}));
    EXPECT_EQ(file.numbers("log_likelihood", "draw"), (std::vector<double>{1, 4, 7}));
    const std::vector<double> y = file.numbers("log_likelihood", "y"), z = file.numbers("log_likelihood", "z");
    ASSERT_EQ(y.size(), 70u * 3 * 4);
    ASSERT_EQ(z.size(), 70u * 3 * 2);
    const auto rounded = [&](double x) { return precision == Precision::single_precision ? float(x) : x; };
    for (std::size_t c = 0; c < 70; ++c)
      for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(y[(c * 3 + d) * 4 + r], rounded(row_value(d, r, c)));
        for (std::size_t r = 0; r < 2; ++r) EXPECT_EQ(z[(c * 3 + d) * 2 + r], rounded(row_value(d, 4 + r, c)));
      }
  }
}

// An observation that is one number has no dimension, as its datum has none.
TEST(NetCdfGroups, SingleObservationsAreScalars) {
  Result result = full_result(5, 8, Precision::double_precision);
  result.layout.observed = {{"y", 4}, {"N", 1, true}, {"x_y", 1, true}};
  const File file(result);
  EXPECT_EQ(file.variables("log_likelihood"), (Names{"N", "chain", "draw", "x_y", "y", "y_dim_0"}));
  EXPECT_EQ(file.dimensions("log_likelihood", "N"), (Names{"chain", "draw"}));
  EXPECT_EQ(file.variables("observed_data"), (Names{"N", "x_y", "y", "y_dim_0"}));
  EXPECT_TRUE(file.dimensions("observed_data", "N").empty());
  const std::vector<double> one = file.numbers("log_likelihood", "N"), other = file.numbers("log_likelihood", "x_y");
  ASSERT_EQ(one.size(), 15u);
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(one[c * 3 + d], row_value(d, 4, c));
      EXPECT_EQ(other[c * 3 + d], row_value(d, 5, c));
    }
}

TEST(NetCdfGroups, DataAreThereUnderTheirNames) {
  const File file(full_result(2, 4, Precision::single_precision));
  EXPECT_EQ(file.variables("observed_data"), (Names{"y", "y_dim_0"}));
  EXPECT_EQ(file.numbers("observed_data", "y"), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(file.type("observed_data", "y"), NC_INT64);
  EXPECT_EQ(file.variables("constant_data"),
            (Names{"N", "large", "m", "m_dim_0", "m_dim_1", "sigma", "sigma_dim_0", "whole", "whole_dim_0", "x_y"}));
  EXPECT_EQ(file.numbers("constant_data", "N"), std::vector<double>{4});
  EXPECT_TRUE(file.dimensions("constant_data", "N").empty());
  EXPECT_EQ(file.numbers("constant_data", "sigma"), (std::vector<double>{0.5, 1.5, 2.5}));
  EXPECT_EQ(file.type("constant_data", "sigma"), NC_DOUBLE);
  EXPECT_EQ(file.numbers("constant_data", "m"), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(file.type("constant_data", "whole"), NC_DOUBLE);  // beyond 2^53
}

TEST(NetCdfGroups, NamedDimensionsAreSharedAndHaveLabels) {
  const File file(
      full_result(3, 4, Precision::double_precision,
                  R"(, "coords": {"school": ["A", "Łódź", ""], "row": [2001, 2002, 2005, -7], "z": [0.5, 1e3]},
                                  "dims": {"theta": ["school"], "sigma": ["school"], "y": ["row"],
                                           "m": ["z", "side"]})"));
  EXPECT_EQ(file.dimensions("posterior", "theta"), (Names{"chain", "draw", "school"}));
  EXPECT_EQ(file.dimensions("posterior", "m"), (Names{"chain", "draw", "z", "side"}));
  EXPECT_EQ(file.words("posterior", "school"), (Names{"A", "Łódź", ""}));
  EXPECT_EQ(file.numbers("posterior", "side"), (std::vector<double>{0, 1}));
  EXPECT_EQ(file.numbers("posterior", "z"), (std::vector<double>{0.5, 1000}));
  EXPECT_EQ(file.type("posterior", "z"), NC_DOUBLE);
  EXPECT_EQ(file.dimensions("log_likelihood", "y"), (Names{"chain", "draw", "row"}));
  EXPECT_EQ(file.type("log_likelihood", "row"), NC_INT64);
  EXPECT_EQ(file.numbers("log_likelihood", "row"), (std::vector<double>{2001, 2002, 2005, -7}));
  EXPECT_EQ(file.dimensions("observed_data", "y"), Names{"row"});
  EXPECT_EQ(file.dimensions("constant_data", "sigma"), Names{"school"});
  EXPECT_EQ(file.dimensions("constant_data", "m"), (Names{"z", "side"}));  // data of that name, too
  int count = -1;
  nc_inq_ndims(file.of("constant_data"), &count);
  EXPECT_EQ(count, 4);  // school, z, side and whole_dim_0, each once
}

TEST(NetCdfGroups, AreLeftOutWhereThereIsNothing) {
  const File file(hand_made_result(2, 4, Precision::single_precision));
  for (const char* group : {"posterior_predictive", "log_likelihood", "observed_data", "constant_data"})
    EXPECT_FALSE(file.has(group)) << group;
}

TEST(NetCdfGroups, LeaveHugeDataOut) {
  Result result = full_result(2, 4, Precision::single_precision);
  auto data = std::make_shared<Data>(*result.data);
  data->set("huge", std::vector<double>(largest_constant + 1));
  data->set("y", std::vector<double>(largest_constant + 1, 2.5));
  result.data = data;
  const File file(result);
  const Names constant = file.variables("constant_data");
  EXPECT_EQ(std::count(constant.begin(), constant.end(), "huge"), 0);
  char left_out[64] = {};
  ASSERT_EQ(nc_get_att_text(file.of("constant_data"), NC_GLOBAL, "left_out", left_out), NC_NOERR);
  EXPECT_STREQ(left_out, "huge");
  EXPECT_EQ(file.numbers("observed_data", "y").size(), largest_constant + 1);  // what was observed is always there
}

TEST(NetCdfGroups, TheirSizeIsKnownBefore) {
  struct Case {
    std::size_t chains, draws;
  };
  for (const Case& c : {Case{4, 7}, Case{1024, 400}, Case{50'000, 3}}) {
    std::string labels;
    for (int i = 0; i < 4; ++i) labels += (i ? ", " : "") + ("\"" + std::string(2000, 'a') + std::to_string(i) + "\"");
    Result result = full_result(c.chains, c.draws, Precision::single_precision,
                                R"(, "coords": {"row": [)" + labels + R"(]}, "dims": {"y": ["row"]})");
    result.settings.superchains = c.chains / 2;
    result.warmup.draws = result.draws;
    result.warmup.sample_stats = result.sample_stats;
    const File file(result);
    const auto expected =
        double(io::netcdf_bytes(result.layout, {c.chains, c.draws, sizeof(float), true, true, 1024,
                                                result.output.log_likelihood.draws, result.data.get(), true, c.draws}));
    const auto size = double(std::filesystem::file_size(file.path()));
    EXPECT_LE(size, expected) << c.chains << " x " << c.draws;
    EXPECT_LE(expected, 1.1 * size + 400e3) << c.chains << " x " << c.draws;
  }
}

}  // namespace
