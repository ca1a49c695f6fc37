// Stan CSV with the draws of many chains in one file. tests/cli/posterior.sh has what else such files may hold.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "io/read_formats.hpp"

namespace {

using namespace manychain;
namespace fs = std::filesystem;

constexpr std::size_t chains = 256, draws = 100, quantities = 20;

/// Another number for each, of six digits at most.
double value(std::size_t chain, std::size_t draw, std::size_t quantity) {
  return static_cast<double>((quantity * draws + draw) * chains + chain);
}

/// The address space that this process takes, in bytes.
rlim_t taken() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// A pipe can be read but once.
TEST(StanCsv, ComesThroughAPipe) {
  const std::string path = testing::TempDir() + "manychain_pipe.csv";
  std::remove(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    std::ofstream file(path);
    file << "x,y\n";
    for (int i = 0; i < 1000; ++i) file << i << ',' << -i << '\n';
    file.close();
    _exit(0);
  }
  const DrawsFile read = read_draws({path});
  EXPECT_EQ(read.draws, 1000u);
  EXPECT_EQ(read.values[1999], -999);
  int status = 0;
  waitpid(writer, &status, 0);
  std::remove(path.c_str());
}

// The file holds 4 MB of numbers. When each chain kept room for all of them, it took 1 GB.
TEST(StanCsv, ManyChainsOfOneFileTakeTheMemoryOfTheFile) {
  const std::string path = testing::TempDir() + "manychain_many_chains.csv";
  {
    std::ofstream file(path);
    file << "iteration,chain";
    for (std::size_t i = 0; i < quantities; ++i) file << ",x" << i;
    file << '\n';
    for (std::size_t t = 0; t < draws; ++t) {
      for (std::size_t c = 0; c < chains; ++c) {
        file << t << ',' << c;
        for (std::size_t i = 0; i < quantities; ++i) file << ',' << value(c, t, i);
        file << '\n';
      }
    }
  }
  const pid_t child = fork();
  if (child == 0) {
    constexpr rlim_t allowed = 64'000'000;
    const rlimit limit{taken() + allowed, taken() + allowed};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    int wrong = 3;
    try {
      const DrawsFile read = io::read_stan_csv({path});
      wrong = read.chains != chains || read.draws != draws || read.names.size() != quantities ? 4 : 0;
      for (std::size_t i = 0; wrong == 0 && i < quantities; ++i)
        for (std::size_t c = 0; c < chains; ++c)
          for (std::size_t t = 0; t < draws; ++t)
            if (read.values.get()[(i * chains + c) * draws + t] != value(c, t, i)) wrong = 5;
    } catch (const std::bad_alloc&) {
    }
    _exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "2: no limit can be set; 3: out of memory; 4: other sizes; 5: other draws";
  fs::remove(path);
}

}  // namespace
