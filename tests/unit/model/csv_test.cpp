// Tables in CSV: RFC 4180, and what becomes of columns.
#include "model/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "manychain/core/error.hpp"
#include "manychain/model/language/data_reader.hpp"

namespace {

using namespace manychain;
using Fields = std::vector<std::string>;

std::vector<Fields> fields(const std::string& text) {
  std::vector<Fields> all;
  for (const CsvRecord& record : read_csv(text)) all.push_back(record.fields);
  return all;
}

template <class F>
std::string complaint(const F& f) {
  try {
    f();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}
std::string complaint_of(const std::string& text) {
  return complaint([&] { Data::from_csv(text); });
}

// The rules of section 2 of the RFC, by their numbers.
TEST(Csv, FollowsTheRfc) {
  EXPECT_EQ(fields("aaa,bbb\r\nzzz,yyy\r\n"), (std::vector<Fields>{{"aaa", "bbb"}, {"zzz", "yyy"}}));    // 1
  EXPECT_EQ(fields("aaa,bbb\r\nzzz,yyy"), (std::vector<Fields>{{"aaa", "bbb"}, {"zzz", "yyy"}}));        // 2
  EXPECT_EQ(fields("a, b ,\n1,2,3"), (std::vector<Fields>{{"a", " b ", ""}, {"1", "2", "3"}}));          // 4
  EXPECT_EQ(fields("\"aaa\",bbb,\"\"\n"), (std::vector<Fields>{{"aaa", "bbb", ""}}));                    // 5
  EXPECT_EQ(fields("\"a\r\nb\",\"c,d\"\r\n1,2"), (std::vector<Fields>{{"a\r\nb", "c,d"}, {"1", "2"}}));  // 6
  EXPECT_EQ(fields("\"b\"\"b\"\"\"\n"), (std::vector<Fields>{{"b\"b\""}}));                              // 7
}

TEST(Csv, TakesLineEndsAndMarksAsTheyCome) {
  EXPECT_EQ(fields("\xEF\xBB\xBFx\n1\n\n\n"), (std::vector<Fields>{{"x"}, {"1"}}));
  EXPECT_EQ(fields("x\n1\n\n2"), (std::vector<Fields>{{"x"}, {"1"}, {""}, {"2"}}));
  EXPECT_TRUE(fields("").empty());
  EXPECT_EQ(read_csv("a\n\"1\n2\"\n3")[2].line, 4u);
}

TEST(Csv, NamesTheLineThatIsWrong) {
  EXPECT_EQ(complaint_of("a,b\n1,2\n3\n"), "CSV: line 3: it has 1 field, and the header names 2 columns");
  EXPECT_EQ(complaint_of("a\n1,2\n"), "CSV: line 2: it has 2 fields, and the header names 1 column");
  EXPECT_EQ(complaint_of("a\n1\n\"2\n3"), "CSV: line 3: a quote is not closed");
  EXPECT_EQ(complaint_of("a\n1\"2\n"), "CSV: line 2: a quote stands within a field that does not begin with one");
  EXPECT_EQ(complaint_of("a\n\"1\"2\n"),
            "CSV: line 2: behind the quote that closes a field there is more before the comma");
  EXPECT_EQ(complaint_of(""), "CSV: the file is empty: its first line must name the columns");
  EXPECT_EQ(complaint_of("a,b,a\n1,2,3\n"), "CSV: line 1: two columns are called a");
  EXPECT_EQ(complaint_of("1,2\n3,4\n"), "CSV: line 1: the first line must name the columns, and 1 is a number");
  const std::string how = "; write the table with commas between columns and decimal points (write.csv() in R, ";
  EXPECT_EQ(complaint_of("a;b\n1,5;2\n").find("CSV: line 1: columns are separated by semicolons" + how), 0u);
  EXPECT_EQ(complaint_of("a\tb\n1\t2\n").find("CSV: line 1: columns are separated by tabs" + how), 0u);
}

TEST(DataCsv, ColumnsAreVectors) {
  const Data data = Data::from_csv("n, x ,\"quoted\",\"\"\n1,1.5,\"2\",a\n-20, +.25 ,\"-3e2\",b\n7,1e400,-Inf,c\n");
  ASSERT_NE(data.find("n"), nullptr);
  EXPECT_EQ(data.find("n")->values, (std::vector<double>{1, -20, 7}));
  EXPECT_EQ(data.find("n")->shape, std::vector<std::size_t>{3});
  EXPECT_TRUE(data.find("n")->integer);
  EXPECT_EQ(data.find("x")->values, (std::vector<double>{1.5, 0.25, INFINITY}));
  EXPECT_FALSE(data.find("x")->integer);
  EXPECT_EQ(data.find("quoted")->values, (std::vector<double>{2, -300, -INFINITY}));
  EXPECT_EQ(data.names(), (std::vector<std::string>{"n", "quoted", "x"}));  // R's column of row names is left out
  EXPECT_EQ(data.rows(), 3u);
  EXPECT_EQ(Data::from_csv("x,y\n").find("y")->shape, std::vector<std::size_t>{0});
}

// A cell that is no number stops only the model that asks for it, and the message says where it stands.
TEST(DataCsv, SaysWhichCellIsNoNumber) {
  HostDataMemory memory;
  const auto of = [&](const std::string& cell) {
    const Data data = Data::from_csv("y,x\n1,0\n2," + cell + "\n3,0\n");
    EXPECT_EQ(data.find("x"), nullptr) << cell;
    const DataReaderBase in(data, memory);
    EXPECT_EQ(in.values("y", {3}), (std::vector<double>{1, 2, 3}));
    return complaint([&] { in.values("x", {3}); });
  };
  const std::string where = "column x, row 2 (line 3): ";
  for (const char* missing : {"NA", "NaN", "null", "."})
    EXPECT_EQ(of(missing),
              where + missing + " is a missing value; leave such rows out, or make the missing values parameters");
  EXPECT_EQ(of(""), where + "the cell is empty; leave such rows out, or make the missing values parameters");
  EXPECT_EQ(of("\"1,234\""), where + "\"1,234\" is no number; write it with a decimal point and without separators");
  EXPECT_EQ(of("1'234.5"), where + "\"1'234.5\" is no number; write it with a decimal point and without separators");
  for (const char* date : {"2020-01-31", "31.1.2020", "1/31/2020 10:00", "2020-01-31T10:00:00"})
    EXPECT_EQ(of(date), where + '"' + date +
                            "\" is no number; write dates as year-month-day and then as days, for example by "
                            "as.numeric(as.Date(x)) in R or "
                            "(pandas.to_datetime(x) - pandas.Timestamp(\"2000-01-01\")).dt.days in pandas");
  for (const char* other : {"1.2.3", "555-123-4567", "2020-01/31", "2020-01-31x", "2020-01-2020"})
    EXPECT_EQ(of(other).find("dates"), std::string::npos) << other;
  EXPECT_EQ(of("TRUE"), where + "TRUE is no number; write 1 for true and 0 for false");
  EXPECT_EQ(of("Aitkin"),
            where +
                "\"Aitkin\" is no number; code words as whole numbers, for example by as.integer(factor(x)) in R or "
                "x.astype(\"category\").cat.codes + 1 in pandas");
  for (const char* word : {"1e", "0x10", "--1", "+-1", "infinite", "nano", "1 2", "12kg"})
    EXPECT_EQ(of(word).rfind(where, 0), 0u) << word;
}

TEST(DataCsv, WholeNumbersAreAskedForAsInJson) {
  HostDataMemory memory;
  const Data data = Data::from_csv("n,x\n1,1\n2,2.5\n");
  const DataReaderBase in(data, memory);
  EXPECT_EQ(in.values("n", {2}, integer()), (std::vector<double>{1, 2}));
  EXPECT_EQ(complaint([&] { in.values("x", {2}, integer()); }), "int variable contained non-int values: x[2] is 2.5");
  EXPECT_EQ(complaint([&] { in.values("x", {3}); }),
            "mismatch in dimension declared and found: x, declared (3), found (2)");
}

TEST(DataCsv, NIsTheNumberOfRows) {
  HostDataMemory memory;
  Data data = Data::from_csv("x\n1\n2\n3\n");
  EXPECT_EQ(DataReaderBase(data, memory).size("N"), 3);
  EXPECT_NE(complaint([&] { DataReaderBase(data, memory).size("N", integer(4)); }).find("out of bounds: N is 3"),
            std::string::npos);
  EXPECT_EQ(
      complaint([&] { DataReaderBase(data, memory).size("K"); }),
      "variable does not exist: K; the data have x; a table gives no size but N, its rows: write {\"K\": ...} in a "
      "JSON file beside it");
  EXPECT_EQ(complaint([&] { DataReaderBase(data, memory).values("N", {}); }),
            "variable does not exist: N; the data have x");  // no size
  // The value in a file counts.
  data.add(Data::from_json(R"({"N": 2})"));
  EXPECT_EQ(DataReaderBase(data, memory).size("N"), 2);
  const Data column = Data::from_csv("N\nwords\n");
  EXPECT_EQ(complaint([&] { DataReaderBase(column, memory).size("N"); }).rfind("column N, row 1", 0), 0u);
  // Tables of as many rows, and of others.
  data = Data::from_csv("x\n1\n2\n");
  data.add(Data::from_csv("y\n5\n6\n"));
  EXPECT_EQ(DataReaderBase(data, memory).size("N"), 2);
  data.add(Data::from_csv("z\n5\n"));
  EXPECT_EQ(
      complaint([&] { DataReaderBase(data, memory).size("N"); }),
      "the tables have 2, 2, 1 rows: which is N is not known; write {\"N\": ...} in a JSON file beside them, or give "
      "tables of one length");
}

TEST(DataCsv, FilesAreReadTogether) {
  const std::string folder = testing::TempDir(), json = folder + "manychain_csv_test.json",
                    csv = folder + "manychain_csv_test.csv";
  std::ofstream(json) << R"({"s": 2.5, "coords": {"row": ["a", "b"]}, "dims": {"x": ["row"]}})";
  std::ofstream(csv) << "x,word\n1,a\n2,b\n";
  const Data data = Data::from_files({json, csv});
  EXPECT_EQ(data.find("s")->values, std::vector<double>{2.5});
  EXPECT_EQ(data.find("x")->values, (std::vector<double>{1, 2}));
  EXPECT_EQ(data.file(), json + ", " + csv);
  EXPECT_EQ(data.coords().at("row").labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(data.dims().at("x"), std::vector<std::string>{"row"});
  EXPECT_NE(data.fault("word"), nullptr);
  EXPECT_EQ(complaint([&] { Data::from_files({csv, csv}); }), csv + ": variable x is defined twice");
  EXPECT_EQ(complaint([&] { Data::from_files({json, json}); }), json + ": variable s is defined twice");
  std::ofstream(csv) << "word\n1\n";
  std::ofstream(json) << R"({"word": 3})";
  EXPECT_EQ(complaint([&] { Data::from_files({json, csv}); }), csv + ": variable word is defined twice");
  std::remove(json.c_str());
  std::remove(csv.c_str());
}

}  // namespace
