# cmake -DCOMPILER=... -DLAUNCHER=... -DROOT=... -DSOURCES=... -DLIBRARIES=... -DCORPORA=... -DNAME=... -DWORK=... -P
# fuzz.cmake: builds a fuzzer and runs it.
set(fuzzer ${WORK}/${NAME}_fuzz)
file(WRITE ${WORK}/empty.cpp "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
execute_process(COMMAND ${COMPILER} -fsanitize=fuzzer,address ${WORK}/empty.cpp -o ${WORK}/${NAME}_empty
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0)
  message("skipped: libFuzzer is not installed (on Debian: apt install libclang-rt-19-dev)")
  return()
endif()
# Each by itself, through ccache where it is installed. toml++ is its shared library, as the generator has it.
set(flags -std=c++20 -O1 -gline-tables-only -Wno-deprecated-declarations -D_GLIBCXX_ASSERTIONS -fno-sanitize-recover=all
          -DTOML_HEADER_ONLY=0 -DTOML_SHARED_LIB=1)
foreach(source IN LISTS SOURCES)
  string(REPLACE "/" "_" object ${source}.o)
  set(object ${WORK}/${NAME}_objects/${object})
  file(MAKE_DIRECTORY ${WORK}/${NAME}_objects)
  execute_process(COMMAND ${LAUNCHER} ${COMPILER} ${flags} -fsanitize=fuzzer-no-link,address,undefined -I${ROOT}
                          -c ${ROOT}/${source} -o ${object} COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND objects ${object})
endforeach()
execute_process(COMMAND ${COMPILER} -fsanitize=fuzzer,address,undefined ${objects} ${LIBRARIES} -lfmt -o ${fuzzer}
                COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${WORK}/${NAME}_corpus)
execute_process(COMMAND ${fuzzer} -max_total_time=12 -timeout=10 -max_len=4096 -print_final_stats=1 -verbosity=0
                        -artifact_prefix=${WORK}/${NAME}_ ${WORK}/${NAME}_corpus ${CORPORA}
                COMMAND_ERROR_IS_FATAL ANY)
