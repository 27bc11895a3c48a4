#include "runtime/formats/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/formats/pytorch.hpp"
#include "runtime/formats/safetensors_header.hpp"
#include "runtime/formats/sentence_transformers.hpp"
#include "runtime/formats/split_blocks.hpp"

namespace monomorph {
namespace {

constexpr std::uint64_t max_header_bytes = 100'000'000;  // the reference implementation's limit

/// Of a shard of a GGUF model, as llama.cpp names them: "<name>-00001-of-00003.gguf".
struct ShardName {
  std::string model;
  std::uint64_t number = 0, count = 0;  ///< from 1 on

  std::string of(std::uint64_t other) const { return fmt::format("{}-{:05}-of-{:05}.gguf", model, other, count); }
};

std::optional<ShardName> shard_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  constexpr std::size_t tail = std::string_view("-00001-of-00003.gguf").size();
  if (name.size() <= tail) return std::nullopt;
  ShardName shard{name.substr(0, name.size() - tail)};
  const auto digits = [&](std::size_t from_end) {
    std::uint64_t number = 0;
    for (const char c : name.substr(name.size() - from_end, 5))
      number = 10 * number + static_cast<unsigned char>(c - '0');
    return number;
  };
  shard.number = digits(19);
  shard.count = digits(10);
  return shard.of(shard.number) == name ? std::optional(shard) : std::nullopt;
}

/// A number of the metadata; nothing where there is none.
std::optional<std::uint64_t> number_of(const GgufFile& file, std::string_view key) {
  const GgufValue* value = file.find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<std::uint64_t>(value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(value); number != nullptr && *number >= 0) {
    return static_cast<std::uint64_t>(*number);
  }
  return std::nullopt;
}

/// The one GGUF model of a directory.
std::filesystem::path find_gguf(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".gguf") continue;
    const std::optional<ShardName> shard = shard_name(entry.path());
    if (!shard || shard->number == 1) models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  if (models.size() == 1) return models.front();
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!models.empty() || !is_pytorch_name(entry.path().filename().native())) continue;
    throw Error(ErrorKind::environment, fmt::format("{}: {}", entry.path().string(), pytorch_remedy));
  }
  if (models.empty()) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: the weights are missing: it holds neither model.safetensors nor "
                            "model.safetensors.index.json nor a .gguf file; name the file itself, or convert the "
                            "checkpoint to safetensors",
                            directory.string()));
  }
  throw Error(ErrorKind::environment,
              fmt::format("{}: holds {} GGUF models, {} and {} among them; name the file of one", directory.string(),
                          models.size(), models[0].filename().string(), models[1].filename().string()));
}

}  // namespace

std::int64_t CheckpointTensor::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

Checkpoint::Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

void refuse_adapter(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path config = path / "adapter_config.json";
  if (!std::filesystem::exists(config, error)) return;
  throw Error(ErrorKind::rejected,
              fmt::format("{}: this folder holds an adapter (LoRA), which is not applied; merge it into the base model "
                          "(peft: load both, merge_and_unload(), save_pretrained) and name that folder, or move "
                          "adapter_config.json away to have the base model alone",
                          config.string()));
}

std::filesystem::path find_checkpoint(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: the weights are missing: no such file or directory", path.string()));
  }
  if (!std::filesystem::is_directory(status)) return path;
  refuse_adapter(path);
  for (const char* const name : {"model.safetensors", "model.safetensors.index.json"}) {
    if (std::filesystem::exists(path / name)) return path / name;
  }
  return find_gguf(path);
}

Checkpoint Checkpoint::open(const std::filesystem::path& path) {
  Checkpoint checkpoint;
  const std::filesystem::path file = find_checkpoint(path);
  checkpoint.directory_ = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (file.extension() == ".json") {
    checkpoint.add_index(file);
  } else {
    checkpoint.add_file(file);
    if (checkpoint.gguf_) checkpoint.add_shards(file);
  }
  if (!checkpoint.gguf_) checkpoint.add_dense_modules();
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
  join_split_blocks(checkpoint.tensors_);
  return checkpoint;
}

void Checkpoint::add_file(const std::filesystem::path& path) {
  auto mapping = std::make_unique<MappedFile>(path);
  const std::span<const std::byte> bytes = mapping->bytes();
  if (is_gguf(bytes)) {
    add_gguf(path, read_gguf(bytes, path.string()));
  } else {
    add_safetensors(path, bytes);
  }
  files_.push_back(path);
  mappings_.push_back(std::move(mapping));
}

