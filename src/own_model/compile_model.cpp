#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/own_model.hpp"
#include "manychain/samplers/info.hpp"
#include "own_model/build.hpp"
#include "own_model/compile.hpp"
#include "own_model/load.hpp"
#include "text/suggest.hpp"

namespace manychain {
namespace own_model {
namespace {

/// Makes lines of text of a compilation.
class Lines final : public Listener {
 public:
  explicit Lines(const CompileSettings& settings) : settings_(settings) {}

  void complain(const std::string& sentence) override { tell(sentence); }
  void begin(const std::string& what) override { tell(what); }
  void show(std::size_t done, std::size_t units) override {
    if (done == told_) return;
    told_ = done;
    tell(done < units ? fmt::format("{} of {} units", done, units) : "Linking");
  }
  bool stops() override { return settings_.cancel != nullptr && *settings_.cancel; }

 private:
  void tell(const std::string& line) const {
    if (settings_.progress) settings_.progress(line);
  }
  const CompileSettings& settings_;
  std::size_t told_ = 0;
};

bool is_size(const std::string& word) {
  std::size_t digits = 0;
  for (const char c : word + ",") {
    if (c == ',') {
      if (digits == 0 || digits > 9) return false;
      digits = 0;
    } else if (std::isdigit(static_cast<unsigned char>(c)) == 0 || (digits == 0 && c == '0')) {
      return false;
    } else {
      ++digits;
    }
  }
  return true;
}

ModelCode code_of(const std::string& header, const CompileSettings& settings) {
  std::vector<std::string> names, samplers;
  for (const SamplerInfo& sampler : all_samplers()) names.emplace_back(sampler.name);
  if (settings.samplers.empty()) throw BadInput("CompileSettings::samplers: name one at least, for example hmc");
  for (const std::string& sampler : settings.samplers) {
    if (std::find(names.begin(), names.end(), sampler) == names.end())
      throw BadInput(fmt::format("CompileSettings::samplers: there is no {}{}", sampler, did_you_mean(sampler, names)));
    if (std::find(samplers.begin(), samplers.end(), sampler) == samplers.end()) samplers.push_back(sampler);
  }
  for (const std::string& size : settings.sizes)
    if (!is_size(size))
      throw BadInput(
          fmt::format("CompileSettings::sizes: {} is no size: write 8, or 3,4 for one of two extents", size));
  return {header, settings.class_name, samplers, settings.sizes, settings.precision, {}};
}

/// Before anything is compiled that this program could not load.
void require_same_build(const Toolchain& toolchain, const std::string& share) {
  if (toolchain.build_identity() == build_identity()) return;
  throw BadInput(fmt::format(
      "{}: the package there is another build of manychain than the one in this program; build this program "
      "again, or name the package that it was linked with by CompileSettings::share",
      share));
}

}  // namespace
}  // namespace own_model

const ModelUnit& compile_model(const std::string& header, const CompileSettings& settings) {
  using namespace own_model;
  Lines lines(settings);
  const ModelCode code = code_of(header, settings);
  require_header(header);
  const std::string share = settings.share.empty() ? share_beside_program().string() : settings.share;
  const Toolchain toolchain(share);
  require_same_build(toolchain, share);
  toolchain.require_headers_of_libraries();
  Cache cache(settings.cache);
  Compilation compilation(code, Product::shared_object, toolchain, cache, lines);
  if (const ModelUnit* const model = loaded(compilation.key())) return *model;
  const std::string file = compilation.make();
  return load(file, compilation.key());
}

}  // namespace manychain
