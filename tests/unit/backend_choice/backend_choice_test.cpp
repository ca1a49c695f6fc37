// Which backend Backend::automatic takes, and what it says. The device is made up: this executable defines the
// functions that src/engine/cuda_engine.cu would bring, so that the linker never takes that object from the library.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "manychain/chain/model_functions.hpp"
#include "manychain/chain/model_unit_cpu.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "manychain/model/language/target.hpp"
#include "manychain/run/engine.hpp"
#include "run/devices.hpp"
#include "run/share.hpp"
#include "run/values_on.hpp"

namespace {

using namespace manychain;

CudaState state;
std::function<std::unique_ptr<Engine>(const Model&, const Settings&)> make_engine;

}  // namespace

namespace manychain {

CudaState cuda_state(std::optional<int> device) {
  if (device && *device > 0) throw BadInput("device: there is no CUDA device " + std::to_string(*device));
  return state;
}
int cuda_devices() { return 1; }
bool cuda_available(std::string* why) {
  if (why) *why = state.why;
  return state.usable;
}
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings) {
  return make_engine(model, settings);
}
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings, const Share&) {
  return make_engine(model, settings);
}
ValuesOn cuda_values_on(const Model& model, const Settings& settings, const std::vector<double>& points,
                        std::size_t count) {
  Settings on_cpu = settings;
  on_cpu.backend = Backend::cpu;
  return values_on(model, on_cpu, points, count);
}

}  // namespace manychain

namespace {

bool deals = false;  ///< whether the device deals terms of the model

template <class Number>
struct Plain {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<2>());
    target += normal(x, 0, 1);
    target.sum_over(Size<>(64), [&](auto, auto& term) { term += 0 * x[0]; });  // terms that change nothing
  }
};

/// With a unit that would make programs of a device, or without it.
template <bool cuda>
Model plain() {
  static const ModelUnit unit{"plain", "", [] { return ""; },
                              [](const Data& data) -> std::shared_ptr<const Model::Bound> {
                                using Single = VariantList<Plain<float>>;
                                using Double = VariantList<Plain<double>>;
                                const ProgramUnit on_cpu = cpu_unit<Single, Double, false>();
                                ProgramUnits units{{on_cpu}, {}};
                                // Nobody asks it for a program: the engine is a stand-in.
                                if (cuda)
                                  units.cuda = {on_cpu}, units.cuda[0].deals_terms = [](const Data&) { return deals; };
                                return bind_generated("plain", data, units,
                                                      model_functions<Single, Double>(nullptr, nullptr));
                              }};
  return Model(unit);
}

Settings small(Backend backend = Backend::automatic) {
  Settings settings;
  settings.backend = backend;
  settings.precision = Precision::double_precision;
  settings.chains = 64;
  settings.warmup.transitions = 20;
  settings.sampling.draws = 10;
  settings.threads = 1;
  return settings;
}

class BackendChoice : public testing::Test {
 protected:
  void SetUp() override {
    state = {true, true, ""};
    make_engine = [](const Model& model, const Settings& settings) { return make_cpu_engine(model, settings); };
  }

  static void expect_cpu(const Result& result, const std::string& why, bool present) {
    EXPECT_EQ(result.backend, "cpu");
    EXPECT_EQ(result.no_gpu, why);
    EXPECT_EQ(result.gpu_present, present);
    EXPECT_EQ(result.table().find("No GPU was used: " + why) != std::string::npos, present) << result.table();
    EXPECT_EQ(nlohmann::json::parse(to_json(result)).at("no_gpu"), why);
    EXPECT_EQ(result.draws.float64, sample(plain<true>(), small(Backend::cpu)).draws.float64);
  }
};

