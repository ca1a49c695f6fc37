// Parameters of kernels have one layout: the size that nvcc gives a parameter in the PTX is the host's. sizeof in
// device code cannot tell: nvcc 13.0 lays out no_unique_address members of parameters in another way than it says
// there.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <string>

#include "manychain/kernels/chain_kernel.cuh"

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  EXPECT_EQ(status, 0) << name;
  return status == 0 ? text.get() : name;
}

/// Bytes of the first parameter of each kernel in the PTX, by the type that the kernel is instantiated with.
std::map<std::string, std::size_t> sizes_on_device(const std::string& ptx) {
  static const std::regex entry(R"(\.entry (\w+)\(\s*\.param \.align \d+ \.b8 \w+\[(\d+)\])");
  static const std::regex instance(R"(^void layout::parameter_kernel<(.*\S) ?>\(.*\)$)");
  std::map<std::string, std::size_t> sizes;
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), entry), end; it != end; ++it) {
    const std::string kernel = demangled((*it)[1]);
    std::smatch type;
    if (std::regex_match(kernel, type, instance)) sizes[type[1]] = std::stoul((*it)[2]);
  }
  return sizes;
}

TEST(Layout, kernel_parameters_are_as_large_as_on_the_host) {
  const auto device = sizes_on_device(read_file(LAYOUT_PTX));
  const auto& host = layout::sizes_on_host();
  EXPECT_GE(host.size(), 2u * LAYOUT_MODELS) << "each model has two precisions";
  EXPECT_EQ(host.size(), device.size());
  for (const auto& [name, size] : host) {
    const std::string type = demangled(name);
    const auto there = device.find(type);
    ASSERT_NE(there, device.end()) << type << " is not in " << LAYOUT_PTX;
    EXPECT_EQ(there->second, size) << type << ": left in the PTX, right on the host";
  }
}

// An object in memory crosses too, without a kernel's parameter to show it.
TEST(Layout, nothing_is_marked_no_unique_address) {
  for (const char* folder : {"include", "kernels", "src", "examples"})
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(LAYOUT_SOURCES) / folder))
      if (file.is_regular_file()) {
        EXPECT_EQ(read_file(file.path()).find("[[no_unique_address"), std::string::npos) << file.path();
      }
}

}  // namespace
