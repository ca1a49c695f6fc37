#include "run/devices.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "run/setting_table.hpp"

namespace manychain {
namespace {
constexpr const char* all_devices = "all";
}

std::optional<std::vector<int>> listed_devices(const std::string& words) {
  std::vector<int> numbers;
  const char* at = words.data();
  const char* const end = at + words.size();
  while (at < end) {
    int number = -1;
    const auto [rest, error] = std::from_chars(at, end, number);
    const bool more = rest != end && *rest == ',' && rest + 1 != end;
    if (error != std::errc() || number < 0 || (rest != end && !more) ||
        std::count(numbers.begin(), numbers.end(), number))
      return std::nullopt;
    numbers.push_back(number);
    at = more ? rest + 1 : end;
  }
  return numbers;
}

bool is_list_of_devices(const std::string& words) { return words == all_devices || listed_devices(words); }

std::vector<int> devices_of(const Settings& settings) {
  if (settings.devices != all_devices) return listed_devices(settings.devices).value_or(std::vector<int>());
  std::vector<int> all(static_cast<std::size_t>(cuda_devices()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::optional<int> device_of_rank(const Settings& settings, int here, int there) {
  const std::vector<int> named = listed_devices(settings.devices).value_or(std::vector<int>());
  if (!named.empty()) return named[static_cast<std::size_t>(here) % named.size()];
  return there > 1 ? std::optional<int>(here % there) : std::nullopt;
}

std::optional<int> first_device(const Settings& settings) {
  const std::vector<int> devices = devices_of(settings);
  return devices.empty() ? settings.device : devices[0];
}

}  // namespace manychain