TEST_F(BackendChoice, a_device_that_is_there_is_taken) {
  int made = 0;
  make_engine = [&](const Model& model, const Settings& settings) {
    ++made;
    return make_cpu_engine(model, settings);
  };
  const Result result = sample(plain<true>(), small());
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(result.no_gpu.empty());
  EXPECT_EQ(result.table().find("No GPU"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(to_json(result)).at("no_gpu").is_null());
}

TEST_F(BackendChoice, the_cpu_where_there_is_none) {
  state = {false, false, "no driver"};
  expect_cpu(sample(plain<true>(), small()), "no driver", false);
  state = {false, true, "busy"};
  expect_cpu(sample(plain<true>(), small()), "busy", true);
}

TEST_F(BackendChoice, the_cpu_where_the_run_does_not_fit) {
  make_engine = [](const Model&, const Settings&) -> std::unique_ptr<Engine> { throw OutOfMemory("too large"); };
  expect_cpu(sample(plain<true>(), small()), "too large", true);
  EXPECT_THROW(sample(plain<true>(), small(Backend::cuda)), OutOfMemory);
}

TEST_F(BackendChoice, the_cpu_where_the_device_refuses) {
  for (const DeviceProblem problem :
       {DeviceProblem::absent, DeviceProblem::no_kernel_image, DeviceProblem::out_of_memory, DeviceProblem::busy}) {
    make_engine = [=](const Model&, const Settings&) -> std::unique_ptr<Engine> {
      throw DeviceError(problem, "refused");
    };
    expect_cpu(sample(plain<true>(), small()), "refused", true);
    EXPECT_THROW(sample(plain<true>(), small(Backend::cuda)), DeviceError);
  }
}

// Local memory is reserved when a kernel first runs.
TEST_F(BackendChoice, the_cpu_where_the_first_launch_is_refused) {
  CompiledDensity density;
  density.dimension = 2;
  density.value_and_gradient = [](const double*, double*) -> double {
    throw DeviceError(DeviceProblem::out_of_memory, "no room");
  };
  const Model refusing(density);
  make_engine = [&](const Model&, const Settings& settings) { return make_cpu_engine(refusing, settings); };
  expect_cpu(sample(plain<true>(), small()), "no room", true);
}

// A run of which nothing is said has as many chains as fill the multiprocessors, by the kind of device.
TEST_F(BackendChoice, the_device_decides_how_many_chains_there_are) {
  state.multiprocessors = 4;
  std::vector<std::size_t> chains;
  make_engine = [&](const Model& model, const Settings& settings) {
    chains.push_back(settings.chains);
    return make_cpu_engine(model, settings);
  };
  Settings settings = small();
  settings.chains = 0;
  const Result filled = sample(plain<true>(), settings);
  EXPECT_EQ(chains, std::vector<std::size_t>{1024});
  EXPECT_EQ(filled.settings.chains, 1024u);
  EXPECT_EQ(filled.settings.superchains, 16u);
  settings.chains = 128;
  EXPECT_EQ(sample(plain<true>(), settings).settings.chains, 128u);
  // A chain is a warp where the device deals terms: 32 of them are fewer than a run on a CPU has.
  settings.chains = 0;
  state.multiprocessors = 132;
  deals = true;
  EXPECT_EQ(sample(plain<true>(), settings).settings.chains, 1024u);
  deals = false;
  state.multiprocessors = 4;

  // If the device is turned down, the run equals one on the CPU.
  settings.chains = 0;
  make_engine = [](const Model&, const Settings&) -> std::unique_ptr<Engine> { throw OutOfMemory("too large"); };
  const Result turned_down = sample(plain<true>(), settings);
  EXPECT_EQ(turned_down.settings.chains, 256u);
  EXPECT_EQ(turned_down.settings.backend, Backend::automatic);
  settings.backend = Backend::cpu;
  EXPECT_EQ(turned_down.draws.float64, sample(plain<true>(), settings).draws.float64);
}

TEST_F(BackendChoice, a_crash_on_the_device_is_not_hidden) {
  for (const DeviceProblem problem : {DeviceProblem::lost, DeviceProblem::other}) {
    make_engine = [=](const Model&, const Settings&) -> std::unique_ptr<Engine> {
      throw DeviceError(problem, "crashed");
    };
    EXPECT_THROW(sample(plain<true>(), small()), DeviceError);
  }
  make_engine = [](const Model&, const Settings&) -> std::unique_ptr<Engine> { throw BadInput("no such sampler"); };
  EXPECT_THROW(sample(plain<true>(), small()), BadInput) << "what is wrong on both is said";
}

TEST_F(BackendChoice, a_model_without_device_code) {
  expect_cpu(sample(plain<false>(), small()), "model plain runs on the CPU alone", false);
  Settings settings = small();
  settings.device = 0;
  EXPECT_THROW(sample(plain<false>(), settings), BadInput);
}

TEST_F(BackendChoice, a_device_by_its_number) {
  Settings settings = small();
  settings.device = 0;
  EXPECT_TRUE(sample(plain<true>(), settings).no_gpu.empty());
  settings.device = 1;
  EXPECT_THROW(sample(plain<true>(), settings), BadInput);
  settings.device = -1;
  EXPECT_THROW(settings.validate(), BadInput);
  settings.device = 0;
  settings.backend = Backend::cpu;
  EXPECT_THROW(settings.validate(), BadInput);
}

}  // namespace
