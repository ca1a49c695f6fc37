#include "list.hpp"

#include "posteriors/accel_gp.hpp"
#include "posteriors/ar_k.hpp"
#include "posteriors/brownian_motion.hpp"
#include "posteriors/diamonds.hpp"
#include "posteriors/eight_schools.hpp"
#include "posteriors/eight_schools_centered.hpp"
#include "posteriors/garch.hpp"
#include "posteriors/gauss_mix.hpp"
#include "posteriors/german_credit.hpp"
#include "posteriors/german_credit_sparse.hpp"
#include "posteriors/gp_regr.hpp"
#include "posteriors/hmm_example.hpp"
#include "posteriors/item_response.hpp"
#include "posteriors/kidscore_interaction.hpp"
#include "posteriors/kidscore_interaction_c.hpp"
#include "posteriors/kidscore_interaction_z.hpp"
#include "posteriors/kidscore_momhs.hpp"
#include "posteriors/kidscore_momhsiq.hpp"
#include "posteriors/kidscore_momiq.hpp"
#include "posteriors/linear_regression.hpp"
#include "posteriors/log10earn_height.hpp"
#include "posteriors/logearn_height.hpp"
#include "posteriors/logearn_height_male.hpp"
#include "posteriors/logearn_interaction_z.hpp"
#include "posteriors/logearn_logheight_male.hpp"
#include "posteriors/logmesquite.hpp"
#include "posteriors/logmesquite_logva.hpp"
#include "posteriors/logmesquite_logvash.hpp"
#include "posteriors/logmesquite_logvolume.hpp"
#include "posteriors/nes.hpp"
#include "posteriors/stochastic_volatility.hpp"

#include "models/rotated_normal.hpp"

namespace manychain::posteriors {
namespace {

template <template <class, int...> class ModelClass>
Model bound(const Data& data) {
  return model<ModelClass>(data);
}

Posterior posterior(const std::string& name, const std::string& data, Model (*bind)(const Data&)) {
  return {name, data, name, bind};
}
Posterior posterior(const std::string& name, Model (*bind)(const Data&)) { return posterior(name, name, bind); }

}  // namespace

const std::vector<Posterior>& posteriors() {
  // posteriordb has one set of reference draws for both parametrisations of the eight schools.
  static const std::string schools = "eight_schools-eight_schools_noncentered";
  static const std::string earnings = "earnings-logearn_height", kidiq = "kidiq-kidscore_interaction";
  static const std::string work = "kidiq_with_mom_work", mesquite = "mesquite-logmesquite",
                           credit = "german_credit_numeric";
  static const std::vector<Posterior> all = {
      posterior(earnings, bound<LogearnHeight>),
      posterior("earnings-log10earn_height", earnings, bound<Log10earnHeight>),
      posterior("earnings-logearn_height_male", earnings, bound<LogearnHeightMale>),
      posterior("earnings-logearn_logheight_male", earnings, bound<LogearnLogheightMale>),
      posterior("earnings-logearn_interaction_z", earnings, bound<LogearnInteractionZ>),
      posterior(kidiq, bound<KidscoreInteraction>),
      posterior("kidiq-kidscore_momhs", kidiq, bound<KidscoreMomhs>),
      posterior("kidiq-kidscore_momiq", kidiq, bound<KidscoreMomiq>),
      posterior("kidiq-kidscore_momhsiq", kidiq, bound<KidscoreMomhsiq>),
      posterior("kidiq_with_mom_work-kidscore_interaction_c", work, bound<KidscoreInteractionC>),
      posterior("kidiq_with_mom_work-kidscore_interaction_z", work, bound<KidscoreInteractionZ>),
      posterior(mesquite, bound<Logmesquite>),
      posterior("mesquite-logmesquite_logvolume", mesquite, bound<LogmesquiteLogvolume>),
      posterior("mesquite-logmesquite_logva", mesquite, bound<LogmesquiteLogva>),
      posterior("mesquite-logmesquite_logvash", mesquite, bound<LogmesquiteLogvash>),
      posterior("nes1972-nes", bound<Nes>),
      posterior("nes1976-nes", bound<Nes>),
      posterior("nes1984-nes", bound<Nes>),
      posterior("nes1992-nes", bound<Nes>),
      posterior("nes1996-nes", bound<Nes>),
      posterior("diamonds-diamonds", bound<Diamonds>),
      posterior("sblrc-blr", bound<Regression>),
      posterior("sblri-blr", bound<Regression>),
      posterior("arK-arK", bound<ArK>),
      posterior(schools, bound<EightSchools>),
      {"eight_schools-eight_schools_centered", schools, schools, bound<EightSchoolsCentered>},
      posterior("garch-garch11", bound<Garch>),
      posterior("hmm_example-hmm_example", bound<HmmExample>),
      posterior("low_dim_gauss_mix-low_dim_gauss_mix", bound<GaussMix>),
      posterior("gp_pois_regr-gp_regr", bound<GpRegr>),
      posterior("mcycle_gp-accel_gp", bound<AccelGp>),
      posterior("german_credit_numeric_logistic_regression", credit, bound<GermanCredit>),
      posterior("german_credit_numeric_sparse_logistic_regression", credit, bound<GermanCreditSparse>),
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
