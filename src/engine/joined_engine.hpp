// An engine whose chains several engines hold, each with a range of them, in one process: the GPUs of a machine.
#pragma once

#include <functional>
#include <memory>

#include "manychain/run/engine.hpp"
#include "run/share.hpp"

namespace manychain {

/// Makes the engine of one range.
using MakePart = std::function<std::unique_ptr<Engine>(const Share& share)>;

/// An engine of `parts` engines. Each works in a thread of its own, which waits between two calls. Draws and summaries
/// are those of one engine, bit by bit.
std::unique_ptr<Engine> make_joined_engine(const Settings& settings, int parts, const MakePart& make);

}  // namespace manychain
