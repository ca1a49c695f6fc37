// A run as a Zarr store: its layout, its growth, what is refused, what is damaged.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "hand_made_result.hpp"
#include "io/crc32c.hpp"
#include "io/predictions.hpp"
#include "io/raw_file.hpp"
#include "io/zarr_folder.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/diagnosis.hpp"
#include "manychain/io/output.hpp"
#include "manychain/io/zarr.hpp"
#include "zarr_store_cases.hpp"

namespace {

using namespace manychain;
using namespace manychain::testing_io;
using namespace manychain::testing_zarr;
TEST(Crc32c, is_that_of_the_standard) {
  EXPECT_EQ(io::crc32c("123456789", 9), 0xe3069283u);  // RFC 3720, and every catalogue
  std::string bytes(1003, '\0');
  std::mt19937 random(1);
  for (char& byte : bytes) byte = char(random());
  for (std::size_t count : {0u, 1u, 7u, 8u, 9u, 100u, 1003u}) {
    EXPECT_EQ(io::crc32c(bytes.data(), count), io::crc32c_by_tables(bytes.data(), count));
    EXPECT_EQ(io::crc32c(bytes.data() + 3, count / 2, io::crc32c(bytes.data(), 3)),
              io::crc32c(bytes.data(), 3 + count / 2));
  }
}

TEST_F(ZarrStoreTest, layout_of_the_format) {
  write_zarr(path_, hand_made_result(4, 6, Precision::single_precision));
  const Json theta = json("posterior/theta/zarr.json");
  EXPECT_EQ(theta["zarr_format"], 3);
  EXPECT_EQ(theta["node_type"], "array");
  EXPECT_EQ(theta["data_type"], "float32");
  EXPECT_EQ(theta["shape"], Json({4, 6, 3}));
  EXPECT_EQ(theta["fill_value"], "NaN");
  EXPECT_EQ(theta["dimension_names"], Json({"chain", "draw", "theta_dim_0"}));
  EXPECT_EQ(theta["codecs"][1]["name"], "crc32c");
  const std::string chunk = text(file("posterior/theta/c.0.0.0"));
  ASSERT_EQ(chunk.size(), 4 * 6 * 3 * sizeof(float) + 4);
  float value = 0;
  std::memcpy(&value, &chunk[((2 * 6 + 5) * 3 + 1) * sizeof value], sizeof value);
  EXPECT_EQ(value, float(draw_value(5, 2, 2)));
  EXPECT_EQ(json("zarr.json")["consolidated_metadata"]["metadata"]["posterior/theta"], theta);
  EXPECT_EQ(json("sample_stats/diverging/zarr.json")["data_type"], "bool");
}

TEST_F(ZarrStoreTest, reads_as_the_netcdf_file_does) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Result result = rich_result(4, 7, precision);
    write_zarr(path_, result);
    write_netcdf(folder_ + "/run.nc", result);
    const DrawsFile store = read_draws({path_}), file = read_draws({folder_ + "/run.nc"});
    expect_same_file(store, file);
    ASSERT_TRUE(store.run.has_value());
    const io::Predictions a = io::read_predictions(store), b = io::read_predictions(file);
    EXPECT_EQ(a.log_likelihoods, b.log_likelihoods);
    ASSERT_EQ(a.all.size(), b.all.size());
    ASSERT_EQ(a.all.size(), 1u);
    EXPECT_EQ(a.all[0].observed, b.all[0].observed);
    EXPECT_EQ(to_json(diagnose(store)).substr(0, 20), to_json(diagnose(file)).substr(0, 20));
    EXPECT_EQ(diagnose(store).table(), diagnose(file).table());
    fs::remove(folder_ + "/run.nc");
  }
}

