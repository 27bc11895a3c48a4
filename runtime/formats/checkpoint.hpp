// Checkpoints: in safetensors a file, a directory with model.safetensors, or one with model.safetensors.index.json and
// its shards, and beside each the dense layers that a modules.json names; in GGUF a file, its shards, or a directory
// with one such model. Mapped read-only, never copied; the formats' every rule is checked at opening, so that a
// tensor's bytes can then be taken without a doubt. Which tensors a model needs is not known here: that is the audit's.
//
// Formats: https://huggingface.co/docs/safetensors, runtime/formats/gguf.hpp. Errors: Error(rejected) for what breaks
// one, Error(environment) for what cannot be read; both name the file, the place and the remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/formats/gguf.hpp"
#include "runtime/formats/mapped_file.hpp"

namespace monomorph {

/// A tensor as the file declares it.
struct CheckpointTensor {
  std::string name;
  std::string dtype;                ///< "F32", "BF16", "Q4_K" ...; others as the file says, for the audit to refuse
  std::vector<std::int64_t> shape;  ///< a scalar's is empty
  std::span<const std::byte> data;  ///< in the mapping; little endian; the format does not align it
  std::size_t file = 0;             ///< index into Checkpoint::files()
  /// Of blocks whose scales stand in a tensor of their own (runtime/formats/split_blocks.hpp): those; else empty.
  std::span<const std::byte> scales{};

  std::size_t bytes() const { return data.size() + scales.size(); }

  std::int64_t elements() const;
};

/// Throws Error(rejected) where `path` is a directory with an adapter (LoRA and its like, adapter_config.json): the
/// model would be another one without it.
void refuse_adapter(const std::filesystem::path& path);

/// The .safetensors or .gguf file or the index (.json) that `path` names, or that lies in the directory it names.
/// Throws Error(environment) where there is none; a directory with an adapter is refused.
std::filesystem::path find_checkpoint(const std::filesystem::path& path);

class Checkpoint {
 public:
  /// `path` as find_checkpoint takes it.
  static Checkpoint open(const std::filesystem::path& path);

  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;
  ~Checkpoint();

  const std::vector<CheckpointTensor>& tensors() const { return tensors_; }  ///< ordered by name
  const CheckpointTensor* find(std::string_view name) const;                 ///< nullptr: there is none
  const std::vector<std::filesystem::path>& files() const { return files_; }
  std::int64_t total_bytes() const;  ///< of all tensors
  /// What a GGUF file says beside its tensors, of shards the first one; nullptr: it is no such file.
  const GgufFile* gguf() const { return gguf_ ? &*gguf_ : nullptr; }
  /// The directory the checkpoint stands in: where its tokenizer is looked for.
  const std::filesystem::path& directory() const { return directory_; }

  /// Hints to the system: this tensor is read next; this tensor is not read again soon.
  void prefetch(const CheckpointTensor& tensor) const;
  void release(const CheckpointTensor& tensor) const;

 private:
  Checkpoint();
  void add_file(const std::filesystem::path& path);
  void add_safetensors(const std::filesystem::path& path, std::span<const std::byte> bytes);
  void add_gguf(const std::filesystem::path& path, GgufFile file);
  void add_shards(const std::filesystem::path& first);
  void add_index(const std::filesystem::path& path);
  /// Those of sentence-transformers' modules.json beside the weights (runtime/formats/sentence_transformers.hpp).
  void add_dense_modules();

  std::filesystem::path directory_;
  std::vector<std::filesystem::path> files_;
  std::vector<std::unique_ptr<MappedFile>> mappings_;
  std::optional<GgufFile> gguf_;
  std::vector<CheckpointTensor> tensors_;
};

}  // namespace monomorph