void Checkpoint::add_gguf(const std::filesystem::path& path, GgufFile file) {
  for (GgufTensor& tensor : file.tensors) {
    tensors_.push_back(
        {std::move(tensor.name), std::move(tensor.type), std::move(tensor.shape), tensor.data, files_.size()});
  }
  const std::uint64_t count = number_of(file, "split.count").value_or(1);
  const std::optional<ShardName> name = shard_name(path);
  const std::uint64_t number = number_of(file, "split.no").value_or(0) + 1;
  if (count > 1 && (!name || name->count != count || name->number != number)) {
    throw Error(ErrorKind::rejected, fmt::format("{}: says that it is shard {} of {}; its name has to say so, as "
                                                 "model-{:05}-of-{:05}.gguf does",
                                                 path.string(), number, count, number, count));
  }
  if (!gguf_) gguf_ = std::move(file);
}

/// The other shards of a model whose first one was added.
void Checkpoint::add_shards(const std::filesystem::path& first) {
  const std::uint64_t count = number_of(*gguf_, "split.count").value_or(1);
  if (count < 2) return;
  const ShardName name = *shard_name(first);
  if (name.number != 1) {
    throw Error(ErrorKind::rejected, fmt::format("{}: is a shard; name the first one, {}", first.string(), name.of(1)));
  }
  for (std::uint64_t number = 2; number <= count; ++number) {
    const std::filesystem::path path = directory_ / name.of(number);
    if (!std::filesystem::exists(path)) {
      throw Error(ErrorKind::environment,
                  fmt::format("{}: has {} shards, and {} is not there; download it beside the others", first.string(),
                              count, name.of(number)));
    }
    add_file(path);
  }
  const std::optional<std::uint64_t> tensors = number_of(*gguf_, "split.tensors.count");
  if (tensors && *tensors != tensors_.size()) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: says that its shards hold {} tensors; they hold {}: they are of different models",
                            first.string(), *tensors, tensors_.size()));
  }
}

void Checkpoint::add_safetensors(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  static_assert(std::endian::native == std::endian::little, "the format is little endian");
  std::uint64_t header_bytes = 0;
  if (bytes.size() < sizeof header_bytes) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: {} bytes are too few for a safetensors or GGUF file; copy or download it again",
                            path.string(), bytes.size()));
  }
  if (is_pytorch(bytes)) throw Error(ErrorKind::rejected, fmt::format("{}: {}", path.string(), pytorch_remedy));
  std::memcpy(&header_bytes, bytes.data(), sizeof header_bytes);
  if (header_bytes > max_header_bytes || header_bytes > bytes.size() - sizeof header_bytes) {
    throw Error(
        ErrorKind::rejected,
        fmt::format("{}: its header is said to have {} bytes, the file has {}: truncated, or neither a safetensors "
                    "nor a GGUF file; copy or download it again",
                    path.string(), header_bytes, bytes.size()));
  }
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + sizeof header_bytes, header_bytes);
  const std::span<const std::byte> data = bytes.subspan(sizeof header_bytes + header_bytes);
  for (SafetensorsEntry& entry : read_safetensors_header(header, data.size(), path.string())) {
    tensors_.push_back({std::move(entry.name), std::move(entry.dtype), std::move(entry.shape),
                        data.subspan(entry.begin, entry.end - entry.begin), files_.size()});
  }
}

void Checkpoint::add_index(const std::filesystem::path& path) {
  std::map<std::string, std::vector<std::string>> shards;
  {
    const MappedFile index(path);
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

void Checkpoint::add_dense_modules() {
  for (const DenseModule& module : dense_modules(directory_)) {
    const std::filesystem::path file = module.directory / "model.safetensors";
    const std::size_t first = tensors_.size();
    add_file(std::filesystem::exists(file) ? file : find_checkpoint(module.directory));
    for (std::size_t i = first; i < tensors_.size(); ++i) tensors_[i].name.insert(0, module.name);
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
  for (const CheckpointTensor& tensor : tensors_) bytes += static_cast<std::int64_t>(tensor.bytes());
  return bytes;
}

void Checkpoint::prefetch(const CheckpointTensor& tensor) const {
  for (const auto& bytes : {tensor.data, tensor.scales}) advise_mapping(bytes, true);
}
void Checkpoint::release(const CheckpointTensor& tensor) const {
  for (const auto& bytes : {tensor.data, tensor.scales}) advise_mapping(bytes, false);
}

}  // namespace monomorph
