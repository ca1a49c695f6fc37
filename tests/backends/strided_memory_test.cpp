// The memory of the chain kernel, tried on the host: one chain per thread, working memory [real][chain]. The same
// program with working memory of its own for each chain must give the same bits.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <deque>
#include <vector>

#include "backends/bare_chains.hpp"
#include "manychain/chain/chain_program.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/models/eight_schools.hpp"
#include "manychain/models/ill_conditioned_normal.hpp"
#include "manychain/models/normal.hpp"
#include "manychain/samplers/hmc.hpp"
#include "manychain/samplers/metropolis.hpp"

namespace {

using namespace manychain;

Data eight_schools() {
  return Data::from_json(R"({"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})");
}

/// A constrained vector of a size that the data give: its values and adjoints lie in the working memory.
template <class Number>
struct Scales {
  Size<dynamic> n;
  void data(DataReader& in) { in("n", n, lower(1)); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto scale = target.vector("scale", n, lower(0));
    auto rest = target.simplex("rest", n);
    target.sum_over(n, [&](auto i, auto& term) { term += normal(scale[i] + rest[i], 1, 0.5); });
  }
};

constexpr std::int64_t chains = 96;
constexpr std::uint64_t draws = 7;

/// Everything that a run of some chains leaves behind, one after the other.
template <class ModelType, class Sampler, class Number>
class Run {
  using R = Scalar<Number>;
  using Tuning = typename Sampler::template Tuning<Number>;

 public:
  Run(const Data& data, bool strided) : bound_(data), layout_(layout_of(bound_.model)), strided_(strided) {
    arrays_ = bare::arrays<Number>(layout_, chains, draws, [&](std::size_t n) { return allocate(n); });
    reals_ = workspace_reals<ModelType, Sampler>(layout_.dimension, layout_.scratch);
    workspace_ = allocate(reals_ * static_cast<std::size_t>(chains));
    step_.assign(layout_.dimension, Number(0.05));
    tuning_ = Tuning::of({.step_size = 0.05, .trajectory = 0.4, .leapfrog_limit = 20}, {step_.data()});
    arrays_.tuning = &tuning_;
    for (std::int64_t c = 0; c < chains; ++c)
      initialise_chains<keeps_gradient<Sampler>, R>(bound_.model, arrays_, 100, c, arena(c));
    for (std::uint32_t k = 0; k < draws; k += 3) {
      const std::uint32_t count = std::min<std::uint32_t>(3, draws - k);
      for (std::int64_t c = 0; c < chains; ++c)
        advance_chains<Sampler, false, R>(bound_.model, arrays_, bare::block(k, count, draws), c, arena(c));
    }
  }

  /// All arrays but the working memory, which is the last.
  std::vector<std::vector<Number>> results() const { return {memory_.begin(), memory_.end() - 1}; }
  const std::vector<Number>& workspace() const { return memory_.back(); }

 private:
  Number* allocate(std::size_t n) { return memory_.emplace_back(n + 1, Number(0)).data(); }
  Arena<R> arena(std::int64_t chain) const {
    R* const memory = reinterpret_cast<R*>(workspace_);
    if (strided_) return {Strided<R>{memory + chain, static_cast<std::ptrdiff_t>(chains)}, 0};
    return {Strided<R>{memory + chain * static_cast<std::int64_t>(reals_), 1}, 0};
  }

  HostModel<ModelType> bound_;
  Layout layout_;
  bool strided_;
  std::deque<std::vector<Number>> memory_;
  ChainArrays<Number> arrays_;
  std::size_t reals_ = 0;
  Number* workspace_ = nullptr;
  std::vector<Number> step_;
  Tuning tuning_;
};

