# cmake -DNAME=value ... -P build_engine.cmake: emits a golden's engine and builds the runner around it. Quiet unless
# something fails. Takes MONOMORPH (the generator), PREFIX (its installation), RUNNER (the runner's library), CASE (whose
# spec is model.toml where it has one, and else what the generator makes of the folder), SETTINGS (for --set, separated by
# |), COMPILER, LAUNCHER, FLAGS, BUILD_TYPE, RELEASE_FLAGS (of that build type), HEADERS (a header to compile the engine
# after, or nothing), and WORK, the folder to build in.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
endfunction()

string(REPLACE "|" ";" settings "${SETTINGS}")
list(TRANSFORM settings PREPEND "--set=")
set(model ${CASE})
if(EXISTS ${CASE}/model.toml)
  set(model ${CASE}/model.toml)
endif()
run(${MONOMORPH} generate ${model} -o ${WORK}/emitted ${settings})
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${WORK}/build -DENGINE=${WORK}/emitted
    -DRUNNER=${RUNNER} -DHEADERS=${HEADERS} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} "-DCMAKE_CXX_FLAGS=${FLAGS}"
    "-DCMAKE_CXX_FLAGS_RELEASE=${RELEASE_FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build -j 1)
