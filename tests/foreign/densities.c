/* Functions of the type that nutpie and walnutpie call. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* It writes nothing, as a function of Python does that has raised an exception. */
int silent(size_t n, const double* x, double* gradient, double* logp, void* user) {
  (void)n, (void)x, (void)gradient, (void)logp, (void)user;
  return 0;
}

/* Normals around the location of the data. */
int around(size_t n, const double* x, double* gradient, double* logp, void* user) {
  const double mean = *(const double*)user;
  size_t i;
  *logp = 0;
  for (i = 0; i < n; ++i) {
    gradient[i] = mean - x[i];
    *logp -= 0.5 * gradient[i] * gradient[i];
  }
  return 0;
}

/* Called once for each data set, with a JSON object. NULL: it does not take the data. */
void* around_data(const char* json) {
  const char* const name = strstr(json, "\"location\":");
  double* const location = name ? malloc(sizeof *location) : NULL;
  if (location) *location = strtod(name + strlen("\"location\":"), NULL);
  return location;
}

void around_free(void* user) { free(user); }
