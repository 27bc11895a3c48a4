# cmake -DKIND=installed|build_tree ... -P use_package.cmake: configures, builds and runs the consumer with nothing but
# the package to go by.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
endfunction()

set(prefix ${BUILD})
if(KIND STREQUAL "installed")
  set(prefix ${WORK}/prefix)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
  # Nothing installed may lead back into the build tree.
  file(GLOB package ${prefix}/lib/cmake/Monomorph/*.cmake)
  foreach(file IN LISTS package)
    file(READ ${file} text)
    string(FIND "${text}" "${BUILD}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names the build tree")
    endif()
  endforeach()
endif()
run(${CMAKE_COMMAND} -S ${PROJECT} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer ${CHECKPOINT})
