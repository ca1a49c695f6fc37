#include "io/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "io/crc32c.hpp"
#include "io/partial_file.hpp"
#include "io/zarr_files.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view checkpoint_magic = "manychain, checkpoint of a run, ";
constexpr std::uint64_t checkpoint_version = 1;

/// As it lies in memory, at the beginning.
struct CheckpointHead {
  char magic[32] = {};
  std::uint64_t version = checkpoint_version;
  std::uint64_t facts = 0, blocks = 0, state = 0;                             ///< bytes
  std::uint64_t draws = 0, variables = 0, stats = 0, chains = 0, number = 4;  ///< of all blocks; bytes of a number
  std::uint32_t checksum = 0, unused = 0;  ///< of the numbers before, and of the facts

  double all_bytes() const { return double(sizeof(CheckpointHead)) + double(facts) + double(blocks) + double(state); }
  std::uint32_t checksum_with(std::string_view facts_there) const {
    return crc32c(facts_there.data(), facts_there.size(),
                  crc32c(&version, reinterpret_cast<const char*>(&checksum) - reinterpret_cast<const char*>(&version)));
  }
};

/// In front of the draws of a block, behind which their statistics lie.
struct DrawsHead {
  std::uint64_t draws = 0;
  std::uint32_t draws_checksum = 0, stats_checksum = 0;
};

struct DrawsBlock {
  std::size_t first, count;
  const char *draws, *stats;
};

const char* numbers_of(const Draws& draws) {
  return draws.float32.empty() ? reinterpret_cast<const char*>(draws.float64.data())
                               : reinterpret_cast<const char*>(draws.float32.data());
}

[[noreturn]] void refuse_checkpoint(const std::string& path, const std::string& why) {
  throw BadInput(fmt::format("{}: {}", path, why));
}

/// An open file and its bytes. Whoever replaces the file leaves them as they are.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) : id_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat found {};
    if (id_ < 0 || fstat(id_, &found) != 0) {
      const int error = errno;
      if (id_ >= 0) close(id_);
      refuse_checkpoint(path, std::strerror(error));
    }
    if (!S_ISREG(found.st_mode) || found.st_size == 0) return;
    size_ = static_cast<std::size_t>(found.st_size);
    void* const at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, id_, 0);
    if (at != MAP_FAILED) {
      bytes_ = static_cast<const char*>(at);
      return;
    }
    const int error = errno;
    close(id_);
    refuse_checkpoint(path, std::strerror(error));
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (bytes_) munmap(const_cast<char*>(bytes_), size_);
    close(id_);
  }

  std::string_view bytes() const { return {bytes_, size_}; }
  /// The right to replace the file. False: another process has it, or has just replaced it.
  bool lock(const std::string& path) const {
    struct stat mine {
    }, there{};
    return flock(id_, LOCK_EX | LOCK_NB) == 0 && fstat(id_, &mine) == 0 && stat(path.c_str(), &there) == 0 &&
           mine.st_ino == there.st_ino;
  }

 private:
  int id_;
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

class CheckpointFile::Contents {
 public:
  /// Throws BadInput if it is damaged, or no checkpoint.
  explicit Contents(const std::string& path) : file_(path), path_(path) {
    std::string_view rest = file_.bytes();
    if (rest.substr(0, checkpoint_magic.size()) != checkpoint_magic)
      refuse_checkpoint(path, "is no checkpoint of a run");
    if (rest.size() < sizeof head) damaged();
    std::memcpy(&head, rest.data(), sizeof head);
    if (head.version != checkpoint_version)
      refuse_checkpoint(path, "is a checkpoint of another version of manychain: it cannot be read by this one");
    if (head.all_bytes() != double(rest.size())) damaged();
    rest.remove_prefix(sizeof head);
    const std::string_view told = rest.substr(0, head.facts);
    if (head.checksum != head.checksum_with(told) || head.unused != 0) damaged();
    const auto json = nlohmann::json::parse(told, nullptr, false);
    if (!json.is_object()) damaged();
    facts = json.get<StoreFacts>();
    rest.remove_prefix(head.facts);
    blocks = rest.substr(0, head.blocks);
    state = rest.substr(head.blocks);
  }

