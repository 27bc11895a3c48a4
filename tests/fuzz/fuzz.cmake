# cmake -DCOMPILER=... -DROOT=... -DSOURCES=... -DNAME=... -DWORK=... -P fuzz.cmake: builds a fuzzer and runs it.
set(fuzzer ${WORK}/${NAME}_fuzz)
file(WRITE ${WORK}/empty.cpp "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
execute_process(COMMAND ${COMPILER} -fsanitize=fuzzer,address ${WORK}/empty.cpp -o ${WORK}/${NAME}_empty
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0)
  message("skipped: libFuzzer is not installed (on Debian: apt install libclang-rt-19-dev)")
  return()
endif()
execute_process(COMMAND ${COMPILER} -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
                        -I${ROOT} ${SOURCES} -lfmt -o ${fuzzer} COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${WORK}/${NAME}_corpus)
execute_process(COMMAND ${fuzzer} -max_total_time=30 -max_len=4096 -print_final_stats=1 -verbosity=0
                        -artifact_prefix=${WORK}/${NAME}_ ${WORK}/${NAME}_corpus ${ROOT}/tests/fuzz/corpora/${NAME}
                COMMAND_ERROR_IS_FATAL ANY)
