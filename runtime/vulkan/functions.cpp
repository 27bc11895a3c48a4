#include "runtime/vulkan/functions.hpp"

#include <dlfcn.h>

#include <type_traits>

namespace monomorph::vulkan {

#define MONOMORPH_DEFINE(name) PFN_##name name = nullptr;
MONOMORPH_VULKAN_FUNCTIONS(MONOMORPH_DEFINE)
#undef MONOMORPH_DEFINE

namespace {

/// The library stays open: drivers are not made to be closed while the process lives.
std::string find_all() {
  void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::string(dlerror()) + " (on Debian: apt install libvulkan1)";
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = std::string("libvulkan.so.1 has no ") + name;
  };
#define MONOMORPH_FIND(name) find(#name, name);
  MONOMORPH_VULKAN_FUNCTIONS(MONOMORPH_FIND)
#undef MONOMORPH_FIND
  return missing;
}

}  // namespace

const std::string& trouble_with_loader() {
  static const std::string trouble = find_all();
  return trouble;
}

}  // namespace monomorph::vulkan
