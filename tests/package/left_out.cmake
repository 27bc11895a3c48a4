# An engine for one device alone links nothing of the other, and none links Vulkan's loader, which may be missing.
#
#   cmake -DMONOMORPH=... -DSPEC=... -DENGINE=name -DWORK=... -P left_out.cmake
file(REMOVE_RECURSE ${WORK})

function(run result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
  set(${result} "${output}${errors}" PARENT_SCOPE)
  set(status ${status} PARENT_SCOPE)
endfunction()

function(require condition)
  if(NOT (${ARGN}))
    message(FATAL_ERROR "${condition}\n${said}")
  endif()
endfunction()

foreach(device vulkan cpu)
  run(said ${MONOMORPH} build ${SPEC} -o ${WORK}/${device} --set "engine.devices=[\"${device}\"]")
  require("the engine for ${device} is built" status EQUAL 0)
  set(engine_${device} ${WORK}/${device}/${ENGINE})
  run(said readelf --dynamic ${engine_${device}})
  require("the loader is no library of the engine's" NOT said MATCHES "NEEDED.*libvulkan")
endforeach()
# Engines are stripped; what they say tells what is in them.
set(only_vulkan vkCreateComputePipelines)
set(only_cpu thread_siblings_list)
foreach(device vulkan cpu)
  foreach(other vulkan cpu)
    file(STRINGS ${engine_${device}} said LIMIT_COUNT 1 REGEX ${only_${other}})
    if(device STREQUAL other)
      require("an engine for ${device} has its code" said MATCHES ".")
    else()
      require("an engine for ${device} has no code of ${other}" NOT said MATCHES ".")
    endif()
  endforeach()
endforeach()

run(said ${engine_vulkan} verify --random-weights --device cpu -p 3 -n 1)
require("what was left out is refused" status EQUAL 4 AND said MATCHES "built without the device cpu")
run(said ${engine_cpu} verify --random-weights -p 20 -n 3)
require("the CPU alone agrees with the reference" status EQUAL 0)

# A loader that cannot be opened is as good as none.
file(WRITE ${WORK}/no_loader/libvulkan.so.1 "")
run(said ${MONOMORPH} build ${SPEC} -o ${WORK}/both)
require("the engine for both is built" status EQUAL 0)
set(without_loader ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${WORK}/no_loader ${WORK}/both/${ENGINE})
run(said ${without_loader} devices)
require("without a loader there is the processor" status EQUAL 0 AND said MATCHES "^0  cpu \\(taken without --device\\)")
run(said ${without_loader} verify --random-weights -p 20 -n 3)
require("and it is taken" status EQUAL 0)
run(said ${without_loader} verify --random-weights -p 20 -n 3 --device vulkan)
require("Vulkan is missed where it is asked for" status EQUAL 4 AND said MATCHES "there is no Vulkan device")
