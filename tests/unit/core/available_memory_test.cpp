// Memory that can be taken, from the text of the files that say so.
#include "core/available_memory.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using namespace manychain;
using Files = std::map<std::string, std::string>;

std::optional<double> available(const Files& files) {
  return available_memory([&](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    return file == files.end() ? std::nullopt : std::optional(file->second);
  });
}

constexpr double gigabyte = 1024.0 * 1024 * 1024;
// MemFree is 2 GB, which is no limit: most of the machine is page cache.
const std::string meminfo = "MemTotal:       33554432 kB\nMemFree:         2097152 kB\nMemAvailable:   25165824 kB\n";
const std::string mount_2 = "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string mount_1 =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

TEST(AvailableMemory, of_a_machine_is_more_than_its_free_pages) {
  EXPECT_EQ(available({{"/proc/meminfo", meminfo}}), 24 * gigabyte);
  EXPECT_EQ(available({}), std::nullopt);
  EXPECT_EQ(available({{"/proc/meminfo", "MemFree: 12 kB\n"}}), std::nullopt);
}

TEST(AvailableMemory, is_what_each_group_above_leaves_in_version_2) {
  const std::string slice = "/sys/fs/cgroup/user.slice";
  Files files = {{"/proc/meminfo", meminfo},
                 {"/proc/self/mountinfo", mount_2},
                 {"/proc/self/cgroup", "0::/user.slice/run-7.scope\n"},
                 {slice + "/run-7.scope/memory.max", "max\n"},
                 {slice + "/run-7.scope/memory.current", "1073741824\n"}};
  EXPECT_EQ(available(files), 24 * gigabyte);
  files[slice + "/memory.max"] = "8589934592\n";
  files[slice + "/memory.current"] = "3221225472\n";
  EXPECT_EQ(available(files), 5 * gigabyte);
  files[slice + "/memory.stat"] = "anon 2147483648\ninactive_file 1073741824\nactive_file 0\n";
  EXPECT_EQ(available(files), 6 * gigabyte);
  files[slice + "/run-7.scope/memory.max"] = "2147483648\n";
  EXPECT_EQ(available(files), 1 * gigabyte);
  files[slice + "/run-7.scope/memory.current"] = "3221225472\n";
  EXPECT_EQ(available(files), 0);
}

TEST(AvailableMemory, is_what_each_group_above_leaves_in_version_1) {
  const std::string folder = "/sys/fs/cgroup/memory";
  Files files = {{"/proc/meminfo", meminfo},
                 {"/proc/self/mountinfo", mount_1},
                 {"/proc/self/cgroup", "5:cpu:/\n4:memory:/batch/job 7\n0::/\n"},
                 {folder + "/batch/job 7/memory.limit_in_bytes", "9223372036854771712\n"},
                 {folder + "/batch/job 7/memory.usage_in_bytes", "1073741824\n"}};
  EXPECT_EQ(available(files), 24 * gigabyte);
  files[folder + "/batch/memory.limit_in_bytes"] = "4294967296\n";
  files[folder + "/batch/memory.usage_in_bytes"] = "3221225472\n";
  files[folder + "/batch/memory.stat"] = "inactive_file 5\ntotal_inactive_file 2147483648\n";
  EXPECT_EQ(available(files), 3 * gigabyte);
}

// The mount shows the container's own group as its root; the path is that of the machine, or of the container.
TEST(AvailableMemory, in_a_container_is_that_of_the_group_that_is_mounted) {
  for (const char* group : {"/docker/4f", "/", "/elsewhere"}) {
    const Files files = {
        {"/proc/meminfo", meminfo},
        {"/proc/self/mountinfo", "9 8 0:32 /docker/4f /sys/fs/my\\040cgroup ro - cgroup cgroup rw,memory\n"},
        {"/proc/self/cgroup", "4:memory:" + std::string(group) + "\n"},
        {"/sys/fs/my cgroup/memory.limit_in_bytes", "4294967296\n"},
        {"/sys/fs/my cgroup/memory.usage_in_bytes", "1073741824\n"}};
    EXPECT_EQ(available(files), 3 * gigabyte) << group;
  }
  EXPECT_EQ(available({{"/proc/meminfo", meminfo},
                       {"/proc/self/mountinfo", mount_2},
                       {"/proc/self/cgroup", "0::/\n"},
                       {"/sys/fs/cgroup/memory.max", "1073741824"}}),
            gigabyte);
}

TEST(AvailableMemory, of_this_machine_is_some) { EXPECT_GT(available_memory(), 0); }

}  // namespace
