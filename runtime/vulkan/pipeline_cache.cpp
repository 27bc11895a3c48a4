#include "runtime/vulkan/pipeline_cache.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/formats/atomic_file.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {
namespace {

constexpr std::uint64_t file_magic = 0x31304350484f4d4dull;  // "MMOHPC01"

/// What stands before the driver's bytes.
struct FileHeader {
  std::uint64_t magic, bytes, checksum;
};

std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash = 0xcbf29ce484222325ull) {
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3ull;
  return hash;
}

}  // namespace

std::optional<std::filesystem::path> pipeline_cache_path(const PhysicalDevice& device, const Program& program) {
  const char* off = std::getenv("MONOMORPH_NO_CACHE");
  if (off != nullptr && *off != '\0' && std::string_view(off) != "0") return std::nullopt;
  std::filesystem::path directory;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    directory = cache;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    directory = std::filesystem::path(home) / ".cache";
  } else {
    return std::nullopt;
  }
  std::uint64_t hash = fnv1a(std::as_bytes(std::span(device.uuid)));
  const std::uint32_t facts[] = {device.vendor, device.device, device.driver_version};
  hash = fnv1a(std::as_bytes(std::span(facts)), hash);
  for (const std::string_view text : {program.name, program.version, program.spec_hash}) {
    hash = fnv1a(std::as_bytes(std::span(text)), hash);
  }
  for (const Kernel& kernel : program.kernels) hash = fnv1a(kernel.spirv, hash);
  return directory / "monomorph" / fmt::format("{:016x}.pipelines", hash);
}

std::vector<std::byte> read_pipeline_cache(const std::filesystem::path& path, const PhysicalDevice& device) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  FileHeader header{};
  if (text.size() < sizeof header + sizeof(VkPipelineCacheHeaderVersionOne)) return {};
  std::memcpy(&header, text.data(), sizeof header);
  const auto data = std::as_bytes(std::span(text)).subspan(sizeof header);
  if (header.magic != file_magic || header.bytes != data.size() || header.checksum != fnv1a(data)) return {};
  VkPipelineCacheHeaderVersionOne said{};
  std::memcpy(&said, data.data(), sizeof said);
  if (said.headerVersion != VK_PIPELINE_CACHE_HEADER_VERSION_ONE || said.vendorID != device.vendor ||
      said.deviceID != device.device || std::memcmp(said.pipelineCacheUUID, device.uuid, VK_UUID_SIZE) != 0) {
    return {};
  }
  return {data.begin(), data.end()};
}

void write_pipeline_cache(const std::filesystem::path& path, std::span<const std::byte> data) {
  const FileHeader header{file_magic, data.size(), fnv1a(data)};
  try {
    std::filesystem::create_directories(path.parent_path());
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(&header, 1)));
    file.write(data);
    file.commit();
  } catch (const Error&) {
  } catch (const std::filesystem::filesystem_error&) {
  }
}

PipelineCache::PipelineCache(const Device& device, const Program& program, std::size_t threads)
    : device_(device), path_(pipeline_cache_path(device.physical(), program)) {
  if (path_) loaded_ = read_pipeline_cache(*path_, device.physical());
  VkPipelineCacheCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  create.initialDataSize = loaded_.size();
  create.pInitialData = loaded_.data();
  for (std::size_t t = 0; t < threads; ++t) {
    VkPipelineCache cache = VK_NULL_HANDLE;
    check(vkCreatePipelineCache(device.get(), &create, nullptr, &cache), "vkCreatePipelineCache");
    caches_.emplace_back(device.get(), cache);
  }
}

void PipelineCache::save() const {
  if (!path_) return;
  // A cache that cannot be kept is no reason to fail.
  const VkPipelineCache whole = caches_.front().get();
  std::vector<VkPipelineCache> others;
  for (std::size_t t = 1; t < caches_.size(); ++t) others.push_back(caches_[t].get());
  if (!others.empty() && vkMergePipelineCaches(device_.get(), whole, static_cast<std::uint32_t>(others.size()),
                                               others.data()) != VK_SUCCESS) {
    return;
  }
  std::size_t size = 0;
  if (vkGetPipelineCacheData(device_.get(), whole, &size, nullptr) != VK_SUCCESS) return;
  std::vector<std::byte> data(size);
  if (vkGetPipelineCacheData(device_.get(), whole, &size, data.data()) != VK_SUCCESS) return;
  data.resize(size);
  if (data != loaded_) write_pipeline_cache(*path_, data);
}

}  // namespace monomorph::vulkan
