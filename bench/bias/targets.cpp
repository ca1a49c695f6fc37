#include "bias/targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>

#include "bias/models/randomly_rotated_normal.hpp"
#include "core/linear_algebra.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "posteriors/models/rotated_normal.hpp"

namespace manychain::bench {
namespace {

/// E x^n of x ~ N(mean, sd), n even or odd, by E x^n = mean E x^(n-1) + (n - 1) sd^2 E x^(n-2).
double normal_moment(double mean, double variance, int n) {
  double before = 1, here = mean;
  if (n == 0) return before;
  for (int k = 2; k <= n; ++k) {
    const double next = mean * here + (k - 1) * variance * before;
    before = here;
    here = next;
  }
  return here;
}

Square from_moments(double second, double fourth) { return {second, fourth - second * second}; }

Square square_of_normal(double mean, double variance) {
  return {mean * mean + variance, 2 * variance * variance + 4 * mean * mean * variance};
}

std::vector<Square> squares_of_normals(const std::vector<double>& variances) {
  std::vector<Square> squares;
  for (const double variance : variances) squares.push_back(square_of_normal(0, variance));
  return squares;
}

/// Standard deviations evenly spaced in the logarithm; the eigenvalues have that condition, and their product is one.
std::vector<double> spread_sds(std::size_t d, double condition) {
  std::vector<double> sds;
  for (std::size_t i = 0; i < d; ++i)
    sds.push_back(std::pow(condition, 0.5 * static_cast<double>(i) / static_cast<double>(d - 1) - 0.25));
  return sds;
}

/// x_1 ~ N(0, 10), x_2 = 0.03 (x_1^2 - 100) + e = 3 (z^2 - 1) + e.
std::vector<Square> banana() {
  // Central moments of z^2, chi-squared with one degree of freedom: 2 and 60.
  const double second = 9 * 2, fourth = 81 * 60;
  return {square_of_normal(0, 100), from_moments(second + 1, fourth + 6 * second + 3)};
}

/// x_1 ~ N(1, sqrt(10)), x_2 = x_1^2 + e, e ~ N(0, sqrt(0.1)).
std::vector<Square> rosenbrock() {
  const double x4 = normal_moment(1, 10, 4), x8 = normal_moment(1, 10, 8), noise = 0.1;
  return {square_of_normal(1, 10), from_moments(x4 + noise, x8 + 6 * x4 * noise + 3 * noise * noise)};
}

/// E x^2 = E exp(v), E x^4 = 3 E exp(2 v), v ~ N(0, 3).
std::vector<Square> funnel() {
  std::vector<Square> squares(10, from_moments(std::exp(4.5), 3 * std::exp(18.0)));
  squares[0] = square_of_normal(0, 9);
  return squares;
}

/// One node of a quadrature: given what is integrated over, parameters are normal.
struct Node {
  double log_weight;
  std::vector<double> means, variances;
};

std::vector<Square> integrate(const std::vector<Node>& nodes) {
  double largest = nodes[0].log_weight, sum = 0;
  for (const Node& node : nodes) largest = std::max(largest, node.log_weight);
  const std::size_t d = nodes[0].means.size();
  std::vector<double> second(d), fourth(d);
  for (const Node& node : nodes) {
    const double weight = std::exp(node.log_weight - largest);
    sum += weight;
    for (std::size_t i = 0; i < d; ++i) {
      second[i] += weight * normal_moment(node.means[i], node.variances[i], 2);
      fourth[i] += weight * normal_moment(node.means[i], node.variances[i], 4);
    }
  }
  std::vector<Square> squares;
  for (std::size_t i = 0; i < d; ++i) squares.push_back(from_moments(second[i] / sum, fourth[i] / sum));
  return squares;
}

constexpr int nodes_wanted = 4000;  // evenly in the logarithm: the trapezoidal rule is exact to rounding, twice refined

Data data_of(const std::string& model) {
  for (const ModelInfo& info : builtin_models())
    if (info.name == model) return Data::from_json(info.unit->data());
  throw BadInput("there is no model " + model);
}
const std::vector<double>& values(const Data& data, const std::string& name) { return data.find(name)->values; }

/// Mu and theta are normal given tau and y (Gelman and others 2013, section 5.4, with the prior mu ~ N(0, 5)). Third
/// and after are theta_j, or theta_trans_j = (theta_j - mu) / tau.
std::vector<Square> eight_schools(bool centred) {
  const Data data = data_of("eight_schools");
  const std::vector<double>&y = values(data, "y"), &sigma = values(data, "sigma");
  constexpr double from = -25, to = 12;  // of log tau: the posterior falls as tau^-10
  std::vector<Node> nodes;
  for (int k = 0; k < nodes_wanted; ++k) {
    const double log_tau = from + (to - from) * k / (nodes_wanted - 1), tau = std::exp(log_tau);
    double precision = 1.0 / 25, weighted = 0, log_weight = log_tau - std::log1p(tau * tau / 25);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double variance = sigma[j] * sigma[j] + tau * tau;
      precision += 1 / variance;
      weighted += y[j] / variance;
    }
    const double mu = weighted / precision;
    log_weight -= 0.5 * std::log(precision) + 0.5 * mu * mu / 25;
    Node node{0, {mu, tau}, {1 / precision, 0}};
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double variance = sigma[j] * sigma[j] + tau * tau, share = tau * tau / variance, rest = 1 - share;
      log_weight -= 0.5 * std::log(variance) + 0.5 * (y[j] - mu) * (y[j] - mu) / variance;
      const double by_tau = tau / variance;  // share / tau
      node.means.push_back(centred ? mu + share * (y[j] - mu) : by_tau * (y[j] - mu));
      node.variances.push_back(centred ? rest * rest / precision + share * sigma[j] * sigma[j]
                                       : by_tau * by_tau / precision + rest);
    }
    node.log_weight = log_weight;
    nodes.push_back(node);
  }
  return integrate(nodes);
}

