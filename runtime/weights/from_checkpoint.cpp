// Weights from a checkpoint: finds every part of every tensor, judges dtype and shape, refuses tensors that nothing
// uses, reads rows out of the mapping.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/conversion.hpp"
#include "runtime/formats/quantized.hpp"
#include "runtime/formats/split_blocks.hpp"
#include "runtime/weights/source.hpp"

namespace monomorph {
namespace {

/// Part of a weight, found. In a vector, rows are elements.
struct FoundPart {
  const CheckpointTensor* tensor = nullptr;
  std::int64_t first = 0;  ///< row of the weight
  RowView view;
  const std::byte* data() const { return tensor->data.data(); }
  /// Whether blocks have their scales in a tensor of their own.
  bool split() const { return !tensor->scales.empty(); }
  std::int64_t end() const { return first + view.rows; }
};

/// Those of a weight.
using FoundParts = std::vector<FoundPart>;

/// Rows that are read together; of a transposed matrix, so that each line of the source is read once while it is near.
constexpr std::int64_t rows_at_once = 32;

/// Of a type that is not quantized.
float load(Dtype dtype, const std::byte* at) {
  float value;
  decode_blocks(dtype, at, std::span(&value, 1));
  return value;
}

class CheckpointSource final : public HostWeights::Source {
 public:
  explicit CheckpointSource(Checkpoint checkpoint) : checkpoint_(std::move(checkpoint)) {}

  void find(const Program& program, const std::string& path);

  double element(std::size_t tensor, std::int64_t row, std::int64_t column) const override {
    const WeightPattern& pattern = this->pattern(tensor);
    if (pattern.converted_from) {
      std::vector<float> whole(static_cast<std::size_t>(pattern.columns));
      this->row(tensor, row, whole);
      return whole[static_cast<std::size_t>(column)];
    }
    const FoundPart& part = part_of(tensors_[tensor], pattern.vector ? column : row);
    const std::int64_t in_block = row_of(pattern.dtype).block_elements;
    std::array<float, most_block_elements> block;
    std::vector<std::byte> read;
    decode_blocks(pattern.dtype, blocks_at(tensor, part, row, column / in_block * in_block, in_block, read),
                  std::span(block).first(static_cast<std::size_t>(in_block)));
    return block[static_cast<std::size_t>(column % in_block)];
  }

  void row(std::size_t tensor, std::int64_t row, std::span<float> out) const override {
    const Dtype type = pattern(tensor).dtype;
    if (pattern(tensor).converted_from) {
      std::vector<std::byte> blocks(static_cast<std::size_t>(file_row_bytes(type, pattern(tensor).columns)));
      convert_rows(tensor, row, 1, blocks, 0);
      return decode_blocks(type, blocks.data(), out);
    }
    if (pattern(tensor).vector) {
      for (const FoundPart& part : tensors_[tensor]) {
        for (std::int64_t c = part.first; c < part.end(); ++c) {
          out[static_cast<std::size_t>(c)] = load(type, address(tensor, part, row, c));
        }
      }
      return;
    }
    const FoundPart& part = part_of(tensors_[tensor], row);
    if (!part.view.transposed) {
      std::vector<std::byte> read;
      return decode_blocks(type, blocks_at(tensor, part, row, 0, pattern(tensor).columns, read), out);
    }
    const std::byte* at = address(tensor, part, row, 0);
    for (float& value : out) {
      value = load(type, at);
      at += element_bytes(type) * part.view.bank_rows();
    }
  }

  void raw_rows(std::size_t tensor, std::int64_t first, std::int64_t rows, std::span<std::byte> out,
                std::int64_t stride) const override {
    return pattern(tensor).converted_from ? convert_rows(tensor, first, rows, out, stride)
                                          : file_rows(tensor, first, rows, out, stride);
  }

  bool stands_in_place(std::size_t tensor) const override {
    if (pattern(tensor).converted_from || pattern(tensor).vector) return false;
    return std::ranges::none_of(tensors_[tensor],
                                [](const FoundPart& part) { return part.view.transposed || part.split(); });
  }
  const std::byte* row_in_place(std::size_t tensor, std::int64_t row) const override {
    return address(tensor, part_of(tensors_[tensor], row), row, 0);
  }

