#include "runtime/formats/checkpoint.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>

#include "runtime/error.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using tests::TemporaryDirectory;

namespace {

std::string file_of(const std::string& header, std::size_t data_bytes) {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  bytes += header;
  for (std::size_t i = 0; i < data_bytes; ++i) bytes += static_cast<char>(i);
  return bytes;
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape, int begin, int end) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype, shape, begin, end);
}

/// A header of these members.
std::string object(std::initializer_list<std::string> members) {
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

/// The message with which the file is refused; "" when it opens.
std::string refusal(const std::filesystem::path& path, ErrorKind kind = ErrorKind::rejected) {
  return tests::refused_with([&] { Checkpoint::open(path); }, kind);
}

}  // namespace

TEST_CASE("weights of PyTorch's are named as that, with what makes them readable, in a file and in a folder") {
  const TemporaryDirectory directory;
  const std::string zip("PK\x03\x04\0\0\x08\x08\0\0\0\0", 12), pickle("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 jP", 12);
  const std::string said = "these are PyTorch's weights, which are not read; safetensors and GGUF are";
  for (const std::string& start : {zip, pickle}) {
    const std::string message = refusal(directory.write("weights.bin", start + std::string(1000, '\0')));
    CHECK(message.find("weights.bin: " + said) != std::string::npos);
    CHECK(message.find("save_pretrained") != std::string::npos);
    CHECK(message.find("convert_hf_to_gguf.py") != std::string::npos);
  }
  for (const std::string name : {"pytorch_model.bin", "pytorch_model-00001-of-00002.bin", "consolidated.00.pth"}) {
    const TemporaryDirectory folder;
    folder.write(name, zip);
    CHECK(refusal(folder.path(), ErrorKind::environment).find(name + ": " + said) != std::string::npos);
  }
}

TEST_CASE("tensors are listed by name, with what the file declares and their bytes in place") {
  const TemporaryDirectory directory;
  const std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," + tensor("z", "F16", "[2,3]", 0, 12) + "," +
                             tensor("a.weight", "F32", "[1]", 12, 16) + "," + tensor("none", "BF16", "[0,4]", 12, 12) +
                             "," + tensor("scalar", "I64", "[]", 16, 24) + "}   ";
  const Checkpoint checkpoint = Checkpoint::open(directory.write("x.safetensors", file_of(header, 24)));
  REQUIRE(checkpoint.tensors().size() == 4);
  CHECK(checkpoint.tensors()[0].name == "a.weight");
  CHECK(checkpoint.tensors()[3].name == "z");
  const CheckpointTensor* const z = checkpoint.find("z");
  REQUIRE(z != nullptr);
  CHECK(z->dtype == "F16");
  CHECK(z->shape == std::vector<std::int64_t>{2, 3});
  CHECK(z->elements() == 6);
  CHECK(z->data.size() == 12);
  CHECK(static_cast<int>(checkpoint.find("a.weight")->data[0]) == 12);
  CHECK(checkpoint.find("none")->data.empty());
  CHECK(checkpoint.find("scalar")->elements() == 1);
  CHECK(checkpoint.find("zz") == nullptr);
  CHECK(checkpoint.total_bytes() == 24);
  CHECK(checkpoint.directory() == directory.path());
  checkpoint.prefetch(*z);
  checkpoint.release(*z);
  CHECK(static_cast<int>(z->data[11]) == 11);
}

TEST_CASE("a dtype nobody knows yet is listed as it is, for the audit to refuse") {
  const TemporaryDirectory directory;
  const auto path = directory.write("x.safetensors", file_of(object({tensor("a", "F2_NEW", "[3]", 0, 5)}), 5));
  CHECK(Checkpoint::open(path).find("a")->dtype == "F2_NEW");
}

