// The file of draws, read back through netCDF-C.
#include <gtest/gtest.h>
#include <netcdf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "hand_made_result.hpp"
#include "io/netcdf_size.hpp"
#include "io/netcdf_writer.hpp"
#include "limits.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/diagnosis.hpp"
#include "manychain/io/draws_file.hpp"
#include "manychain/io/output.hpp"
#include "parts_of.hpp"

namespace {

using namespace manychain;
using namespace manychain::testing_io;

class File {
 public:
  explicit File(const Result& result) {
    path_ = testing::TempDir() + "manychain_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".nc";
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
  int id() const { return id_; }
  int group(const char* name) const {
    int group = -1;
    EXPECT_EQ(nc_inq_grp_ncid(id_, name, &group), NC_NOERR) << name;
    return group;
  }

 private:
  std::string path_;
  int id_ = -1;
};

/// The number of the next file that is opened.
rlim_t next_file() {
  const int next = dup(0);
  close(next);
  return static_cast<rlim_t>(next);
}

// The draws of a run move on while their file is written. One more file can be opened, and so no process be started,
// which takes two.
TEST(NetCdf, IsWrittenWhereNoProcessCanBeStarted) {
  if (under_sanitizer()) GTEST_SKIP() << "sanitizers open files themselves";
  const std::string path = testing::TempDir() + "manychain_no_process.nc";
  auto during = std::make_unique<Result>(hand_made_result(4, 6, Precision::double_precision));
  std::optional<io::NetcdfWriter> writer;
  {
    const Limited files(RLIMIT_NOFILE, next_file() + 1);
    writer.emplace(path, *during);
  }
  const Result after = std::move(*during);
  during.reset();
  writer->finish(after);
  const DrawsFile read = read_draws({path});
  EXPECT_EQ(read.chains * read.draws, 24u);
  EXPECT_EQ(read.values[1], draw_value(1, 0, 0));
  std::remove(path.c_str());
}

TEST(NetCdf, MayBeCalledWithABlankAtTheBeginning) {
  const std::string path = " manychain_blank.nc";
  write_netcdf(path, hand_made_result(4, 6, Precision::double_precision));
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(read_draws({path}).chains, 4u);
  std::remove(path.c_str());
}

// As tables that xarray exports have it: the coordinate of sigma's dimension among the data.
TEST(NetCdf, HoldsDataThatAreCalledAsADimension) {
  Result result = hand_made_result(4, 6, Precision::double_precision);
  Data data;
  data.set("sigma", {15, 10, 16});
  data.set("sigma_dim_0", {0, 1, 2});
  result.data = std::make_shared<const Data>(data);
  const std::string path = testing::TempDir() + "manychain_dimension.nc";
  EXPECT_NO_THROW(write_netcdf(path, result));
  std::remove(path.c_str());
}

struct Read {
  std::vector<std::string> dimensions;
  std::vector<std::size_t> shape;
  std::vector<double> values;
  nc_type type = NC_NAT;
};

Read read(int group, const char* name) {
  Read out;
  int variable = -1, rank = 0;
  EXPECT_EQ(nc_inq_varid(group, name, &variable), NC_NOERR) << name;
  nc_inq_varndims(group, variable, &rank);
  nc_inq_vartype(group, variable, &out.type);
  std::vector<int> ids(std::size_t(rank), 0);
  nc_inq_vardimid(group, variable, ids.data());
  std::size_t size = 1;
  for (int id : ids) {
    char dimension[NC_MAX_NAME + 1];
    std::size_t extent = 0;
    nc_inq_dim(group, id, dimension, &extent);
    out.dimensions.push_back(dimension);
    out.shape.push_back(extent);
    size *= extent;
  }
  out.values.resize(size);
  EXPECT_EQ(nc_get_var_double(group, variable, out.values.data()), NC_NOERR);
  return out;
}

using Names = std::vector<std::string>;
using Shape = std::vector<std::size_t>;

void expect_draws(int group, const char* name, std::size_t offset, const Shape& tail, std::size_t chains,
                  std::size_t draws) {
  const Read got = read(group, name);
  Shape shape = {chains, draws};
  shape.insert(shape.end(), tail.begin(), tail.end());
  ASSERT_EQ(got.shape, shape) << name;
  std::size_t elements = 1, i = 0, wrong = 0;
  for (std::size_t extent : tail) elements *= extent;
  for (std::size_t c = 0; c < chains; ++c) {
    for (std::size_t d = 0; d < draws; ++d) {
      for (std::size_t e = 0; e < elements; ++e) wrong += got.values[i++] != draw_value(d, offset + e, c);
    }
  }
  EXPECT_EQ(wrong, 0u) << name;
}

TEST(NetCdf, HoldsEveryDrawInPlace) {
  for (Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const File file(hand_made_result(70, 13, precision));
    const int posterior = file.group("posterior");
    expect_draws(posterior, "mu", 0, {}, 70, 13);
    expect_draws(posterior, "theta", 1, {3}, 70, 13);
    expect_draws(posterior, "m", 4, {2, 2}, 70, 13);
    expect_draws(posterior, "total", 8, {}, 70, 13);
    EXPECT_EQ(read(posterior, "m").dimensions, (Names{"chain", "draw", "m_dim_0", "m_dim_1"}));
    EXPECT_EQ(read(posterior, "mu").type, precision == Precision::single_precision ? NC_FLOAT : NC_DOUBLE);
  }
}

// More draws than a chunk holds, and a last chunk that is not full.
TEST(NetCdf, HoldsSeveralChunks) {
  const std::size_t chains = 1500, draws = 1001;
  const File file(hand_made_result(chains, draws, Precision::double_precision));
  expect_draws(file.group("posterior"), "theta", 1, {3}, chains, draws);
  expect_draws(file.group("posterior"), "mu", 0, {}, chains, draws);
}

// One draw of all chains is more than a chunk should hold, so that the chains are cut, too.
TEST(NetCdf, CutsTheChainsOfHugeDraws) {
  Result result = hand_made_result(3, 2, Precision::single_precision);
  const std::size_t width = 6'000'000;
  result.layout.quantities = {{"x", {width}, 0, false}};
  result.layout.outputs = result.draws.variables = width;
  result.draws.float32.resize(2 * 3 * width);
  for (std::size_t i = 0; i < result.draws.float32.size(); ++i) result.draws.float32[i] = float(i % 1000003);
  const File file(result);
  const Read x = read(file.group("posterior"), "x");
  std::size_t i = 0, wrong = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t d = 0; d < 2; ++d) {
      for (std::size_t e = 0; e < width; ++e) wrong += x.values[i++] != result.draws(d, e, c);
    }
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(NetCdf, HasACoordinateForEveryDimensionAndNothingAtTheRoot) {
  const File file(hand_made_result(5, 4, Precision::single_precision));
  int count = -1;
  nc_inq_ndims(file.id(), &count);
  EXPECT_EQ(count, 0);
  nc_inq_nvars(file.id(), &count);
  EXPECT_EQ(count, 0);
  const int posterior = file.group("posterior");
  EXPECT_EQ(read(posterior, "chain").values, (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(read(posterior, "draw").values, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(read(posterior, "theta_dim_0").values, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(read(posterior, "m_dim_1").dimensions, Names{"m_dim_1"});
  EXPECT_EQ(read(file.group("sample_stats"), "chain").shape, Shape{5});
}

TEST(NetCdf, HoldsTheStatisticsOfEveryDraw) {
  const Result result = hand_made_result(9, 12, Precision::single_precision);
  const File file(result);
  const int stats = file.group("sample_stats");
  expect_draws(stats, "lp", 0, {}, 9, 12);
  expect_draws(stats, "acceptance_rate", 1, {}, 9, 12);
  expect_draws(stats, "energy", 2, {}, 9, 12);
  const Read diverging = read(stats, "diverging"), steps = read(stats, "n_steps"), size = read(stats, "step_size");
  EXPECT_EQ(diverging.type, NC_BYTE);
  char dtype[16] = {};
  int variable = 0;
  nc_inq_varid(stats, "diverging", &variable);
  ASSERT_EQ(nc_get_att_text(stats, variable, "dtype", dtype), NC_NOERR);
  EXPECT_STREQ(dtype, "bool");
  for (std::size_t c = 0; c < 9; ++c) {
    for (std::size_t d = 0; d < 12; ++d) {
      EXPECT_EQ(diverging.values[c * 12 + d], double((d + c) % 7 == 0));
      EXPECT_EQ(steps.values[c * 12 + d], double(result.sampling.leapfrogs[d]));
      EXPECT_EQ(size.values[c * 12 + d], result.warmup.tuning[0].step_size);
    }
  }
}

TEST(NetCdf, SaysWhoMadeIt) {
  const File file(hand_made_result(2, 2, Precision::single_precision));
  const int posterior = file.group("posterior");
  char text[256] = {};
  ASSERT_EQ(nc_get_att_text(posterior, NC_GLOBAL, "creation_library", text), NC_NOERR);
  EXPECT_STREQ(text, "manychain");
  EXPECT_EQ(nc_inq_attid(posterior, NC_GLOBAL, "created_at", nullptr), NC_NOERR);
  unsigned long long seed = 0;
  ASSERT_EQ(nc_get_att_ulonglong(posterior, NC_GLOBAL, "seed", &seed), NC_NOERR);
  EXPECT_EQ(seed, 18446744073709551615u);
}

// A run of 4 draws that was cancelled after 3, and one that was not. Where draws were taken out by hand, nothing was
// cancelled.
TEST(NetCdf, SaysThatItsRunWasCancelled) {
  struct Case {
    std::size_t planned;
    bool cancelled;
  };
  for (const auto& [planned, cancelled] : {Case{3, false}, Case{4, true}, Case{4, false}}) {
    Result result = hand_made_result(2, 3, Precision::single_precision);
    result.settings.sampling.draws = planned;
    result.cancelled = cancelled;
    const File file(result);
    for (const char* group : {"posterior", "sample_stats"}) {
      unsigned long long value = 17;
      ASSERT_EQ(nc_get_att_ulonglong(file.group(group), NC_GLOBAL, "cancelled", &value), NC_NOERR);
      EXPECT_EQ(value, cancelled);
      ASSERT_EQ(nc_get_att_ulonglong(file.group(group), NC_GLOBAL, "draws_planned", &value), NC_NOERR);
      EXPECT_EQ(value, *result.settings.sampling.draws);
    }
    const Diagnosis diagnosis = diagnose(read_draws({file.path()}));
    EXPECT_TRUE(diagnosis.file.faults.empty());
    EXPECT_EQ(diagnosis.file.cancelled, cancelled);
    EXPECT_EQ(diagnosis.file.draws_planned, planned);
    EXPECT_EQ(diagnosis.verdict.text().find("The run was cancelled: 3 of 4 draws") != std::string::npos, cancelled)
        << diagnosis.verdict.text();
  }
}

// Its draws are written before its diagnostics are there.
TEST(NetCdf, SaysWhatTheRunFoundAfterItsDraws) {
  const std::string path = testing::TempDir() + "manychain_writer.nc";
  Result result = hand_made_result(4, 7, Precision::single_precision);
  const Result before = result;
  io::NetcdfWriter writer(path, before);
  result.cancelled = true;
  result.sampling.stuck_chains = {1};
  writer.finish(result);
  const DrawsFile file = read_draws({path});
  ASSERT_TRUE(file.run);
  EXPECT_EQ(file.run->stuck_chains, result.sampling.stuck_chains);
  EXPECT_EQ(parts_of(path), Names());
  std::remove(path.c_str());
}

TEST(NetCdf, LeavesNothingOfARunThatFailedInItsDiagnostics) {
  const std::string path = testing::TempDir() + "manychain_left.nc";
  {
    const Result result = hand_made_result(4, 7, Precision::single_precision);
    io::NetcdfWriter writer(path, result);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(parts_of(path), Names());
}

TEST(NetCdf, ANameThatTheFormatNeedsGivesWay) {
  Result result = hand_made_result(3, 2, Precision::single_precision);
  result.layout.quantities[0].name = "draw";
  const File file(result);
  expect_draws(file.group("posterior"), "draw_", 0, {}, 3, 2);
}

TEST(NetCdf, ReplacesAnOlderFileAndLeavesNoPart) {
  const Result result = hand_made_result(3, 2, Precision::single_precision);
  const File file(result);
  write_netcdf(file.path(), result);
  EXPECT_EQ(parts_of(file.path()), Names());
}

TEST(NetCdf, RefusesWhatItCannotWrite) {
  Result result = hand_made_result(3, 2, Precision::single_precision);
  EXPECT_THROW(write_netcdf(testing::TempDir() + "no/such/folder/draws.nc", result), BadInput);
  result.draws = {};
  EXPECT_THROW(write_netcdf(testing::TempDir() + "draws.nc", result), BadInput);
}

// The room asked of the disk before the run is that which the file takes in the end.
TEST(NetCdf, ItsSizeIsKnownBefore) {
  struct Case {
    std::size_t chains, draws;
    Precision precision;
  };
  for (const Case& c : {Case{4, 7, Precision::single_precision}, Case{64, 50, Precision::double_precision},
                        Case{1024, 400, Precision::single_precision}, Case{3000, 333, Precision::double_precision},
                        Case{1, 100'000, Precision::single_precision}, Case{50'000, 3, Precision::single_precision}}) {
    const Result result = hand_made_result(c.chains, c.draws, c.precision);
    const File file(result);
    const std::size_t number = c.precision == Precision::single_precision ? 4 : 8;
    const auto expected =
        double(io::netcdf_bytes(result.layout, {c.chains, c.draws, number, true, true, 1024, 0, nullptr, false}));
    const auto size = double(std::filesystem::file_size(file.path()));
    EXPECT_LE(size, expected) << c.chains << " x " << c.draws;
    EXPECT_LE(expected, 1.1 * size + 150e3) << c.chains << " x " << c.draws;
  }
}

TEST(NetCdf, LeavesNothingReservedOnTheDisk) {
  const File file(hand_made_result(1024, 400, Precision::single_precision));
  struct stat status {};
  ASSERT_EQ(stat(file.path().c_str(), &status), 0);
  EXPECT_LE(std::size_t(status.st_blocks) * 512, std::size_t(status.st_size) + (std::size_t(1) << 20));
}

TEST(NetCdf, ChunksAreOfEqualSize) {
  EXPECT_EQ(io::chunk_of({1024, 400, 8}, 4), (Shape{1024, 100, 8}));
  EXPECT_EQ(io::chunk_of({10, 7}, 8), (Shape{10, 7}));
  EXPECT_EQ(io::chunk_of({100'000, 3, 1000}, 4), (Shape{16'667, 1, 1000}));
}

TEST(NetCdf, ReplacesNothingButFiles) {
  const Result result = hand_made_result(3, 2, Precision::single_precision);
  EXPECT_THROW(write_netcdf("/dev/null", result), BadInput);
  EXPECT_THROW(write_netcdf(testing::TempDir(), result), BadInput);
  // A link stays one.
  const std::string target = testing::TempDir() + "manychain_target.nc",
                    link = testing::TempDir() + "manychain_link.nc";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(target, link);
  write_netcdf(link, result);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_regular_file(target));
  std::filesystem::remove(link);
  std::filesystem::remove(target);
}

}  // namespace