/// Beta is normal given sigma and y, with precision X'X / sigma^2 + 1 / 100.
std::vector<Square> linear_regression() {
  const Data data = data_of("linear_regression");
  const std::vector<double>&x = values(data, "X"), &y = values(data, "y");
  const std::size_t n = y.size(), d = x.size() / n;
  Eigen::MatrixXd X(eigen_index(n), eigen_index(d)), Y(eigen_index(n), 1);
  for (std::size_t i = 0; i < n; ++i) {
    Y(eigen_index(i), 0) = y[i];
    for (std::size_t j = 0; j < d; ++j) X(eigen_index(i), eigen_index(j)) = x[i * d + j];
  }
  const SymmetricEigen axes = symmetric_eigen(transposed_product(X, X)).value();
  const Eigen::VectorXd along = transposed_product(axes.vectors, transposed_product(X, Y)).col(0);
  const double yy = Y.squaredNorm();
  constexpr double from = -5, to = 5;  // of log sigma
  std::vector<Node> nodes;
  for (int k = 0; k < nodes_wanted; ++k) {
    const double log_sigma = from + (to - from) * k / (nodes_wanted - 1), variance = std::exp(2 * log_sigma);
    const Eigen::ArrayXd precision = axes.values.array() / variance + 0.01;
    const Eigen::ArrayXd mean = along.array() / variance / precision;
    const double fit = (mean.square() * precision).sum();
    Node node{log_sigma - variance / 200 - static_cast<double>(n) * log_sigma - 0.5 * (yy / variance - fit) -
                  0.5 * precision.log().sum(),
              {},
              {}};
    for (std::size_t i = 0; i < d; ++i) {
      const Eigen::ArrayXd row = axes.vectors.row(eigen_index(i)).transpose().array();
      node.means.push_back((row * mean).sum());
      node.variances.push_back((row.square() / precision).sum());
    }
    node.means.push_back(std::exp(log_sigma));
    node.variances.push_back(0);
    nodes.push_back(node);
  }
  return integrate(nodes);
}

/// Means and standard deviations of inference_gym's ground truth (tests/data/posteriors/README.md), to eight digits.
/// The variance of the square is that of a normal: 1000 rows leave little skewness.
std::vector<Square> logistic_regression() {
  constexpr double of[][2] = {
      {-0.73510486, 0.089831372}, {0.41854235, 0.10433393},   {-0.4140361, 0.09494359},   {0.12687263, 0.1082156},
      {-0.36453584, 0.094518013}, {-0.17869902, 0.092099865}, {-0.15287211, 0.081945709}, {0.013093593, 0.090962494},
      {0.18071618, 0.10427142},   {-0.11077841, 0.097066649}, {-0.22434838, 0.078868725}, {0.12239538, 0.094151784},
      {0.02877585, 0.085681623},  {-0.13628209, 0.094635648}, {-0.2922211, 0.11794843},   {0.27835759, 0.082785785},
      {-0.29962777, 0.10338649},  {0.30372734, 0.12112998},   {0.27038792, 0.11129991},   {0.12251565, 0.13748697},
      {-0.062930541, 0.14311734}, {-0.09271734, 0.090369152}, {-0.025386265, 0.12757407}, {-0.022952092, 0.12488838},
      {-1.2033367, 0.091895861}};
  std::vector<Square> squares;
  for (const auto& [mean, sd] : of) squares.push_back(square_of_normal(mean, sd * sd));
  return squares;
}