  void release(std::size_t tensor) const override {
    for (const FoundPart& part : tensors_[tensor]) checkpoint_.release(*part.tensor);
  }

 private:
  void file_rows(std::size_t tensor, std::int64_t first, std::int64_t rows, std::span<std::byte> out,
                 std::int64_t stride) const;
  void convert_rows(std::size_t tensor, std::int64_t first, std::int64_t rows, std::span<std::byte> out,
                    std::int64_t stride) const;
  void decode_lines(std::size_t tensor, std::int64_t first, std::int64_t rows, std::span<float> out) const;
  [[noreturn]] void throw_lost(std::size_t tensor, std::int64_t row, std::int64_t column, float value) const;
  const WeightPattern& pattern(std::size_t tensor) const { return *entries[tensor].pattern; }

  /// The part that holds a row, or a vector's element: parts follow each other and fill the weight.
  static const FoundPart& part_of(const FoundParts& parts, std::int64_t row) {
    return *std::find_if(parts.begin(), parts.end(), [&](const FoundPart& part) { return row < part.end(); });
  }

  /// Of an element that begins a block, the block's number in the tensor.
  std::int64_t block_of(std::size_t tensor, const FoundPart& part, std::int64_t row, std::int64_t column) const {
    const std::int64_t index = pattern(tensor).vector
                                   ? part.view.source_of(column - part.first)
                                   : part.view.element_of(row - part.first, column, pattern(tensor).columns);
    return index / row_of(pattern(tensor).file_dtype()).block_elements;
  }
  /// Of an element that begins a block which has its scale in it.
  const std::byte* address(std::size_t tensor, const FoundPart& part, std::int64_t row, std::int64_t column) const {
    return part.data() + block_of(tensor, part, row, column) * row_of(pattern(tensor).file_dtype()).block_bytes;
  }
  /// Blocks of so many elements of a row: where the file has them, or in `read`, where it has their scales elsewhere.
  const std::byte* blocks_at(std::size_t tensor, const FoundPart& part, std::int64_t row, std::int64_t column,
                             std::int64_t elements, std::vector<std::byte>& read) const {
    return blocks_from(tensor, part, block_of(tensor, part, row, column), elements, read);
  }
  /// The same from a block of the tensor on.
  const std::byte* blocks_from(std::size_t tensor, const FoundPart& part, std::int64_t first, std::int64_t elements,
                               std::vector<std::byte>& read) const {
    const Dtype type = pattern(tensor).file_dtype();
    if (!part.split()) return part.data() + first * row_of(type).block_bytes;
    read.resize(static_cast<std::size_t>(file_row_bytes(type, elements)));
    copy_split_blocks(part.data() + first * split_block_bytes, part.tensor->scales.data() + first, read);
    return read.data();
  }

