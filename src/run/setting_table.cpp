#include "run/setting_table.hpp"

#include "manychain/adaptation/list.hpp"

namespace manychain {

const Settings& default_settings() {
  static const Settings settings;
  return settings;
}

Words<std::string> sampler_words() {
  Words<std::string> words;
  for (const SamplerInfo& sampler : all_samplers()) words.emplace_back(sampler.name, sampler.name);
  return words;
}
Words<std::string> adaptation_words() {
  Words<std::string> words;
  for (const AdaptationInfo& adaptation : all_adaptations()) words.emplace_back(adaptation.name, adaptation.name);
  return words;
}
Words<Backend> backend_words() {
  return {{"auto", Backend::automatic}, {"cpu", Backend::cpu}, {"cuda", Backend::cuda}};
}
Words<Precision> precision_words() {
  return {
      {"auto", Precision::automatic}, {"single", Precision::single_precision}, {"double", Precision::double_precision}};
}
Words<Integrator> integrator_words() {
  return {{"leapfrog", Integrator::leapfrog}, {"two_stage", Integrator::two_stage}};
}
Words<MetricKind> metric_words() {
  return {{"auto", MetricKind::automatic}, {"diagonal", MetricKind::diagonal},
          {"fisher", MetricKind::fisher},  {"low_rank", MetricKind::low_rank},
          {"dense", MetricKind::dense},    {"hierarchical", MetricKind::hierarchical}};
}
Words<Starts> starts_words() {
  return {{"auto", Starts::automatic},
          {"uniform", Starts::uniform},
          {"pathfinder", Starts::pathfinder},
          {"annealed", Starts::annealed}};
}
Words<WarmupEnd> warmup_end_words() {
  return {{"fixed", WarmupEnd::fixed}, {"settled", WarmupEnd::settled}, {"arrived", WarmupEnd::arrived}};
}
Words<bool> keep_words() { return {{"all", true}, {"none", false}}; }

}  // namespace manychain
