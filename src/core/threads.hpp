// Threads of a machine that may give fewer than are asked for: a limit of the user, of a container, or no memory.
#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace manychain {

/// The threads of a setting: 0 stands for all that the machine has.
int threads_of_setting(int threads);

/// Starts a thread that does `work`. Throws std::system_error if there is none to be had.
using StartThread = std::function<std::thread(std::function<void()> work)>;
std::thread start_thread(std::function<void()> work);

/// Adds a thread that does `work`, which must not throw. False: the system gives none, and nothing was added.
bool add_thread(std::vector<std::thread>& threads, std::function<void()> work, const StartThread& start = start_thread);

/// Number of threads that a loop of OpenMP may ask for, if it wants `wanted`: one alone, once add_thread() has been
/// refused one in this process. OpenMP ends the program where it is.
int threads_for_loop(int wanted);

}  // namespace manychain
