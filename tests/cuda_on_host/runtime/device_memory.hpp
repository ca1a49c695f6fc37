// The memory that cudaMalloc() gives: addresses of its own, no byte of it used twice, pages around it that fault.
#pragma once

#include <cstddef>

namespace ptx::device_memory {

/// Null where there is not enough. Filled with unknown_word.
void* allocate(std::size_t bytes);
/// False: nothing that was allocated begins there.
bool release(void* memory);
/// True if all these bytes lie in one allocation.
bool holds(const void* begin, std::size_t bytes);
/// True if it is an address of the device, allocated or not.
bool owns(const void* address);

/// So many bytes of the device are somebody else's from now on.
void keep_back(std::size_t bytes);

std::size_t total_bytes();
std::size_t free_bytes();

}  // namespace ptx::device_memory
