// Models that others have compiled into shared libraries: Stan programs, and functions of C.
//
// They are evaluated on the CPU in double precision, one chain per lane. A library is loaded into this process and
// stays loaded: its code has all rights of this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/sets.hpp"

namespace manychain {

/// The Stan model that BridgeStan 2 has compiled into `library`, with its data: the name of a file of CmdStan's JSON,
/// or the JSON itself (it begins with '{'), or nothing. `seed` is for random draws in transformed data.
///
/// `library` may also be the source of a Stan program, NAME.stan, where a Python has the package stanli, which turns it
/// into what its own library interprets: that of the environment variable MANYCHAIN_STANLI, else of the PATH.
///
/// The density is that of the unconstrained parameters, Jacobians included, without constants (propto = true). Outputs
/// are parameters, transformed parameters and generated quantities, under their names in Stan: arrays are quantities
/// with a shape; parts of tuples and of complex numbers are scalars, named as in Stan (t.1:2, z.real). Generated
/// quantities draw from a generator that is seeded for each draw by the run's seed, the chain and the transition: they
/// depend neither on threads nor on what is recorded. An error of the log density rejects the proposal, one of the
/// generated quantities makes them NaN; Result::sampling.rejected counts both. print() is not shown.
///
/// A library that was built without STAN_THREADS=true is evaluated by one thread, and the result says so. Throws
/// BadInput if the library cannot be loaded, is not of BridgeStan 2, does not take the data, or if another one is
/// loaded that was built with the other value of STAN_THREADS.
Model load_stan(const std::string& library, const std::string& data = "", std::uint64_t seed = 0);

/// Stan models for each of many data sets, for sample_sets(): a program is compiled once. The seed of a set is for
/// random draws in transformed data, too. `manifest`, if it is not empty, is what the package stanli has made of a
/// program, and `library` its runtime. Throws BadInput where load_stan() does; what is wrong with the data refuses the
/// set.
ModelOfSet stan_models(const std::string& library, const std::string& manifest = "");

/// The function `symbol` of the shared library, of the type LogDensityCallback, called from several threads at once
/// (Settings::threads). Throws BadInput if there is none. The dimension cannot be checked.
CallbackDensity load_callback(const std::string& library, const std::string& symbol, std::size_t dimension,
                              void* user = nullptr);
/// Such functions with data, for sample_sets(). The library's `void* SYMBOL_data(const char* json)` makes of the data
/// of a set, one JSON object, what the function is given as user; null refuses the set. `void SYMBOL_free(void* user)`,
/// if it has one, gets that back. Both may be called by several threads at once.
ModelOfSet load_callbacks(const std::string& library, const std::string& symbol, std::size_t dimension,
                          std::vector<std::string> parameters = {});

}  // namespace manychain
