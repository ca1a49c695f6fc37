// Samples a model from a header that is compiled while this program runs.
//
//   header MODEL.hpp DATA.json      exit status 2 and a line on stderr if the header or the data are refused
#include <cstdio>
#include <manychain/manychain.hpp>
#include <manychain/own_model.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  manychain::Settings settings;
  settings.chains = 64;
  settings.warmup.transitions = 100;
  settings.sampling.draws = 50;
  settings.seed = 1;
  manychain::CompileSettings compiling;
  compiling.progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  try {
    const auto& unit = manychain::compile_model(argv[1], compiling);
    const manychain::Model model(unit, manychain::Data::from_files({argv[2]}));
    const manychain::Result result = manychain::sample(model, settings);
    std::fputs(result.table().c_str(), stdout);
  } catch (const manychain::BadInput& error) {
    std::fprintf(stderr, "refused: %s\n", error.what());
    return 2;
  } catch (const manychain::Error& error) {
    std::fprintf(stderr, "failed: %s\n", error.what());
    return 3;
  }
  return 0;
}
