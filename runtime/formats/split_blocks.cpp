#include "runtime/formats/split_blocks.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "runtime/dtype.hpp"

namespace monomorph {
namespace {

constexpr std::string_view of_blocks = "_blocks", of_scales = "_scales";

std::vector<CheckpointTensor>::iterator find(std::vector<CheckpointTensor>& tensors, const std::string& name) {
  const auto found = std::ranges::lower_bound(tensors, name, {}, &CheckpointTensor::name);
  return found != tensors.end() && found->name == name ? found : tensors.end();
}

}  // namespace

void join_split_blocks(std::vector<CheckpointTensor>& tensors) {
  std::set<std::string> joined;
  for (CheckpointTensor& blocks : tensors) {
    if (blocks.dtype != "U8" || !blocks.name.ends_with(of_blocks) || blocks.shape.size() < 3) continue;
    const std::string name = blocks.name.substr(0, blocks.name.size() - of_blocks.size());
    const auto scales = find(tensors, name + std::string(of_scales));
    std::vector<std::int64_t> shape = blocks.shape;
    shape.pop_back();
    if (scales == tensors.end() || scales->dtype != "U8" || scales->shape != shape ||
        blocks.shape.back() != split_block_bytes || find(tensors, name) != tensors.end()) {
      continue;
    }
    joined.insert(blocks.name);
    shape.back() *= row_of(Dtype::mxfp4).block_elements;
    blocks.shape = std::move(shape);
    blocks.scales = scales->data;
  }
  if (joined.empty()) return;
  std::erase_if(tensors, [&](const CheckpointTensor& tensor) {
    if (!tensor.name.ends_with(of_scales)) return false;
    return joined.contains(tensor.name.substr(0, tensor.name.size() - of_scales.size()) + std::string(of_blocks));
  });
  for (CheckpointTensor& tensor : tensors) {
    if (!joined.contains(tensor.name)) continue;
    tensor.name.resize(tensor.name.size() - of_blocks.size());
    tensor.dtype = row_of(Dtype::mxfp4).header;
  }
  std::ranges::sort(tensors, {}, &CheckpointTensor::name);
}

void copy_split_blocks(const std::byte* blocks, const std::byte* scales, std::span<std::byte> out) {
  constexpr std::byte low{15};
  constexpr std::size_t half = split_block_bytes / 2;
  for (std::byte* block = out.data(); block < out.data() + out.size(); blocks += split_block_bytes) {
    *block++ = *scales++;
    for (std::size_t i = 0; i < half; ++i) {  // elements i and i + 16 stand in one byte
      *block++ = (blocks[i] & low) | (blocks[i + half] << 4);
      *block++ = (blocks[i] >> 4) | (blocks[i + half] & ~low);
    }
  }
}

}  // namespace monomorph
