# embed_texts(NAME HEADER TYPE FUNCTION ROOT FILES): the generator has a function `const TYPE& FUNCTION()`, which HEADER
# declares and which gives the texts of FILES by their paths relative to ROOT. NAME.cpp is written when they change.
#
# As a script (-P): writes that file to OUTPUT.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(embed_texts name header type function root files)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    list(SORT files)
    list(TRANSFORM files PREPEND ${root}/ OUTPUT_VARIABLE paths)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${header} -DTYPE=${type} -DFUNCTION=${function} -DROOT=${root}
              "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
      DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
      VERBATIM)
    target_sources(monomorph_generator PRIVATE ${output})
    # A custom command belongs to the targets of its own folder; the generator is a target of the folder above.
    add_custom_target(monomorph_${name} DEPENDS ${output})
    add_dependencies(monomorph_generator monomorph_${name})
  endfunction()
  return()
endif()

set(text "#include \"${HEADER}\"\n\nnamespace monomorph::generator {\n\n")
string(APPEND text "const ${TYPE}& ${FUNCTION}() {\n  static const ${TYPE} all = {\n")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} content)
  string(APPEND text "      {\"${file}\", R\"~~(${content})~~\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n\n}  // namespace monomorph::generator\n")
file(WRITE ${OUTPUT} "${text}")
