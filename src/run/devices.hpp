// The CUDA devices of this machine, and those of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manychain/run/settings.hpp"

namespace manychain {

/// Their number, usable or not; 0 in a build without CUDA.
int cuda_devices();

/// The numbers in Settings::devices; nothing if it is no list, or says all.
std::optional<std::vector<int>> listed_devices(const std::string& words);
/// The devices that share the chains of a run: none where Settings::devices is empty, or says all where there are none.
std::vector<int> devices_of(const Settings& settings);
/// The device of a rank, which is number `here` of those on its machine: of Settings::devices or, if these are all or
/// none, of the devices there, so many. Nothing: the current one, where there are not several.
std::optional<int> device_of_rank(const Settings& settings, int here, int there);
/// The device that stands for all of a run; nothing: the current one.
std::optional<int> first_device(const Settings& settings);

}  // namespace manychain
