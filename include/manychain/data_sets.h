/* The C interface of runs of many data sets of one model, as `manychain sample --data-sets` samples them
 * (docs/data_sets.md). C99; it goes with manychain.h. */
#ifndef MANYCHAIN_DATA_SETS_H
#define MANYCHAIN_DATA_SETS_H

#include "manychain/manychain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct manychain_data_sets manychain_data_sets;
manychain_data_sets* manychain_data_sets_new(void); /* as of manychain_data */
void manychain_data_sets_free(manychain_data_sets* sets);
/* Adds one. `name`: NULL for its number, counted from 1; no two have the same. The data are copied. */
manychain_status manychain_data_sets_add(manychain_data_sets* sets, const char* name, const manychain_data* data);
/* As the command line reads them. `column`, of a CSV alone, says of which set a row is; else NULL. */
manychain_status manychain_data_sets_add_json(manychain_data_sets* sets, const char* json);
manychain_status manychain_data_sets_add_file(manychain_data_sets* sets, const char* path, const char* column);
/* Data that all have beside their own, in place of those given before. */
manychain_status manychain_data_sets_common(manychain_data_sets* sets, const manychain_data* data);

/* As manychain_builtin_model() and manychain_header_model(), with the data of the first set that the model takes. */
manychain_status manychain_builtin_model_of_sets(const char* name, const manychain_data_sets* sets,
                                                 manychain_model** model);
manychain_status manychain_header_model_of_sets(const char* header, const manychain_compile* compile,
                                                const manychain_data_sets* sets, manychain_model** model);

/* A Stan program, compiled once, or a model that BridgeStan has compiled, as for manychain_stan_model(). `manifest`:
 * NULL, or the JSON object that stanli has made of a program, and `library` its runtime. */
manychain_status manychain_stan_model_of_sets(const char* library, const char* manifest,
                                              const manychain_data_sets* sets, manychain_model** model);

/* Puts a model for the set with that number, counted from 0, into *model: it is the function's own, and stays until the
 * thread asks for another one, or the run ends. `data` are those of the set with those that all have; `seed` is the
 * set's. Called by several threads at once, but by one if the first model is that of a manychain_batch. Returns
 * MANYCHAIN_OK; MANYCHAIN_BAD_INPUT refuses the set, and writes why into `said`, of `size` bytes; any other number ends
 * the run, which then fails. */
typedef int (*manychain_model_of_set)(size_t set, const manychain_data* data, uint64_t seed, void* user, char* said,
                                      size_t size, manychain_model** model);
/* Models that a function makes, of densities for example. It is called here, too, for the first set that it takes. */
manychain_status manychain_models_of_sets(manychain_model_of_set make, void* user, const manychain_data_sets* sets,
                                          manychain_model** model);

typedef struct manychain_sets_result manychain_sets_result;
/* Samples each. `model` is bound to any data, or one of the functions above has made it. `settings` as of
 * manychain_sample_model(), for the CPU and without a store. The draws of all sets are kept if they take no more than
 * `draw_bytes`. The watch hears of phase "data sets", in which transitions are sets; a result other than 0 ends the
 * run, which keeps what it has. */
manychain_status manychain_sample_sets(const manychain_model* model, const manychain_data_sets* sets,
                                       const manychain_named_settings* settings, double draw_bytes,
                                       manychain_sets_result** result);
void manychain_sets_free(manychain_sets_result* result); /* NULL is allowed */
/* Within the watch of manychain_sample_sets(): the sets that have their answer so far, in the order of the data and
 * without draws, in *result. It is to be given back with manychain_sets_free(). */
manychain_status manychain_sets_so_far(const manychain_progress* progress, manychain_sets_result** result);

typedef struct manychain_sets_counts {
  size_t sets, sampled, converged, refused, failed, left_out;
  int cancelled, draws_left_out; /* it ended before all had their answer; the draws take more bytes than given */
  double seconds;
} manychain_sets_counts;
manychain_sets_counts manychain_get_sets_counts(const manychain_sets_result* result);

typedef struct manychain_set_facts {
  const char* name;  /* texts belong to the result */
  const char* state; /* "sampled", "refused", "failed" or "left out" */
  const char* said;  /* why it was refused or failed, or has not converged; else empty */
  const char* worst; /* the output with the largest R-hat */
  size_t place;      /* in the table, whose first row, 0, is the worst set */
  uint64_t seed, gradients, divergences;
  int converged;
  size_t warmup, draws;                       /* of each chain */
  double largest_rhat, smallest_ess, seconds; /* NaN of a set that was not sampled */
} manychain_set_facts;
manychain_status manychain_get_set(const manychain_sets_result* result, size_t set, manychain_set_facts* facts);
/* A copy of what is kept of a set that was sampled: a result for the functions of quantities, names, the summary, draws
 * and manychain_headline(), without findings. To be given back with manychain_free(). */
manychain_status manychain_set_result(const manychain_sets_result* result, size_t set, manychain_result** of_set);
/* As the command line has them: table, JSON object, NetCDF file. The texts belong to the result. */
const char* manychain_sets_table(const manychain_sets_result* result);
const char* manychain_sets_json(const manychain_sets_result* result);
manychain_status manychain_write_sets(const manychain_sets_result* result, const char* path);

#ifdef __cplusplus
}
#endif

#endif
