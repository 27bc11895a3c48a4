# The units of a level: one of its own, and one for each format of rows, which an engine links where it names the format.
#
# level_units(SOURCES LEVEL): writes them to the build tree, and gives their names.
function(level_units sources level)
  set(list ${PROJECT_SOURCE_DIR}/runtime/cpu/levels/level.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(READ ${list} formats)
  string(REGEX MATCHALL "each\\([a-z0-9_]+, [A-Za-z0-9_]+\\)" formats "${formats}")
  set(units ${CMAKE_CURRENT_BINARY_DIR}/${level}.cpp)
  file(CONFIGURE OUTPUT ${units} CONTENT "#include \"runtime/cpu/levels/unit.hpp\"\n")
  foreach(format IN LISTS formats)
    string(REGEX REPLACE "each\\((.*), (.*)\\)" "\\1;\\2" format "${format}")
    list(GET format 0 name)
    list(GET format 1 reader)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${level}_${name}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"runtime/cpu/levels/rows_unit.hpp\"

namespace monomorph::cpu::${level} {

extern const RowLoops ${name};
constinit const RowLoops ${name} = loops_of<${reader}>();

}  // namespace monomorph::cpu::${level}
")
    list(APPEND units ${unit})
  endforeach()
  set(${sources} ${units} PARENT_SCOPE)
endfunction()

# add_level(TARGET LEVEL [flag...]). No precompiled header: inline functions of the library that were compiled for one
# level would be linked into code of another. GCC 12 warns of AVX-512's own headers.
function(add_level target level)
  level_units(units ${level})
  target_sources(${target} PRIVATE ${units})
  set_source_files_properties(${units} TARGET_DIRECTORY ${target}
                              PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                                         COMPILE_OPTIONS "-O3;-ffp-contract=off;-DMONOMORPH_LEVEL=${level};${ARGN};$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>")
endfunction()
