/* Samples a log density that this program has compiled: two correlated normals. Compares means, variances and the
 * covariance with the exact ones; the standard errors come from the chains, which are independent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "manychain/manychain.h"

struct gaussian {
  double mean[2], sd[2], correlation;
};

static double log_density(const double* q, double* gradient, void* user) {
  const struct gaussian* g = user;
  const double x = (q[0] - g->mean[0]) / g->sd[0], y = (q[1] - g->mean[1]) / g->sd[1];
  const double rest = 1 - g->correlation * g->correlation;
  gradient[0] = -(x - g->correlation * y) / (rest * g->sd[0]);
  gradient[1] = -(y - g->correlation * x) / (rest * g->sd[1]);
  return -0.5 * (x * x - 2 * g->correlation * x * y + y * y) / rest;
}

static int check(const char* what, double found, double expected, double error) {
  const double z = fabs(found - expected) / error;
  printf("  %-10s %10.4f, expected %10.4f, z = %.2f\n", what, found, expected, z);
  return z < 5 ? 0 : 1;
}

/* The expectation of (q_i - mean_i)(q_j - mean_j): found and its standard error from the means of the chains. */
static int check_moment(const manychain_result* result, const double* draws, const struct gaussian* g, size_t i,
                        size_t j, double expected) {
  const size_t n = manychain_draws(result), d = manychain_dimension(result), chains = manychain_chains(result);
  double sum = 0, squares = 0, mean;
  size_t c, k;
  for (c = 0; c < chains; ++c) {
    double of_chain = 0;
    for (k = 0; k < n; ++k)
      of_chain += (draws[(k * d + i) * chains + c] - g->mean[i]) * (draws[(k * d + j) * chains + c] - g->mean[j]);
    of_chain /= (double)n;
    sum += of_chain;
    squares += of_chain * of_chain;
  }
  mean = sum / (double)chains;
  return check(i == j ? "variance" : "covariance", mean, expected,
               sqrt((squares / (double)chains - mean * mean) / (double)(chains - 1)));
}

int main(void) {
  struct gaussian g = {{3, -1}, {0.5, 20}, 0.8};
  const char* names[] = {"x", "y"};
  manychain_settings settings = manychain_settings_default();
  manychain_result* result = NULL;
  double* draws;
  size_t size, i;
  int wrong = 0;
  settings.seed = 1;

  if (manychain_check_gradient(2, names, log_density, &g) != MANYCHAIN_OK ||
      manychain_sample(2, names, log_density, &g, &settings, &result) != MANYCHAIN_OK) {
    fprintf(stderr, "%s\n", manychain_last_error());
    return 1;
  }
  printf("manychain %s\n%s\n", manychain_version(), manychain_table(result));

  size = manychain_draws(result) * manychain_dimension(result) * manychain_chains(result);
  draws = malloc(size * sizeof *draws);
  if (!draws || manychain_get_draws(result, draws, size) != MANYCHAIN_OK) return 1;
  for (i = 0; i < 2; ++i) {
    manychain_summary s;
    if (manychain_get_summary(result, i, &s) != MANYCHAIN_OK) return 1;
    printf("%s\n", s.name);
    wrong += check("mean", s.mean, g.mean[i], s.mcse_mean);
    wrong += check_moment(result, draws, &g, i, i, g.sd[i] * g.sd[i]);
  }
  wrong += check_moment(result, draws, &g, 0, 1, g.correlation * g.sd[0] * g.sd[1]);
  wrong += !manychain_converged(result);
  free(draws);
  manychain_free(result);

  /* An error comes back as a status and a sentence. */
  settings.sampler = "no such sampler";
  wrong += manychain_sample(2, names, log_density, &g, &settings, &result) != MANYCHAIN_BAD_INPUT || result != NULL;
  printf("%s\n", manychain_last_error());
  return wrong != 0;
}