TEST_CASE("whatever breaks the format is refused, naming the file, the tensor and the reason") {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"too few", "", "1234567"},
      {"not a safetensors", "", file_of("", 0)},
      {"truncated", "", file_of("{}", 0).substr(0, 9)},
      {"truncated", "", std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)},
      {"truncated", "", "PK\x03\x04 a zip file, as pytorch_model.bin is"},
      {"damaged at byte", "", file_of("{\"a\":", 0)},
      {"damaged at byte", "", file_of("{} x", 0)},
      {"start with '{'", "", file_of("[]", 0)},
      {"12 bytes, which is not what F32 [2, 2]", "'a'", file_of(object({tensor("a", "F32", "[2,2]", 0, 12)}), 12)},
      {"which is not what", "'a'", file_of(object({tensor("a", "F4", "[3]", 0, 2)}), 2)},
      {"which is not what", "'a'", file_of(object({tensor("a", "U8", "[4294967296,4294967296]", 0, 0)}), 0)},
      {"which is not what", "'a'", file_of(object({tensor("a", "F32", "[4611686018427387904]", 0, 0)}), 0)},
      {"impossible extent", "'a'", file_of(object({tensor("a", "U8", "[18446744073709551615]", 0, 0)}), 0)},
      {"truncated or damaged", "'a'", file_of(object({tensor("a", "F32", "[2]", 0, 8)}), 7)},
      {"truncated or damaged", "'a'", file_of(object({tensor("a", "F32", "[2]", 8, 0)}), 8)},
      {"inside another tensor", "'b'",
       file_of(object({tensor("a", "U8", "[4]", 0, 4), tensor("b", "U8", "[4]", 2, 6)}), 6)},
      {"after a gap", "'b'", file_of(object({tensor("a", "U8", "[4]", 0, 4), tensor("b", "U8", "[1]", 5, 6)}), 6)},
      {"2 bytes follow", "", file_of(object({tensor("a", "U8", "[4]", 0, 4)}), 6)},
      {"declared twice", "'a'", file_of(object({tensor("a", "U8", "[4]", 0, 4), tensor("a", "U8", "[4]", 0, 4)}), 4)},
      {"lacks dtype", "'a'", file_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1)},
      {"'dtype' twice", "'a'",
       file_of("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1)},
      {"does not know", "'a'",
       file_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"more\":1}}", 1)},
      {"3 data_offsets", "'a'", file_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,2]}}", 1)},
      {"a negative number", "'a.shape'",
       file_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]}}", 1)},
      {"a fraction", "'a.shape'", file_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[1.5],\"data_offsets\":[0,1]}}", 1)},
      {"a number", "'a'", file_of("{\"a\":3}", 0)},
      {"a text", "'a'", file_of("{\"a\":\"b\"}", 0)},
      {"an object", "'a.shape'", file_of("{\"a\":{\"shape\":{}}}", 0)},
      {"a list", "'a'", file_of("{\"a\":[]}", 0)},
      {"a number", "'__metadata__.k'", file_of("{\"__metadata__\":{\"k\":1}}", 0)},
  };
  const TemporaryDirectory directory;
  for (const auto& [expected, place, bytes] : cases) {
    const std::string message = refusal(directory.write("bad.safetensors", bytes));
    INFO(expected, " in: ", message);
    CHECK(message.find(expected) != std::string::npos);
    CHECK(message.find(place) != std::string::npos);
    CHECK(message.find("bad.safetensors") != std::string::npos);
  }
}

TEST_CASE("a directory's shards are one checkpoint") {
  const TemporaryDirectory directory;
  directory.write("one.safetensors", file_of(object({tensor("b", "U8", "[2]", 0, 2)}), 2));
  directory.write("two.safetensors",
                  file_of(object({tensor("a", "U8", "[3]", 0, 3), tensor("c", "U8", "[1]", 3, 4)}), 4));
  const auto index = directory.write("model.safetensors.index.json",
                                     R"({"metadata":{"total_size":6,"list":[1,{"weight_map":"no"}]},
                                     "weight_map":{"a":"two.safetensors","b":"one.safetensors","c":"two.safetensors"}})");
  for (const std::filesystem::path& path : {directory.path(), std::filesystem::path(index)}) {
    const Checkpoint checkpoint = Checkpoint::open(path);
    REQUIRE(checkpoint.tensors().size() == 3);
    CHECK(checkpoint.tensors()[0].name == "a");
    CHECK(checkpoint.files().size() == 2);
    CHECK(checkpoint.files()[checkpoint.find("b")->file].filename() == "one.safetensors");
    CHECK(checkpoint.files()[checkpoint.find("c")->file].filename() == "two.safetensors");
    CHECK(checkpoint.directory() == directory.path());
  }
}

