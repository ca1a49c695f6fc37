/* Functions of the type that nutpie and walnutpie call. */
#include <stddef.h>
#include <stdlib.h>

/* Independent normals around `user`, a text with a number, or around zero. */
int normals(size_t n, const double* x, double* gradient, double* logp, void* user) {
  const double mean = user ? strtod((const char*)user, NULL) : 0;
  size_t i;
  *logp = 0;
  for (i = 0; i < n; ++i) {
    gradient[i] = mean - x[i];
    *logp -= 0.5 * gradient[i] * gradient[i];
  }
  return 0;
}

/* A standard normal below one: it is not defined elsewhere. What it leaves there must not be read. */
int below_one(size_t n, const double* x, double* gradient, double* logp, void* user) {
  (void)user;
  if (x[0] > 1) {
    *logp = 1e6;
    gradient[0] = 1e6;
    return 3;
  }
  return normals(n, x, gradient, logp, NULL);
}

int never(size_t n, const double* x, double* gradient, double* logp, void* user) {
  (void)n, (void)x, (void)gradient, (void)logp, (void)user;
  return 7;
}
