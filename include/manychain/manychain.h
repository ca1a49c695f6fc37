/* The C interface: samples a log density that a program already has compiled, or a built-in model. C99.
 *
 * A density of one's own runs on the CPU in double precision, one chain per lane. Functions that can fail return a
 * status, and manychain_last_error() says what was wrong; no exception crosses this interface. Texts are UTF-8 and end
 * with a zero. Functions may be called from several threads at once, with handles of their own or with handles that
 * nobody changes.
 *
 *     manychain_result* result;
 *     if (manychain_sample(2, NULL, density, data, NULL, &result) != MANYCHAIN_OK) puts(manychain_last_error());
 *
 * Models and settings as handles have all that the command line has, settings by their names included:
 *
 *     manychain_model* model;
 *     manychain_named_settings* settings = manychain_named_settings_new();
 *     manychain_set(settings, "target_ess", "1000");
 *     manychain_builtin_model("eight_schools", NULL, &model);
 *     manychain_sample_model(model, settings, &result);
 *
 * manychain/data_sets.h has runs of many data sets.
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
  size_t chains;
  size_t stuck_chains;           /* at this moment */
  size_t divergences;            /* so far, of the phase */
  double transitions_per_second; /* of all chains together */
  const void* run;               /* for manychain_draws_so_far(), within the watch; NULL: not yet */
  const void* sets;              /* for manychain_sets_so_far(), within the watch; NULL: it is of one data set */
} manychain_progress;

/* Called between blocks of transitions, in the thread that asked for the run. A result other than 0 ends the run, which
 * keeps its draws; in the phase "diagnostics" it leaves the rest of the summary NaN. */
typedef int (*manychain_watch)(const manychain_progress* progress, void* user);

/* As many transitions as it takes. */
#define MANYCHAIN_AUTO ((size_t)-1)

