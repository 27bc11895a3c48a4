# cmake -DBUILD=... -DSOURCE=... -DGENERATOR=... -DCOMPILER=... -DWORK=... -P build_outside.cmake: what a user of the
# package does. Installs generator and runtime, builds the embedded model's engine with the installed generator, and a
# program around it with nothing else to go by.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# What the command that ran last has said.
function(said text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "no \"${text}\" in:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${WORK}/prefix/bin/monomorph build ${SOURCE}/models/kjv -o ${WORK}/kjv)
said("in C\\+\\+, kjv is its namespace and CMake target, and its header #include \"kjv/engine.hpp\"")
run(${WORK}/kjv/kjv info)
said("in C\\+\\+ +kjv: namespace, CMake target, #include \"kjv/engine.hpp\"")
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/outside/project -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/prefix -DKJV=${WORK}/kjv)
run(${CMAKE_COMMAND} --build ${WORK}/build)