  bool lock() const { return file_.lock(path_); }

  /// Each block, whose checksums are right.
  std::vector<DrawsBlock> checked_blocks() const {
    std::vector<DrawsBlock> all;
    std::size_t first = 0;
    auto take = [this, rest = blocks](std::size_t bytes) mutable {
      if (bytes > rest.size()) damaged();
      const char* const at = rest.data();
      rest.remove_prefix(bytes);
      return at;
    };
    while (first < head.draws) {
      DrawsHead about;
      std::memcpy(&about, take(sizeof about), sizeof about);
      const double row = double(about.draws) * double(head.chains) * double(head.number);
      if (about.draws == 0 || row * double(head.variables + head.stats) > double(blocks.size())) damaged();
      const std::size_t draws = about.draws * head.chains * head.number;
      DrawsBlock block{first, about.draws, take(draws * head.variables), take(draws * head.stats)};
      if (crc32c(block.draws, draws * head.variables) != about.draws_checksum ||
          crc32c(block.stats, draws * head.stats) != about.stats_checksum)
        damaged();
      all.push_back(block);
      first += about.draws;
    }
    return all;
  }

  CheckpointHead head;
  StoreFacts facts;
  std::string_view blocks, state;

 private:
  [[noreturn]] void damaged() const { refuse_checkpoint(path_, "is damaged: the run cannot go on"); }

  MappedFile file_;
  std::string path_;
};

namespace {

class CheckpointDraws final : public DrawsSource {
 public:
  template <class Contents>
  explicit CheckpointDraws(std::shared_ptr<const Contents> contents)
      : blocks_(contents->checked_blocks()),
        shape_{contents->head.draws, contents->head.variables, contents->head.chains, contents->head.number == 4,
               contents->head.stats > 0},
        stats_(contents->head.stats),
        keeps_bytes_(std::move(contents)) {}

  Shape shape() const override { return shape_; }
  Draws draws(Stretch draws, Stretch variables) const override {
    return part(draws, variables, &DrawsBlock::draws, shape_.variables);
  }
  Draws sample_stats(Stretch draws, Stretch variables) const override {
    return part(draws, variables, &DrawsBlock::stats, stats_);
  }

 private:
  Draws part(Stretch draws, Stretch variables, const char* DrawsBlock::*where, std::size_t all) const {
    Draws some;
    some.draws = draws.count;
    some.variables = variables.count;
    some.chains = shape_.chains;
    if (shape_.single)
      copy(draws, variables, where, all, some.float32);
    else
      copy(draws, variables, where, all, some.float64);
    return some;
  }
  template <class Number>
  void copy(Stretch draws, Stretch variables, const char* DrawsBlock::*where, std::size_t all,
            DrawValues<Number>& to) const {
    const std::size_t chains = shape_.chains, row = variables.count * chains, end = draws.first + draws.count;
    to.resize(draws.count * row);
    for (const DrawsBlock& block : blocks_)
      for (std::size_t d = std::max(block.first, draws.first); d < std::min(block.first + block.count, end); ++d)
        std::memcpy(to.data() + (d - draws.first) * row,
                    block.*where + ((d - block.first) * all + variables.first) * chains * sizeof(Number),
                    row * sizeof(Number));
  }

  std::vector<DrawsBlock> blocks_;
  Shape shape_;
  std::size_t stats_;
  std::shared_ptr<const void> keeps_bytes_;
};

}  // namespace

bool is_checkpoint(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) &&
         MappedFile(path).bytes().substr(0, checkpoint_magic.size()) == checkpoint_magic;
}

