#include "runtime/vulkan/functions.hpp"

#include <dlfcn.h>

namespace monomorph::vulkan {

#define MONOMORPH_DEFINE(name) PFN_##name name = nullptr;
MONOMORPH_VULKAN_FUNCTIONS(MONOMORPH_DEFINE)
#undef MONOMORPH_DEFINE

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// The library stays open: drivers are not made to be closed while the process lives.
bool find_all() {
  void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool all = true;
#define MONOMORPH_FIND(name) all = find(library, #name, name) && all;
  MONOMORPH_VULKAN_FUNCTIONS(MONOMORPH_FIND)
#undef MONOMORPH_FIND
  return all;
}

}  // namespace

bool load_functions() {
  static const bool loaded = find_all();
  return loaded;
}

}  // namespace monomorph::vulkan
