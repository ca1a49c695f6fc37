#include "list.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "manychain/core/error.hpp"
#include "manychain/models/eight_schools.hpp"
#include "manychain/models/eight_schools_centered.hpp"
#include "manychain/models/linear_regression.hpp"
#include "models/ar_k.hpp"
#include "models/diamonds.hpp"
#include "models/garch.hpp"
#include "models/gauss_mix.hpp"
#include "models/gp_regr.hpp"
#include "models/hmm_example.hpp"
#include "models/kidscore_interaction.hpp"
#include "models/logearn_height.hpp"
#include "models/logmesquite.hpp"
#include "models/nes.hpp"
#include "models/rotated_normal.hpp"

namespace manychain::posteriors {
namespace {

template <template <class, int...> class ModelClass>
Model bound(const Data& data) {
  return model<ModelClass>(data);
}

Posterior posterior(const std::string& name, Model (*bind)(const Data&)) { return {name, name, name, bind}; }

}  // namespace

const std::vector<Posterior>& posteriors() {
  // posteriordb has one set of reference draws for both parametrisations of the eight schools.
  static const std::string schools = "eight_schools-eight_schools_noncentered";
  static const std::vector<Posterior> all = {
      posterior("earnings-logearn_height", bound<LogearnHeight>),
      posterior("kidiq-kidscore_interaction", bound<KidscoreInteraction>),
      posterior("mesquite-logmesquite", bound<Logmesquite>),
      posterior("nes1972-nes", bound<Nes>),
      posterior("diamonds-diamonds", bound<Diamonds>),
      posterior("sblrc-blr", bound<models::LinearRegression>),
      posterior("sblri-blr", bound<models::LinearRegression>),
      posterior("arK-arK", bound<ArK>),
      posterior(schools, bound<models::EightSchools>),
      {"eight_schools-eight_schools_centered", schools, schools, bound<models::EightSchoolsCentered>},
      posterior("garch-garch11", bound<Garch>),
      posterior("hmm_example-hmm_example", bound<HmmExample>),
      posterior("low_dim_gauss_mix-low_dim_gauss_mix", bound<GaussMix>),
      posterior("gp_pois_regr-gp_regr", bound<GpRegr>),
      posterior("rotated_normal-100-1e2", bound<RotatedNormal>),
      posterior("rotated_normal-100-1e5", bound<RotatedNormal>),
      posterior("rotated_normal-1000-1e2", bound<RotatedNormal>),
      posterior("rotated_normal-1000-1e5", bound<RotatedNormal>),
  };
  return all;
}

std::vector<Reference> references_from(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw BadInput(path + " cannot be read");
  std::vector<Reference> references;
  try {
    const auto all = nlohmann::ordered_json::parse(in);
    for (const auto& [name, of] : all.items())
      references.push_back({name, of.at("mean"), of.at("sd"), of.at("mcse_mean")});
  } catch (const nlohmann::json::exception& error) {
    throw BadInput(path + ": " + error.what());
  }
  return references;
}

}  // namespace manychain::posteriors