TEST_F(ZarrStoreTest, grows_by_any_number_of_draws) {
  const Result whole = hand_made_result(4096, 50, Precision::double_precision);  // more than one block
  io::ZarrStore store(path_);
  store.set_facts({{"model", "text with \"quotes\""}});
  store.begin(facts_of(whole));
  const std::size_t block = store.block_draws();
  ASSERT_GT(block, 1u);
  ASSERT_LT(block, 50u);
  EXPECT_THROW(read_draws({path_}), BadInput);  // no draws
  EXPECT_TRUE(io::read_stored_run(path_).state.empty());
  append(store, whole, 0, "warm");
  EXPECT_EQ(io::read_stored_run(path_).state, "warm");
  for (const std::size_t end : {std::size_t(1), block - 1, block + 3, std::size_t(50)}) {
    append(store, whole, end, "state " + std::to_string(end));
    const StoredRun stored = io::read_stored_run(path_);
    EXPECT_EQ(stored.state, "state " + std::to_string(end));
    const Draws draws = part(whole.draws, 0, end), stats = part(whole.sample_stats, 0, end);
    EXPECT_TRUE(stored.draws.float32 == draws.float32 && stored.draws.float64 == draws.float64);
    EXPECT_TRUE(stored.sample_stats.float32 == stats.float32 && stored.sample_stats.float64 == stats.float64);
    const DrawsFile read = read_draws({path_});
    EXPECT_EQ(read.draws, end);
    ASSERT_EQ(read.faults.size(), 1u);
    EXPECT_NE(read.faults[0].find("its run has not ended"), std::string::npos);
  }
  store.finish(whole);
  EXPECT_EQ(io::read_store_facts(path_).at("model"), "text with \"quotes\"");
  write_zarr(folder_ + "/at_once.zarr", whole);
  expect_same_file(read_draws({path_}), read_draws({folder_ + "/at_once.zarr"}));
  for (const auto& one : fs::recursive_directory_iterator(folder_))
    EXPECT_EQ(one.path().string().find(".partial"), std::string::npos) << one.path();
}

// A default run of few draws is not padded to megabytes.
TEST_F(ZarrStoreTest, of_a_run_that_may_end_early_is_small) {
  const Result whole = hand_made_result(256, 20, Precision::single_precision);
  Result facts = facts_of(whole);
  facts.settings.sampling.draws = 100'000;
  const auto bytes = [&](std::optional<double> target) {
    facts.settings.sampling.target_ess = target;
    {
      io::ZarrStore store(path_);
      store.begin(facts);
      append(store, whole, 20, "twenty");
      store.finish(whole);
    }
    std::uintmax_t all = 0;
    for (const auto& one : fs::recursive_directory_iterator(folder_))
      if (one.is_regular_file()) all += one.file_size();
    return all;
  };
  EXPECT_GT(bytes({}), 8'000'000u);
  EXPECT_LT(bytes(400), 4'000'000u);  // 2 MB of outputs and statistics; n_steps and numbers of draws beside them
  EXPECT_EQ(read_draws({path_}).draws, 20u);
}

TEST_F(ZarrStoreTest, goes_on_behind_its_state) {
  const Result whole = hand_made_result(8192, 60, Precision::single_precision);
  std::size_t block = 0;
  {
    io::ZarrStore store(path_);
    Result facts = facts_of(whole);
    facts.settings.sampling.draws = 50;  // and more when it goes on
    store.begin(facts);
    block = store.block_draws();
    append(store, whole, block + 5, "five");
    append(store, whole, block + 9, "");  // behind the state: as if killed before that was written
    Result cut = whole;
    cut.sampling.leapfrogs.resize(block + 9);
    store.finish(cut);
    EXPECT_TRUE(fs::exists(file("sample_stats/n_steps")));
  }
  {
    io::ZarrStore store(path_, io::ZarrStore::Reopened{});
    EXPECT_EQ(store.draws(), block + 5);
    store.begin(facts_of(whole));
    EXPECT_EQ(store.block_draws(), block);
    EXPECT_EQ(read_draws({path_}).draws, block + 5);
    EXPECT_FALSE(fs::exists(file("sample_stats/n_steps")));
    append(store, whole, 60, "sixty");
    store.finish(whole);
    EXPECT_EQ(json("posterior/draw/zarr.json")["chunk_grid"]["configuration"]["chunk_shape"], Json({50}));
    EXPECT_TRUE(fs::exists(file("posterior/draw/c.1")));
  }
  write_zarr(folder_ + "/at_once.zarr", whole);
  expect_same_file(read_draws({path_}), read_draws({folder_ + "/at_once.zarr"}));

  io::ZarrStore other(path_, io::ZarrStore::Reopened{});
  Result another = facts_of(whole);
  another.layout.quantities[1].name = "eta";
  EXPECT_THROW(other.begin(another), BadInput);
}