CheckpointFile::CheckpointFile(std::string path) : path_(behind_links(path)) {
  require_replaceable(path_);
  std::error_code none;
  if (!fs::exists(path_, none) || fs::file_size(path_, none) == 0) return;
  if (!is_checkpoint(path_))
    refuse_checkpoint(path, "there is such a file, and it is no checkpoint of a run; name another");
  try {
    now_ = std::make_unique<Contents>(path_);
  } catch (const BadInput&) {
    return;  // a damaged one has no run
  }
  if (!now_->lock()) refuse_checkpoint(path, "another run writes to it");
}

CheckpointFile::CheckpointFile(std::string path, Reopened)
    : path_(behind_links(path)), now_(std::make_unique<Contents>(path_)), mine_(true) {
  if (!now_->lock()) refuse_checkpoint(path, "another run writes to it");
  require_replaceable(path_);
  facts_ = now_->facts;
}

CheckpointFile::~CheckpointFile() = default;

void CheckpointFile::set_facts(StoreFacts facts) { facts_ = std::move(facts); }
void CheckpointFile::begin(const Result&) {}
std::size_t CheckpointFile::block_draws() const { return std::numeric_limits<std::size_t>::max() / 2; }

void CheckpointFile::append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
  CheckpointHead head;
  std::string_view blocks;
  if (mine_) head = now_->head, blocks = now_->blocks;
  if (draws.draws > 0 && first != head.draws)
    throw Error(path_ + ": draws are missing before those that are to be stored");
  std::string facts = nlohmann::json(facts_).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::vector<Piece> pieces = {{&head, sizeof head}, {facts.data(), facts.size()}, {blocks.data(), blocks.size()}};
  DrawsHead about{draws.draws, 0, 0};
  if (draws.draws > 0) {
    head.variables = draws.variables;
    head.stats = sample_stats.variables;
    head.chains = draws.chains;
    head.number = draws.float32.empty() ? sizeof(double) : sizeof(float);
    const std::size_t row = draws.draws * draws.chains * head.number;
    about.draws_checksum = crc32c(numbers_of(draws), row * head.variables);
    about.stats_checksum = crc32c(numbers_of(sample_stats), row * head.stats);
    pieces.insert(pieces.end(), {{&about, sizeof about},
                                 {numbers_of(draws), row * head.variables},
                                 {numbers_of(sample_stats), row * head.stats}});
    head.draws += draws.draws;
    head.blocks += sizeof about + row * (head.variables + head.stats);
  }
  pieces.emplace_back(state.data(), state.size());
  std::copy(checkpoint_magic.begin(), checkpoint_magic.end(), head.magic);
  head.facts = facts.size();
  head.state = state.size();
  head.checksum = head.checksum_with(facts);

  PartialFile next(path_);
  const int file = ::open(next.begin().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = file < 0 ? errno : write_all(file, pieces);
  if (error == 0 && fsync(file) != 0) error = errno;
  if (file >= 0 && close(file) != 0 && error == 0) error = errno;
  if (error != 0) fail_to_write(path_, error);
  auto written = std::make_unique<Contents>(next.begin());
  if (!written->lock()) fail_to_write(path_, EBUSY);
  next.keep();
  now_ = std::move(written);
  mine_ = true;
  sync_one(fs::absolute(path_).parent_path().string());
}

StoredRun open_checkpoint(const std::string& path) {
  const auto contents = std::make_shared<const CheckpointFile::Contents>(path);
  StoredRun run;
  run.state = contents->state;
  run.source = std::make_shared<CheckpointDraws>(contents);
  return run;
}

StoreFacts read_checkpoint_facts(const std::string& path) { return CheckpointFile::Contents(path).facts; }

std::unique_ptr<KeptRun> reopen_run(const std::string& path) {
  if (is_checkpoint(path)) return std::make_unique<CheckpointFile>(path, CheckpointFile::Reopened{});
  return std::make_unique<ZarrStore>(path, ZarrStore::Reopened{});
}
StoredRun open_run(const std::string& path) {
  return is_checkpoint(path) ? open_checkpoint(path) : open_stored_run(path);
}
StoreFacts read_facts(const std::string& path) {
  return is_checkpoint(path) ? read_checkpoint_facts(path) : read_store_facts(path);
}

}  // namespace manychain::io
