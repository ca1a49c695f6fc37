// A store that is read when it is asked is judged and shown as one that is read into memory.
#include <gtest/gtest.h>

#include <limits>

#include "io/predictions.hpp"
#include "manychain/io/diagnosis.hpp"
#include "manychain/io/zarr.hpp"
#include "report/report.hpp"
#include "unit/io/zarr_store_cases.hpp"

namespace manychain::testing_zarr {
namespace {

class ZarrNumbersTest : public ZarrStoreTest {
 protected:
  /// In memory, and not: an eighth of a variable at a time, or nearly all.
  void expect_same_diagnosis() const {
    const Diagnosis whole = diagnose(read_draws({path_}));
    EXPECT_FALSE(whole.file.numbers);
    const double bytes = sizeof(double) * double(whole.file.chains) * double(whole.file.draws) *
                         double(whole.file.names.size() + whole.file.stat_names.size());
    for (const double memory : {1.0, bytes / 2, bytes - 1}) {
      const Diagnosis read = diagnose(open_draws({path_}, memory));
      ASSERT_TRUE(read.file.numbers);
      EXPECT_FALSE(read.file.values);
      EXPECT_EQ(to_json(read), to_json(whole));
      EXPECT_EQ(read.table(), whole.table());
      EXPECT_EQ(read.verdict.text(), whole.verdict.text());
    }
    const Diagnosis nearly = diagnose(open_draws({path_}, bytes - 1));
    EXPECT_EQ(report::page(nearly, io::read_predictions(nearly.file), {}, 2),
              report::page(whole, io::read_predictions(whole.file), {}, 2));
    EXPECT_TRUE(open_draws({path_}, bytes).values);
  }
};

TEST_F(ZarrNumbersTest, are_judged_as_draws_in_memory) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    write_zarr(path_, rich_result(4, 37, precision));
    expect_same_diagnosis();
  }
}

/// Chains of a run that has not ended are looked at for all that a run would know of them.
TEST_F(ZarrNumbersTest, of_a_run_that_has_not_ended) {
  Result whole = rich_result(8, 40, Precision::single_precision);
  const std::size_t variables = whole.draws.variables, chains = 8;
  const auto at = [&](std::size_t d, std::size_t v, std::size_t c) -> float& {
    return whole.draws.float32[(d * variables + v) * chains + c];
  };
  for (std::size_t d = 0; d < 40; ++d)
    for (std::size_t v = 0; v < variables; ++v) {
      at(d, v, 5) = at(d, v, 1);                         // twins
      at(d, v, 2) = 1;                                   // stuck
      if (v + 1 < variables) at(d, v, 6) = at(d, v, 3);  // they differ in the last quantity alone
    }
  at(7, 1, 7) = std::numeric_limits<float>::quiet_NaN();
  {
    io::ZarrStore store(path_);
    store.begin(facts_of(whole));
    append(store, whole, 40, "a state");
  }
  expect_same_diagnosis();
  const std::string text = diagnose(open_draws({path_}, 1)).verdict.text();
  EXPECT_NE(text.find("1, 5"), std::string::npos) << text;
  EXPECT_EQ(text.find("3, 6"), std::string::npos) << text;
}

TEST_F(ZarrNumbersTest, of_predictions_some_draws) {
  write_zarr(path_, rich_result(3, 23, Precision::double_precision));
  const DrawsFile whole = read_draws({path_}), read = open_draws({path_}, 1);
  for (const std::size_t thin : {1u, 2u, 5u, 23u}) {
    const std::size_t kept = 23 / thin;
    const auto some = read.numbers->quantities(1, 2, thin);
    for (std::size_t q = 0; q < 2; ++q)
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < kept; ++d)
          EXPECT_EQ(some[(q * 3 + c) * kept + d], whole.values[((q + 1) * 3 + c) * 23 + (d + 1) * thin - 1]);
  }
  const io::Predictions predictions = io::read_predictions(read);
  ASSERT_EQ(predictions.all.size(), 1u);
  EXPECT_EQ(predictions.all[0].draws, 1u);
  EXPECT_EQ(predictions.all[0].thin, 23u);
  EXPECT_NE(report::page(diagnose(read), predictions, {}, 1).find("Of each 23 draws the last one is shown"),
            std::string::npos);
}

}  // namespace
}  // namespace manychain::testing_zarr
