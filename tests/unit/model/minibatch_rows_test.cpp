// Minibatches: which terms a chain takes, how it reads their rows, and the gradient that comes of them.
#include <numeric>

#include "manychain/model/language/evaluate.hpp"
#include "manychain/random/lane_index.hpp"
#include "manychain/random/philox_pack.hpp"
#include "unit/core/reals.hpp"

namespace manychain::test {
namespace {

template <class R>
struct Minibatches : RealTest<R> {};
TYPED_TEST_SUITE(Minibatches, TestedReals, RealName);

constexpr std::uint64_t seed = 5, first_chain = 48, transition = 7;

template <class R>
Stream<R> stream_of(std::uint64_t chain) {
  return {seed, Purpose::minibatch, chain, transition};
}

TYPED_TEST(Minibatches, IndicesAreTheUpperHalfOfAProduct) {
  using R = TypeParam;
  using S = Scalar<number_of<R>>;
  for (int n : {1, 2, 1000, 2147483647}) {
    Bits<R> words[4];
    stream_of<R>(first_chain).words(3, words);
    for (int w = 0; w < 4; ++w) {
      const LaneIndex<R> index = lane_index(words[w], n);
      for (int l = 0; l < R::lanes; ++l) {
        Bits<S> alone[4];
        stream_of<S>(first_chain + static_cast<std::uint64_t>(l)).words(3, alone);
        EXPECT_EQ(index.j[l], static_cast<std::int32_t>(std::uint64_t{alone[w].v} * std::uint64_t(n) >> 32));
        EXPECT_LT(index.j[l], n);
      }
    }
  }
}

/// Rows are no neighbours, some are equal, and one is the last.
template <class R>
LaneIndex<R> some_rows(int rows) {
  LaneIndex<R> index;
  for (int l = 0; l < R::lanes; ++l) index.j[l] = (l * 5 + rows - 1) % rows;
  return index;
}

template <class R, int Columns>
void check_row(int columns) {
  using T = number_of<R>;
  constexpr int rows = 7;
  std::vector<T> numbers(static_cast<std::size_t>(rows * columns));  // of just this length: a sanitizer sees more read
  std::iota(numbers.begin(), numbers.end(), T(1));
  Size<Columns> size{};
  if constexpr (Columns == dynamic) size = Size<dynamic>(columns);
  const Matrix<const T, Columns> matrix(numbers.data(), rows, size);
  const LaneIndex<R> index = some_rows<R>(rows);
  const auto row = matrix[index];
  const auto check = [&](int column, R x) {
    for (int l = 0; l < R::lanes; ++l)
      EXPECT_EQ(lane(x, l), T(1 + index.j[l] * columns + column)) << "lane " << l << ", column " << column;
  };
  for (int i = 0; i < columns; ++i) check(i, row[i]);
  if constexpr (run_length < R >> 1) {
    int next = 0;
    row.for_each_column([&](int column, R x) {
      EXPECT_EQ(column, next++);
      check(column, x);
    });
    EXPECT_EQ(next, columns);
  }
}

TYPED_TEST(Minibatches, RowsOfLanes) {
  for (int columns : {1, 2, 3, 4, 5, 8, 15, 50}) check_row<TypeParam, dynamic>(columns);
  check_row<TypeParam, 1>(1);
  check_row<TypeParam, 7>(7);
  check_row<TypeParam, 32>(32);
  check_row<TypeParam, 50>(50);
}

/// y ~ N(b + x w, 1/2), flat in w and b.
template <class Number, int D>
struct Line {
  Size<dynamic> n;
  Size<D> columns;
  Matrix<const Number, D> x;
  View<const Number> y;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto w = target.vector("w", columns);
    auto b = target.real("b");
    target.observe("y", n, [&](auto j, auto& term) { term += normal(y[j], b + dot(x[j], w), 0.5); });
  }
};

/// Each chain's gradient beside the sum over its own terms, scaled, in double.
template <class R, int D>
void check_gradient_of_minibatch(int columns, int terms) {
  using T = number_of<R>;
  using S = Scalar<T>;
  constexpr int rows = 11;
  const auto at = [](auto i) { return static_cast<std::size_t>(i); };
  std::vector<T> x(at(rows * columns)), y(at(rows));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(std::sin(0.7 * double(i)));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = T(std::cos(1.3 * double(i)));
  Size<D> size{};
  if constexpr (D == dynamic) size = Size<dynamic>(columns);
  const Line<T, D> model{Size<dynamic>(rows), size, {x.data(), rows, size}, {y.data(), Size<dynamic>(rows)}};

  const auto point = [&](int i, int l) { return T(0.1 * i - 0.03 * l); };
  const auto dimension = [&] {
    if constexpr (D == dynamic)
      return Size<dynamic>(columns + 1);
    else
      return Size<D + 1>{};
  }();
  std::vector<R> position(at(columns + 1)), slope(at(columns + 1));
  for (int i = 0; i <= columns; ++i) position[at(i)] = lanes_of<R>([&](int l) { return point(i, l); });
  Strided<R> q{position.data(), 1}, g{slope.data(), 1};
  const Stream<R> stream(seed, Purpose::transition, first_chain, transition);
  evaluate_minibatch<R>(model, dimension, q, g, Arena<R>{}, stream, terms);

  for (int l = 0; l < R::lanes; ++l) {
    std::vector<double> expected(at(columns + 1), 0.0);
    double scale = 0;  // of what is added up, for the tolerance
    for (int k = 0; k < terms; ++k) {
      Bits<S> words[4];
      stream_of<S>(first_chain + static_cast<std::uint64_t>(l)).words(static_cast<std::uint32_t>(k / 4), words);
      const auto j = at(std::uint64_t{words[k % 4].v} * rows >> 32);
      double mean = point(columns, l);
      for (int i = 0; i < columns; ++i) mean += double(point(i, l)) * double(x[j * at(columns) + at(i)]);
      const double z = (double(y[j]) - mean) / 0.25 * rows / terms;
      for (int i = 0; i < columns; ++i) expected[at(i)] += z * double(x[j * at(columns) + at(i)]);
      expected[at(columns)] += z;
      scale += std::fabs(z) * (1 + columns);
    }
    for (int i = 0; i <= columns; ++i)
      EXPECT_NEAR(lane(slope[at(i)], l), expected[at(i)], 8 * scale * std::numeric_limits<T>::epsilon())
          << "component " << i << ", lane " << l;
  }
}

TYPED_TEST(Minibatches, Gradient) {
  for (int terms : {1, 4, 6}) {
    check_gradient_of_minibatch<TypeParam, dynamic>(3, terms);
    check_gradient_of_minibatch<TypeParam, dynamic>(50, terms);
    check_gradient_of_minibatch<TypeParam, 5>(5, terms);
    check_gradient_of_minibatch<TypeParam, 50>(50, terms);
  }
}

}  // namespace
}  // namespace manychain::test
