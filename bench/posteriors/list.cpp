#include "list.hpp"

#include "posteriors/ar_k.hpp"
#include "posteriors/brownian_motion.hpp"
#include "posteriors/diamonds.hpp"
#include "posteriors/eight_schools.hpp"
#include "posteriors/garch.hpp"
#include "posteriors/gauss_mix.hpp"
#include "posteriors/german_credit.hpp"
#include "posteriors/german_credit_sparse.hpp"
#include "posteriors/gp_regr.hpp"
#include "posteriors/hmm_example.hpp"
#include "posteriors/item_response.hpp"
#include "posteriors/kidscore_interaction.hpp"
#include "posteriors/linear_regression.hpp"
#include "posteriors/logearn_height.hpp"
#include "posteriors/logmesquite.hpp"
#include "posteriors/nes.hpp"
#include "posteriors/stochastic_volatility.hpp"

#include "manychain/models/eight_schools_centered.hpp"
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
      posterior("sblrc-blr", bound<Regression>),
      posterior("sblri-blr", bound<Regression>),
      posterior("arK-arK", bound<ArK>),
      posterior(schools, bound<EightSchools>),
      {"eight_schools-eight_schools_centered", schools, schools, bound<models::EightSchoolsCentered>},
      posterior("garch-garch11", bound<Garch>),
      posterior("hmm_example-hmm_example", bound<HmmExample>),
      posterior("low_dim_gauss_mix-low_dim_gauss_mix", bound<GaussMix>),
      posterior("gp_pois_regr-gp_regr", bound<GpRegr>),
      {"german_credit_numeric_logistic_regression", "german_credit_numeric",
       "german_credit_numeric_logistic_regression", bound<GermanCredit>},
      {"german_credit_numeric_sparse_logistic_regression", "german_credit_numeric",
       "german_credit_numeric_sparse_logistic_regression", bound<GermanCreditSparse>},
      posterior("brownian_motion_unknown_scales_missing_middle_observations", bound<BrownianMotion>),
      posterior("synthetic_item_response_theory", bound<ItemResponse>),
      posterior("stochastic_volatility_sp500", bound<StochasticVolatility>),
      posterior("rotated_normal-100-1e2", bound<RotatedNormal>),
      posterior("rotated_normal-100-1e5", bound<RotatedNormal>),
      posterior("rotated_normal-1000-1e2", bound<RotatedNormal>),
      posterior("rotated_normal-1000-1e5", bound<RotatedNormal>),
  };
  return all;
}

}  // namespace manychain::posteriors
