// In which order the blocks of a grid begin: a device promises none.
#pragma once

namespace ptx {

/// Backwards or scattered they run one after the other: not for kernels whose blocks wait for those before them.
enum class BlockOrder { forwards, backwards, scattered };

/// Sets the order in the launches from now on.
void set_block_order(BlockOrder order);

}  // namespace ptx
