#include "runtime/engine/slot_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/formats/content_hash.hpp"

namespace monomorph {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

constexpr std::string_view magic = "MMSLOT\r\n";
constexpr const char* remedy = "; remove it, and append the tokens again";

struct Header {
  char magic[8];
  std::uint32_t version, reserved;
  std::uint64_t bytes, hash;
};
static_assert(sizeof(Header) == 32);

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.add(bytes.first(offsetof(Header, hash)));
  hash.add(bytes.subspan(sizeof(Header)));
  return hash.value();
}

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}
  template <class Value>
  void list(std::span<const Value> values) {
    const auto bytes = std::as_bytes(values);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  template <class Value>
  void number(Value value) {
    list(std::span<const Value>(&value, 1));
  }
  void text(const std::string& text) {
    number(static_cast<std::uint32_t>(text.size()));
    list(std::span<const char>(text));
  }

 private:
  std::vector<std::byte>& out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class Value>
  Value number() {
    Value value;
    std::memcpy(&value, take(sizeof value, 1).data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto bytes = take(number<std::uint32_t>(), 1);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// As many values as a number before them says.
  template <class Value>
  std::vector<Value> list() {
    const auto count = number<std::uint64_t>();
    const auto bytes = take(count, sizeof(Value));
    std::vector<Value> values(static_cast<std::size_t>(count));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  void end() const {
    if (!bytes_.empty()) reject(fmt::format("the saved slot has {} bytes that nothing names{}", bytes_.size(), remedy));
  }

 private:
  std::span<const std::byte> take(std::uint64_t count, std::uint64_t each) {
    if (count > bytes_.size() / each) {
      reject(fmt::format("the saved slot names {} values where {} bytes are left{}", count, bytes_.size(), remedy));
    }
    const auto taken = bytes_.first(static_cast<std::size_t>(count * each));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  std::span<const std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> write_slot(const SlotFile& slot) {
  std::vector<std::byte> bytes(sizeof(Header));
  bytes.reserve(sizeof(Header) + 4096 + slot.tokens.size() * sizeof(std::int32_t) + slot.states.size());
  Writer writer(bytes);
  writer.number(static_cast<std::uint32_t>(slot.facts.size()));
  for (const auto& [name, value] : slot.facts) {
    writer.text(name);
    writer.text(value);
  }
  writer.number(slot.furthest);
  writer.number(slot.length);
  for (const std::vector<std::int32_t>* tokens : {&slot.source, &slot.tokens}) {
    writer.number(static_cast<std::uint64_t>(tokens->size()));
    writer.list(std::span(*tokens));
  }
  writer.number(static_cast<std::uint64_t>(slot.states.size()));
  writer.list(std::span(slot.states));

  Header header{};
  std::memcpy(header.magic, magic.data(), magic.size());
  header.version = slot_file_version;
  header.bytes = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  header.hash = hash_of(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

SlotFile read_slot(std::span<const std::byte> bytes) {
  Header header{};
  if (!bytes.empty()) std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (bytes.size() < magic.size() || std::string_view(header.magic, magic.size()) != magic) {
    reject(fmt::format("{} bytes are no saved slot, which begins with MMSLOT; name another file", bytes.size()));
  }
  if (bytes.size() < sizeof header) {
    reject(fmt::format("the saved slot is cut: it has {} bytes, its header alone {}{}", bytes.size(), sizeof header,
                       remedy));
  }
  if (header.version != slot_file_version) {
    reject(fmt::format("the saved slot is of version {} of the format, and this engine reads {}; {}", header.version,
                       slot_file_version,
                       header.version > slot_file_version
                           ? "take an engine of a newer monomorph, or append the tokens again"
                           : "append the tokens again"));
  }
  if (header.bytes != bytes.size()) {
    reject(fmt::format("the saved slot is cut or has grown: it has {} bytes, and says that they are {}{}", bytes.size(),
                       header.bytes, remedy));
  }
  if (header.hash != hash_of(bytes)) {
    reject(fmt::format("the saved slot was changed: its {} bytes have another hash than was written{}", bytes.size(),
                       remedy));
  }
  Reader reader(bytes.subspan(sizeof header));
  SlotFile slot;
  const auto facts = reader.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < facts; ++i) {
    std::string name = reader.text();
    slot.facts.emplace_back(std::move(name), reader.text());
  }
  slot.furthest = reader.number<std::int64_t>();
  slot.length = reader.number<std::int64_t>();
  slot.source = reader.list<std::int32_t>();
  slot.tokens = reader.list<std::int32_t>();
  slot.states = reader.list<std::byte>();
  reader.end();
  return slot;
}

}  // namespace monomorph
