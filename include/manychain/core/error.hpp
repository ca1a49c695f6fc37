// The errors that manychain throws. The library prints nothing and never exits: a caller decides.
//
// Messages and advice name a setting as Settings::sampling.step_size; the command line and the C interface put their
// own spelling in its place (run/setting_names.hpp). An exception of a compiled density is kept until the threads have
// met, and comes out of sample(). The C interface turns errors into statuses.
#pragma once

#include <stdexcept>
#include <string>

namespace manychain {

/// Base of every error of this library. `what()` is one line that says what is wrong and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something that cannot be: an unknown name, a setting out of range, data that do not fit.
/// Thrown before the first draw. The command line turns it into exit status 2.
class BadInput : public Error {
 public:
  using Error::Error;
};

/// The run was well posed and failed all the same: no finite starting point, memory refused by the device.
/// The command line turns it into exit status 3.
class SamplingFailed : public Error {
 public:
  using Error::Error;
};

/// The run needs more memory than there is on its backend; take fewer chains or draws.
class OutOfMemory : public BadInput {
 public:
  using BadInput::BadInput;
};

/// The problem with a device.
enum class DeviceProblem {
  absent,           ///< there is none, or its driver is missing or too old
  no_kernel_image,  ///< this build holds no code that runs on it
  out_of_memory,    ///< it has less free memory than the run asks for
  busy,             ///< another process has it to itself, or its service takes no more clients
  lost,             ///< every later CUDA call of this process fails, too: only a new process can use the device
  other
};

/// A device refused what the run asked for. Each message is one sentence that says what to do. Backend::automatic turns
/// to the CPU where the chains have not started yet and `problem` is one that another device might not have.
class DeviceError : public SamplingFailed {
 public:
  DeviceError(DeviceProblem p, const std::string& what) : SamplingFailed(what), problem(p) {}
  DeviceProblem problem;
};

}  // namespace manychain
