#include "runtime/formats/safetensors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "runtime/engine.hpp"
#include "runtime/formats/safetensors_header.hpp"

namespace monomorph {
namespace {

constexpr std::uint64_t max_header_bytes = 100'000'000;  // the reference implementation's limit

[[noreturn]] void fail(const std::filesystem::path& path, const char* action) {
  throw Error(ErrorKind::environment, fmt::format("{}: cannot {}: {}", path.string(), action, std::strerror(errno)));
}

}  // namespace

/// A file's bytes, read-only.
class Checkpoint::Mapping {
 public:
  explicit Mapping(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path, "open");
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor);
      throw Error(ErrorKind::environment, fmt::format("{}: is not a regular file", path.string()));
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) {
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    const int reason = errno;
    ::close(descriptor);
    if (data_ == MAP_FAILED) {
      errno = reason;
      fail(path, "map into memory");
    }
  }
  ~Mapping() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

std::int64_t CheckpointTensor::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

Checkpoint::Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

std::filesystem::path find_checkpoint(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: the weights are missing: no such file or directory", path.string()));
  }
  if (!std::filesystem::is_directory(status)) return path;
  for (const char* const name : {"model.safetensors", "model.safetensors.index.json"}) {
    if (std::filesystem::exists(path / name)) return path / name;
  }
  throw Error(ErrorKind::environment,
              fmt::format("{}: the weights are missing: it holds neither model.safetensors nor "
                          "model.safetensors.index.json; name the .safetensors file itself, or convert the checkpoint "
                          "to safetensors",
                          path.string()));
}

Checkpoint Checkpoint::open(const std::filesystem::path& path) {
  Checkpoint checkpoint;
  const std::filesystem::path file = find_checkpoint(path);
  checkpoint.directory_ = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (file.extension() == ".json") {
    checkpoint.add_index(file);
  } else {
    checkpoint.add_file(file);
  }
  std::sort(checkpoint.tensors_.begin(), checkpoint.tensors_.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(checkpoint.tensors_.begin(), checkpoint.tensors_.end(),
                                        [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != checkpoint.tensors_.end()) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: tensor '{}' stands in two shards, {} and {}; remove the one that does not belong",
                            path.string(), twice->name, checkpoint.files_[twice->file].filename().string(),
                            checkpoint.files_[std::next(twice)->file].filename().string()));
  }
  return checkpoint;
}

void Checkpoint::add_file(const std::filesystem::path& path) {
  auto mapping = std::make_unique<Mapping>(path);
  const std::span<const std::byte> bytes = mapping->bytes();
  static_assert(std::endian::native == std::endian::little, "the format is little endian");
  std::uint64_t header_bytes = 0;
  if (bytes.size() < sizeof header_bytes) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: {} bytes are too few for a safetensors file; copy or download it again", path.string(),
                            bytes.size()));
  }
  std::memcpy(&header_bytes, bytes.data(), sizeof header_bytes);
  if (header_bytes > max_header_bytes || header_bytes > bytes.size() - sizeof header_bytes) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: its header is said to have {} bytes, the file has {}: truncated, or not a safetensors "
                            "file; copy or download it again",
                            path.string(), header_bytes, bytes.size()));
  }
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + sizeof header_bytes, header_bytes);
  const std::span<const std::byte> data = bytes.subspan(sizeof header_bytes + header_bytes);
  for (SafetensorsEntry& entry : read_safetensors_header(header, data.size(), path.string())) {
    tensors_.push_back({std::move(entry.name), std::move(entry.dtype), std::move(entry.shape),
                        data.subspan(entry.begin, entry.end - entry.begin), files_.size()});
  }
  files_.push_back(path);
  mappings_.push_back(std::move(mapping));
}

void Checkpoint::add_index(const std::filesystem::path& path) {
  std::map<std::string, std::vector<std::string>> shards;
  {
    const Mapping index(path);
    const std::string_view text(reinterpret_cast<const char*>(index.bytes().data()), index.bytes().size());
    for (auto& [tensor, shard] : read_safetensors_index(text, path.string()))
      shards[shard].push_back(std::move(tensor));
  }
  for (auto& [shard, listed] : shards) {
    const std::filesystem::path file = directory_ / shard;
    if (!std::filesystem::exists(file)) {
      throw Error(ErrorKind::environment,
                  fmt::format("{}: names the shard {}, which is not there; download it beside the index", path.string(),
                              shard));
    }
    const std::size_t first = tensors_.size();
    add_file(file);
    std::vector<std::string_view> present;
    for (std::size_t i = first; i < tensors_.size(); ++i) present.push_back(tensors_[i].name);
    std::sort(present.begin(), present.end());
    for (const std::string& tensor : listed) {
      if (!std::binary_search(present.begin(), present.end(), tensor)) {
        throw Error(ErrorKind::rejected,
                    fmt::format("{}: says that tensor '{}' stands in {}, which does not hold it; index "
                                "and shards are of different checkpoints",
                                path.string(), tensor, shard));
      }
    }
  }
}

const CheckpointTensor* Checkpoint::find(std::string_view name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const CheckpointTensor& tensor, std::string_view key) { return tensor.name < key; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

std::int64_t Checkpoint::total_bytes() const {
  std::int64_t bytes = 0;
  for (const CheckpointTensor& tensor : tensors_) bytes += static_cast<std::int64_t>(tensor.data.size());
  return bytes;
}

namespace {

void advise(const CheckpointTensor& tensor, bool needed) {
  if (tensor.data.empty()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(tensor.data.data());
  const auto end = begin + tensor.data.size();
  // A page shared with a neighbour is fetched, but never dropped.
  const auto first = needed ? begin / page * page : (begin + page - 1) / page * page;
  const auto last = needed ? end : end / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, needed ? MADV_WILLNEED : MADV_DONTNEED);
}

}  // namespace

void Checkpoint::prefetch(const CheckpointTensor& tensor) const { advise(tensor, true); }
void Checkpoint::release(const CheckpointTensor& tensor) const { advise(tensor, false); }

}  // namespace monomorph
