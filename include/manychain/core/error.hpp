// The errors that manychain throws. The library prints nothing and never exits: a caller decides.
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

}  // namespace manychain
