# The drivers that tests run on by name: <driver>_command stands before a command that is to run there.
file(GLOB lavapipe_manifests /usr/share/vulkan/icd.d/lvp_icd*.json)
list(APPEND lavapipe_manifests /usr/share/vulkan/icd.d/lvp_icd.json)
list(GET lavapipe_manifests 0 lavapipe_manifest)
set(lavapipe_command ${PROJECT_SOURCE_DIR}/tests/support/on_driver ${lavapipe_manifest})
set(swiftshader_command ${PROJECT_SOURCE_DIR}/tests/support/on_driver /usr/lib/chromium/vk_swiftshader_icd.json)
set(cpu_command)
