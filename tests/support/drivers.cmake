# The drivers that tests run on by name: <driver>_command stands before a command that is to run there.
file(GLOB lavapipe_manifests /usr/share/vulkan/icd.d/lvp_icd*.json)
list(APPEND lavapipe_manifests /usr/share/vulkan/icd.d/lvp_icd.json)
list(GET lavapipe_manifests 0 lavapipe_manifest)
set(lavapipe_command ${PROJECT_SOURCE_DIR}/tests/support/on_driver ${lavapipe_manifest})
set(swiftshader_manifest /usr/lib/chromium/vk_swiftshader_icd.json)
set(swiftshader_command ${PROJECT_SOURCE_DIR}/tests/support/on_driver ${swiftshader_manifest})
set(cpu_command)
set(drivers lavapipe swiftshader)

# next_driver(OUT): the driver whose turn it is, by turns_of_drivers. Each list of tests counts its own turns.
set_property(DIRECTORY PROPERTY turns 0)
function(next_driver out)
  get_property(turn DIRECTORY PROPERTY turns)
  list(LENGTH turns_of_drivers count)
  math(EXPR index "${turn} % ${count}")
  math(EXPR turn "${turn} + 1")
  set_property(DIRECTORY PROPERTY turns ${turn})
  list(GET turns_of_drivers ${index} driver)
  set(${out} ${driver} PARENT_SCOPE)
endfunction()

# one_of(N OUT): what is empty in the first of N calls and else ALL. Each list of tests counts its own calls.
set_property(DIRECTORY PROPERTY calls 0)
function(one_of n out)
  get_property(calls DIRECTORY PROPERTY calls)
  math(EXPR rest "${calls} % ${n}")
  math(EXPR calls "${calls} + 1")
  set_property(DIRECTORY PROPERTY calls ${calls})
  set(all)
  if(rest)
    set(all ALL)
  endif()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# label_test(NAME LABEL... [ALL|TRUE|FALSE]): ALL and an option that is TRUE are the label "all", of what scripts/test --all alone
# runs.
function(label_test name)
  set(labels ${ARGN})
  list(TRANSFORM labels REPLACE "^(ALL|TRUE)$" "all")
  list(REMOVE_ITEM labels FALSE)
  set_tests_properties(${name} PROPERTIES LABELS "${labels}")
endfunction()
