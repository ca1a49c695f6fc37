// The C interface: data, and models as handles. The built-in ones are in builtin_models.cpp.
#include "c_api/handles.hpp"
#include "foreign/compiled_density.hpp"
#include "manychain/run/foreign.hpp"

namespace manychain::c_api {

std::vector<std::string> names_of(std::size_t dimension, const char* const* parameters) {
  require_few_parameters(dimension);  // before so many names are read
  std::vector<std::string> names;
  for (std::size_t i = 0; parameters && i < dimension; ++i) {
    if (!parameters[i]) throw BadInput("parameters: name " + std::to_string(i + 1) + " is NULL");
    names.emplace_back(parameters[i]);
  }
  return names;
}

Model model_of(std::size_t dimension, const char* const* parameters, manychain_density density, void* user,
               std::size_t gradient_values) {
  if (!density) throw BadInput("density: give a function, not NULL");
  CompiledDensity compiled;
  compiled.dimension = dimension;
  compiled.value_and_gradient = [=](const double* position, double* gradient) {
    return density(position, gradient, user);
  };
  compiled.parameters = names_of(dimension, parameters);
  compiled.gradient_values = gradient_values;
  return Model(std::move(compiled));
}

Model model_of(std::size_t dimension, const char* const* parameters, manychain_logp logp, void* user,
               std::size_t gradient_values) {
  if (!logp) throw BadInput("logp: give a function, not NULL");
  CallbackDensity callback;
  callback.dimension = dimension;
  callback.function = logp;
  callback.user = user;
  callback.parameters = names_of(dimension, parameters);
  callback.gradient_values = gradient_values;
  return Model(callback);
}

namespace {

/// The function of many points that calls `batch`.
template <class Number, class Function>
typename Lockstep<Number>::Batch called(Function batch, std::size_t dimension, void* user) {
  return [=](const Number* points, std::size_t count, Number* log_densities, Number* gradients) {
    if (const int status = batch(count, dimension, points, log_densities, gradients, user); status != 0)
      throw SamplingFailed("the density ended the run: it returned " + std::to_string(status));
  };
}

BatchedDensity density_of_batch(std::size_t dimension, const char* const* parameters, manychain_batch batch, void* user,
                                std::size_t gradient_values) {
  if (!batch) throw BadInput("batch: give a function, not NULL");
  BatchedDensity batched;
  batched.dimension = dimension;
  batched.function = called<double>(batch, dimension, user);
  batched.parameters = names_of(dimension, parameters);
  batched.gradient_values = gradient_values;
  return batched;
}

template <class Work>
manychain_status with_data(manychain_data* data, const void* argument, const char* what, const Work& work) noexcept {
  return guarded([&] {
    require_not_null(data, some_data);
    require_not_null(argument, what);
    work(data->data);
  });
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

manychain_data* manychain_data_new(void) {
  manychain_data* data = nullptr;
  guarded([&] { data = new manychain_data; });
  return data;
}
void manychain_data_free(manychain_data* data) { delete data; }

manychain_status manychain_data_set(manychain_data* data, const char* name, const double* values, size_t rank,
                                    const size_t* shape) {
  return with_data(data, name, "name: give that of a variable", [&](Data& to) {
    if (rank > 0) require_not_null(shape, "shape: give as many extents as the rank says");
    std::size_t size = 1;
    for (std::size_t k = 0; k < rank; ++k)
      if (__builtin_mul_overflow(size, shape[k], &size)) throw BadInput("shape: more elements than memory can hold");
    if (size > 0) require_not_null(values, "values: give as many numbers as the shape has");
    to.set(name, std::vector<double>(values, values + size), std::vector<std::size_t>(shape, shape + rank));
  });
}
manychain_status manychain_data_add_json(manychain_data* data, const char* json) {
  return with_data(data, json, "json: give a text", [&](Data& to) { to.add(Data::from_json(json)); });
}
manychain_status manychain_data_add_file(manychain_data* data, const char* path) {
  return with_data(data, path, "path: give the name of a file", [&](Data& to) { to.add(Data::from_file(path)); });
}

manychain_status manychain_density_model(size_t dimension, const char* const* parameters, manychain_density density,
                                         void* user, size_t gradient_values, manychain_model** model) {
  return model_into(model, [&] { return model_of(dimension, parameters, density, user, gradient_values); });
}
manychain_status manychain_logp_model(size_t dimension, const char* const* parameters, manychain_logp logp, void* user,
                                      size_t gradient_values, manychain_model** model) {
  return model_into(model, [&] { return model_of(dimension, parameters, logp, user, gradient_values); });
}
manychain_status manychain_batch_model(size_t dimension, const char* const* parameters, manychain_batch batch,
                                       void* user, size_t gradient_values, manychain_model** model) {
  return model_into(model,
                    [&] { return Model(density_of_batch(dimension, parameters, batch, user, gradient_values)); });
}
manychain_status manychain_batch_model_of_precisions(size_t dimension, const char* const* parameters,
                                                     manychain_batch batch, manychain_batch_single single, void* user,
                                                     size_t gradient_values, manychain_model** model) {
  return model_into(model, [&] {
    if (!single) throw BadInput("single: give a function, not NULL");
    return batched_model(density_of_batch(dimension, parameters, batch, user, gradient_values),
                         called<float>(single, dimension, user));
  });
}
manychain_status manychain_stan_model(const char* library, const char* data, uint64_t seed, manychain_model** model) {
  return model_into(model, [&] {
    if (!library) throw BadInput("library: give the name of a file, not NULL");
    return load_stan(library, data ? data : "", seed);
  });
}
void manychain_model_free(manychain_model* model) { delete model; }

const char* manychain_model_name(const manychain_model* model) {
  return found_in<const char*>(model, a_model, "", [](const manychain_model& m) { return m.model.name().c_str(); });
}
size_t manychain_model_dimension(const manychain_model* model) {
  return found_in(model, a_model, size_t{0}, [](const manychain_model& m) { return m.model.layout().dimension; });
}
size_t manychain_model_outputs(const manychain_model* model) {
  return found_in(model, a_model, size_t{0}, [](const manychain_model& m) { return m.model.layout().outputs; });
}
size_t manychain_model_quantities(const manychain_model* model) {
  return found_in(model, a_model, size_t{0},
                  [](const manychain_model& m) { return m.model.layout().quantities.size(); });
}
manychain_status manychain_model_quantity(const manychain_model* model, size_t index, manychain_quantity* quantity) {
  return guarded([&] {
    require_not_null(model, a_model);
    require_not_null(quantity, "quantity: give the address of one");
    const std::vector<Quantity>& all = model->model.layout().quantities;
    require_index("index", index, all.size());
    *quantity = quantity_of(all[index]);
  });
}

}  // extern "C"
