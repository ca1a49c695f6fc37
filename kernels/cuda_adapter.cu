#include "manychain/kernels/cuda_adapter.cuh"

namespace manychain {

template std::unique_ptr<AdapterOn<float>> make_cuda_adapter<StepTuning<float>, float>(const std::string&, int,
                                                                                       AllAdaptations);
template std::unique_ptr<AdapterOn<double>> make_cuda_adapter<StepTuning<double>, double>(const std::string&, int,
                                                                                          AllAdaptations);
template std::unique_ptr<AdapterOn<float>> make_cuda_adapter<TrajectoryTuning<float>, float>(const std::string&, int,
                                                                                             AllAdaptations);
template std::unique_ptr<AdapterOn<double>> make_cuda_adapter<TrajectoryTuning<double>, double>(const std::string&, int,
                                                                                                AllAdaptations);

}  // namespace manychain
