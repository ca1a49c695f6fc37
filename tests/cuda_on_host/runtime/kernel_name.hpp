#pragma once

#include <string>

namespace ptx {

/// The name under which a kernel of an object and of its PTX meet: as kernel_name() of translator/ptx_to_cpp.py.
std::string kernel_name(std::string name);

}  // namespace ptx
