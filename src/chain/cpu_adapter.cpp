#include "manychain/chain/cpu_adapter.hpp"

namespace manychain {

template std::unique_ptr<AdapterOn<float>> make_cpu_adapter<StepTuning<float>, float>(const std::string&, int,
                                                                                      AllAdaptations);
template std::unique_ptr<AdapterOn<double>> make_cpu_adapter<StepTuning<double>, double>(const std::string&, int,
                                                                                         AllAdaptations);
template std::unique_ptr<AdapterOn<float>> make_cpu_adapter<TrajectoryTuning<float>, float>(const std::string&, int,
                                                                                            AllAdaptations);
template std::unique_ptr<AdapterOn<double>> make_cpu_adapter<TrajectoryTuning<double>, double>(const std::string&, int,
                                                                                               AllAdaptations);

}  // namespace manychain
