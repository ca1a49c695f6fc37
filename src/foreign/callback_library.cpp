#include <utility>

#include "foreign/shared_library.hpp"
#include "manychain/run/foreign.hpp"
#include "model/data_json.hpp"

namespace manychain {
namespace {

/// A model that keeps what its density is given.
struct WithUser {
  std::shared_ptr<void> user;
  Model model;
};

}  // namespace

CallbackDensity load_callback(const std::string& library, const std::string& symbol, std::size_t dimension,
                              void* user) {
  const SharedLibrary file(library);
  CallbackDensity density;
  density.dimension = dimension;
  density.function = file.function<LogDensityCallback>(symbol.c_str());
  if (!density.function) throw BadInput(library + ": there is no function " + symbol + " in it");
  density.user = user;
  density.name = symbol;
  return density;
}

ModelOfSet load_callbacks(const std::string& library, const std::string& symbol, std::size_t dimension,
                          std::vector<std::string> parameters) {
  CallbackDensity density = load_callback(library, symbol, dimension);
  density.parameters = std::move(parameters);
  const SharedLibrary file(library);
  const auto make = file.function<void* (*)(const char*)>((symbol + "_data").c_str());
  const auto free = file.function<void (*)(void*)>((symbol + "_free").c_str());
  if (!make)
    throw BadInput(library + ": there is no function " + symbol + "_data in it, which would take data for " + symbol);
  return [=](std::size_t, const Data& data, std::uint64_t) {
    void* const made = make(json_of(data).c_str());
    if (!made) throw BadInput(symbol + "_data() does not take the data");
    const std::shared_ptr<void> user(made, [free](void* given) {
      if (free) free(given);
    });
    CallbackDensity of_set = density;
    of_set.user = made;
    const auto kept = std::make_shared<WithUser>(WithUser{user, Model(of_set)});
    return Model(std::shared_ptr<const Model::Bound>(kept, &kept->model.bound()));
  };
}

}  // namespace manychain
