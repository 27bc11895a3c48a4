#include "tests/golden/corruption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/weights/weights.hpp"
#include "tests/support/files.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/temporary_directory.hpp"

namespace monomorph::golden {
namespace {

using tests::GgufTensorText;
using tests::GgufText;

/// Where the parts of a valid file's header begin and end.
struct Header {
  static constexpr std::size_t tensor_count = 8, metadata = 24;
  std::size_t tensors = 0, end = 0;
};

template <class T>
T number_at(const std::string& bytes, std::size_t& at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  at += sizeof value;
  return value;
}

/// Of a tensor's entry: its name, the count of its extents, these, type and offset.
std::size_t entry_bytes(const GgufTensor& tensor) {
  return 8 + tensor.name.size() + 4 + 8 * tensor.shape.size() + 4 + 8;
}

/// The whole file, as it can be written again with changes.
struct Parsed {
  Header header;
  GgufText text;
};

Parsed parse(const std::string& bytes) {
  const GgufFile file = read_gguf(std::as_bytes(std::span(bytes)), "the golden's file");
  Parsed parsed;
  parsed.text.version = file.version;
  const auto offset_of = [&](std::string_view part) { return static_cast<std::size_t>(part.data() - bytes.data()); };
  // The first tensor's entry stands behind all metadata, in which its name may stand too.
  std::size_t at = bytes.rfind(tests::gguf_string(file.tensors.front().name));
  parsed.header.tensors = at;
  for (std::size_t i = 0; i < file.metadata.size(); ++i) {
    const std::string_view key = file.metadata[i].key;
    const std::size_t begin = offset_of(key) + key.size();
    const std::size_t end = i + 1 < file.metadata.size() ? offset_of(file.metadata[i + 1].key) - 8 : at;
    parsed.text.metadata.emplace_back(std::string(key), bytes.substr(begin, end - begin));
  }
  for (const GgufTensor& tensor : file.tensors) {
    // No weight: what it holds is compared with the engine's facts, as metadata are. Such a tensor stands first.
    if (tensor.name == "rope_freqs.weight") parsed.header.tensors = at + entry_bytes(tensor);
    GgufTensorText one;
    const auto length = number_at<std::uint64_t>(bytes, at);
    one.name = bytes.substr(at, length);
    at += length;
    one.extents.resize(number_at<std::uint32_t>(bytes, at));
    for (std::uint64_t& extent : one.extents) extent = number_at<std::uint64_t>(bytes, at);
    one.type = number_at<std::uint32_t>(bytes, at);
    at += 8;  // the offset, which follows from the order
    one.bytes.assign(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
    parsed.text.tensors.push_back(std::move(one));
  }
  parsed.header.end = at;
  return parsed;
}

/// All bytes that the device would store.
std::string stored_bytes(const HostWeights& weights) {
  std::string all;
  for (std::size_t i = 0; i < weights.stored().size(); ++i) {
    const StoredEntry& entry = weights.stored()[i];
    std::vector<std::byte> bytes(static_cast<std::size_t>(entry.bytes()));
    weights.stored_rows(static_cast<std::int32_t>(i), 0, entry.pattern->rows, bytes);
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

class Corruption {
 public:
  Corruption(const Program& program, const std::string& path)
      : program_(program), bytes_(tests::read_file(path)), parsed_(parse(bytes_)) {
    write(bytes_);
    weights_ = stored_bytes(HostWeights::open(program_, copy_));
  }

  std::string taken() {
    cut_short();
    change_bytes(Header::metadata, parsed_.header.tensors, "metadata", true);
    change_bytes(Header::tensor_count, Header::metadata, "counts", false);
    change_bytes(parsed_.header.tensors, parsed_.header.end, "tensor table", false);
    change_tensors();
    return taken_;
  }

 private:
  enum class Outcome { refused, same, other };

  /// What the copy, as it stands, is to an engine. `words`: of the refusal.
  Outcome load(const std::vector<std::string>& words = {}) {
    try {
      return stored_bytes(HostWeights::open(program_, copy_)) == weights_ ? Outcome::same : Outcome::other;
    } catch (const Error& error) {
      const std::string message = error.what();
      const auto says = [&](const std::string& word) { return message.find(word) != std::string::npos; };
      const bool told = error.kind() == ErrorKind::rejected && message.size() > copy_.size() && says(copy_);
      return told && std::ranges::all_of(words, says) ? Outcome::refused : Outcome::other;
    }
  }
  void expect(Outcome outcome, Outcome wanted, const std::string& change) {
    if (outcome != wanted && taken_.empty()) {
      taken_ = change + (wanted == Outcome::same ? " does not give the same weights" : " is not refused by name");
    }
  }
  void write(const std::string& bytes) const { std::ofstream(copy_, std::ios::binary) << bytes; }

  /// Every byte of the header's first ones, and a thousand places of the whole, from the end on.
  void cut_short() {
    std::vector<std::size_t> lengths;
    for (std::size_t length = 0; length < 64; ++length) lengths.push_back(length);
    for (int i = 0; i < 500; ++i) lengths.push_back(random_() % parsed_.header.end);
    for (int i = 0; i < 500; ++i) lengths.push_back(random_() % bytes_.size());
    std::ranges::sort(lengths, std::greater());
    write(bytes_);
    for (const std::size_t length : lengths) {
      std::filesystem::resize_file(copy_, length);
      expect(load(), Outcome::refused, fmt::format("a file cut after {} bytes", length));
    }
  }

  /// A byte at a time: a bit of it, or more. `may_load`: what the weights do not depend on may be anything that can be
  /// read, and places are drawn; else each has its turn.
  void change_bytes(std::size_t begin, std::size_t end, const std::string& part, bool may_load) {
    write(bytes_);
    std::fstream file(copy_, std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](std::size_t at, char byte) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte).flush();
    };
    const std::size_t size = end - begin;
    for (std::size_t i = 0; i < (may_load ? 500 : 2 * size); ++i) {
      const std::size_t at = begin + (may_load ? random_() : i / 2) % size;
      const auto change = static_cast<char>(i % 2 == 0 ? 1u << random_() % 8 : 1 + random_() % 255);
      put(at, static_cast<char>(bytes_[at] ^ change));
      const Outcome outcome = load();
      if (!may_load || outcome != Outcome::same) {
        expect(outcome, Outcome::refused,
               fmt::format("byte {} of the header, in its {}, changed by {}", at, part,
                           static_cast<unsigned char>(change)));
      }
      put(at, bytes_[at]);
    }
  }

  void change_tensors() {
    const auto with = [&](const auto& change) {
      GgufText text = parsed_.text;
      change(text.tensors);
      write(text.bytes());
    };
    using Tensors = std::vector<GgufTensorText>;
    for (std::size_t i = 0; i < parsed_.text.tensors.size(); ++i) {
      const std::string& name = parsed_.text.tensors[i].name;
      if (name == "rope_freqs.weight") continue;
      with([&](Tensors& tensors) { tensors[i].name += "x"; });
      const auto is_it = [&](const char* pattern) { return is_named(name, pattern); };
      if (std::ranges::any_of(program_.ignored_tensors, is_it)) {
        expect(load({name + "x"}), Outcome::refused, "a file with another name for " + name + ", which is ignored");
        continue;
      }
      expect(load({name + ": it is missing", name + "x"}), Outcome::refused, "a file with another name for " + name);
      with([&](Tensors& tensors) { tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(i)); });
      expect(load({name + ": it is missing"}), Outcome::refused, "a file without " + name);
      with([&](Tensors& tensors) { tensors[i].type = tensors[i].type == 0 ? 1 : 0; });
      expect(load({name}), Outcome::refused, "a file with another type of " + name);
      with([&](Tensors& tensors) {
        std::vector<std::uint64_t>& extents = tensors[i].extents;
        // A row has the elements of a column in their order.
        const bool is_line = std::ranges::find(extents, 1U) != extents.end();
        if (extents.front() != extents.back() && !is_line) {
          std::ranges::reverse(extents);
        } else {
          *std::ranges::max_element(extents) /= 2;
        }
      });
      expect(load({name}), Outcome::refused, "a file with another shape of " + name);
      with([&](Tensors& tensors) { tensors.push_back(tensors[i]); });
      expect(load({name}), Outcome::refused, "a file with two tensors called " + name);
    }
    with([](Tensors& tensors) { std::ranges::reverse(tensors); });
    expect(load(), Outcome::same, "a file whose tensors are in reverse");
    with([&](Tensors& tensors) { std::ranges::shuffle(tensors, random_); });
    expect(load(), Outcome::same, "a file whose tensors are shuffled");
  }

  const Program& program_;
  const std::string bytes_;
  const Parsed parsed_;
  const tests::TemporaryDirectory directory_;
  const std::string copy_ = (directory_.path() / "model.gguf").string();
  std::string weights_;
  std::mt19937 random_{20};
  std::string taken_;  ///< the first
};

}  // namespace

std::string corruption_taken(const Program& program, const std::string& path) {
  return Corruption(program, path).taken();
}

}  // namespace monomorph::golden