/// x ~ N(0, H S^2 H), see posteriors::RotatedNormal.
std::vector<Square> mirrored_normal(std::size_t d, double condition) {
  const std::vector<double> sds = spread_sds(d, condition);
  std::vector<double> v(d), variances(d);
  double squares = 0;
  for (std::size_t i = 0; i < d; ++i) {
    v[i] = std::sin(static_cast<double>(i + 1));
    squares += v[i] * v[i];
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t k = 0; k < d; ++k) {
      const double h = (i == k ? 1.0 : 0.0) - 2 * v[i] * v[k] / squares;
      variances[i] += h * h * sds[k] * sds[k];
    }
  return squares_of_normals(variances);
}
Model mirrored_model(int d, double condition) {
  Data data;
  data.set("D", d);
  data.set("condition", condition);
  return model<posteriors::RotatedNormal>(data);
}

/// Orthogonal, the Q of a square of standard normals; the same everywhere.
std::vector<double> random_rotation(std::size_t d) {
  std::mt19937_64 words(20261122);
  const auto uniform = [&] { return (static_cast<double>(words() >> 11) + 0.5) * 0x1p-53; };
  Eigen::MatrixXd a(eigen_index(d), eigen_index(d));
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    a(i) = radius * std::cos(6.283185307179586 * uniform());
  }
  const Eigen::MatrixXd q = thin_qr(a).q;
  std::vector<double> rows;
  for (Eigen::Index i = 0; i < q.rows(); ++i)
    for (Eigen::Index j = 0; j < q.cols(); ++j) rows.push_back(q(i, j));
  return rows;
}
std::vector<Square> rotated_normal(std::size_t d, double condition) {
  const std::vector<double> sds = spread_sds(d, condition), rotation = random_rotation(d);
  std::vector<double> variances(d);
  for (std::size_t k = 0; k < d; ++k)  // x = R' z
    for (std::size_t i = 0; i < d; ++i) variances[i] += rotation[k * d + i] * rotation[k * d + i] * sds[k] * sds[k];
  return squares_of_normals(variances);
}
Model rotated_model(std::size_t d, double condition) {
  Data data;
  data.set("D", d);
  data.set("R", random_rotation(d), {d, d});
  data.set("sd", spread_sds(d, condition));
  return model<RandomlyRotatedNormal>(data);
}

BiasTarget built_in(const std::string& name, std::vector<Square> squares, std::vector<std::size_t> positive = {},
                    const std::string& source = "closed form", const std::string& published = "") {
  return {name, [name] { return builtin_model(name); }, std::move(squares), std::move(positive), source, published};
}

std::vector<BiasTarget> make_targets() {
  const std::string over_tau = "integrated over tau", over_sigma = "integrated over sigma";
  // LAPS: arXiv:2601.16696, Table 1; the range is that of ChEES, MEADS and NUTS there.
  const std::string of_banana = "LAPS 17, others 264 to 390", of_rotated = "LAPS 308, others 5138 to 9846";
  std::vector<double> ill_conditioned;
  for (int i = 0; i < 100; ++i) ill_conditioned.push_back(std::pow(10, 2 * (3.0 * i / 99 - 2)));
  return {
      built_in("normal", squares_of_normals(std::vector<double>(10, 1))),
      built_in("correlated_normal", squares_of_normals({1, 1})),
      built_in("ill_conditioned_normal", squares_of_normals(ill_conditioned)),
      {"mirrored_normal_100_1e2",
       [] { return mirrored_model(100, 1e2); },
       mirrored_normal(100, 1e2),
       {},
       "closed form",
       ""},
      {"mirrored_normal_100_1e5",
       [] { return mirrored_model(100, 1e5); },
       mirrored_normal(100, 1e5),
       {},
       "closed form",
       ""},
      {"rotated_normal_100_1e5",
       [] { return rotated_model(100, 1e5); },
       rotated_normal(100, 1e5),
       {},
       "closed form",
       of_rotated},
      built_in("banana", banana(), {}, "closed form", of_banana),
      built_in("rosenbrock", rosenbrock()),
      built_in("funnel", funnel()),
      built_in("eight_schools", eight_schools(false), {1}, over_tau),
      built_in("eight_schools_centered", eight_schools(true), {1}, over_tau),
      built_in("linear_regression", linear_regression(), {5}, over_sigma),
      built_in("logistic_regression", logistic_regression(), {}, "inference_gym"),
  };
}

}  // namespace

const std::vector<BiasTarget>& bias_targets() {
  static const std::vector<BiasTarget> all = make_targets();
  return all;
}

}  // namespace manychain::bench
