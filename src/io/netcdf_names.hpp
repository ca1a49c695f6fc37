// Names in files of draws that are written and read.
#pragma once

namespace manychain::io {

/// The coordinate of `chain` that says which chains started at one point.
inline constexpr const char* superchain_name = "superchain";

}  // namespace manychain::io
