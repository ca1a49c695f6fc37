// A group of processes that ends with this one, however this one ends.
#pragma once

#include <sys/types.h>

namespace manychain::own_model {

/// Leads a process group, with a process that does nothing but wait for the end of this one, kill -9 included: it then
/// ends all that is in the group, grandchildren too, whose death signals (PR_SET_PDEATHSIG) their parents do not set.
class ProcessGroup {
 public:
  ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  /// The group stays with what still runs in it, unwatched.
  ~ProcessGroup();

  /// For setpgid(); 0, a group of one's own, where no process could be started.
  pid_t id() const { return leader_; }

 private:
  pid_t leader_ = 0;
  int alive_ = -1;  ///< the end of a pipe that closes with this process
};

}  // namespace manychain::own_model
