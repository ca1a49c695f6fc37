// A program that binds data to a model by its checking unit alone: its refusal is told while the others compile.
//
//   bind REFUSAL DATA...      exit status 2, and the file REFUSAL, where the model does not take the data
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/missing_variable.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "own_model/compile.hpp"

// Defined by the generated unit that checks.
std::vector<manychain::DependentScale> manychain_check_own(const manychain::Data& data);

namespace manychain::cli {
namespace {

/// Throws what the program of the model would throw when it binds them (load_model(), Model::Model()).
void bind(const std::vector<std::string>& files) {
  const Data data = files.empty() ? Data() : Data::from_files(files);
  try {
    manychain_check_own(data);
  } catch (const BadInput& error) {
    if (!files.empty()) throw BadInput(data.file() + ": " + error.what());
    if (dynamic_cast<const MissingVariable*>(&error)) throw BadInput(error.what() + std::string(no_data_advice));
    throw;
  }
}

}  // namespace
}  // namespace manychain::cli

int main(int argc, char** argv) {
  using namespace manychain::cli;
  if (argc < 2) return failed;
  try {
    bind({argv + 2, argv + argc});
  } catch (const manychain::BadInput& error) {
    std::ofstream file(argv[1]);
    file << error.what();
    file.close();
    return file ? manychain::own_model::data_refused : failed;
  } catch (const std::exception&) {
    return failed;  // the program of the model will say so
  }
  return success;
}