template <class ModelType, class Sampler, class Number>
void expect_same_bits(const Data& data) {
  const Run<ModelType, Sampler, Number> strided(data, true), own(data, false);
  const auto a = strided.results(), b = own.results();
  ASSERT_EQ(a.size(), b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i] == b[i]) << "array " << i;
    for (const Number x : a[i]) sum += std::fabs(static_cast<double>(x));
  }
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_GT(sum, 0);
  EXPECT_EQ(strided.workspace().back(), 0) << "wrote past the working memory";
  EXPECT_EQ(own.workspace().back(), 0) << "wrote past the working memory";
}

TEST(StridedMemory, any_size_hmc) {
  expect_same_bits<models::EightSchools<float>, Hmc<>, float>(eight_schools());
  expect_same_bits<models::EightSchools<double>, Hmc<>, double>(eight_schools());
}
TEST(StridedMemory, any_size_metropolis) {
  expect_same_bits<models::EightSchools<float>, Metropolis<>, float>(eight_schools());
}
TEST(StridedMemory, fixed_size_that_is_too_large_for_registers) {
  expect_same_bits<models::IllConditionedNormal<float>, Hmc<>, float>(Data());
  expect_same_bits<models::IllConditionedNormal<float>, Metropolis<>, float>(Data());
}
TEST(StridedMemory, vector_intermediates) {
  Data data;
  data.set("n", 6);
  expect_same_bits<Scales<float>, Hmc<>, float>(data);
  expect_same_bits<Scales<float>, Metropolis<>, float>(data);
}
TEST(StridedMemory, registers) { expect_same_bits<models::EightSchools<float, 8>, Hmc<>, float>(eight_schools()); }

/// Address space of any length, of which only the pages that are written to take memory.
class AddressSpace {
 public:
  explicit AddressSpace(std::size_t bytes)
      : bytes_(bytes),
        begin_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace() {
    if (there()) munmap(begin_, bytes_);
  }
  bool there() const { return begin_ != MAP_FAILED; }
  float* begin() const { return static_cast<float*>(begin_); }

 private:
  std::size_t bytes_;
  void* begin_;
};

// The last draw of a run of 2^20 chains, 10 outputs and 1000 draws: element 10 485 759 999 of the draws. Two chains are
// run, the first and the last.
TEST(StridedMemory, indices_beyond_32_bits) {
  using R = Scalar<float>;
  constexpr std::int64_t many = 1 << 20;
  constexpr std::uint64_t last = 999;
  Data data;
  data.set("D", 10);
  const HostModel<models::Normal<float, 10>> bound(data);
  const Layout layout = layout_of(bound.model);
  std::deque<AddressSpace> spaces;
  bool there = true;
  ChainArrays<float> a = bare::arrays<float>(layout, many, last + 1, [&](std::size_t n) {
    there = there && spaces.emplace_back(n * sizeof(float)).there();
    return spaces.back().begin();
  });
  if (!there) GTEST_SKIP() << "no 60 GB of address space";
  std::vector<R> work(workspace_reals<models::Normal<float, 10>, Hmc<>>(layout.dimension, layout.scratch, true));
  const Arena<R> arena{Strided<R>{work.data(), 1}, 0};
  const std::vector<float> step(10, 0.3f);
  const TrajectoryTuning<float> tuning{0.3f, step.data(), 1.0f, 20};
  a.tuning = &tuning;
  for (const std::int64_t chain : {std::int64_t{0}, many - 1}) {
    initialise_chains<true, R>(bound.model, a, 100, chain, arena);
    advance_chains<Hmc<>, false, R>(bound.model, a, bare::block(last, 1, last + 1), chain, arena);
    for (std::int64_t i = 0; i < 10; ++i) {
      const float x = a.state[0][i * many + chain];
      EXPECT_NE(x, 0.0f);
      EXPECT_EQ(a.draws[(static_cast<std::int64_t>(last) * 10 + i) * many + chain], x);
    }
    const std::int64_t stats = static_cast<std::int64_t>(last * sample_stat_count) * many + chain;
    EXPECT_EQ(a.stats[stats], a.state[1][chain] + a.state[1][many + chain]);
  }
}

}  // namespace
