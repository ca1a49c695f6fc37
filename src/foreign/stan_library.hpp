// The C interface of a library of BridgeStan 2, function by function.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "foreign/shared_library.hpp"

// As bridgestan.h declares them: nobody looks inside.
struct bs_model;
struct bs_rng;

namespace manychain {

/// The functions of one library. Names and types are those of bridgestan.h of BridgeStan 2.
struct StanLibrary {
  /// Throws BadInput if it cannot be loaded, is of another version or lacks a function.
  explicit StanLibrary(const std::string& path);

  using ModelPointer = std::unique_ptr<bs_model, void (*)(bs_model*)>;
  using GeneratorPointer = std::unique_ptr<bs_rng, void (*)(bs_rng*)>;
  /// Throws BadInput with Stan's message. `json`: empty for none.
  ModelPointer construct_model(const std::string& json, unsigned int seed) const;
  /// Null with the message in `error` if it cannot be made.
  GeneratorPointer construct_generator(unsigned int seed, char** error) const;
  /// The message in one line, given back to the library; `error` may be null.
  std::string message(char* error) const;

  SharedLibrary file;
  void (*free_error_msg)(char*);
  bs_model* (*model_construct)(const char*, unsigned int, char**);
  void (*model_destruct)(bs_model*);
  bs_rng* (*rng_construct)(unsigned int, char**);
  void (*rng_destruct)(bs_rng*);
  const char* (*name)(const bs_model*);
  const char* (*model_info)(const bs_model*);
  const char* (*param_names)(const bs_model*, bool transformed, bool generated);
  const char* (*param_unc_names)(const bs_model*);
  int (*param_num)(const bs_model*, bool transformed, bool generated);
  int (*param_unc_num)(const bs_model*);
  int (*param_constrain)(const bs_model*, bool transformed, bool generated, const double*, double*, bs_rng*, char**);
  int (*param_unconstrain)(const bs_model*, const double*, double*, char**);
  int (*log_density_gradient)(const bs_model*, bool propto, bool jacobian, const double*, double*, double*, char**);
};

/// True if the library's description of itself says STAN_THREADS=true.
bool built_with_threads(const std::string& model_info);

/// All libraries of a process share the tape of Stan's gradients, which has another type with STAN_THREADS than
/// without. Throws BadInput if one of the other kind was loaded before.
void require_same_threads(const std::string& path, bool threads);

}  // namespace manychain
