// Gives each test process a temporary folder of its own, which testing::TempDir() then names: CTest runs tests of one
// source side by side, and two that write a file of one name read each other's.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

namespace {

class OwnTemporaryFolder {
 public:
  OwnTemporaryFolder() : folder_((std::filesystem::temp_directory_path() / "manychain_tests.XXXXXX").string()) {
    if (mkdtemp(folder_.data()) == nullptr) {
      std::abort();
    }
    setenv("TEST_TMPDIR", folder_.c_str(), 1);
  }
  OwnTemporaryFolder(const OwnTemporaryFolder&) = delete;
  OwnTemporaryFolder& operator=(const OwnTemporaryFolder&) = delete;
  // A forked process leaves the folder to its parent.
  ~OwnTemporaryFolder() {
    std::error_code ignored;
    if (getpid() == owner_) {
      std::filesystem::remove_all(folder_, ignored);
    }
  }

 private:
  std::string folder_;
  pid_t owner_ = getpid();
};

const OwnTemporaryFolder own;

}  // namespace
