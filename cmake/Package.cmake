# The package that emitted projects find: the generator, the runtime's libraries and headers, and their CMake targets, in
# an installed prefix and, in the same layout, in the build tree.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Monomorph)
set_target_properties(monomorph_formats PROPERTIES EXPORT_NAME formats)
set_target_properties(monomorph_runtime PROPERTIES EXPORT_NAME runtime)
add_library(Monomorph::formats ALIAS monomorph_formats)
add_library(Monomorph::runtime ALIAS monomorph_runtime)
# A program that links sanitized libraries must be linked with the sanitizers too.
if(MONOMORPH_SANITIZE)
  target_link_options(monomorph_formats PUBLIC -fsanitize=address,undefined)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/MonomorphConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/${package_folder}/MonomorphConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# Emitted code fits the runtime of the version that emitted it and no other.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package_folder}/MonomorphConfigVersion.cmake
                                 COMPATIBILITY ExactVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/RuntimeDependencies.cmake
               ${PROJECT_BINARY_DIR}/${package_folder}/RuntimeDependencies.cmake COPYONLY)

install(TARGETS monomorph_formats monomorph_runtime EXPORT MonomorphTargets)
export(EXPORT MonomorphTargets NAMESPACE Monomorph:: FILE ${PROJECT_BINARY_DIR}/${package_folder}/MonomorphTargets.cmake)
install(EXPORT MonomorphTargets NAMESPACE Monomorph:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/${package_folder}/MonomorphConfig.cmake
              ${PROJECT_BINARY_DIR}/${package_folder}/MonomorphConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/RuntimeDependencies.cmake
        DESTINATION ${package_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/monomorph
        FILES_MATCHING PATTERN "*.hpp")
if(TARGET monomorph)
  install(TARGETS monomorph)
endif()
