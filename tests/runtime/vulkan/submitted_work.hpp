// What the runtime tells the device, listened to on its way: functions of its table are replaced by some that note the
// call and pass it on. Whatever is submitted is judged by Vulkan's rules for memory (chapter 7 of the
// specification), across submissions, and whether or not a driver or the validation layer would show it.
//
// Assumes one device and one queue at a time; a dispatch touches the whole of each range bound to it.
#pragma once

#include <string>
#include <vector>

#include "runtime/program/program.hpp"
#include "runtime/vulkan/functions.hpp"

namespace monomorph::test {

/// Bytes that a command touches, in one stage, in one way.
struct Touch {
  VkBuffer buffer;
  VkDeviceSize offset, bytes;
  VkPipelineStageFlags stage;
  VkAccessFlags access;  ///< one bit
  std::string by;        ///< for messages: "copy", "dispatch of head"

  bool writes() const { return (access & (VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)) != 0; }
};

struct MemoryBarrier {
  VkPipelineStageFlags from, to;
  VkAccessFlags written, used;
};

/// Follows commands in the order of their execution.
class MemoryOrder {
 public:
  /// One command's accesses: among themselves they need no order.
  void command(const std::vector<Touch>& touches);
  void barrier(const MemoryBarrier& barrier);
  /// The host will read whatever of these buffers the device has written.
  void host_reads(const std::vector<VkBuffer>& mapped);
  /// Sentences about accesses that nothing orders; empty as it should be.
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct Earlier {
    Touch touch;
    VkPipelineStageFlags ordered_before = 0;  ///< stages of later commands that wait for it
    VkAccessFlags visible_to = 0;             ///< accesses of theirs that see what it wrote
    bool available = false;
  };
  void check(const Earlier& earlier, const Touch& later);
  std::vector<Earlier> earlier_;
  std::vector<std::string> faults_;
};

/// Listens as long as it lives to engines of `program`; one at a time.
class SubmittedWork {
 public:
  explicit SubmittedWork(const Program& program);
  ~SubmittedWork();
  SubmittedWork(const SubmittedWork&) = delete;
  SubmittedWork& operator=(const SubmittedWork&) = delete;

  /// An engine has handed out what it read.
  void host_reads();
  const std::vector<std::string>& faults() const;
  /// Whether every pool of descriptors was made for what was taken from it; drivers may give more, or refuse.
  bool pools_suffice() const;
  int submissions() const;
  int dispatches() const;
  int copies() const;
};

}  // namespace monomorph::test