  Checkpoint checkpoint_;
  std::vector<FoundParts> tensors_;  ///< by id of the weight
};

/// Rows as the file has them.
void CheckpointSource::file_rows(std::size_t tensor, std::int64_t first, std::int64_t rows, std::span<std::byte> out,
                                 std::int64_t stride) const {
  const WeightPattern& pattern = this->pattern(tensor);
  const std::int64_t size = element_bytes(pattern.file_dtype());  // of what is read by elements
  for (const FoundPart& part : tensors_[tensor]) {
    if (pattern.vector) {
      for (std::int64_t c = part.first, end = c; c < part.end(); c = end) {
        end = part.first + part.view.end_of_run(c - part.first);
        std::memcpy(out.data() + c * size, address(tensor, part, 0, c), static_cast<std::size_t>((end - c) * size));
      }
      continue;
    }
    const std::int64_t begin = std::max(first, part.first), end = std::min(first + rows, part.end());
    if (!part.view.transposed) {
      std::vector<std::byte> read;
      for (std::int64_t r = begin; r < end; ++r) {
        std::memcpy(out.data() + (r - first) * stride, blocks_at(tensor, part, r, 0, pattern.columns, read),
                    static_cast<std::size_t>(file_row_bytes(pattern.file_dtype(), pattern.columns)));
      }
      continue;
    }
    for (std::int64_t at = begin, last = begin; at < end; at = last) {
      last = std::min({at + rows_at_once, end, part.first + part.view.end_of_run(at - part.first)});
      for (std::int64_t c = 0; c < pattern.columns; ++c) {
        const std::byte* source = address(tensor, part, at, c);
        for (std::int64_t r = at; r < last; ++r, source += size) {
          std::memcpy(out.data() + (r - first) * stride + c * size, source, static_cast<std::size_t>(size));
        }
      }
    }
  }
}

/// Rows of a matrix that stands transposed, whose blocks are of what are its columns.
void CheckpointSource::decode_lines(std::size_t tensor, std::int64_t first, std::int64_t rows,
                                    std::span<float> out) const {
  const WeightPattern& pattern = this->pattern(tensor);
  const DtypeRow& type = row_of(pattern.file_dtype());
  std::array<float, most_block_elements> block;
  std::vector<std::byte> read;
  for (std::int64_t c = 0; c < pattern.columns; ++c) {
    const FoundPart* decoded_of = nullptr;
    std::int64_t decoded = -1;
    for (std::int64_t r = 0; r < rows; ++r) {
      const FoundPart& part = part_of(tensors_[tensor], first + r);
      const std::int64_t index = part.view.element_of(first + r - part.first, c, pattern.columns);
      if (const std::int64_t holding = index / type.block_elements; &part != decoded_of || holding != decoded) {
        decode_blocks(pattern.file_dtype(), blocks_from(tensor, part, holding, type.block_elements, read),
                      std::span(block).first(static_cast<std::size_t>(type.block_elements)));
        decoded_of = &part;
        decoded = holding;
      }
      out[static_cast<std::size_t>(r * pattern.columns + c)] =
          block[static_cast<std::size_t>(index % type.block_elements)];
    }
  }
}

/// Rows in the type that the engine computes with.
void CheckpointSource::convert_rows(std::size_t tensor, std::int64_t first, std::int64_t rows, std::span<std::byte> out,
                                    std::int64_t stride) const {
  const WeightPattern& pattern = this->pattern(tensor);
  const std::int64_t in_file = file_row_bytes(pattern.file_dtype(), pattern.columns);
  const bool of_lines = is_quantized(pattern.file_dtype()) && tensors_[tensor].front().view.transposed;
  std::vector<std::byte> source(static_cast<std::size_t>(of_lines ? 0 : std::min(rows, rows_at_once) * in_file));
  std::vector<float> lines(static_cast<std::size_t>(of_lines ? rows_at_once * pattern.columns : pattern.columns));
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t in_source = r % rows_at_once, count = std::min(rows_at_once, rows - r);
    if (in_source == 0 && of_lines) decode_lines(tensor, first + r, count, lines);
    if (in_source == 0 && !of_lines) file_rows(tensor, first + r, count, source, in_file);
    const std::span<float> values =
        std::span(lines).subspan(static_cast<std::size_t>(of_lines ? in_source * pattern.columns : 0),
                                 static_cast<std::size_t>(pattern.columns));
    if (!of_lines) decode_blocks(pattern.file_dtype(), source.data() + in_source * in_file, values);
    const std::int64_t lost = encode_blocks(pattern.dtype, values, out.data() + r * stride);
    if (lost >= 0) throw_lost(tensor, first + r, lost, values[static_cast<std::size_t>(lost)]);
  }
}

void CheckpointSource::throw_lost(std::size_t tensor, std::int64_t row, std::int64_t column, float value) const {
  const WeightPattern& pattern = this->pattern(tensor);
  const auto part = static_cast<std::size_t>(&part_of(tensors_[tensor], row) - tensors_[tensor].data());
  const bool wide_enough = pattern.file_dtype() == Dtype::f32 && pattern.dtype != Dtype::bf16;
  throw Error(ErrorKind::rejected,
              fmt::format("{} ({}): row {} has {} in column {}, which {} cannot hold; {}", entries[tensor].name,
                          with_layer(pattern.parts[part].name, entries[tensor].place), row, value, column,
                          name_of(pattern.dtype),
                          !std::isfinite(value) ? "copy or download the file again, or build without engine.weights"
                          : wide_enough         ? "build with --set engine.weights=bf16, or without engine.weights"
                                                : "build without engine.weights"));
}

/// The checkpoint's names of the program's tensors, without prefix.
std::vector<std::string> names_of(const std::vector<WeightEntry>& entries) {
  std::vector<std::string> names;
  for (const WeightEntry& entry : entries) {
    for (const WeightPart& part : entry.pattern->parts) {
      names.push_back(with_layer(part.name, entry.place));
    }
  }
  return names;
}

/// What is wrong with a checkpoint's tensors. Of more than a few of a sort the first stands for all: there it is
/// another type, or another model.
class Misfits {
 public:
  enum Sort { shape, type, missing, unused };

