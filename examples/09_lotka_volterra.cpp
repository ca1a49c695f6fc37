// A differential equation with unknown rates, initial state and errors.
#include "09_lotka_volterra.hpp"

#include <cmath>
#include <iostream>

#include "manychain/manychain.hpp"

int main() {
  // Pelts of the Hudson's Bay Company, 1900 to 1920, in thousands (Hewitt 1921; Howard 2009, Modeling basics).
  manychain::Data data;
  data.set("N", 20);
  data.set("ts", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  data.set("y_init", {30.0, 4.0});
  data.set("hares", {47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1,
                     40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6,  14.6, 16.2, 24.7});
  data.set("lynxes", {6.1, 9.8,  35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1,  7.4,
                      8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6});

  const manychain::Model model = manychain::model<LotkaVolterra>(data);
  manychain::Settings settings;
  settings.seed = 1;
  const manychain::Result result = manychain::sample(model, settings);
  std::cout << result.table() << '\n';

  // The reference of posteriordb: 10 000 draws by Stan (hudson_lynx_hare-lotka_volterra), means, their standard errors,
  // and standard deviations.
  struct Reference {
    const char* name;
    double mean, mcse, sd;
  };
  const Reference references[] = {
      {"theta[1]", 0.546864499783931, 0.00062626907415417, 0.063052},
      {"theta[2]", 0.0277472877678081, 4.11604266143508e-05, 0.0041545},
      {"theta[3]", 0.800095360233122, 0.000884603225898987, 0.089366},
      {"theta[4]", 0.0240859152534545, 3.50047668143892e-05, 0.0035279},
      {"z_init[1]", 34.0352224770469, 0.0293082761729642, 2.91675},
      {"z_init[2]", 5.93589713368062, 0.00533872103038814, 0.530526},
      {"sigma[1]", 0.24805686320252, 0.000439337727695207, 0.043261},
      {"sigma[2]", 0.251016914583618, 0.000439525598676463, 0.043588},
  };
  double largest_z = 0, largest_ratio = 0;
  for (const manychain::SummaryRow& row : result.summary)
    for (const Reference& reference : references)
      if (row.name == reference.name) {
        const double error = std::hypot(row.statistics.mcse_mean, reference.mcse);
        largest_z = std::fmax(largest_z, std::fabs(row.statistics.mean - reference.mean) / error);
        largest_ratio = std::fmax(largest_ratio, std::fabs(row.statistics.sd / reference.sd - 1));
      }
  std::cout << "means within " << largest_z << " standard errors of Stan's\n";
  std::cout << "standard deviations within " << 100 * largest_ratio << " % of Stan's\n";
}
