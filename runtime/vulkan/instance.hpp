// The Vulkan instance, validation on request, and debug names.
//
// Environment: MONOMORPH_VALIDATION=1 turns on the Khronos validation layer (core, and synchronization with its checks
// at queue submission), =gpu its GPU-assisted checks too. Errors are counted; the first makes the engine's call fail.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "runtime/vulkan/functions.hpp"

namespace monomorph::vulkan {

class Instance {
 public:
  /// Null where there is no loader or no driver. Throws Error(environment) when validation is asked for and its layer
  /// is not installed.
  static std::shared_ptr<Instance> create();
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance get() const { return instance_; }

  /// Throws Error(internal) with the first message when the validation layer reported an error since the instance was
  /// made.
  void check_validation() const;

  /// Names an object for debuggers and validation messages; does nothing without VK_EXT_debug_utils.
  void name(VkDevice device, VkObjectType type, std::uint64_t object, const std::string& name) const;

 private:
  Instance() = default;
  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* self);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  PFN_vkSetDebugUtilsObjectNameEXT set_name_ = nullptr;
  mutable std::mutex mutex_;
  int errors_ = 0;
  std::string first_error_;
};

}  // namespace monomorph::vulkan
