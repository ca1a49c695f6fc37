/* The C interface: samples a log density that a program already has compiled. C99.
 *
 * The density runs on the CPU in double precision, one chain per lane. Functions that can fail return a status, and
 * manychain_last_error() says what was wrong; no exception crosses this interface.
 *
 *     manychain_result* result;
 *     if (manychain_sample(2, NULL, density, data, NULL, &result) != MANYCHAIN_OK) puts(manychain_last_error());
 */
#ifndef MANYCHAIN_MANYCHAIN_H
#define MANYCHAIN_MANYCHAIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same numbers as the exit statuses of the command line. */
typedef enum manychain_status {
  MANYCHAIN_OK = 0,
  MANYCHAIN_BAD_INPUT = 2,      /* something asked for cannot be; nothing was sampled */
  MANYCHAIN_SAMPLING_FAILED = 3 /* the run was well posed and failed all the same */
} manychain_status;

/* Returns the log density at position[0 .. dimension - 1], up to a constant, and writes its gradient to gradient[0 ..
 * dimension - 1]. Called from several threads at once. A value that is not finite rejects the proposal. The sampler
 * "metropolis" does not read the gradient. The dimension is at most 2^24. */
typedef double (*manychain_density)(const double* position, double* gradient, void* user);

/* The function by which nutpie and walnutpie call a log density: writes it to *logp, and its gradient to gradient[0 ..
 * dimension - 1]. Returns 0, or anything else to reject the proposal. Called from several threads at once, with finite
 * positions alone. */
typedef int (*manychain_logp)(size_t dimension, const double* position, double* gradient, double* logp, void* user);

/* Where a run stands. */
typedef struct manychain_progress {
  const char* phase;  /* "warmup", "sampling" or "diagnostics" */
  size_t transitions; /* of each chain: done, warm-up included */
  size_t total;       /* to be done, warm-up included */
  double acceptance_rate;
  double step_size;
  double seconds; /* since the run began */
} manychain_progress;

/* As many transitions as it takes. */
#define MANYCHAIN_AUTO ((size_t)-1)

/* Take manychain_settings_default() and change what you like. */
typedef struct manychain_settings {
  const char* sampler; /* "hmc", "mala", "ula", "metropolis" or "single_component" */
  size_t chains;       /* 0, the default: 32, for a density of which nobody knows what it costs */
  size_t warmup; /* transitions of each chain before the first draw is kept; MANYCHAIN_AUTO: until tuning has settled */
  size_t draws;  /* kept of each chain; MANYCHAIN_AUTO: until all have an ESS of 400 and a small R-hat */
  size_t thin;   /* transitions between two kept draws */
  uint64_t seed;
  int threads;              /* 0: all there are */
  double step_size;         /* 0: adapted in warm-up; otherwise that of every transition */
  double trajectory;        /* "hmc": longest integration time; 0: the default */
  double target_acceptance; /* 0: the default of the sampler */
  size_t max_leapfrogs;     /* of one trajectory */
  int superchains;          /* starting points that chains share, for nested R-hat; 0: none; negative: the default */
  int keep_draws;           /* 0: streaming diagnostics alone */
  const double* initial_points; /* [dimension][chain]; NULL: uniform on (-2, 2) */

  /* Called between blocks of transitions; NULL: not at all. A result other than 0 ends the run, which keeps its draws;
   * in the phase "diagnostics" it leaves the rest of the summary NaN. */
  int (*progress)(const manychain_progress* progress, void* progress_user);
  void* progress_user;
} manychain_settings;

/* One parameter over all chains. A statistic that is not defined is NaN. */
typedef struct manychain_summary {
  const char* name; /* belongs to the result */
  double mean, sd;
  double q5, q50, q95;
  double rhat, ess_bulk, mcse_mean;
  double ess_tail, mcse_sd;
  double rhat_nested; /* NaN of a run without superchains */
} manychain_summary;

/* The run as a whole. */
typedef struct manychain_counts {
  uint64_t gradients;   /* evaluations of the density, all chains, warm-up included */
  uint64_t divergences; /* transitions of the sampling phase */
  size_t divergent_chains, stuck_chains, nonfinite_chains, outlying_chains;
  double acceptance_rate, step_size, seconds;
  int cancelled;
  uint64_t rejected; /* evaluations that a manychain_logp or a Stan model rejected, warm-up included */
} manychain_counts;

typedef struct manychain_result manychain_result;

manychain_settings manychain_settings_default(void);

/* Samples. `parameters`: one name per dimension, or NULL for "q[1]", "q[2]", ...; `settings`: NULL for the defaults. On
 * success *result is to be given back with manychain_free(); otherwise it is NULL. */
manychain_status manychain_sample(size_t dimension, const char* const* parameters, manychain_density density,
                                  void* user, const manychain_settings* settings, manychain_result** result);
/* The same of the other kind of function. */
manychain_status manychain_sample_logp(size_t dimension, const char* const* parameters, manychain_logp logp, void* user,
                                       const manychain_settings* settings, manychain_result** result);
/* The Stan model that BridgeStan 2 has compiled into `library`. `data`: the name of a file of CmdStan's JSON, or the
 * JSON itself, or NULL. The result has manychain_outputs() rows: parameters, transformed parameters and generated
 * quantities. Of a library that was built without STAN_THREADS=true settings->threads must be 0 or 1. */
manychain_status manychain_sample_stan(const char* library, const char* data, const manychain_settings* settings,
                                       manychain_result** result);
void manychain_free(manychain_result* result); /* NULL is allowed */

/* Compares the gradient with finite differences at 20 random points, in at most 1000 evaluations.
 * MANYCHAIN_SAMPLING_FAILED when it is wrong, the message then names the worst parameter; and when rounding hides
 * whether it is. */
manychain_status manychain_check_gradient(size_t dimension, const char* const* parameters, manychain_density density,
                                          void* user);

/* Without a result, NULL: 0, or an empty text, and manychain_last_error() says so. The functions that return a status
 * refuse NULL, for a result or for where to put something, with MANYCHAIN_BAD_INPUT. */
size_t manychain_dimension(const manychain_result* result); /* of the unconstrained position */
/* Numbers of a draw, and rows of the summary: the dimension, but of a Stan model. */
size_t manychain_outputs(const manychain_result* result);
size_t manychain_chains(const manychain_result* result);
size_t manychain_draws(const manychain_result* result); /* kept of each chain; 0 if none were kept */
/* Every R-hat < 1.01 (with superchains: every nested R-hat), every bulk ESS > 400, no chain stuck, outlying or
 * non-finite. */
int manychain_converged(const manychain_result* result);
manychain_counts manychain_get_counts(const manychain_result* result);
manychain_status manychain_get_summary(const manychain_result* result, size_t output, manychain_summary* summary);
/* Copies all draws, [draw][output][chain]; `size` is the room at `draws`, in doubles. */
manychain_status manychain_get_draws(const manychain_result* result, double* draws, size_t size);
/* The summary as a table, with a verdict as its first line. The text belongs to the result. */
const char* manychain_table(const manychain_result* result);
/* Writes the draws as a NetCDF file that ArviZ opens. */
manychain_status manychain_write_netcdf(const manychain_result* result, const char* path);

/* The error of the last call in this thread that failed: one line. */
const char* manychain_last_error(void);
const char* manychain_version(void);

#ifdef __cplusplus
}
#endif

#endif