TEST_F(ZarrStoreTest, one_run_at_a_time) {
  const Result whole = hand_made_result(4, 6, Precision::double_precision);
  {
    io::ZarrStore store(path_);
    store.begin(facts_of(whole));
    for (const auto& open : std::vector<std::function<void()>>{
             [&] { io::ZarrStore second(path_); }, [&] { io::ZarrStore second(path_, io::ZarrStore::Reopened{}); },
             [&] { write_zarr(path_, whole); }}) {
      try {
        open();
        ADD_FAILURE() << "two runs write to one store";
      } catch (const BadInput& error) {
        EXPECT_NE(std::string(error.what()).find("another run writes to it"), std::string::npos) << error.what();
      }
    }
    append(store, whole, 6, "s");
  }
  write_zarr(path_, whole);  // replaced, whole
  EXPECT_TRUE(read_draws({path_}).faults.empty());
  EXPECT_FALSE(fs::exists(file(io::store_state_name)));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(ZarrStoreTest, what_is_no_store_stays) {
  const Result whole = hand_made_result(4, 6, Precision::double_precision);
  EXPECT_THROW(write_zarr(folder_ + "/none/run.zarr", whole), BadInput);
  write(path_, "words");
  EXPECT_THROW(write_zarr(path_, whole), BadInput);
  EXPECT_EQ(text(path_), "words");
  fs::remove(path_);
  fs::create_directories(path_);
  write(file("zarr.json"), R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
  EXPECT_THROW(write_zarr(path_, whole), BadInput);
  EXPECT_THROW(read_draws({path_}), BadInput);
  fs::remove(file("zarr.json"));
  write_zarr(path_, whole);  // an empty folder
  EXPECT_EQ(read_draws({path_ + "/"}).draws, 6u);
  fs::create_directory_symlink(path_, folder_ + "/link.zarr");
  write_zarr(folder_ + "/link.zarr", whole);
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link.zarr"));
  Result none = whole;
  none.draws = {};
  EXPECT_THROW(write_zarr(path_, none), BadInput);
  EXPECT_THROW(read_draws({path_, path_}), BadInput);
}

TEST_F(ZarrStoreTest, a_failed_write_leaves_what_was_whole) {
  const Result whole = hand_made_result(4, 6, Precision::double_precision);
  io::ZarrStore store(path_);
  store.begin(facts_of(whole));
  append(store, whole, 3, "three");
  const std::string before = text(file("zarr.json"));
  fs::create_directories(file("posterior/theta/c.0.0.0.partial"));  // in the way
  EXPECT_THROW(append(store, whole, 5, "five"), Error);
  EXPECT_EQ(text(file("zarr.json")), before);
  EXPECT_EQ(io::read_stored_run(path_).state, "three");
  EXPECT_THROW(store.finish(whole), Error);
  fs::remove_all(path_);
  EXPECT_THROW(append(store, whole, 5, "five"), Error);
}

// A full block of many bytes is written by another thread.
TEST_F(ZarrStoreTest, a_failed_write_of_a_large_block_does_so_too) {
  const Result whole = hand_made_result(4096, 70, Precision::double_precision);
  io::ZarrStore store(path_);
  store.begin(facts_of(whole));
  const std::size_t block = store.block_draws();
  append(store, whole, block, "one");
  EXPECT_GE(fs::file_size(file("posterior/m/c.0.0.0.0")), io::direct_bytes);
  for (const char* begun : {"partial", "next.partial"})
    fs::create_directories(file("posterior/m/c.0.1.0.0." + std::string(begun)));
  EXPECT_THROW(append(store, whole, 2 * block, "two"), Error);
  const StoredRun stored = io::read_stored_run(path_);
  EXPECT_EQ(stored.state, "one");
  EXPECT_TRUE(stored.draws.float64 == part(whole.draws, 0, block).float64);
  EXPECT_THROW(append(store, whole, 2 * block, "two"), Error);
}

TEST_F(ZarrStoreTest, names_what_is_damaged) {
  const Result whole = hand_made_result(4, 6, Precision::double_precision);
  {
    io::ZarrStore store(path_);
    store.begin(facts_of(whole));
    append(store, whole, 6, "state");
    store.finish(whole);
  }
  const auto refused = [&](const std::string& name, const std::string& words, auto&& read) {
    const std::string before = text(file(name));
    return [=, this](const std::string& after) {
      write(file(name), after);
      try {
        read();
        ADD_FAILURE() << name << " was read";
      } catch (const BadInput& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      }
      write(file(name), before);
    };
  };
  const auto draws = [this] { read_draws({path_}); };
  std::string chunk = text(file("posterior/mu/c.0.0"));
  chunk[5] ^= 1;
  refused("posterior/mu/c.0.0", "run.zarr/posterior/mu/c.0.0: is damaged: its checksum is wrong", draws)(chunk);
  refused("posterior/mu/c.0.0", "should have", draws)(chunk.substr(1));
  std::string state = text(file(io::store_state_name));
  state.back() ^= 1;
  refused(io::store_state_name, "manychain.state: is damaged: its checksum is wrong",
          [this] { io::read_stored_run(path_); })(state);
  Json root = json("zarr.json");
  root["attributes"]["manychain_store"]["version"] = 2;
  refused("zarr.json", "is a store of a later version of manychain", draws)(root.dump());
  root["attributes"] = Json::object();
  refused("zarr.json", "is no store of draws of manychain", draws)(root.dump());
  refused("zarr.json", "it is no JSON", draws)("{");
  root = json("zarr.json");
  root["consolidated_metadata"]["metadata"]["posterior/mu"]["codecs"][1]["name"] = "zstd";
  refused("zarr.json", "it has the codec zstd", draws)(root.dump());
  root = json("zarr.json");
  for (auto& [name, one] : root["consolidated_metadata"]["metadata"].items())
    if (one.contains("shape") && one["shape"].size() > 1) one["shape"][1] = std::uint64_t(1) << 40;
  refused("zarr.json", "it is missing", draws)(root.dump());
  EXPECT_NO_THROW(draws());
  fs::remove(file("posterior/m/c.0.0.0.0"));
  EXPECT_THROW(draws(), BadInput);
}

/// Changes a value somewhere in a tree.
void change_somewhere(Json& json, std::mt19937& random) {
  static const Json values[] = {nullptr,
                                -1,
                                0,
                                1,
                                3,
                                1e300,
                                "NaN",
                                "",
                                "x/../y",
                                true,
                                Json::array(),
                                Json::object(),
                                std::uint64_t(-1),
                                std::uint64_t(1) << 33,
                                Json::array({1, "a"})};
  if ((json.is_object() || json.is_array()) && !json.empty() && random() % 12 != 0) {
    auto at = json.begin();
    std::advance(at, long(random() % json.size()));
    if (random() % 40 == 0)
      json.erase(at);
    else
      change_somewhere(*at, random);
  } else {
    json = values[random() % std::size(values)];
  }
}

class MutatedStores : public ZarrStoreTest, public testing::WithParamInterface<Compression> {};

TEST_P(MutatedStores, are_read_or_refused) {
  const Compression compression = GetParam();
  const Result whole = rich_result(4, 6, Precision::single_precision);
  {
    io::ZarrStore store(path_, io::ZarrStore::Shown::at_once, compression);
    store.begin(facts_of(whole));
    append(store, whole, 6, "state");
    store.finish(whole);
  }
  std::vector<std::string> files;
  for (const auto& one : fs::recursive_directory_iterator(path_))
    if (one.is_regular_file()) files.push_back(one.path().string());
  std::sort(files.begin(), files.end());
  std::mt19937 random(7);
  int refused = 0, read = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string name = round % 3 ? file("zarr.json") : files[random() % files.size()];
    const std::string before = text(name);
    std::string after = before;
    if (round % 3 == 1) {
      Json root = Json::parse(before);
      for (unsigned i = 0; i <= random() % 3; ++i) change_somewhere(root, random);
      after = root.dump();
    } else if (!after.empty()) {
      for (unsigned i = 0; i <= random() % 4; ++i) after[random() % after.size()] = char(random());
      if (random() % 4 == 0) after.resize(random() % after.size());
    }
    write(name, after);
    const auto attempt = [&](const auto& work) {
      try {
        work();
        ++read;
      } catch (const BadInput&) {
        ++refused;
      }
    };
    attempt([&] { io::read_predictions(read_draws({path_})); });
    attempt([&] { io::read_stored_run(path_); });
    attempt([&] {
      io::ZarrStore store(path_, io::ZarrStore::Reopened{});
      if (round % 3 == 1) return;  // begin() would mend it
    });
    write(name, before);
  }
  EXPECT_GT(refused, 60);
  EXPECT_GT(read, 60);
}

INSTANTIATE_TEST_SUITE_P(OfEitherKind, MutatedStores, testing::Values(Compression::none, Compression::gzip));

/// A process that appends draws one by one until it is killed, at any moment.
TEST_F(ZarrStoreTest, a_kill_leaves_a_whole_prefix) {
  const Result whole = hand_made_result(64, 400, Precision::single_precision);
  std::mt19937 random(3);
  std::size_t there = 0;
  for (int kills = 0; kills < 20 || (there == 0 && kills < 60); ++kills) {  // more where starting takes long
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        if (!io::is_store(path_)) {
          io::ZarrStore store(path_);
          store.begin(facts_of(whole));
          for (std::size_t end = 1; end <= 400; ++end) append(store, whole, end, std::to_string(end));
        } else {
          io::ZarrStore store(path_, io::ZarrStore::Reopened{});
          store.begin(facts_of(whole));
          for (std::size_t end = store.draws() + 1; end <= 400; ++end) append(store, whole, end, std::to_string(end));
        }
      } catch (...) {
        _exit(1);
      }
      _exit(0);
    }
    usleep(3000 + random() % (2000u * unsigned(kills + 1)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0);
    if (!io::is_store(path_)) continue;  // killed before it had its name
    const StoredRun stored = io::read_stored_run(path_);
    ASSERT_EQ(stored.state, stored.draws.draws == 0 ? "" : std::to_string(stored.draws.draws));
    ASSERT_GE(stored.draws.draws, there);
    there = stored.draws.draws;
    ASSERT_TRUE(stored.draws.float32 == part(whole.draws, 0, there).float32);
    ASSERT_TRUE(stored.sample_stats.float32 == part(whole.sample_stats, 0, there).float32);
    if (there > 0) {
      ASSERT_GE(read_draws({path_}).draws, there);
    }
  }
  EXPECT_GT(there, 0u);
}

/// Draws for tests/cli/zarr_stores.py, which starts this, reads meanwhile and kills it: one append after another.
TEST(ZarrWriter, DISABLED_for_other_programs) {
  const char* const path = std::getenv("MANYCHAIN_STORE");
  ASSERT_NE(path, nullptr);
  const Result whole = hand_made_result(64, 3000, Precision::double_precision);
  std::unique_ptr<io::ZarrStore> store;
  if (io::is_store(path))
    store = std::make_unique<io::ZarrStore>(path, io::ZarrStore::Reopened{});
  else
    store = std::make_unique<io::ZarrStore>(path);
  store->begin(facts_of(whole));
  for (std::size_t end = store->draws(); end < 3000;) {
    end = std::getenv("MANYCHAIN_TO_THE_END") ? 3000 : std::min<std::size_t>(end + 1 + end % 5, 3000);
    append(*store, whole, end, std::to_string(end));
  }
  store->finish(whole);
}

}  // namespace
