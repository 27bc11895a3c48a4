#include "runtime/vulkan/instance.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {
namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";

enum class Validation { off, core, gpu_assisted };

Validation requested_validation() {
  const char* value = std::getenv("MONOMORPH_VALIDATION");
  if (value == nullptr || *value == '\0' || std::string_view(value) == "0") return Validation::off;
  if (std::string_view(value) == "1") return Validation::core;
  if (std::string_view(value) == "gpu") return Validation::gpu_assisted;
  throw Error(ErrorKind::environment, fmt::format("MONOMORPH_VALIDATION is '{}'; it can be 0, 1 or gpu", value));
}

bool has_layer(const char* name) {
  std::uint32_t count = 0;
  check(vkEnumerateInstanceLayerProperties(&count, nullptr), "vkEnumerateInstanceLayerProperties");
  std::vector<VkLayerProperties> layers(count);
  check(vkEnumerateInstanceLayerProperties(&count, layers.data()), "vkEnumerateInstanceLayerProperties");
  for (const VkLayerProperties& layer : layers) {
    if (std::strcmp(layer.layerName, name) == 0) return true;
  }
  return false;
}

bool has_extension(const char* name) {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> extensions(count);
  if (vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()) != VK_SUCCESS) return false;
  for (const VkExtensionProperties& extension : extensions) {
    if (std::strcmp(extension.extensionName, name) == 0) return true;
  }
  return false;
}

}  // namespace

VKAPI_ATTR VkBool32 VKAPI_CALL Instance::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT,
                                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  auto& instance = *static_cast<Instance*>(self);
  const bool is_error = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  std::fprintf(stderr, "vulkan validation %s: %s\n", is_error ? "error" : "warning", data->pMessage);
  if (is_error) {
    const std::lock_guard lock(instance.mutex_);
    if (instance.errors_++ == 0) instance.first_error_ = data->pMessage;
  }
  return VK_FALSE;
}

std::shared_ptr<Instance> Instance::create() {
  const Validation validation = requested_validation();
  if (!trouble_with_loader().empty()) return nullptr;
  std::shared_ptr<Instance> self(new Instance);

  std::vector<const char*> layers, extensions;
  const bool debug_utils = validation != Validation::off || has_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (debug_utils) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

  VkDebugUtilsMessengerCreateInfoEXT messenger{};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = self.get();

  std::vector<VkValidationFeatureEnableEXT> enabled{VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  if (validation == Validation::gpu_assisted) {
    enabled.push_back(VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT);
    enabled.push_back(VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT);
  }
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.pNext = &messenger;
  features.enabledValidationFeatureCount = static_cast<std::uint32_t>(enabled.size());
  features.pEnabledValidationFeatures = enabled.data();

  if (validation != Validation::off) {
    if (!has_layer(validation_layer)) {
      throw Error(ErrorKind::environment,
                  fmt::format("MONOMORPH_VALIDATION asks for {}, which is not installed (on Debian: apt install "
                              "vulkan-validationlayers)",
                              validation_layer));
    }
    layers.push_back(validation_layer);
    extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
    // Hazards between submissions have a switch of their own, which this layer reads from the environment alone.
    setenv("VK_LAYER_ENABLES", "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT", 0);
  }

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "monomorph";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  create.pNext = validation != Validation::off ? &features : nullptr;
  create.pApplicationInfo = &application;
  create.enabledLayerCount = static_cast<std::uint32_t>(layers.size());
  create.ppEnabledLayerNames = layers.data();
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();

  const VkResult result = vkCreateInstance(&create, nullptr, &self->instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    self->instance_ = VK_NULL_HANDLE;
    return nullptr;
  }
  check(result, "vkCreateInstance");

  if (debug_utils) {
    self->set_name_ = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        vkGetInstanceProcAddr(self->instance_, "vkSetDebugUtilsObjectNameEXT"));
  }
  if (validation != Validation::off) {
    const auto create_messenger = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(self->instance_, "vkCreateDebugUtilsMessengerEXT"));
    check(create_messenger(self->instance_, &messenger, nullptr, &self->messenger_), "vkCreateDebugUtilsMessengerEXT");
  }
  return self;
}

Instance::~Instance() {
  if (instance_ == VK_NULL_HANDLE) return;
  int reported = 0;
  {
    const std::lock_guard lock(mutex_);
    reported = errors_;
  }
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy_messenger = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy_messenger(instance_, messenger_, nullptr);
  }
  vkDestroyInstance(instance_, nullptr);
  // What the layer finds while objects are destroyed can no longer be thrown; the process must fail all the same.
  const std::lock_guard lock(mutex_);
  if (errors_ > 0) {
    std::fprintf(stderr, "error: the Vulkan validation layer reported %d error(s), %d of them at the end\n", errors_,
                 errors_ - reported);
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(ErrorKind::internal));
  }
}

void Instance::check_validation() const {
  const std::lock_guard lock(mutex_);
  if (errors_ == 0) return;
  throw Error(ErrorKind::internal,
              fmt::format("the Vulkan validation layer reported {} error(s); the first: {}", errors_, first_error_));
}

void Instance::name(VkDevice device, VkObjectType type, std::uint64_t object, const std::string& name) const {
  if (set_name_ == nullptr) return;
  VkDebugUtilsObjectNameInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name.c_str();
  check(set_name_(device, &info), "vkSetDebugUtilsObjectNameEXT");
}

}  // namespace monomorph::vulkan
