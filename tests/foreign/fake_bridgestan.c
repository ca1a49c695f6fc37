/* A library with the C interface of BridgeStan 2 and a model whose posterior is known, so that tests need no Stan:
 *
 *   data { real location; real above; int fail, few; }  above: mu > above is an error. fail: generated quantities are
 *   parameters {                                        1: an error where mu < location
 *     real mu;                 // N(location, 1)
 *     real<lower=0> sigma;     // log sigma ~ N(0, 0.5)
 *     matrix[2, 3] A;          // A[i, j] ~ N(10 i + j, 0.1)
 *   }
 *   transformed parameters { matrix[2, 2] L; }          [[1, 0], [mu, sigma]]: two constants, one but for rounding
 *   generated quantities { real noise; tuple(real, real) t; }   noise ~ uniform(0, 1); t = (2 mu, 3 mu), and with few
 *                                                               t.2 is whether mu > location - 2
 *
 * Variants: THREADS_FLAG "true" or "false"; VERSION; WITHOUT_CONSTRAIN. With "false" it aborts where two threads are
 * inside at once. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef THREADS_FLAG
#define THREADS_FLAG "true"
#endif
#ifndef VERSION
#define VERSION 2
#endif

typedef struct bs_model {
  double location, above;
  int fail, few;
  unsigned seed;
} bs_model;
typedef struct bs_rng {
  uint64_t state;
} bs_rng;

const int bs_major_version = VERSION, bs_minor_version = 9, bs_patch_version = 0;

static int inside = 0;
static void enter(void) {
  if (strcmp(THREADS_FLAG, "false") == 0 && __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0) abort();
}
static void leave(void) {
  if (strcmp(THREADS_FLAG, "false") == 0) __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
}

/* In BridgeStan's words; Stan's own begin with "Exception: ". */
static int fail(char** error, const char* function, const char* message) {
  const size_t size = strlen(function) + strlen(message) + 64;
  if (error) {
    *error = malloc(size);
    if (*error) snprintf(*error, size, "%s() failed with exception: %s\n", function, message);
  }
  return -1;
}

void bs_free_error_msg(char* message) { free(message); }

/* The number behind "name":, or nothing. */
static bool number(const char* json, const char* name, double* value) {
  char key[64];
  const char* at;
  snprintf(key, sizeof key, "\"%s\":", name);
  at = json ? strstr(json, key) : NULL;
  if (!at) return false;
  *value = strtod(at + strlen(key), NULL);
  return true;
}

bs_model* bs_model_construct(const char* data, unsigned int seed, char** error) {
  bs_model* m = malloc(sizeof *m);
  double failing = 0, few = 0;
  m->above = 1e300;
  m->seed = seed;
  if (!number(data, "location", &m->location)) {
    free(m);
    fail(error, "construct",
         "Exception: variable does not exist;\n  processing stage=data initialization; variable name=location");
    return NULL;
  }
  number(data, "above", &m->above);
  number(data, "fail", &failing);
  m->fail = (int)failing;
  number(data, "few", &few);
  m->few = (int)few;
  return m;
}
void bs_model_destruct(bs_model* m) { free(m); }

bs_rng* bs_rng_construct(unsigned int seed, char** error) {
  bs_rng* rng = malloc(sizeof *rng);
  (void)error;
  rng->state = seed;
  return rng;
}
void bs_rng_destruct(bs_rng* rng) { free(rng); }
/* SplitMix64 (Steele, Lea and Flood 2014). */
static double uniform(bs_rng* rng) {
  uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

#define PARAMETERS "mu,sigma,A.1.1,A.2.1,A.1.2,A.2.2,A.1.3,A.2.3"
#define TRANSFORMED ",L.1.1,L.2.1,L.1.2,L.2.2"
#define GENERATED ",noise,t:1,t:2"

const char* bs_name(const bs_model* m) {
  (void)m;
  return "fake_model";
}
const char* bs_model_info(const bs_model* m) {
  (void)m;
  return "BridgeStan version: fake\nStan C++ Defines:\n\tSTAN_THREADS=" THREADS_FLAG "\n";
}
const char* bs_param_names(const bs_model* m, bool transformed, bool generated) {
  (void)m;
  return transformed ? (generated ? PARAMETERS TRANSFORMED GENERATED : PARAMETERS TRANSFORMED)
                     : (generated ? PARAMETERS GENERATED : PARAMETERS);
}
const char* bs_param_unc_names(const bs_model* m) {
  (void)m;
  return PARAMETERS;
}
int bs_param_num(const bs_model* m, bool transformed, bool generated) {
  (void)m;
  return 8 + (transformed ? 4 : 0) + (generated ? 3 : 0);
}
int bs_param_unc_num(const bs_model* m) {
  (void)m;
  return 8;
}

#ifndef WITHOUT_CONSTRAIN
int bs_param_constrain(const bs_model* m, bool transformed, bool generated, const double* from, double* to, bs_rng* rng,
                       char** error) {
  double* next = to;
  memcpy(next, from, 8 * sizeof *from);
  next[1] = exp(from[1]);
  next += 8;
  if (transformed) {
    next[0] = from[0] < m->location ? 1 : 1 + 0x1p-52; /* as Stan finds the diagonal of a correlation matrix */
    next[1] = from[0];
    next[2] = 0;
    next[3] = exp(from[1]);
    next += 4;
  }
  if (!generated) return 0;
  if (!rng) return fail(error, "param_constrain", "include_gq=true but rng=nullptr");
  if (m->fail && from[0] < m->location)
    return fail(error, "param_constrain", "Exception: fake: generated quantities failed");
  next[0] = uniform(rng);
  next[1] = 2 * from[0];
  next[2] = m->few ? from[0] > m->location - 2 : 3 * from[0];
  return 0;
}
#endif

int bs_param_unconstrain(const bs_model* m, const double* from, double* to, char** error) {
  (void)m;
  if (from[1] < 0) return fail(error, "param_unconstrain", "Exception: sigma is negative");
  memcpy(to, from, 8 * sizeof *from);
  to[1] = log(from[1] > 100 ? 100 : from[1]); /* as Stan takes a simplex that does not add up to 1 */
  return 0;
}

int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* x, double* value,
                            double* gradient, char** error) {
  int i, j;
  if (!propto || !jacobian) return fail(error, "log_density_gradient", "propto and jacobian are needed");
  for (i = 0; i < 8; ++i)
    if (!isfinite(x[i])) abort(); /* nobody may ask for that */
  if (x[0] > m->above) return fail(error, "log_density_gradient", "Exception: fake: mu is too large");
  enter();
  gradient[0] = m->location - x[0];
  gradient[1] = -4 * x[1];
  *value = -0.5 * gradient[0] * gradient[0] - 2 * x[1] * x[1];
  for (j = 0; j < 3; ++j)
    for (i = 0; i < 2; ++i) {
      const double z = (x[2 + 2 * j + i] - (10 * (i + 1) + j + 1)) / 0.1;
      *value -= 0.5 * z * z;
      gradient[2 + 2 * j + i] = -z / 0.1;
    }
  leave();
  return 0;
}
