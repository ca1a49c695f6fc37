// The C functions through which nutpie calls a Stan model (those of BridgeStan 2.x), for a model that stanc has turned
// into C++. MODEL_FILE is that C++. Made with the headers of Stan that httpstan brings, so that nothing is downloaded.
#include MODEL_FILE

#include <cstring>
#include <exception>
#include <sstream>
#include <stan/io/empty_var_context.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/model/log_prob_grad.hpp>
#include <stan/services/util/create_rng.hpp>
#include <string>
#include <vector>

stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed, std::ostream* messages);

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

std::vector<std::string> names_of(const stan::model::model_base& model, bool transformed, bool generated) {
  std::vector<std::string> names;
  model.constrained_param_names(names, transformed, generated);
  return names;
}

/// Each thread needs a tape of its own.
void start_thread() { static thread_local stan::math::ChainableStack tape; }

/// 0, or -1 and a message.
template <class Body>
int guarded(char** message, Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    if (message) *message = strdup(error.what());
  } catch (...) {
    if (message) *message = strdup("an unknown exception");
  }
  return -1;
}

Eigen::VectorXd vector_of(const double* first, std::size_t n) { return Eigen::Map<const Eigen::VectorXd>(first, n); }

void copy(const Eigen::VectorXd& from, double* to) { std::copy(from.data(), from.data() + from.size(), to); }

}  // namespace

struct bs_model {
  stan::model::model_base* model;
  std::string name, unconstrained, names[2][2];
};

struct bs_rng {
  stan::rng_t state;
};

extern "C" {

extern const int bs_major_version = 2, bs_minor_version = 9, bs_patch_version = 0;

void bs_free_error_msg(char* message) { free(message); }

bs_model* bs_model_construct(const char* data, unsigned int seed, char** message) {
  bs_model* made = nullptr;
  guarded(message, [&] {
    start_thread();
    std::ostringstream said;
    stan::model::model_base* model;
    if (!data || !*data) {
      stan::io::empty_var_context nothing;
      model = &new_model(nothing, seed, &said);
    } else {
      std::istringstream text(data);
      stan::json::json_data values(text);
      model = &new_model(values, seed, &said);
    }
    made = new bs_model{model, model->model_name(), "", {}};
    std::vector<std::string> names;
    model->unconstrained_param_names(names);
    made->unconstrained = joined(names);
    for (int t : {0, 1})
      for (int g : {0, 1}) made->names[t][g] = joined(names_of(*model, t, g));
  });
  return made;
}

void bs_model_destruct(bs_model* m) {
  if (m) delete m->model;
  delete m;
}

bs_rng* bs_rng_construct(unsigned int seed, char** message) {
  bs_rng* made = nullptr;
  guarded(message, [&] { made = new bs_rng{stan::services::util::create_rng(seed, 0)}; });
  return made;
}

void bs_rng_destruct(bs_rng* rng) { delete rng; }

const char* bs_name(const bs_model* m) { return m->name.c_str(); }
const char* bs_model_info(const bs_model*) { return "STAN_THREADS=true"; }
const char* bs_param_names(const bs_model* m, bool transformed, bool generated) {
  return m->names[transformed][generated].c_str();
}
const char* bs_param_unc_names(const bs_model* m) { return m->unconstrained.c_str(); }
int bs_param_num(const bs_model* m, bool transformed, bool generated) {
  return static_cast<int>(names_of(*m->model, transformed, generated).size());
}
int bs_param_unc_num(const bs_model* m) { return static_cast<int>(m->model->num_params_r()); }

int bs_param_constrain(const bs_model* m, bool transformed, bool generated, const double* from, double* to, bs_rng* rng,
                       char** message) {
  return guarded(message, [&] {
    start_thread();
    Eigen::VectorXd free = vector_of(from, m->model->num_params_r()), constrained;
    stan::rng_t unused(0, 1, 0, 0);
    m->model->write_array(rng ? rng->state : unused, free, constrained, transformed, generated, nullptr);
    copy(constrained, to);
  });
}

int bs_param_unconstrain(const bs_model* m, const double* from, double* to, char** message) {
  return guarded(message, [&] {
    start_thread();
    Eigen::VectorXd free(m->model->num_params_r());
    m->model->unconstrain_array(vector_of(from, names_of(*m->model, false, false).size()), free, nullptr);
    copy(free, to);
  });
}

int bs_param_unconstrain_json(const bs_model* m, const char* json, double* to, char** message) {
  return guarded(message, [&] {
    start_thread();
    std::istringstream text(json);
    stan::json::json_data values(text);
    Eigen::VectorXd free(m->model->num_params_r());
    m->model->transform_inits(values, free, nullptr);
    copy(free, to);
  });
}

int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* at, double* value,
                            double* gradient, char** message) {
  return guarded(message, [&] {
    start_thread();
    Eigen::VectorXd x = vector_of(at, m->model->num_params_r()), g(x.size());
    const stan::model::model_base& model = *m->model;
    if (propto)
      *value = jacobian ? stan::model::log_prob_grad<true, true>(model, x, g)
                        : stan::model::log_prob_grad<true, false>(model, x, g);
    else
      *value = jacobian ? stan::model::log_prob_grad<false, true>(model, x, g)
                        : stan::model::log_prob_grad<false, false>(model, x, g);
    copy(g, gradient);
  });
}

int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* at, double* value, char** message) {
  std::vector<double> gradient(m->model->num_params_r());
  return bs_log_density_gradient(m, propto, jacobian, at, value, gradient.data(), message);
}

// Nobody asks for what follows: no default run needs it.
int bs_log_density_hessian(const bs_model*, bool, bool, const double*, double*, double*, double*, char** message) {
  return guarded(message, [] { throw std::runtime_error("no Hessian"); });
}
int bs_log_density_hessian_vector_product(const bs_model*, bool, bool, const double*, const double*, double*, double*,
                                          char** message) {
  return guarded(message, [] { throw std::runtime_error("no Hessian"); });
}
int bs_set_print_callback(void (*)(const char*, std::size_t), char**) { return 0; }

}  // extern "C"