  void add(Sort sort, std::string text) { texts_[sort].push_back(std::move(text)); }
  bool none() const {
    return std::all_of(texts_.begin(), texts_.end(), [](const auto& texts) { return texts.empty(); });
  }
  /// A line each.
  std::string described() const {
    constexpr std::size_t few = 3;
    constexpr std::array<const char*, 4> others = {
        "have another shape too: these are the weights of another model",
        "have another type too: an engine for them is built with --set checkpoint.dtype, or from their own files",
        "are missing too", "are not used either"};
    std::string text;
    for (std::size_t sort = 0; sort < texts_.size(); ++sort) {
      const std::vector<std::string>& texts = texts_[sort];
      const std::size_t told = texts.size() > few ? 1 : texts.size();
      for (std::size_t i = 0; i < told; ++i) text += "\n  " + texts[i];
      if (told < texts.size()) text += fmt::format("\n  {} more {}", texts.size() - told, others[sort]);
    }
    return text;
  }

 private:
  std::array<std::vector<std::string>, 4> texts_;  ///< by Sort
};

/// Tensors that the program does not read and that are neither ignored nor, in a model whose head is its embedding, a
/// copy of that: a model that has them is another model. `used`: names with their prefix.
void find_unused(const Program& program, const Checkpoint& checkpoint, const std::string& prefix,
                 const std::set<std::string>& used, Misfits& misfits) {
  const CheckpointTensor* tied = nullptr;
  if (*program.tied_embedding != '\0') tied = checkpoint.find(prefix + program.tied_embedding);
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    if (used.contains(tensor.name)) continue;
    const std::string name = without_prefix(prefix, tensor.name).value_or(tensor.name);
    const bool ignored = std::any_of(program.ignored_tensors.begin(), program.ignored_tensors.end(),
                                     [&](const char* pattern) { return is_named(name, pattern); });
    if (ignored || (tied != nullptr && same_tensor(tensor, *tied))) continue;
    misfits.add(Misfits::unused, fmt::format("{} in {}: this engine does not use it", tensor.name,
                                             checkpoint.files()[tensor.file].string()));
  }
}

/// Of a tensor that has this part of a weight.
std::vector<std::int64_t> shape_of(const WeightPattern& pattern, const RowView& view) {
  std::vector<std::int64_t> shape{view.bank_rows()};
  if (!pattern.vector && view.transposed) shape.insert(shape.begin(), view.lines_of(pattern.columns));
  if (!pattern.vector && !view.transposed) shape.push_back(pattern.columns);
  if (view.banks != 0) shape.insert(shape.begin(), view.banks);
  return shape;
}

/// That of a tensor of banks which has their rows, or their lines, in one axis.
std::vector<std::int64_t> flattened(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> flat(shape.begin() + 1, shape.end());
  flat.front() *= shape.front();
  return flat;
}

