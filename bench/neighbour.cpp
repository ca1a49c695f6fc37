// Two threads against one where other processes want the cores, too.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "compare.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"

namespace manychain::bench {
namespace {

std::vector<int> cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    throw SamplingFailed(std::string("sched_getaffinity: ") + std::strerror(errno));
  std::vector<int> found;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) found.push_back(core);
  return found;
}

/// A process that keeps one core busy, until this goes out of scope or the benchmark dies.
class BusyCore {
 public:
  explicit BusyCore(int core) {
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ < 0) throw SamplingFailed(std::string("fork: ") + std::strerror(errno));
    if (child_ > 0) return;
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(core, &mine);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || sched_setaffinity(0, sizeof mine, &mine) != 0) _exit(1);
    for (volatile unsigned count = 0;;) count = count + 1;
  }
  ~BusyCore() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  BusyCore(const BusyCore&) = delete;
  BusyCore& operator=(const BusyCore&) = delete;

 private:
  pid_t child_;
};

enum class Phase { warmup, sampling };

/// Transitions a second of one phase of a run of the logistic regression, all chains together.
double rate_of(Phase phase, const Options& options, int threads) {
  // A whole warm-up where --seconds is what it is by default: what a transition takes depends on how far warm-up is.
  // Ten times as long in sampling after so short a warm-up.
  const bool warmup = phase == Phase::warmup;
  const std::size_t transitions =
      std::clamp<std::size_t>(static_cast<std::size_t>((warmup ? 1000 : 100) * options.seconds), 10, warmup ? 500 : 50);
  Case what{Kind::end_to_end, "hmc", "logistic_regression", 256};
  Settings settings = settings_of(what, options);
  settings.backend = Backend::cpu;
  settings.threads = threads;
  settings.warmup.transitions = warmup ? transitions : 50;
  settings.sampling.draws = warmup ? 4 : transitions;
  const Result result = sample(benchmark_model(what.model), settings);
  return static_cast<double>(what.chains * transitions) / (warmup ? result.seconds.warmup : result.seconds.sampling);
}

Contender contender(Phase phase, const Options& options, int threads, const std::vector<int>& busy) {
  return {threads == 1 ? "one thread" : "two threads", [](double) {},
          [=] {
            std::vector<std::unique_ptr<BusyCore>> neighbours;
            for (int core : busy) neighbours.push_back(std::make_unique<BusyCore>(core));
            if (!busy.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until they run
            return rate_of(phase, options, threads);
          }};
}

}  // namespace

std::vector<Pair> neighbour_pairs(const Options& options) {
  const std::vector<int> all = cores();
  if (all.size() < 2) throw BadInput("--neighbour needs two cores, there is one");
  struct Surroundings {
    const char* name;
    std::vector<int> busy;
    double target;
  };
  constexpr double no_slower = 1 / 1.1;  // a tenth of the time, for noise
  std::vector<Pair> pairs;
  for (const Phase phase : {Phase::warmup, Phase::sampling})
    for (const Surroundings& around :
         {Surroundings{"alone", {}, 1.9}, Surroundings{"busy_core", {all.back()}, no_slower},
          Surroundings{"all_cores_busy", all, no_slower}})
      pairs.push_back({std::string("two_threads_to_one/") + (phase == Phase::warmup ? "warmup/" : "sampling/") +
                           "logistic_regression/" + around.name,
                       contender(phase, options, 2, around.busy), contender(phase, options, 1, around.busy),
                       around.target, "transitions/s"});
  return pairs;
}

}  // namespace manychain::bench
