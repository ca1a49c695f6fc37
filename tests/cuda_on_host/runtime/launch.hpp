// Runs kernels: the blocks of a grid side by side on threads of the host, the threads of a block in turn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/machine.hpp"

namespace ptx {

/// Runs a kernel to its end. `parameters` as the kernel's offsets say.
void launch(const Kernel& kernel, const std::uint32_t (&blocks)[3], const std::uint32_t (&threads)[3],
            const std::uint8_t* parameters, std::size_t dynamic_shared_bytes);

/// The limits of one kernel, on the architecture 9.0.
inline constexpr std::size_t shared_limit = 227 << 10;
inline constexpr std::uint32_t thread_limit = 1024;

// For threads that wait.
void yield(Thread& thread);
void note_progress();
const char* running_kernel();

}  // namespace ptx