/// Other shapes of a tensor that has the same elements in the same order: one of banks may be flattened, one of parts
/// that are alike may have them in an axis of their own, and a vector over several axes may have more than one.
std::vector<std::vector<std::int64_t>> other_shapes_of(const WeightPattern& pattern, const RowView& view) {
  const std::vector<std::int64_t> whole = shape_of(pattern, view);
  if (view.banks != 0) {
    std::vector<std::vector<std::int64_t>> shapes{flattened(whole)};
    if (view.bank_rows() == 1 && !pattern.vector) shapes.push_back({view.banks * view.lines_of(pattern.columns)});
    return shapes;
  }
  std::vector<std::vector<std::int64_t>> shapes;
  if (view.has_like_parts()) {
    shapes.push_back(whole);
    shapes.back().front() = view.rows;
    shapes.back().insert(shapes.back().begin(), view.source_rows / view.rows);
  }
  for (const std::int64_t inner : pattern.inner) {
    if (inner != 0 && view.source_rows % inner == 0) shapes.push_back({view.source_rows / inner, inner});
  }
  return shapes;
}

/// Whether a tensor of this shape has the elements of a part in their order.
bool fits(const std::vector<std::int64_t>& shape, const WeightPattern& pattern, const RowView& view) {
  if (same_but_for_ones(shape, shape_of(pattern, view))) return true;
  return std::ranges::any_of(other_shapes_of(pattern, view),
                             [&](const std::vector<std::int64_t>& other) { return same_but_for_ones(shape, other); });
}

void CheckpointSource::find(const Program& program, const std::string& path) {
  entries = list_weights(program);
  stored = list_stored(program);
  const std::vector<std::string> prefixes(program.checkpoint_prefixes.begin(), program.checkpoint_prefixes.end());
  const std::string prefix = choose_prefix(prefixes, names_of(entries), checkpoint_);
  std::set<std::string> used;
  Misfits misfits;
  for (const WeightEntry& entry : entries) {
    const WeightPattern& pattern = *entry.pattern;
    FoundParts found;
    std::int64_t first = 0;
    for (const WeightPart& part : pattern.parts) {
      FoundPart place{nullptr, first, part.view};
      if (pattern.vector) place.view.transposed = false;  // it has nothing to transpose
      first += part.view.rows;
      const std::string name = prefixed(prefix, with_layer(part.name, entry.place));
      used.insert(name);
      const CheckpointTensor* tensor = checkpoint_.find(name);
      if (tensor == nullptr) {
        misfits.add(Misfits::missing, fmt::format("{}: it is missing", name));
      } else if (tensor->dtype != row_of(pattern.file_dtype()).header) {
        misfits.add(Misfits::type, fmt::format("{} in {}: it is {}; this engine was made for {}", name,
                                               checkpoint_.files()[tensor->file].string(), tensor->dtype,
                                               row_of(pattern.file_dtype()).header));
      } else if (!fits(tensor->shape, pattern, part.view)) {
        std::string others;
        for (const auto& other : other_shapes_of(pattern, part.view)) {
          others += fmt::format(" or [{}]", fmt::join(other, ", "));
        }
        misfits.add(Misfits::shape,
                    fmt::format("{} in {}: its shape is [{}]; this engine was made for [{}]{}", name,
                                checkpoint_.files()[tensor->file].string(), fmt::join(tensor->shape, ", "),
                                fmt::join(shape_of(pattern, part.view), ", "), others));
      } else {
        place.tensor = tensor;
      }
      found.push_back(place);
    }
    if (entry.values.empty() && first != (pattern.vector ? pattern.columns : pattern.rows)) {
      throw Error(ErrorKind::internal, fmt::format("{}: its parts have not as many rows as it has", entry.name));
    }
    tensors_.push_back(std::move(found));
  }
  find_unused(program, checkpoint_, prefix, used, misfits);
  if (misfits.none()) return;
  throw Error(ErrorKind::rejected,
              fmt::format("{} does not hold the weights of {}:{}\n`monomorph check SPEC --weights` says how the "
                          "checkpoint and the spec differ",
                          path, program.name, misfits.described()));
}

}  // namespace

std::unique_ptr<HostWeights::Source> open_checkpoint(const Program& program, const std::string& path) {
  auto source = std::make_unique<CheckpointSource>(Checkpoint::open(path));
  source->find(program, path);
  return source;
}

}  // namespace monomorph
