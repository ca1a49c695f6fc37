// Stores whose draws are compressed: the numbers of plain ones, their growth, what is damaged.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "io/crc32c.hpp"
#include "io/gzip.hpp"
#include "io/predictions.hpp"
#include "io/zarr_folder.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "manychain/io/zarr.hpp"
#include "manychain/manychain.hpp"
#include "zarr_store_cases.hpp"

namespace {

using namespace manychain;
using namespace manychain::testing_io;
using namespace manychain::testing_zarr;

TEST(Gzip, gives_the_bytes_back_and_refuses_others) {
  std::mt19937 random(1);
  for (const std::size_t count : {0u, 1u, 1000u, 300000u}) {
    std::string bytes(count, '\0'), back;
    for (std::size_t i = 0; i < count; i += 3) bytes[i] = char(random());
    const std::string stream = io::gzip(bytes);
    EXPECT_EQ(stream, io::gzip(bytes));
    ASSERT_TRUE(io::gunzip(stream, count, back));
    EXPECT_EQ(back, bytes);
    EXPECT_FALSE(io::gunzip(stream, count + 1, back));
    if (count > 0) {
      EXPECT_FALSE(io::gunzip(stream, count - 1, back));
    }
    EXPECT_FALSE(io::gunzip(stream + "x", count, back));
    EXPECT_FALSE(io::gunzip(stream + stream, count, back));
    for (const std::size_t cut : {std::size_t(0), std::size_t(9), stream.size() / 2, stream.size() - 1})
      EXPECT_FALSE(io::gunzip(stream.substr(0, cut), count, back)) << cut;
  }
  EXPECT_LE(1000000 / io::gzip(std::string(1000000, '\0')).size(), io::gzip_most_ratio);
}

class ZarrGzipTest : public ZarrStoreTest {
 protected:
  /// A whole store, appended in stretches that end at `ends`.
  void make(const std::string& path, const Result& whole, Compression compression,
            const std::vector<std::size_t>& ends) const {
    io::ZarrStore store(path, io::ZarrStore::Shown::at_once, compression);
    store.begin(facts_of(whole));
    for (const std::size_t end : ends) append(store, whole, end, "state");
    store.finish(whole);
  }
  /// The files of draws, by their names in the store.
  std::map<std::string, std::string> chunks(const std::string& path) const {
    std::map<std::string, std::string> found;
    for (const auto& one : fs::recursive_directory_iterator(path))
      if (one.is_regular_file() && one.path().filename().string().substr(0, 2) == "c.")
        found[fs::relative(one.path(), path).string()] = text(one.path().string());
    return found;
  }
};

TEST_F(ZarrGzipTest, has_the_numbers_of_a_plain_store) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Result whole = rich_result(4, 7, precision);
    make(path_, whole, Compression::gzip, {7});
    make(folder_ + "/plain.zarr", whole, Compression::none, {7});
    EXPECT_EQ(io::compression_of(path_), Compression::gzip);
    EXPECT_EQ(io::compression_of(folder_ + "/plain.zarr"), Compression::none);
    const DrawsFile store = read_draws({path_}), plain = read_draws({folder_ + "/plain.zarr"});
    expect_same_file(store, plain);
    EXPECT_EQ(io::read_predictions(store).log_likelihoods, io::read_predictions(plain).log_likelihoods);
    EXPECT_TRUE(io::read_stored_run(path_).draws.float64 == whole.draws.float64);
    const Json codecs = json("posterior/theta/zarr.json")["codecs"];
    ASSERT_EQ(codecs.size(), 3u);
    EXPECT_EQ(codecs[1], Json({{"name", "gzip"}, {"configuration", {{"level", 1}}}}));
    EXPECT_EQ(json("posterior/draw/zarr.json")["codecs"].size(), 2u);
  }
}

TEST_F(ZarrGzipTest, grows_to_the_same_bytes_however_it_is_cut) {
  const Result whole = hand_made_result(8192, 60, Precision::single_precision);
  make(folder_ + "/whole.zarr", whole, Compression::gzip, {60});
  {
    io::ZarrStore store(path_, io::ZarrStore::Shown::at_once, Compression::gzip);
    store.begin(facts_of(whole));
    ASSERT_LT(store.block_draws(), 50u);
    append(store, whole, 7, "seven");
    append(store, whole, store.block_draws() + 5, "");  // behind the state
  }
  {
    io::ZarrStore store(path_, io::ZarrStore::Reopened{});
    EXPECT_EQ(store.draws(), 7u);
    store.begin(facts_of(whole));
    append(store, whole, 60, "sixty");
    store.finish(whole);
  }
  EXPECT_EQ(chunks(path_), chunks(folder_ + "/whole.zarr"));
}

TEST_F(ZarrGzipTest, names_what_is_damaged) {
  const Result whole = hand_made_result(4, 6, Precision::double_precision);
  make(path_, whole, Compression::gzip, {6});
  const std::string name = file("posterior/mu/c.0.0"), chunk = text(name);
  const auto checked = [](std::string stream) {
    const std::uint32_t crc = io::crc32c(stream.data(), stream.size());
    return stream.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  };
  const std::string stream = chunk.substr(0, chunk.size() - 4);
  std::string changed = chunk;
  changed[5] ^= 1;
  const std::string mu(4 * 6 * sizeof(double), 'm');
  for (const auto& [bytes, words] :
       {std::pair(changed, "posterior/mu/c.0.0: is damaged: its checksum is wrong"),
        std::pair(chunk.substr(0, chunk.size() / 2), "its checksum is wrong"),
        std::pair(checked(stream.substr(0, stream.size() / 2)), "is damaged: it is no gzip of 192 bytes"),
        std::pair(checked(io::gzip(mu.substr(1))), "it is no gzip of 192 bytes"),
        std::pair(checked(io::gzip(mu + "m")), "it is no gzip of 192 bytes"), std::pair(checked(mu), "it is no gzip"),
        std::pair(std::string(), "it has 0 bytes, too few for 192 that are compressed")}) {
    write(name, bytes);
    try {
      read_draws({path_});
      ADD_FAILURE() << words << ": was read";
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
  write(name, chunk);
  EXPECT_NO_THROW(read_draws({path_}));
  // Numbers that no disk holds are refused before there is memory for them.
  Json root = json("zarr.json");
  for (auto& [array, one] : root["consolidated_metadata"]["metadata"].items())
    if (one.contains("shape") && one["shape"].size() > 1) {
      one["shape"][1] = 5;
      one["chunk_grid"]["configuration"]["chunk_shape"][1] = std::uint64_t(1) << 40;
    }
  write(file("zarr.json"), root.dump());
  EXPECT_THROW(read_draws({path_}), BadInput);
}

TEST_F(ZarrGzipTest, of_a_run_goes_on) {
  const Model model = builtin_model("normal");
  Storing storing;
  storing.compression = Compression::gzip;
  EXPECT_EQ(sample(model, short_run(10), path_, storing).kept, 10U);
  Resumed more;
  more.draws = 30;
  resume(model, path_, more);
  EXPECT_EQ(io::compression_of(path_), Compression::gzip);
  EXPECT_TRUE(io::read_stored_run(path_).draws.float32 == sample(model, short_run(30)).draws.float32);
}

}  // namespace
