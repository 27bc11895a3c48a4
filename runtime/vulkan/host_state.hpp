// What host and device both touch: the sequence's state, token ids, drawn tokens, logits. Where the device's memory is
// mapped, these are its own bytes; elsewhere a mirror on the host, copied up before and down after each submission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program.hpp"
#include "runtime/vulkan/schedule.hpp"
#include "runtime/vulkan/storage.hpp"

namespace monomorph::vulkan {

class HostState {
 public:
  HostState(const Device& device, const Program& program, const Storage& storage);

  std::byte* sequence() const { return items_[0].data; }
  std::span<std::uint32_t> token_ids() const { return words<std::uint32_t>(items_[1]); }
  std::span<const std::uint32_t> generated() const { return words<std::uint32_t>(items_[2]); }
  std::span<const float> logits() const { return words<float>(items_[3]); }

  /// Before the work of a submission: state and token ids reach the device.
  void record_upload(VkCommandBuffer commands) const;
  /// After it: state, drawn tokens and logits reach the host.
  void record_download(VkCommandBuffer commands) const;

 private:
  struct Item {
    Place place;
    std::byte* data;
    std::int64_t mirror_offset;
    bool up, down;
  };
  template <class Word>
  static std::span<Word> words(const Item& item) {
    return {reinterpret_cast<Word*>(item.data), static_cast<std::size_t>(item.place.bytes) / sizeof(Word)};
  }

  const Storage& storage_;
  Buffer mirror_;  ///< without memory where the device's is mapped
  std::vector<Item> items_;
};

}  // namespace monomorph::vulkan