/* Take manychain_settings_default() and change what you like. */
typedef struct manychain_settings {
  const char* sampler; /* "hmc", "mala", "ula", "metropolis", "single_component" or "tempering" */
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

  manychain_watch progress; /* NULL: none */
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

/* Samples. `parameters`: one name per dimension, or NULL for "q[1]", "q[2]", ...: names of all elements of an array,
 * the last index fastest, are one quantity. `settings`: NULL for the defaults. On success *result is to be given back
 * with manychain_free(); otherwise it is NULL. */
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

/* Within a watch: a copy of the draws that a run has so far, none in warm-up, in *result. That is for the functions of
 * draws, names and quantities; it has no verdict, and its summary is NaN. It is to be given back with manychain_free().
 * MANYCHAIN_BAD_INPUT if the run keeps no draws. */
manychain_status manychain_draws_so_far(const manychain_progress* progress, manychain_result** result);

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
/* Writes the draws as a NetCDF file that ArviZ opens or, if the name ends in ".zarr", as a Zarr store. */
manychain_status manychain_write_netcdf(const manychain_result* result, const char* path);

/* ---- Data and models as handles ---------------------------------------------------------------------------------
 *
 * A function that makes a model sets *model to NULL if it fails. A model may be sampled any number of times, also by
 * several threads at once, and is given back with manychain_model_free(). */

typedef struct manychain_data manychain_data;
typedef struct manychain_model manychain_model;

manychain_data* manychain_data_new(void);       /* NULL: out of memory */
void manychain_data_free(manychain_data* data); /* NULL is allowed */
/* One variable: `values` has shape[0] * ... * shape[rank - 1] numbers, the last index fastest; rank 0 is a scalar. They
 * are integers if all are whole. A variable of that name is replaced. */
manychain_status manychain_data_set(manychain_data* data, const char* name, const double* values, size_t rank,
                                    const size_t* shape);
/* Adds the variables of one JSON object in CmdStan's dialect, `coords` and `dims` included. MANYCHAIN_BAD_INPUT if both
 * have one of the same name. */
manychain_status manychain_data_add_json(manychain_data* data, const char* json);
/* Likewise of a file: CSV if its name ends with .csv, else JSON. */
manychain_status manychain_data_add_file(manychain_data* data, const char* path);

/* The built-in models, in the order of `manychain models`. In a program that links manychain::models, or the shared
 * library. */
typedef struct manychain_builtin {
  const char* name; /* these texts last as long as the program */
  const char* description;
  int carries_data;
} manychain_builtin;
size_t manychain_builtin_count(void);
manychain_status manychain_get_builtin(size_t index, manychain_builtin* builtin);
/* `data`: NULL for the data that the model carries, or for none. */
manychain_status manychain_builtin_model(const char* name, const manychain_data* data, manychain_model** model);

/* Log densities at many points at once: positions[k * dimension + i] is component i of point k. Writes
 * log_densities[k] and gradients[k * dimension + i]. The values at a point must not depend on the other points. A value
 * that is not finite rejects the proposal of that point. Returns 0, or anything else to end the run, which then fails.
 *
 * All chains go through a transition together: each call has the points of all chains that still move, at most 4096. It
 * is made in the thread that asked for the run, with finite positions alone. */
typedef int (*manychain_batch)(size_t points, size_t dimension, const double* positions, double* log_densities,
                               double* gradients, void* user);
/* Likewise in single precision. */
typedef int (*manychain_batch_single)(size_t points, size_t dimension, const float* positions, float* log_densities,
                                      float* gradients, void* user);

/* Models of foreign densities; parameters and functions as for manychain_sample(). `user` must outlive the model.
 * `gradient_values`: numbers that a gradient reads, about, which decides how many chains there are by default; 0 if it
 * is not known: 32 chains, but 256 of a manychain_batch. */
manychain_status manychain_density_model(size_t dimension, const char* const* parameters, manychain_density density,
                                         void* user, size_t gradient_values, manychain_model** model);
manychain_status manychain_logp_model(size_t dimension, const char* const* parameters, manychain_logp logp, void* user,
                                      size_t gradient_values, manychain_model** model);
manychain_status manychain_batch_model(size_t dimension, const char* const* parameters, manychain_batch batch,
                                       void* user, size_t gradient_values, manychain_model** model);
/* Of the same density in both precisions: the setting `precision` says which of the two a run asks, and "auto" compares
 * them at the posterior, as those of a built-in model. */
manychain_status manychain_batch_model_of_precisions(size_t dimension, const char* const* parameters,
                                                     manychain_batch batch, manychain_batch_single single, void* user,
                                                     size_t gradient_values, manychain_model** model);
/* As manychain_sample_stan(); `seed` is for random draws in transformed data. `library` may also be the source of a
 * Stan program, NAME.stan, where a Python of the PATH, or that of MANYCHAIN_STANLI, has the package stanli. */
manychain_status manychain_stan_model(const char* library, const char* data, uint64_t seed, manychain_model** model);
void manychain_model_free(manychain_model* model); /* NULL is allowed */

/* A line of text when compilers start, when a unit is done, and when nothing can be kept; NULL some 20 times a second,
 * in between. Called in the thread that asked for the model. A result other than 0 ends the compilers. */
typedef int (*manychain_compile_watch)(const char* line, void* user);
typedef struct manychain_compile {
  const char* class_name; /* of the model, if the header has several; NULL: the one that there is */
  const char* samplers;   /* that it may be run with, joined by ","; NULL: "hmc" */
  const char* precision;  /* "single", "double" or "auto", which is both; NULL: "auto" */
  const char* cache;      /* folder of what is compiled; NULL: that of the command line */
  const char* share;      /* folder share/manychain of the package; NULL: that beside the folder of this library */
  manychain_compile_watch watch; /* NULL: none */
  void* watch_user;
} manychain_compile;
/* The model of a header, compiled as by `manychain sample model.hpp` unless that was done before, and loaded into this
 * process, where its code stays. For the CPU alone. `compile`: NULL for all as said. A fault of the header is
 * MANYCHAIN_BAD_INPUT; the message is one line, and manychain_compiler_words() has what the compiler said. In a program
 * that links manychain::own_model, or the shared library if it was built with the command line. */
manychain_status manychain_header_model(const char* header, const manychain_compile* compile,
                                        const manychain_data* data, manychain_model** model);
/* The compiler's words about the header of the last manychain_header_model() in this thread; empty if it had none. */
const char* manychain_compiler_words(void);

/* As manychain_check_gradient(). */
manychain_status manychain_check_model_gradient(const manychain_model* model);
/* As `manychain check`: gradient, Jacobians, terms, precisions, backends. *passed: nothing is wrong. *table says for
 * people what was found, *json as one object (docs/output.md). These two texts last until the next call in this thread;
 * each may be NULL. */
manychain_status manychain_check_model(const manychain_model* model, int* passed, const char** table,
                                       const char** json);

/* Without a model, NULL: 0, or an empty text, and manychain_last_error() says so. */
const char* manychain_model_name(const manychain_model* model);  /* belongs to the model */
size_t manychain_model_dimension(const manychain_model* model);  /* of the unconstrained position */
size_t manychain_model_outputs(const manychain_model* model);    /* numbers of a draw */
size_t manychain_model_quantities(const manychain_model* model); /* named arrays that a draw consists of */

typedef enum manychain_kind { MANYCHAIN_PARAMETER, MANYCHAIN_DERIVED, MANYCHAIN_PREDICTED } manychain_kind;
typedef struct manychain_quantity {
  const char* name;    /* name and shape belong to the model or the result */
  size_t rank;         /* 0: a scalar */
  const size_t* shape; /* of `rank` extents; its elements are outputs that follow each other, the last index fastest */
  size_t offset;       /* the output that is its first element */
  size_t size;         /* number of its elements */
  manychain_kind kind;
} manychain_quantity;
manychain_status manychain_model_quantity(const manychain_model* model, size_t index, manychain_quantity* quantity);

/* ---- Settings by name -------------------------------------------------------------------------------------------
 *
 * docs/settings.md describes them. The list is made from the library's own table. */

typedef struct manychain_setting {
  const char* name;          /* these texts last as long as the program */
  const char* kind;          /* "whole", "real", "flag", "word" or "schedule" */
  const char* default_value; /* as manychain_set() takes it; "": the run decides */
  const char* words;         /* values of a "word" or "flag", joined by ", "; "": all numbers that the library allows */
  const char* help;          /* one line; may be empty */
} manychain_setting;
size_t manychain_setting_count(void);
manychain_status manychain_get_setting(size_t index, manychain_setting* setting);

typedef struct manychain_named_settings manychain_named_settings;
manychain_named_settings* manychain_named_settings_new(void);           /* the defaults; NULL: out of memory */
void manychain_named_settings_free(manychain_named_settings* settings); /* NULL is allowed */
/* Sets one from a text: a number; true or false; a word; "a,b,gamma" for a schedule. "auto" gives one back to the run
 * that has no default. MANYCHAIN_BAD_INPUT: there is no such setting, and the message has the nearest; or the text is
 * no value of its kind. Ranges are checked by manychain_sample_model(). */
manychain_status manychain_set(manychain_named_settings* settings, const char* name, const char* value);
/* Starting points on the unconstrained scale, [dimension][chain]: `count` is dimension * chains. They are copied. */
manychain_status manychain_set_initial_points(manychain_named_settings* settings, const double* points, size_t count);
/* Adds a starting point as values of parameters by name on their constrained scale, a JSON object: of K of them chain c
 * takes number c mod K. Parameters that it leaves out start uniformly. */
manychain_status manychain_add_initial_values(manychain_named_settings* settings, const char* json);
manychain_status manychain_set_watch(manychain_named_settings* settings, manychain_watch watch, void* user);

/* Samples. `settings`: NULL for the defaults. *result as for manychain_sample(). The settings are not changed, and may
 * be given back before the result. */
manychain_status manychain_sample_model(const manychain_model* model, const manychain_named_settings* settings,
                                        manychain_result** result);

/* ---- Runs that are stored while they go on ----------------------------------------------------------------------
 *
 * A store is a folder NAME.zarr, from which another process can go on, `manychain resume` if it can find the model. */

/* Such a run is stored there, at the latest every `seconds`. */
manychain_status manychain_set_store(manychain_named_settings* settings, const char* path, double seconds);
/* In place of a store: one file, written anew each time, with the draws if they are kept. Such a run goes on, too. */
manychain_status manychain_set_checkpoint(manychain_named_settings* settings, const char* path, double seconds);
/* The run then holds draws of so many bytes in memory, 512e6 unless told otherwise, and reads what is more back from
 * the store. Of such a result the functions that give draws, or write them, read all of them into memory when one of
 * them is first called; the store must still be there. */
manychain_status manychain_set_store_memory(manychain_named_settings* settings, double bytes);
/* "none", the default, or "gzip": of the draws in a new store. */
manychain_status manychain_set_store_compression(manychain_named_settings* settings, const char* codec);
/* A text that the store keeps for whoever goes on with it, by name. */
manychain_status manychain_add_store_fact(manychain_named_settings* settings, const char* name, const char* text);
/* These texts as one JSON object, which lasts until the next call in this thread. */
manychain_status manychain_store_facts(const char* path, const char** json);
/* Goes on with the run, of the same model and data, to its end. Of `settings` count, where they are set, "draws" (of
 * each chain in all), "target_ess", "log_likelihood", "threads" and "time_limit", the watch, the bytes of
 * manychain_set_store_memory() and the seconds of manychain_set_store() or manychain_set_checkpoint(), whose path must
 * be this one; NULL: to the end that was planned. `more`: draws beside those that there are; 0: as `settings` say. */
manychain_status manychain_resume_model(const manychain_model* model, const char* path,
                                        const manychain_named_settings* settings, size_t more,
                                        manychain_result** result);

/* The run then ends behind its warm-up, from where manychain_resume_model() goes on; its result has no draws. */
manychain_status manychain_set_warmup_only(manychain_named_settings* settings, int only);
/* manychain_resume_model() then samples the K-th of N parts of the chains alone, of a run that ended at its warm-up,
 * into a store of its own: that of manychain_set_store(), else NAME.part-K-of-N.zarr beside the run. A part that was
 * begun there goes on. Its result has draws, and no verdict. Several of these go to manychain_merge_model(). */
manychain_status manychain_set_part(manychain_named_settings* settings, size_t k, size_t n);

/* Puts `count` parts of a run together in the new store `path`: one result of all of them. `parts` are stores that
 * manychain_set_part() or `manychain resume --part` has made, in any order; it is, bit by bit, the run that was never
 * in parts. Of `settings` count "threads", the watch, and the bytes of manychain_set_store_memory(). If it fails
 * nothing remains of the store.
 */
manychain_status manychain_merge_model(const manychain_model* model, const char* path, const char* const* parts,
                                       size_t count, const manychain_named_settings* settings,
                                       manychain_result** result);

/* ---- Studies of a model -----------------------------------------------------------------------------------------
 *
 * Each says for people what was found, *table, and as the JSON object of the command line, *json. These two texts last
 * until the next call in this thread; each may be NULL. `settings`: NULL for the defaults. A watch is called some 20
 * times a second in the thread that asked, while another one works, which calls functions of the model; a result other
 * than 0 ends the study. */

/* The evidence, log Z, as `manychain evidence` finds it (docs/mixtures.md). The logarithm of a Bayes factor is the
 * difference of those of two models of the same data. Of `settings` count "chains", "warmup", "draws", "seed" and
 * "threads". *trusted: nothing speaks against it. One that is ended fails. */
manychain_status manychain_evidence(const manychain_model* model, const manychain_named_settings* settings,
                                    int* trusted, const char** table, const char** json);
/* Simulation-based calibration, as `manychain test` does it: `simulations` data sets of the model's own, 0 for 100,
 * each sampled, and the ranks of parameters tested. The settings are those of the posteriors. The watch hears of phase
 * "calibration", in which transitions are posteriors. *passed: the model is right as far as that tells. One that is
 * ended tells what it has, and has not passed; it fails if that is next to nothing. */
manychain_status manychain_calibrate(const manychain_model* model, size_t simulations,
                                     const manychain_named_settings* settings, int* passed, const char** table,
                                     const char** json);
/* Cross-validation by refitting, as `manychain sample --folds` does it (docs/data_sets.md): one fit to all rows, and
 * one without each of `folds` parts of them. In phase "folds" transitions are fits; ended, it fails. */
manychain_status manychain_cross_validate(const manychain_model* model, size_t folds,
                                          const manychain_named_settings* settings, int* converged, const char** table,
                                          const char** json);

/* ---- More of a result -------------------------------------------------------------------------------------------
 *
 * Texts and memory belong to the result, and last until manychain_free(). Without a result: as above. */

/* "Converged: ...", "Converged, with warnings: ..." or "NOT converged:". */
const char* manychain_headline(const manychain_result* result);
typedef enum manychain_severity { MANYCHAIN_FAILURE, MANYCHAIN_WARNING, MANYCHAIN_NOTE } manychain_severity;
typedef struct manychain_finding {
  manychain_severity severity; /* failures, why the run has not converged, come first; then warnings, then notes */
  const char* what;
  const char* advice; /* what to do; may be empty */
} manychain_finding;
size_t manychain_findings(const manychain_result* result);
manychain_status manychain_get_finding(const manychain_result* result, size_t index, manychain_finding* finding);

size_t manychain_quantities(const manychain_result* result);
manychain_status manychain_get_quantity(const manychain_result* result, size_t index, manychain_quantity* quantity);
const char* manychain_output_name(const manychain_result* result, size_t output); /* "theta[2]", counted from 1 */

/* The summary as a matrix: the names of its columns, and values[output * columns + column]; `size` is the room, in
 * doubles. What is not defined is NaN. */
size_t manychain_summary_columns(void);
const char* manychain_summary_column(size_t column); /* "mean", "sd", "q5", ...; empty: there is none */
manychain_status manychain_get_summary_matrix(const manychain_result* result, double* values, size_t size);

/* The draws where they lie, without a copy. The number of a draw, a row and a chain has the index (draw * rows + row) *
 * chains + chain. Rows of MANYCHAIN_DRAWS are outputs; of MANYCHAIN_STATS what manychain_stat_name() says. */
typedef enum manychain_array { MANYCHAIN_DRAWS, MANYCHAIN_STATS } manychain_array;
typedef struct manychain_view {
  const void* data;
  size_t bytes; /* of a number: 4, float, or 8, double */
  size_t draws, rows, chains;
} manychain_view;
/* MANYCHAIN_BAD_INPUT if they were not kept. */
manychain_status manychain_get_view(const manychain_result* result, manychain_array array, manychain_view* view);
const char* manychain_stat_name(size_t row); /* "lp", "acceptance_rate", "energy", "diverging"; empty: there is none */

/* The draws of a quantity in the memory of a CUDA device, of a run with the setting "keep_on_device": the number of an
 * element has the index (chain * draws + draw) * size + element. They may be written to: the draws above are others. */
typedef struct manychain_device_array {
  void* data;
  size_t bytes; /* of a number: 4, float, or 8, double */
  int device;
  size_t chains, draws, size;
} manychain_device_array;
int manychain_has_device_draws(const manychain_result* result);
manychain_status manychain_get_device_array(const manychain_result* result, size_t quantity,
                                            manychain_device_array* array);
/* A DLManagedTensor of DLPack of this memory, of shape (chains, draws, ...). It lives until its deleter is called, also
 * longer than the result. */
manychain_status manychain_device_dlpack(const manychain_result* result, size_t quantity, void** tensor);

/* The run as one JSON object (docs/output.md): settings, counts, times, tuning, summary. */
const char* manychain_json(const manychain_result* result);
/* A page of HTML with verdict, table and pictures; needs the draws. */
manychain_status manychain_write_report(const manychain_result* result, const char* path);

/* ---- Diagnostics of draws of any program ------------------------------------------------------------------------
 *
 * docs/diagnostics.md defines them. What is not defined is NaN. */

typedef struct manychain_sequences {
  const double* values; /* of a variable, a draw and a chain: values[(chain * draws + draw) * variables + variable] */
  size_t chains, draws, variables;
} manychain_sequences;

typedef struct manychain_diagnostic {
  const char* name;   /* "rhat", "ess_bulk", "mcse_mean", ...; these texts last as long as the program */
  int of_probability; /* it is about the quantile at `p` */
} manychain_diagnostic;
size_t manychain_diagnostic_count(void);
manychain_status manychain_get_diagnostic(size_t index, manychain_diagnostic* diagnostic);
/* One number of each variable, results[variable]. `p` is read if it is about a quantile. `threads`: 0 for all. */
manychain_status manychain_diagnose(const char* name, double p, const manychain_sequences* of, int threads,
                                    double* results);
/* `superchains`: a label for each chain. `ranked`: of rank-normalised draws and of their folded form, the larger, each
 * half of a superchain one of its own, as in the summary of a run; otherwise of the draws as they are. */
manychain_status manychain_rhat_nested(const manychain_sequences* of, const size_t* superchains, int ranked,
                                       int threads, double* results);
/* At the lags 0 to max_lag, which is less than the draws: results[variable * (max_lag + 1) + lag]. */
manychain_status manychain_autocorrelation(const manychain_sequences* of, size_t max_lag, double* results);
/* Energy Bayesian fraction of missing information of energies, one variable: results[chain]. */
manychain_status manychain_ebfmi(const manychain_sequences* of, double* results);

/* The error of the last call in this thread that failed: one line. */
const char* manychain_last_error(void);
const char* manychain_version(void);

#ifdef __cplusplus
}
#endif

#endif