TEST_CASE("an index and shards that disagree are refused") {
  const TemporaryDirectory directory;
  directory.write("one.safetensors", file_of(object({tensor("a", "U8", "[2]", 0, 2)}), 2));
  directory.write("two.safetensors",
                  file_of(object({tensor("a", "U8", "[2]", 0, 2), tensor("b", "U8", "[1]", 2, 3)}), 3));
  const auto refused = [&](const std::string& weight_map, const std::string& expected,
                           ErrorKind kind = ErrorKind::rejected) {
    directory.write("model.safetensors.index.json", "{\"weight_map\":" + weight_map + "}");
    const std::string message = refusal(directory.path(), kind);
    INFO(message);
    CHECK(message.find(expected) != std::string::npos);
  };
  refused(R"({"a":"three.safetensors"})", "three.safetensors", ErrorKind::environment);
  refused(R"({"a":"one.safetensors","z":"one.safetensors"})", "'z' stands in one.safetensors, which does not hold it");
  refused(R"({"a":"one.safetensors","b":"two.safetensors"})",
          "'a' stands in two shards, one.safetensors and two.safetensors");
  refused(R"({"a":"../one.safetensors"})", "no plain file name");
  refused(R"({"a":"one.safetensors","a":"two.safetensors"})", "listed twice");
  refused(R"({"a":1})", "a number");
  refused("[]", "a list");
  refused("{}", "no weight_map");
}

TEST_CASE("an index that names another shard than the tensor's is refused, whichever is opened first") {
  const TemporaryDirectory directory;
  directory.write("one.safetensors",
                  file_of(object({tensor("a", "U8", "[2]", 0, 2), tensor("b", "U8", "[1]", 2, 3)}), 3));
  directory.write("two.safetensors",
                  file_of(object({tensor("c", "U8", "[2]", 0, 2), tensor("d", "U8", "[1]", 2, 3)}), 3));
  const auto refused = [&](const std::string& weight_map, const std::string& expected) {
    directory.write("model.safetensors.index.json", "{\"weight_map\":" + weight_map + "}");
    const std::string message = refusal(directory.path());
    INFO(message);
    CHECK(message.find(expected) != std::string::npos);
  };
  refused(R"({"a":"two.safetensors","b":"one.safetensors","c":"two.safetensors","d":"two.safetensors"})",
          "'a' stands in two.safetensors, which does not hold it");
  refused(R"({"a":"one.safetensors","b":"one.safetensors","c":"one.safetensors","d":"two.safetensors"})",
          "'c' stands in one.safetensors, which does not hold it");
}

TEST_CASE("what cannot be opened is an environment's failure that says what was looked for") {
  const TemporaryDirectory directory;
  CHECK(refusal(directory.path() / "nowhere", ErrorKind::environment).find("no such file") != std::string::npos);
  CHECK(refusal(directory.path(), ErrorKind::environment).find("model.safetensors.index.json") != std::string::npos);
}

TEST_CASE("a directory with both forms is read from the single file") {
  const TemporaryDirectory directory;
  directory.write("model.safetensors", file_of(object({tensor("a", "U8", "[2]", 0, 2)}), 2));
  directory.write("model.safetensors.index.json", "{}");
  CHECK(Checkpoint::open(directory.path()).tensors().size() == 1);
}

TEST_CASE("a folder with an adapter is refused by name, beside the base model's weights and alone; a file is not") {
  const TemporaryDirectory directory;
  directory.write("adapter_config.json", R"({"peft_type": "LORA"})");
  CHECK(refusal(directory.path()).find("adapter_config.json: this folder holds an adapter") != std::string::npos);
  const std::string model = directory.write("model.safetensors", file_of(object({tensor("w", "F32", "[1]", 0, 4)}), 4));
  CHECK(refusal(directory.path()).find("merge_and_unload") != std::string::npos);
  CHECK(refusal(model).empty());
}
